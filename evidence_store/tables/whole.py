"""The whole schema: every table is known to `metadata` once this is imported."""

from evidence_store.tables import access, claims, evidence, journal, runs, sources, tasks
from evidence_store.tables.schema import metadata

__all__ = ["access", "claims", "evidence", "journal", "metadata", "runs", "sources", "tasks"]
