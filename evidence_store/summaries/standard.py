"""The kinds that come along, in the order in which they are tried: what is told by a clear sign first, what fits all last."""

from evidence_store.summaries.cases import TESTS
from evidence_store.summaries.inspection import INSPECTION
from evidence_store.summaries.logs import LOG
from evidence_store.summaries.metrics import METRICS
from evidence_store.summaries.records import RECORDS
from evidence_store.summaries.registry import Registry
from evidence_store.summaries.shape import SHAPE


def standard_registry() -> Registry:
    """A registry of its own with the kinds that come along."""
    return Registry((TESTS, INSPECTION, METRICS, RECORDS, LOG, SHAPE))
