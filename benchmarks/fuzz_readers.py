"""What is fuzzed: each reader with what must hold of its answer. The inputs to begin with stand in `fuzz_targets`.

A reader answers or raises an EvidenceStoreError. Anything else is a fault: another exception, a broken promise (AssertionError),
too much time. Readers see small limits, so that an input of a few bytes can meet them.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence

from jsonpointer import JsonPointer, JsonPointerException

from benchmarks.fuzz_replay import MAX_NODES, parse_json, promised, require_lines, require_replay
from evidence_store.diff import diff
from evidence_store.diff_lines import diff_lines
from evidence_store.documents.detect import MEDIA_TYPES, Detection, detect, inspect, open_document
from evidence_store.documents.equality import same_value
from evidence_store.documents.json import JsonDocument
from evidence_store.documents.json_check import LARGE_BYTES, check_json
from evidence_store.documents.model import Document, Limits
from evidence_store.documents.outline import keys_text, outline
from evidence_store.documents.resolve import resolve
from evidence_store.documents.shown import ANSI, shown_text
from evidence_store.documents.span_rows import Container, Entry, SpanIndex
from evidence_store.documents.spans import IndexedDocument, build_index
from evidence_store.documents.values import value_json
from evidence_store.errors import Ambiguous, EvidenceStoreError, JsonValue
from evidence_store.excerpts import NoLimit, show_node, show_slice
from evidence_store.locate import locate, locate_bytes
from evidence_store.model import Currency, Format, Span
from evidence_store.pointers import ROOT, format_pointer, join, parse_pointer, plain_form
from evidence_store.quotes import find_quote
from evidence_store.search import search
from projector.render.packets import format_packet_text, parse_errors, parse_packets
from projector.render.sections import format_progress, format_task, parse_sections
from projector.step_json import step_from_json

LIMITS = Limits(max_bytes=200_000, max_depth=60, max_alias_nodes=2_000, max_merge_depth=8, max_repeats=20)
_ANSI = re.compile(ANSI)
MANY_TIMES, MAX_REPEATED_BYTES = 200, 4096
CHARSETS = ("", "utf-16", "utf-16le", "utf-32be", "gb18030", "shift_jis", "euc-kr", "latin-1", "big5", "nonsense")
PADDED = "utf-32be"
ENCODINGS = ("utf-8", "utf-16le", "utf-32be", "gb18030", "cp932", "iso8859-1", "euc_jp", "big5")


class Given:
    """An input taken apart: switches from its front, then texts apart by a NUL line, the rest last."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def number(self) -> int:
        first, self._data = self._data[:1], self._data[1:]
        return first[0] if first else 0

    def flag(self) -> bool:
        return self.number() % 2 == 1

    def piece(self) -> bytes:
        found, _, self._data = self._data.partition(SPLIT)
        return found

    def text(self) -> str:
        return self.piece().decode("utf-8", "surrogateescape")

    def rest(self) -> bytes:
        return self._data


SPLIT = b"\n\0\n"


# -- documents


def read_as(format: Format) -> Callable[[bytes], None]:
    """Takes bytes in as `put` does, and reads them as `read` does."""

    def act(data: bytes) -> None:
        given = Given(data)
        charset, named = CHARSETS[given.number() % len(CHARSETS)], given.flag()
        media_type = MEDIA_TYPES[format] + (f"; charset={charset}" if charset else "")
        raw = given.rest()
        if format is Format.JSON and charset == PADDED:
            # A large text is checked in another way.
            raw += b" " * LARGE_BYTES
        take(raw, Detection(format, media_type, named))

    return act


def read_unnamed(data: bytes) -> None:
    given = Given(data)
    name = ("", "a.json", "a.xml", "a.csv", "a.log", "a.yaml", "a.jsonl")[given.number() % 7]
    media_type = (None, "text/plain; charset=big5", "application/xml", "application/problem+json")[given.number() % 4]
    raw = given.rest()
    take(raw, detect(raw, name, media_type))


def take(raw: bytes, detection: Detection) -> None:
    try:
        found = inspect(raw, detection, LIMITS)
    except EvidenceStoreError:
        assert detection.named, "what nobody named is kept as text"
        raise
    show_slice(raw, Span(0, len(raw)), NoLimit())
    if found.format in (Format.TEXT, Format.CSV, Format.BYTES):
        return
    with promised("what was taken in is read"):
        document = open_document(raw, found.format, found.notes)
        walk(document)
        require_replay(document)


def walk(document: Document) -> None:
    """Every node lies in the bytes, is led to by its pointer, and is shown with a value and an outline."""
    pending = [(ROOT, document.root)]
    for _ in range(MAX_NODES):
        if not pending:
            return
        pointer, node = pending.pop()
        assert document.base <= node.span.start <= node.span.end <= document.base + len(document.raw), "a span lies in the bytes"
        try:
            assert resolve(document, pointer) == node, "a pointer leads to its node"
        except Ambiguous:
            assert document.may_repeat, "only a repeated member is ambiguous"
            continue
        require_lines(document.raw, node.span)
        show_node(document, node, NoLimit())
        value = value_json(document, node, max_bytes=100_000)
        if value is not None:
            parse_json(value.json.decode())
        if node.is_container:
            outline(document, node)
            keys_text(document, node)
            pending += [(join(pointer, child.token), child.node) for child in document.children(node)[:MAX_NODES]]
        else:
            document.scalar(node)


class MemoryIndex:
    """A span index that was just built."""

    def __init__(self, index: SpanIndex) -> None:
        self._index = index

    def find_container(self, number: int) -> Container | None:
        return next((one for one in self._index.containers if one.number == number), None)

    def find_entry(self, container: int, token: str) -> Entry | None:
        return next((one for one in self.list_entries(container) if one.token == token), None)

    def find_run(self, container: int, token: str) -> Entry | None:
        return next((one for one in reversed(self.list_entries(container)) if one.token <= token), None)

    def list_entries(self, container: int) -> Sequence[Entry]:
        return [one for one in self._index.entries if one.container == container]


def read_spans(data: bytes) -> None:
    """What is read through an index is what the whole document says."""
    given = Given(data)
    min_bytes, raw = given.number(), given.rest()
    if any(note.code == "duplicate_key" for note in check_json(raw, LIMITS)):
        return
    whole = JsonDocument(raw, may_repeat=False)
    index = build_index(whole, min_bytes)
    if not index.containers:
        return
    indexed = IndexedDocument(MemoryIndex(index), lambda span: raw[span.start : span.end])
    pending = [(ROOT, whole.root)]
    for _ in range(MAX_NODES):
        if not pending:
            return
        pointer, node = pending.pop()
        with promised("the index leads where the whole does"):
            found = resolve(indexed, pointer)
        assert (found.type, found.span) == (node.type, node.span), "the index leads to the same place"
        assert keys_of(indexed, found) == keys_of(whole, node), "the index knows the same children"
        pending += [(join(pointer, child.token), child.node) for child in whole.children(node)[:MAX_NODES]]


def keys_of(document: Document, node: object) -> list[tuple[str, Span]]:
    return [(child.token, child.node.span) for child in document.children(node)]  # type: ignore[arg-type]


def show_encoded(data: bytes) -> None:
    """Text in any encoding, with whatever is declared."""
    given = Given(data)
    encoding = ENCODINGS[given.number() % len(ENCODINGS)]
    raw = given.rest()
    shown = shown_text(raw, encoding)
    shown.text.encode("utf-8")
    show_slice(raw, Span(0, len(raw)), Few(), encoding)


class Few:
    """A limit that little text fits."""

    max_bytes: int | None = 400

    def fits(self, text: str) -> bool:
        return len(text) <= 40

    def prefix(self, text: str) -> int:
        return min(len(text), 40)

    def count(self, text: str) -> int | None:
        return len(text)


# -- addresses


def read_pointer(data: bytes) -> None:
    given = Given(data)
    text = given.text()
    tokens = parse_pointer(text)
    assert parse_pointer(format_pointer(tokens)) == tokens, "format and parse are inverses"
    assert plain_form(text) == format_pointer(tokens)
    document = JsonDocument(_POINTED)
    try:
        theirs: object = JsonPointer(plain_form(text)).resolve(parse_json(_POINTED.decode()))
    except (JsonPointerException, TypeError):
        theirs = None
    node = resolve(document, text)
    if theirs is not None and not isinstance(theirs, list | dict):
        assert document.scalar(node) == theirs, "jsonpointer finds the same value"


_POINTED = b'{"a":[1,{"b~":2,"c/d":3,"":4,"%25":5}],"0":{"00":6,"-":7},"":{"":8},"\\u00e9":"x","m~n":[[],{}]}'


def read_quote(data: bytes) -> None:
    given = Given(data)
    encoding, quote, raw = ENCODINGS[given.number() % 3 * 3 % len(ENCODINGS)], given.text(), given.rest()
    if encoding != "utf-8":
        raw = raw.decode("utf-8", "replace").encode(encoding, "replace")
    found = find_quote(raw, quote, encoding)
    assert 0 <= found.span.start < found.span.end <= len(raw), "a quote lies in the bytes"
    with promised("what was found is found again in itself"):
        again = find_quote(raw[found.span.start : found.span.end], quote, encoding)
    assert again.span == Span(0, found.span.length), "what was found is found again in itself"


def read_search(data: bytes) -> None:
    given = Given(data)
    regex, ignore_case, encoding = given.flag(), given.flag(), ENCODINGS[given.number() % len(ENCODINGS)]
    pattern, raw = given.text(), given.rest()
    if encoding != "utf-8":
        raw = raw.decode("utf-8", "replace").encode(encoding, "replace")
    found = search(raw, pattern, regex=regex, ignore_case=ignore_case, limit=50, encoding=encoding)
    for hit in found.hits:
        assert hit.line.start <= hit.match.start <= hit.match.end <= hit.line.end <= len(raw), "a hit lies in its line"
        if not regex and not ignore_case:
            text = raw[hit.match.start : hit.match.end].decode(encoding, "replace")
            assert pattern in (text, _ANSI.sub("", text)), "a literal hit is the pattern, but for escape sequences in it"


# -- comparisons


def two_documents(given: Given) -> tuple[Document, Document]:
    """Two texts as they come, or two that are made of their bytes and always are documents."""
    made, sides = given.flag(), []
    for raw in (given.piece(), given.rest()):
        if made:
            raw = json.dumps(made_value(iter(raw), 5)).encode()
        format = Format.JSON if raw.lstrip()[:1] in (b"{", b"[") else Format.YAML
        found = inspect(raw, Detection(format, "", named=True), LIMITS)
        with promised("what was taken in is read"):
            sides.append(open_document(raw, found.format, found.notes))
    return sides[0], sides[1]


def made_value(choices: Iterator[int], depth: int) -> JsonValue:
    """A value with names that identify items, and few different ones, so that two of them have much in common."""
    kind = next(choices, 0) % 8
    if depth and kind < 3:
        names = ("name", "in", "id", "$ref", "key", "/a/{id}", "/a/{b}", "x")
        return {names[next(choices, 0) % 8]: made_value(choices, depth - 1) for _ in range(next(choices, 0) % 5)}
    if depth and kind < 6:
        return [made_value(choices, depth - 1) for _ in range(next(choices, 0) % 6)]
    return (next(choices, 0) % 4, "ab"[next(choices, 0) % 2], None, True)[next(choices, 0) % 4]


def read_diff(data: bytes) -> None:
    """No pairs exactly where the values are equal; each pair leads to its places; the way back has as many."""
    given = Given(data)
    old, new = two_documents(given)
    found = diff(old, new)
    if not old.may_repeat and not new.may_repeat:
        assert bool(found.pairs) != same_value(old, old.root, new, new.root), "there are pairs where values differ"
    for pair in found.pairs[:MAX_NODES]:
        assert (pair.old is None) == (pair.change == "added")
        assert (pair.new is None) == (pair.change == "removed")
        with promised("a pair leads to its places"):
            if pair.old is not None:
                resolve(old, pair.old)
            if pair.new is not None:
                resolve(new, pair.new)
            if pair.absent is not None:
                assert resolve(old if pair.old is None else new, pair.absent).is_container
    assert not diff(old, old).pairs, "nothing differs from itself"


def read_locate(data: bytes) -> None:
    given = Given(data)
    made, at = given.number(), given.number()
    pointer = given.text()
    old, new = two_documents(Given(bytes([made]) + given.rest()))
    if at:
        pointer = some_pointer(old, at)
    place = locate(old, pointer, new)
    if place.pointer is not None:
        with promised("where a passage stands is a place"):
            node = resolve(new, place.pointer)
        if place.verdict in (Currency.SAME, Currency.MOVED):
            assert same_value(old, resolve(old, pointer), new, node), "what is the same or moved is equal"
    assert locate(old, pointer, old).verdict is Currency.SAME, "a passage stands where it stands"


def some_pointer(document: Document, at: int) -> str:
    node, pointer = document.root, ROOT
    while at and (children := document.children(node)):
        child = children[at % len(children)]
        node, pointer, at = child.node, join(pointer, child.token), at // 3
    return pointer


def read_diff_lines(data: bytes) -> None:
    given = Given(data)
    many, old, new = given.number() % 4 == 3, given.piece(), given.rest()
    # An input that was repeated already is long enough.
    times = MANY_TIMES if many and len(data) <= MAX_REPEATED_BYTES else 1
    old, new = old * times, new * times
    found = diff_lines(old, new, 50)
    assert not diff_lines(old, old).pairs
    assert found.pairs or found.noise or lines_of(old) == lines_of(new), "what differs is a pair or noise"
    for span in (Span(0, min(len(old), 20)), Span(len(old) // 2, len(old))):
        moved = locate_bytes(old, span, new)
        if moved.span is not None:
            assert new[moved.span.start : moved.span.end] == old[span.start : span.end]


def lines_of(raw: bytes) -> list[bytes]:
    return raw.removesuffix(b"\n").split(b"\n") if raw else []


# -- what the projector reads


def read_packets(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    for packet in parse_packets(text):
        with promised("what was parsed is parsed again"):
            again = parse_packets(format_packet_text(packet))
        assert again == (packet,), "format and parse are inverses"


def read_errors(data: bytes) -> None:
    parse_errors(data.decode("utf-8", "replace"))


def read_sections(data: bytes) -> None:
    found = parse_sections(data.decode("utf-8", "replace"))
    if found.task is not None:
        assert parse_sections(format_task(found.task)).task == found.task, "format and parse are inverses"
    if found.progress is not None:
        assert parse_sections(format_progress(found.progress)).progress == found.progress


def read_step(data: bytes) -> None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return
    step_from_json(value)
