"""JSON Lines: records by index, exact places, what is refused, and the one value that the whole is."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_store.documents.detect import Detection, detect, inspect, open_document
from evidence_store.documents.jsonl import IndexedLines, JsonLinesDocument, end_of_records, lines_index
from evidence_store.documents.model import Document, Limits, Node
from evidence_store.documents.outline import keys_text, outline
from evidence_store.documents.resolve import resolve
from evidence_store.documents.text import LineStarts
from evidence_store.documents.values import value_json
from evidence_store.errors import Ambiguous, BadIndex, EvidenceStoreError, LimitExceeded, NotFound, RefusedDocument
from evidence_store.model import Format, LineRange, Span

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


def test_values_are_counted_over_all_records() -> None:
    raw = b'{"a,[": [1, 2]}\n' * 3  # an object, an array, two numbers
    assert inspect(raw, NAMED, Limits(max_nodes=13)).format is Format.JSONL
    with pytest.raises(LimitExceeded) as caught:
        inspect(raw, NAMED, Limits(max_nodes=12))
    assert (caught.value.error_code, caught.value.details["limit"]) == ("too_many_nodes", 12)


@pytest.mark.parametrize(
    ("raw", "line"),
    [(b"1\n\n2\n", 2), (b"1\n \t\r\n2", 2), (b"1\n\n", 2), (b"1\n  ", 2), (b"\n1", 1), (b"\xef\xbb\xbf\n1", 1), (b" \n", 1)],
)
def test_blank_lines_are_noted_with_the_first_of_them(raw: bytes, line: int) -> None:
    note = inspect(raw, NAMED).notes[-1]
    assert (note.code, note.line) == ("blank_lines", line)


@pytest.mark.parametrize("raw", [b"", b"1", b"1\n", b"1\r\n 2 \r\n", b"{}\n[]"])
def test_lines_that_are_records_are_not_noted(raw: bytes) -> None:
    assert inspect(raw, NAMED).notes == ()


class Lines:
    """Reads parts of a text in memory."""

    def __init__(self, raw: bytes) -> None:
        self._raw, self._starts = raw, [0, *(at + 1 for at, byte in enumerate(raw) if byte == 10), len(raw)]
        self.n_read = 0

    def read(self, span: Span) -> bytes:
        self.n_read += span.length
        return self._raw[span.start : span.end]

    def span_of_lines(self, lines: LineRange) -> Span:
        return Span(self._starts[lines.first - 1], self._starts[lines.last])

    def lines_of(self, span: Span) -> LineRange:
        line = LineStarts(self._raw).line(span.start)
        return LineRange(line, line)


def by_line(raw: bytes) -> tuple[IndexedLines, Lines]:
    lines, notes = Lines(raw), inspect(raw, NAMED).notes
    (root,) = lines_index(raw).containers
    return IndexedLines(root, lines, may_repeat=any(note.code == "duplicate_key" for note in notes)), lines


def described(document: Document, node: Node) -> object:
    """A node and all below it."""
    children = document.children(node)
    scalar = None if node.is_container else document.scalar(node)
    below = [(child.token, described(document, child.node)) for child in children]
    again = [(child.token, child.node.span) for child in children[: len(children)]]
    return node.type, node.span, document.source(node), scalar, document.repeated(node), below, again


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a":1}\n{"b":{"a":1,\t"a":2}}\n',
        b' {"a": [1, {"b": "x"}]} \r\n\t"text"\r\n[1,2]\r\n',
        b'"one"',
        b"[1]\n" * 2000 + b'{"long": "' + b"x" * 300_000 + b'"}\n' + b"2\n" * 20_000,
    ],
)
def test_a_record_read_by_its_line_is_the_one_of_the_whole(raw: bytes) -> None:
    whole, (through, _) = JsonLinesDocument(raw), by_line(raw)
    if len(raw) < 1000:
        assert described(through, through.root) == described(whole, whole.root)
    assert [(c.token, c.node.span) for c in through.children(through.root)] == [(c.token, c.node.span) for c in whole.children(whole.root)]
    assert outline(through, through.root, 0, 100) == outline(whole, whole.root, 0, 100)
    assert through.raw == raw.rstrip()


def test_repeated_members_of_a_record_are_ambiguous_with_their_lines() -> None:
    raw = b'{"a":1}\n{"b":{"a":1,\t"a":2}}\n'
    outcomes = []
    for document in (JsonLinesDocument(raw), by_line(raw)[0]):
        with pytest.raises(Ambiguous) as caught:
            resolve(document, "/1/b/a")
        outcomes.append((caught.value.message, caught.value.details))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][1]["lines"] == [2, 2]


@pytest.mark.parametrize("pointer", ["/2", "/x", "/01", "/-", "/0/b", "/0/a/b"])
def test_pointers_to_nothing_are_told_alike_by_line(pointer: str) -> None:
    raw = b'{"a":1}\n"x"\n'
    outcomes = []
    for document in (JsonLinesDocument(raw), by_line(raw)[0]):
        with pytest.raises(EvidenceStoreError) as caught:
            resolve(document, pointer)
        outcomes.append((type(caught.value), caught.value.message, caught.value.details))
    assert outcomes[0] == outcomes[1]


def test_a_record_costs_its_line_and_the_names_of_all_one_walk() -> None:
    raw = b'{"name":"n","list":[1,2,3]}\n' * 20_000
    document, lines = by_line(raw)
    assert document.source(resolve(document, "/15000/list/1")) == b"2"
    assert lines.n_read < 100
    assert keys_text(document, document.root) == keys_text(JsonLinesDocument(raw), JsonLinesDocument(raw).root)
    assert lines.n_read < 1.1 * len(raw)


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


# -- a text that is still written


GROWING = '{"n": 1, "s": "größe \\" x"}\n[true, 2.5]\r\n\n"日志"\n12345\n{"n": 2}\n'.encode()


@pytest.mark.parametrize("end", range(len(GROWING) + 1))
def test_what_breaks_off_anywhere_has_the_records_that_are_whole(end: int) -> None:
    raw = GROWING[:end]
    found = inspect(raw, NAMED, complete=False)
    document = open_document(raw, found.format, found.notes)
    whole = JsonLinesDocument(GROWING)
    records = [document.source(child.node) for child in document.children(document.root)]
    expected = [whole.source(child.node) for child in whole.children(whole.root) if child.node.span.end <= end]
    assert records[: len(expected)] == expected
    # Beyond them at most a number of which digits are missing, which is noted as such.
    notes = [note for note in found.notes if note.code == "incomplete_line"]
    assert records[len(expected) :] in ([], [raw[raw.rfind(b"\n") + 1 :]])
    if len(records) > len(expected):
        assert (records[-1].isdigit(), [note.byte for note in notes]) == (True, [None])
    last = raw[raw.rfind(b"\n") + 1 :].strip()
    if last and last not in records:
        assert [(note.line, note.byte) for note in notes] == [(raw.count(b"\n") + 1, raw.rfind(b"\n") + 1)]
    elif not last.isdigit():
        assert notes == []


def test_only_the_last_line_may_break_off() -> None:
    with pytest.raises(RefusedDocument):
        inspect(b'{"a":\n{"b":1}\n', NAMED, complete=False)
    with pytest.raises(RefusedDocument):
        inspect(b'{"a":1}\n{"b":', NAMED)


@pytest.mark.parametrize("raw", [b"{", b"\xef\xbb\xbf{", b"\xef\xbb", b'"\xe6\x97'])
def test_half_of_the_first_record_is_a_text_without_records(raw: bytes) -> None:
    found = inspect(raw, NAMED, complete=False)
    document = open_document(raw, found.format, found.notes)
    assert (len(document.children(document.root)), found.notes[-1].code, found.notes[-1].byte) == (0, "incomplete_line", 0)


def test_the_index_ends_before_half_a_record() -> None:
    raw = b'{"a": 1}\n' * 3 + b'{"a": '
    (root,) = lines_index(raw[: end_of_records(inspect(raw, NAMED, complete=False).notes)]).containers
    assert (root.span, root.n_children) == (Span(0, 26), 3)
    assert lines_index(b"").containers == ()
