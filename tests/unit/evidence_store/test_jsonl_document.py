"""JSON Lines: records by index, exact places, what is refused, and the one value that the whole is."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_store.documents.detect import Detection, detect, inspect, open_document
from evidence_store.documents.jsonl import JsonLinesDocument
from evidence_store.documents.model import Limits
from evidence_store.documents.outline import outline
from evidence_store.documents.resolve import resolve
from evidence_store.documents.values import value_json
from evidence_store.errors import Ambiguous, BadIndex, EvidenceStoreError, LimitExceeded, NotFound, RefusedDocument
from evidence_store.model import Format, Span

EVENTS = b'{"Action":"run","Test":"TestA"}\r\n\n  {"Action":"fail","Test":"TestB","Elapsed":1.10}  \n"text"\n[1,2]'
NAMED = detect(b"", "go-test.jsonl")


def source(document: JsonLinesDocument, pointer: str) -> bytes:
    return document.source(resolve(document, pointer))


def test_the_first_token_is_the_record_and_blank_lines_are_none() -> None:
    document = JsonLinesDocument(EVENTS)
    assert len(document.children(document.root)) == 4
    assert source(document, "/0/Action") == b'"run"'
    assert source(document, "/1") == b'{"Action":"fail","Test":"TestB","Elapsed":1.10}'
    assert source(document, "/1/Elapsed") == b"1.10"
    assert source(document, "/2") == b'"text"'
    assert source(document, "/3/1") == b"2"
    assert resolve(document, "/3/1").span == Span(len(EVENTS) - 2, len(EVENTS) - 1)


@pytest.mark.parametrize(
    ("pointer", "error"), [("/4", NotFound), ("/x", BadIndex), ("/01", BadIndex), ("/-", NotFound), ("/2/a", NotFound)]
)
def test_pointers_to_no_record_are_told_apart(pointer: str, error: type[EvidenceStoreError]) -> None:
    with pytest.raises(error):
        resolve(JsonLinesDocument(EVENTS), pointer)


def test_a_byte_order_mark_belongs_to_no_record() -> None:
    raw = b"\xef\xbb\xbf" + EVENTS
    assert inspect(raw, NAMED).notes[0].code == "bom"
    assert source(JsonLinesDocument(raw), "/0/Action") == b'"run"'


def test_the_whole_is_an_array_of_the_records() -> None:
    document = JsonLinesDocument(EVENTS)
    value = value_json(document, document.root)
    assert value is not None
    assert value.json == b'[{"Action":"run","Test":"TestA"},{"Action":"fail","Test":"TestB","Elapsed":1.10},"text",[1,2]]'
    shown = outline(document, document.root)
    assert (shown.type, shown.n_children, [entry.keys for entry in shown.entries][:1]) == ("array", 4, [("Action", "Test")])


@pytest.mark.parametrize(
    ("raw", "line", "column"),
    [(b'{"a":1}\n{"a":}\n', 2, 6), (b'{"a":1} {"b":2}\n', 1, 9), (b'\n\n{"a":1\n}', 3, 7), (b"1\nNaN\n", 2, 1)],
)
def test_a_line_that_is_not_json_is_refused_by_line_and_column(raw: bytes, line: int, column: int) -> None:
    with pytest.raises(RefusedDocument) as caught:
        inspect(raw, NAMED)
    assert (caught.value.details["line"], caught.value.details["column"]) == (line, column)


def test_what_only_looks_like_json_lines_is_kept_as_text_with_a_note() -> None:
    raw = b'{"a":1}\n{"b":2}\nFAIL example.com/pkg [build failed]\n'
    found = inspect(raw, detect(raw, "stdout"))
    assert (found.format, found.notes[0].code) == (Format.TEXT, "not_jsonl")
    assert "line 3" in found.notes[0].text


def test_events_of_go_test_are_seen_as_json_lines() -> None:
    raw = b'{"Time":"2024-01-01T00:00:00Z","Action":"start"}\n{"Action":"pass","Elapsed":0.01}\n'
    assert inspect(raw, detect(raw, "stdout")).format is Format.JSONL


def test_repeated_members_are_noted_by_record_and_ambiguous() -> None:
    raw = b'{"a":1}\n{"b":{"a":1,\t"a":2}}\n'
    (note,) = inspect(raw, NAMED).notes
    assert (note.code, note.pointer, note.lines) == ("duplicate_key", "/1/b", (2, 2))
    document = open_document(raw, Format.JSONL, (note,))
    with pytest.raises(Ambiguous):
        resolve(document, "/1/b/a")
    assert value_json(document, document.root) is None


def test_limits_hold_for_each_record() -> None:
    deep = b"[" * 6 + b"]" * 6
    assert inspect(deep[3:-3] + b"\n" + deep[3:-3], NAMED, Limits(max_depth=3)).format is Format.JSONL
    with pytest.raises(LimitExceeded):
        inspect(b"[]\n" + deep, NAMED, Limits(max_depth=3))
    with pytest.raises(LimitExceeded):
        inspect(b"[]\n" * 10, NAMED, Limits(max_bytes=10))


def test_no_records_are_an_empty_array() -> None:
    document = open_document(b"\n \n", Format.JSONL)
    assert (len(document.children(document.root)), document.root.span) == (0, Span(0, 0))
    assert inspect(b"", NAMED).format is Format.JSONL


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3), max_leaves=5
)


@settings(max_examples=100, deadline=None, database=None)
@given(st.lists(st.dictionaries(st.text(max_size=4), VALUES, max_size=3), max_size=5), st.sampled_from(["\n", "\r\n", "\n\n", " \n\t"]))
def test_every_record_is_found_with_its_value(records: list[dict[str, object]], end: str) -> None:
    raw = "".join(json.dumps(record, ensure_ascii=False) + end for record in records).encode()
    inspect(raw, Detection(Format.JSONL, "application/jsonl", named=True))
    document = JsonLinesDocument(raw)
    assert [json.loads(document.source(child.node)) for child in document.children(document.root)] == records
