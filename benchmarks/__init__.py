"""Benchmarks: `make bench-NAME` runs `benchmarks.bench_NAME`. Each prints one table (`table.py`) with both sides of every ratio.

They are no tests: nothing here runs in CI, and results are not committed.
"""
