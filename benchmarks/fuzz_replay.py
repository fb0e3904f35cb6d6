"""What a slice must say when it is read alone: the value that the whole document has there, on the lines that hold it."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from xml.etree import ElementTree

from jsonpointer import JsonPointer

from evidence_store.documents.junit import JunitDocument
from evidence_store.documents.model import Document, Node, Number
from evidence_store.documents.text import column_of, lines_of_span, span_of_lines
from evidence_store.documents.values import has_repeats, parse_excerpt, plain_value
from evidence_store.errors import EvidenceStoreError
from evidence_store.model import Format, Span
from evidence_store.pointers import format_pointer

MAX_NODES = 60
"""Nodes of an input that are looked at one by one."""
_NOT_ALONE = re.compile(r"\A\Z|\A[|>][-+]?[1-9]|![a-z]*!")
"""What means something only with what stands around it: a value that is left out, a counted indentation, the handle of a tag."""


@contextmanager
def promised(what: str) -> Iterator[None]:
    """Around what must not be refused: a refusal in there is a broken promise, and not an answer."""
    try:
        yield
    except EvidenceStoreError as why:
        raise AssertionError(f"{what}: {type(why).__name__}") from why


def require_replay(document: Document) -> None:
    """Every format with nodes: the slices of the nodes below the root lead back to their values."""
    match document.format:
        case Format.JSON:
            _require_like_stdlib(document)
        case Format.JSONL | Format.YAML:
            for node in _below(document):
                _require_same_alone(document, node)
        case Format.JUNIT:
            assert isinstance(document, JunitDocument)
            _require_same_cases(document)
        case Format.TEXT | Format.CSV | Format.BYTES:
            raise AssertionError("such a format has no nodes")


def require_lines(raw: bytes, span: Span) -> None:
    """The lines of a span are the fewest that hold it."""
    if not span.length and span.start == len(raw):
        # A value that is left out at the end may stand behind the last line.
        return
    held = span_of_lines(raw, lines_of_span(raw, span))
    assert held.start <= span.start <= span.end <= held.end, "the lines of a span hold it"
    assert b"\n" not in raw[held.start : span.start], "a span starts on its first line"
    assert not span.length or b"\n" not in raw[span.end - 1 : held.end - 1], "a span ends on its last line"


def parse_json(text: str) -> object:
    return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=_refuse)


def _refuse(word: str) -> None:
    raise AssertionError(f"{word} was taken as JSON")


def _require_like_stdlib(document: Document) -> None:
    """The same value as the standard library finds, and at each child a slice that is its value."""
    if has_repeats(document, document.root):
        return
    whole = parse_json(document.raw.decode("utf-8-sig"))
    assert plain_value(document, document.root) == whole, "the value is that of the standard library"
    for child in list(document.children(document.root))[:MAX_NODES]:
        inner = JsonPointer(format_pointer((child.token,))).resolve(whole)
        assert parse_excerpt(document.source(child.node).decode("utf-8"), Format.JSON) == inner, "the slice is the child's value"


def _below(document: Document) -> Iterator[Node]:
    pending = [child.node for child in document.children(document.root)[:MAX_NODES]]
    for _ in range(MAX_NODES):
        if not pending:
            return
        node = pending.pop()
        yield node
        pending += [child.node for child in document.children(node)[:MAX_NODES]]


def _require_same_alone(document: Document, node: Node) -> None:
    if has_repeats(document, node) or (document.format is Format.YAML and document.has_aliases(node)):
        return
    text, column = document.source(node).decode("utf-8"), column_of(document.raw, node.span.start)
    if document.format is Format.YAML and _NOT_ALONE.search(text):
        return
    # A carriage return alone ends a line of YAML, and none of ours: the column then says nothing of the indentation.
    line = document.raw[document.raw.rfind(b"\n", 0, node.span.start) + 1 : node.span.start]
    if document.format is Format.YAML and b"\r" in line:
        return
    value = _without_kept_ends(plain_value(document, node))
    readings = [_read(text, document.format, column)]
    if document.format is Format.YAML:
        # In a flow collection a pair needs no braces, and some texts are plain that are none elsewhere.
        readings += _items(_read(f"[{text}\n]", document.format, 0))
    assert value in [_without_kept_ends(one) for one in readings], "the slice is the node's value"


def _read(text: str, format: Format, column: int) -> object:
    try:
        return parse_excerpt(text, format, column)
    except EvidenceStoreError as why:
        return why


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) and len(value) == 1 else []


def _without_kept_ends(value: object) -> object:
    """A slice ends with the last line that holds text: line ends that a block scalar keeps (`|+`) stand behind it."""
    if isinstance(value, dict):
        return {key: _without_kept_ends(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_without_kept_ends(inner) for inner in value]
    return value.rstrip("\n") if isinstance(value, str) else value


def _require_same_cases(document: JunitDocument) -> None:
    """As many cases as the standard library finds, and each slice is one case of that name."""
    try:
        whole = ElementTree.fromstring(document.raw.decode("utf-8-sig"))
    except ElementTree.ParseError:
        assert b":" in document.raw, "only a prefix that nothing binds is refused there"
        return
    cases = [case for _, suite, _ in document.suites() for case in suite.cases]
    assert len(cases) == len(list(whole.iter("testcase"))), "each case is found"
    for case in cases[:MAX_NODES]:
        try:
            alone = ElementTree.fromstring(document.raw[case.span.start : case.span.end].decode("utf-8"))
        except ElementTree.ParseError:
            assert b"xmlns" in document.raw, "a case can be read alone where no prefix is bound outside of it"
            continue
        assert (alone.tag, alone.get("name", "")) == ("testcase", case.name), "the slice is the case"
