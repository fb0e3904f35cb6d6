"""Keeps the outputs of tools as immutable revisions, and passages of them as evidence.

The public face of the store. `open_store` and its services are in `evidence_store.store`, so that naming the package loads
no database driver.
"""

VERSION = "0.1.0"
"""Of the distribution; a test holds it against pyproject.toml."""

__all__ = ["VERSION"]
