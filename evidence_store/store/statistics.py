"""How much a workspace holds, for people who look after it."""

from collections.abc import Mapping
from dataclasses import dataclass

from evidence_store.records import statistics
from evidence_store.store.core import Core


@dataclass(frozen=True, slots=True)
class Stats:
    counts: Mapping[str, int]
    """By kind: resources, revisions, observations, evidence, tasks, runs, claims, reports."""
    raw_bytes: int
    """Of all revisions, as they came."""
    stored_bytes: int
    """Of the same, as they are kept: equal bytes once, compressed."""


def read_stats(core: Core) -> Stats:
    """In one reading; of what the caller does not see, nothing is counted."""
    with core.database.reading() as connection:
        sizes = statistics.sum_bytes(connection, core.workspace, core.clearances)
        return Stats(statistics.count_rows(connection, core.workspace, core.clearances), sizes["raw"], sizes["stored"])
