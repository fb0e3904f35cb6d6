"""Whether bytes are JSON Lines: size, encoding, number of values, and each line as JSON of its own."""

import re
from collections.abc import Iterator
from dataclasses import replace

from evidence_store.documents.depth import require_nodes
from evidence_store.documents.encoding import UTF8_MARK, first_bad_byte, require_utf8
from evidence_store.documents.json_check import iter_repeats, repeat_notes, require_value
from evidence_store.documents.json_faults import Repeat
from evidence_store.documents.jsonl import JsonLinesDocument, end_of_records, iter_records
from evidence_store.documents.model import DEFAULT_LIMITS, Limits, Note
from evidence_store.documents.text_scan import incomplete_note
from evidence_store.errors import LimitExceeded, RefusedDocument
from evidence_store.model import Span

BLANK_LINES = "blank_lines"
"""Code of the note that not every line is a record."""
_BLANK = re.compile(rb"^[ \t\r]*+$", re.MULTILINE)


def check_jsonl(raw: bytes, limits: Limits = DEFAULT_LIMITS, *, complete: bool = True) -> tuple[Note, ...]:
    """What was found in bytes that are JSON Lines; a text without records is one. Not `complete`, it may break off in its last line.

    Raises RefusedDocument (`line`, `column`, `byte` in the details) for a line that is not JSON, LimitExceeded past a limit.
    """
    if len(raw) > limits.max_bytes:
        raise LimitExceeded(f"{len(raw)} bytes are over the limit of {limits.max_bytes}", {"limit": limits.max_bytes})
    torn = () if complete else _torn_notes(raw, limits)
    raw = raw[: end_of_records(torn)]
    notes = require_utf8(raw, "JSON Lines")
    n_nodes = 1
    for span in iter_records(raw):
        n_nodes += require_value(raw, span.start, span.end, limits).n_nodes
        require_nodes(n_nodes, limits.max_nodes)
    document = JsonLinesDocument(raw)
    n_lines = raw.count(b"\n") + (not raw.endswith(b"\n"))
    if raw and len(document.records) < n_lines:
        notes += (_blank_note(raw.removeprefix(UTF8_MARK)),)
    return notes + repeat_notes(raw, list(_iter_repeats(document)), limits) + torn


def _torn_notes(raw: bytes, limits: Limits) -> tuple[Note, ...]:
    """On the last line of a text that goes on, where that may be half of a record, or a number of which digits are missing."""
    start = raw.rfind(b"\n") + 1
    found = list(iter_records(raw[start:]))
    if not found:
        return ()
    note = incomplete_note(raw.count(b"\n") + 1)
    if not _is_value(raw, Span(start + found[0].start, start + found[0].end), limits):
        return (replace(note, text="the last line breaks off, so that it is no record yet", byte=start),)
    return (note,) if raw[-1:].isdigit() else ()


def _is_value(raw: bytes, span: Span, limits: Limits) -> bool:
    """Whether these bytes are one JSON value. Raises LimitExceeded past a limit."""
    try:
        require_value(raw, span.start, span.end, limits)
    except RefusedDocument:
        return False
    return first_bad_byte(raw[span.start : span.end]) is None


def _blank_note(text: bytes) -> Note:
    found = _BLANK.search(text)
    assert found is not None, "fewer records than lines"
    line = text.count(b"\n", 0, found.start()) + 1
    return Note(BLANK_LINES, "some lines are blank: they are no records, so record and line numbers differ", line=line)


def _iter_repeats(document: JsonLinesDocument) -> Iterator[Repeat]:
    if document.records:
        for child in document.children(document.root):
            yield from iter_repeats(document.values, (child.token,), child.node)
