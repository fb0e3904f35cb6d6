"""Whether bytes are JUnit XML that can be kept as a test report: size, encoding, grammar, no document type declaration."""

from evidence_store.documents.counts import COUNTS, format_counts
from evidence_store.documents.encoding import require_utf8
from evidence_store.documents.junit_read import read_report
from evidence_store.documents.model import DEFAULT_LIMITS, Limits, Note
from evidence_store.errors import LimitExceeded


def check_junit(raw: bytes, limits: Limits = DEFAULT_LIMITS) -> tuple[Note, ...]:
    """What was found in bytes that are JUnit XML, the counts of its cases among it.

    Raises RefusedDocument (`line`, `byte` in the details) for what is none, LimitExceeded past a limit.
    """
    if len(raw) > limits.max_bytes:
        raise LimitExceeded(f"{len(raw)} bytes are over the limit of {limits.max_bytes}", {"limit": limits.max_bytes})
    notes = require_utf8(raw, "JUnit XML")
    return (*notes, Note(COUNTS, format_counts(read_report(raw, limits).counts)))
