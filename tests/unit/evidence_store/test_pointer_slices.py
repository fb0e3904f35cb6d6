"""Pointer to slice and back: what `jsonpointer` finds in the whole document is what the slice at our span says when it is read alone.

Documents are generated with their spelling: white space, escapes, numbers no float holds, members in any order; YAML in flow and block
form, with literal and folded scalars, quotes, comments, anchors and aliases. The other readings are `json`, `orjson` and PyYAML's.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass

import orjson
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonpointer import JsonPointer, JsonPointerException

from evidence_store.documents.detect import open_document
from evidence_store.documents.model import Document, Node
from evidence_store.documents.resolve import resolve
from evidence_store.documents.text import column_of, lines_of_span, span_of_lines
from evidence_store.errors import EvidenceStoreError
from evidence_store.model import Format
from evidence_store.pointers import format_pointer

NUMBERS = ("0", "-0", "1.10", "1e400", "9007199254740993", "0.1e-7", "12345678901234567890.5")
NAMES = st.text(st.sampled_from('ab~/%"\\0 é中😀\t\u2028\x85'), max_size=4)


@dataclass(frozen=True, slots=True)
class Spelled:
    """A number as it is written: equal to no text."""

    text: str


SCALARS = st.none() | st.booleans() | NAMES | st.sampled_from(NUMBERS).map(Spelled)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=15)
SEEDS = st.integers(0, 2**32)


def nodes_of(document: Document) -> Iterator[tuple[str, Node]]:
    """Every node with its pointer."""
    pending: list[tuple[tuple[str, ...], Node]] = [((), document.root)]
    while pending:
        tokens, node = pending.pop()
        yield format_pointer(tokens), node
        pending += [((*tokens, child.token), child.node) for child in document.children(node)]


def read_json(raw: bytes) -> object:
    return json.loads(raw, parse_int=Spelled, parse_float=Spelled)


def require_lines(raw: bytes, node: Node) -> None:
    """The lines of a span are the fewest that hold it."""
    lines = lines_of_span(raw, node.span)
    held = span_of_lines(raw, lines)
    assert held.start <= node.span.start
    assert node.span.end <= held.end
    assert b"\n" not in raw[held.start : node.span.start]
    assert b"\n" not in raw[max(node.span.end - 1, node.span.start) : held.end - 1] or node.span.length == 0


# -- JSON


class JsonWriter:
    """Writes a value as JSON in one of its many spellings."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def write(self, value: object) -> str:
        return self._space() + self.flow(value) + self._space()

    def flow(self, value: object) -> str:
        match value:
            case dict():
                members = [f"{self.text(name)}{self._space()}:{self._space()}{self.flow(inner)}" for name, inner in value.items()]
                return "{" + self._space() + f"{self._space()},{self._space()}".join(members) + self._space() + "}"
            case list():
                return "[" + self._space() + f"{self._space()},{self._space()}".join(map(self.flow, value)) + self._space() + "]"
            case _:
                return self.scalar(value)

    def scalar(self, value: object) -> str:
        match value:
            case Spelled():
                return value.text
            case str():
                return self.text(value)
            case _:
                return json.dumps(value)

    def text(self, text: str) -> str:
        # YAML has no pairs of surrogates in escapes, and JSON needs them outside the plane of 16 bits.
        escaped = self._chance.random() < 0.5 and all(char <= "\uffff" for char in text)
        return json.dumps(text, ensure_ascii=escaped).replace("/", self._chance.choice(("/", "\\/")))

    def _space(self) -> str:
        return self._chance.choice(("", "", " ", "\n", "\r\n", "\t\n  "))


@settings(max_examples=150, deadline=None)
@given(VALUES, SEEDS, st.booleans())
def test_every_json_slice_is_the_value_that_jsonpointer_finds(value: object, seed: int, has_mark: bool) -> None:
    raw = (b"\xef\xbb\xbf" if has_mark else b"") + JsonWriter(seed).write(value).encode()
    document = open_document(raw, Format.JSON)
    seen = set()
    for pointer, node in nodes_of(document):
        source = raw[node.span.start : node.span.end]
        assert read_json(source) == JsonPointer(pointer).resolve(value)
        assert document.source(node) == source
        assert resolve(document, pointer) == node
        require_lines(raw, node)
        seen.add(node.span)
    assert len(seen) == sum(1 for _ in nodes_of(document)), "no two places have one slice, so a slice leads back to its pointer"


@settings(max_examples=100, deadline=None)
@given(VALUES, SEEDS)
def test_orjson_reads_the_same_of_a_slice_as_of_the_whole(value: object, seed: int) -> None:
    raw = JsonWriter(seed).write(value).replace("1e400", "1e4").encode()
    document, whole = open_document(raw, Format.JSON), orjson.loads(raw)
    for pointer, node in nodes_of(document):
        assert orjson.loads(document.source(node)) == JsonPointer(pointer).resolve(whole)


@settings(max_examples=200, deadline=None)
@given(VALUES, SEEDS, st.lists(NAMES | st.sampled_from(("0", "1", "00", "-", "-1", "+1", "²", "٣", " 1", "1e0")), max_size=3))
def test_a_pointer_leads_somewhere_exactly_where_jsonpointer_says(value: object, seed: int, tokens: list[str]) -> None:
    pointer = JsonPointer.from_parts(tokens).path
    document = open_document(JsonWriter(seed).write(value).encode(), Format.JSON)
    try:
        theirs = JsonPointer(pointer).resolve(value)
    except (JsonPointerException, TypeError):
        with pytest.raises(EvidenceStoreError):
            resolve(document, pointer)
        return
    if is_beyond_rfc(value, tokens):
        with pytest.raises(EvidenceStoreError):
            resolve(document, pointer)
    else:
        assert read_json(document.source(resolve(document, pointer))) == theirs


def is_beyond_rfc(value: object, tokens: list[str]) -> bool:
    """Whether `jsonpointer` answers what RFC 6901 does not: `-`, digits of other scripts, an index into text."""
    for token in tokens:
        if isinstance(value, list):
            if token == "-" or not token.isascii():
                return True
            value = value[int(token)]
        elif isinstance(value, dict):
            value = value[token]
        else:
            return True
    return False


# -- YAML


class YamlWriter:
    """Writes a value as YAML in one of its many spellings; scalars keep their text under every schema."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._json = JsonWriter(seed)
        self._anchors: list[tuple[str, object]] = []
        self._n_anchors = 0
        self._line_end = self._chance.choice(("\n", "\r\n"))

    def write(self, value: object) -> bytes:
        text = "# first\n" + self._block(value, 0).lstrip("\n") + "\n# last\n"
        return text.replace("\n", self._line_end).encode()

    def _block(self, value: object, indent: int) -> str:
        """What follows a key's colon, a dash, or the start."""
        known = next((name for name, other in self._anchors if isinstance(value, dict | list) and value and other == value), None)
        if known is not None and self._chance.random() < 0.7:
            return f" *{known}"
        if not isinstance(value, dict | list) or not value or self._chance.random() < 0.25:
            return " " + self._inline(value)
        anchor = ""
        if self._chance.random() < 0.3:
            self._n_anchors += 1
            anchor = f" &a{self._n_anchors}"
        pad = "\n" + " " * indent
        n = self._chance.choice((1, 2, 4))
        if isinstance(value, dict):
            items = [self._json.text(name) + ":" + self._comment(self._block(inner, indent + n), n) for name, inner in value.items()]
        else:
            items = ["-" + self._comment(self._block(inner, indent + n), n) for inner in value]
        if anchor:
            # Only now: an alias inside would name what it stands in.
            self._anchors.append((anchor[2:], value))
        return anchor + pad + pad.join(items)

    def _comment(self, rest: str, indent: int) -> str:
        if rest.startswith("\n") and self._chance.random() < 0.3:
            return " # note" + rest
        return rest

    def _inline(self, value: object) -> str:
        if isinstance(value, str) and value.isalpha() and value.isascii() and self._chance.random() < 0.4:
            return self._chance.choice((value, f"'{value}'", f"!!str {value}"))
        if isinstance(value, dict | list):
            return self._json.flow(value).replace("\r", "").replace("\t", " ").replace("\n", " ")
        return self._json.scalar(value)


def read_yaml(raw: bytes) -> object:
    """Every scalar as its text: which value a text is has tests of its own. What ended lines in YAML 1.1 only is written as escapes."""
    for sign, escape in ((b"\xc2\x85", b"\\N"), (b"\xe2\x80\xa8", b"\\L")):
        raw = raw.replace(sign, escape)
    return yaml.load(raw, Loader=yaml.BaseLoader)


@settings(max_examples=150, deadline=None)
@given(VALUES, SEEDS)
def test_every_yaml_slice_is_the_value_that_jsonpointer_finds(value: object, seed: int) -> None:
    raw = YamlWriter(seed).write(value)
    document, whole = open_document(raw, Format.YAML), read_yaml(raw)
    for pointer, node in nodes_of(document):
        assert resolve(document, pointer) == node
        require_lines(raw, node)
        for hop in node.hops:
            assert raw[hop.span.start : hop.span.end].startswith(b"*")
        if not document.has_aliases(node):
            alone = b" " * column_of(raw, node.span.start) + document.source(node) + b"\n"
            assert read_yaml(alone) == JsonPointer(pointer).resolve(whole)


@pytest.mark.parametrize(
    ("text", "pointer", "source"),
    [
        ("[s: c]", "/0", "s: c"),
        ("[a,s: c]", "/1", "s: c"),
        ("[a, &x s: c, b]", "/1", "&x s: c"),
        ("[[s: c]]", "/0/0", "s: c"),
        ("[? s : c]", "/0", "? s : c"),
        ("[&x {s: c}]", "/0", "{s: c}"),
    ],
)
def test_a_pair_without_braces_starts_with_its_key(text: str, pointer: str, source: str) -> None:
    document = open_document(text.encode(), Format.YAML)
    assert document.source(resolve(document, pointer)).decode() == source


BLOCK_SCALARS = st.sampled_from(("|", "|-", "|+", ">", ">-", "|2", ">2-"))


@settings(max_examples=150, deadline=None)
@given(
    BLOCK_SCALARS, st.lists(st.sampled_from(("a", "  b", "", " ", "é #", "- c")), min_size=1, max_size=5), st.sampled_from(("\n", "\r\n"))
)
def test_a_block_scalar_is_read_the_same_from_its_slice_but_for_kept_line_ends(head: str, lines: list[str], line_end: str) -> None:
    text = line_end.join(["k:", f"  x: {head}", *("    " + line for line in lines), "  y: 1", ""])
    try:
        whole = read_yaml(text.encode())
    except yaml.YAMLError:
        with pytest.raises(EvidenceStoreError):
            open_document(text.encode(), Format.YAML)
        return
    document = open_document(text.encode(), Format.YAML)
    node = resolve(document, "/k/x")
    theirs = JsonPointer("/k/x").resolve(whole)
    assert document.scalar(node) == theirs
    # At the indentation of its parent, which a head such as `|2` counts from.
    alone = b"k:\n  x: " + document.source(node) + line_end.encode()
    mine = JsonPointer("/k/x").resolve(read_yaml(alone))
    # The slice ends with the last line that holds text; line ends kept by `+` stand behind it.
    assert mine == theirs or ("+" in head and mine == theirs.rstrip("\n") + "\n") or not theirs.strip()
