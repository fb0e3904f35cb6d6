"""Endpoints of HTTP under `/v1`: parse, one call, present. Those that touch the store are plain functions, run in threads."""
