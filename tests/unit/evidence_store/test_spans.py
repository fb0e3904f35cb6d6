"""The span index gives the same answers as the whole document, whatever is asked."""

import json
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence_store.documents.json import JsonDocument
from evidence_store.documents.model import Document, Node
from evidence_store.documents.outline import outline
from evidence_store.documents.span_rows import Container, Entry, SpanIndex, order_of
from evidence_store.documents.spans import IndexedDocument, build_index
from evidence_store.errors import Ambiguous, BadIndex, EvidenceStoreError, NotContainer, NotFound
from evidence_store.model import Span

SMALL_BYTES = 24
"""A container of more bytes is large in these tests."""
WIDE = 3
"""An object of more members is wide in these tests."""


class Index:
    """An index in memory."""

    def __init__(self, index: SpanIndex) -> None:
        self._index = index

    def find_container(self, number: int) -> Container | None:
        return next((one for one in self._index.containers if one.number == number), None)

    def find_entry(self, container: int, token: str) -> Entry | None:
        return next((one for one in self.list_entries(container) if one.token == token), None)

    def find_run(self, container: int, token: str) -> Entry | None:
        return max((one for one in self.list_entries(container) if one.token <= token), key=lambda one: one.token, default=None)

    def list_entries(self, container: int) -> Sequence[Entry]:
        return sorted((one for one in self._index.entries if one.container == container), key=lambda one: one.span.start)


def indexed(raw: bytes, *, may_repeat: bool = False) -> tuple[JsonDocument, IndexedDocument]:
    whole = JsonDocument(raw, may_repeat=may_repeat)
    index = Index(build_index(whole, SMALL_BYTES, WIDE))

    def read_bytes(span: Span) -> bytes:
        return raw[span.start : span.end]

    return whole, IndexedDocument(index, read_bytes, may_repeat=may_repeat, line_of=lambda at: raw.count(b"\n", 0, at) + 1)


def described(document: Document, node: Node) -> tuple[object, ...]:
    children = document.children(node)
    scalar = None if node.is_container else document.scalar(node)
    return node.type, node.span, document.source(node), scalar, type(scalar), [child.token for child in children], len(children)


def walk(document: Document) -> Iterator[tuple[tuple[str, ...], Node]]:
    pending: list[tuple[tuple[str, ...], Node]] = [((), document.root)]
    while pending:
        tokens, node = pending.pop()
        yield tokens, node
        pending += [((*tokens, child.token), child.node) for child in document.children(node)]


def resolved(document: Document, tokens: Sequence[str]) -> Node:
    node = document.root
    for token in tokens:
        node = document.child(node, token)
    return node


NAMES = st.sampled_from(["a", "", "/", "~", "é", "日", "0", "01", "-", 'say "x"', "a\\b", "name"])
SCALARS = st.sampled_from(["1", "-0", "1e400", "12345678901234567890", '"x"', '"é\\u00e9"', "true", "null", '"' + "y" * 30 + '"'])


def json_texts(*, repeats: bool = False) -> st.SearchStrategy[str]:
    def contain(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        gap = st.sampled_from(["", " ", "\n  ", "\t"])
        arrays = st.tuples(st.lists(inner, max_size=12), gap).map(lambda p: f"[{p[1]}" + f",{p[1]}".join(p[0]) + f"{p[1]}]")
        members = st.lists(st.tuples(NAMES, inner), max_size=8, unique_by=None if repeats else lambda m: m[0])
        return arrays | st.tuples(members, gap).map(lambda p: f"{{{p[1]}" + f",{p[1]}".join(_member(*m) for m in p[0]) + f"{p[1]}}}")

    return st.recursive(SCALARS, contain, max_leaves=60)


def _member(name: str, value: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}": {value}'


@given(json_texts())
def test_every_place_is_the_same_as_in_the_whole_document(text: str) -> None:
    raw = text.encode()
    whole = JsonDocument(raw, may_repeat=False)
    if not build_index(whole, SMALL_BYTES).containers:
        return
    whole, through = indexed(raw)
    for tokens, node in walk(whole):
        found = resolved(through, tokens)
        assert described(through, found) == described(whole, node), tokens
    assert [tokens for tokens, _ in walk(through)] == [tokens for tokens, _ in walk(whole)]


@given(json_texts(repeats=True))
def test_repeated_members_are_ambiguous_alike(text: str) -> None:
    raw = text.encode()
    whole = JsonDocument(raw)
    if not build_index(whole, SMALL_BYTES, WIDE).containers:
        return
    whole, through = indexed(raw, may_repeat=True)
    pending: list[tuple[str, ...]] = [()]
    while pending:
        tokens = pending.pop()
        expected = _outcome(whole, tokens)
        assert _outcome(through, tokens) == expected, tokens
        if expected[0] is None:
            old, new = resolved(whole, tokens), resolved(through, tokens)
            assert (described(through, new), through.repeated(new)) == (described(whole, old), whole.repeated(old))
            pending += [(*tokens, child.token) for child in whole.children(old)]


def test_a_container_that_repeats_is_left_out_of_the_index_and_the_others_are_not() -> None:
    raw = b'{"twice": {"a": 1,\n "a": 2, "b": [%s]}, "once": [%s]}' % ((b"1" + b", 1" * 50,) * 2)
    whole, through = indexed(raw, may_repeat=True)
    assert [one.span.start for one in build_index(whole, SMALL_BYTES).containers] == [0, raw.rindex(b"[")]
    with pytest.raises(Ambiguous) as caught:
        resolved(through, ("twice", "a"))
    assert caught.value.details["lines"] == [1, 2]
    assert through.source(resolved(through, ("twice", "b", "50"))) == b"1"
    assert build_index(JsonDocument(b'{"a": 1, "a": [%s1]}' % (b"1, " * 50)), SMALL_BYTES) == SpanIndex((), ())


def test_a_page_of_a_wide_object_is_read_from_its_runs() -> None:
    raw = json.dumps({f"n\u00e9{n}": {"k": n} if n % 3 else "x" * 40 for n in range(20_000)}, indent=1).encode()
    whole = JsonDocument(raw, may_repeat=False)
    read: list[Span] = []

    def read_bytes(span: Span) -> bytes:
        read.append(span)
        return raw[span.start : span.end]

    class Unlisted(Index):
        def list_entries(self, container: int) -> Sequence[Entry]:
            assert container == order_of(0), "the members of a wide object are not listed"
            return super().list_entries(container)

    through = IndexedDocument(Unlisted(build_index(whole)), read_bytes)
    assert outline(through, through.root, 12_000, 100) == outline(whole, whole.root, 12_000, 100)
    assert max(span.length for span in read) < 5000
    assert sum(span.length for span in read) < 100 * 70 + 2 * 5000


def test_an_object_of_few_members_has_no_runs() -> None:
    entries = list(build_index(JsonDocument(LONG, may_repeat=False), SMALL_BYTES).entries)
    assert {one.container for one in entries} == {0, 1}


LONG = (
    b'\xef\xbb\xbf {"list": ['
    + b", ".join(b'{"n": %d}' % n for n in range(2000))
    + b'], "text": "'
    + b"z" * 90
    + b'", "o": {"k": [1, 2]}}\n'
)


@pytest.mark.parametrize("token", ["-1", "01", "+1", "", "1e0", "99999999999999999999", "2000", "-", "x"])
def test_wrong_tokens_are_refused_alike(token: str) -> None:
    whole, through = indexed(LONG)
    for path in (("list",), ("list", "1999"), ("text",), ("o",), ()):
        expected = _outcome(whole, (*path, token))
        assert _outcome(through, (*path, token)) == expected
        assert expected[0] in (BadIndex, NotFound, NotContainer)


def _outcome(document: Document, tokens: Sequence[str]) -> tuple[type[EvidenceStoreError] | None, str]:
    try:
        resolved(document, tokens)
    except EvidenceStoreError as error:
        return type(error), error.message
    return None, ""


def test_a_read_touches_the_run_and_not_the_array() -> None:
    whole = JsonDocument(LONG, may_repeat=False)
    read: list[Span] = []

    def read_bytes(span: Span) -> bytes:
        read.append(span)
        return LONG[span.start : span.end]

    through = IndexedDocument(Index(build_index(whole, SMALL_BYTES)), read_bytes)
    node = resolved(through, ("list", "1234", "n"))
    assert through.source(node) == b"1234"
    assert max(span.length for span in read) < 5000


def test_a_small_document_has_no_index() -> None:
    assert build_index(JsonDocument(b'{"a": 1}', may_repeat=False)) == SpanIndex((), ())
