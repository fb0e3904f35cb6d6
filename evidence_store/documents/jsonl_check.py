"""Whether bytes are JSON Lines: size, encoding, and each line as JSON of its own."""

from collections.abc import Iterator

from evidence_store.documents.encoding import require_utf8
from evidence_store.documents.json_check import iter_repeats, repeat_notes, require_value
from evidence_store.documents.json_faults import Repeat
from evidence_store.documents.jsonl import JsonLinesDocument, iter_records
from evidence_store.documents.model import DEFAULT_LIMITS, Limits, Note
from evidence_store.errors import LimitExceeded


def check_jsonl(raw: bytes, limits: Limits = DEFAULT_LIMITS) -> tuple[Note, ...]:
    """What was found in bytes that are JSON Lines; a text without records is one.

    Raises RefusedDocument (`line`, `column`, `byte` in the details) for a line that is not JSON, LimitExceeded past a limit.
    """
    if len(raw) > limits.max_bytes:
        raise LimitExceeded(f"{len(raw)} bytes are over the limit of {limits.max_bytes}", {"limit": limits.max_bytes})
    notes = require_utf8(raw, "JSON Lines")
    for span in iter_records(raw):
        require_value(raw, span.start, span.end, limits)
    return notes + repeat_notes(raw, list(_iter_repeats(JsonLinesDocument(raw))), limits)


def _iter_repeats(document: JsonLinesDocument) -> Iterator[Repeat]:
    if document.records:
        for child in document.children(document.root):
            yield from iter_repeats(document.values, (child.token,), child.node)
