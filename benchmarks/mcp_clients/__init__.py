"""Clients of MCP that are not ours, each in an environment of its own, at our server: over stdio and HTTP."""
