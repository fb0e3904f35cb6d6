"""JSON Lines: one JSON value a line, read as an array whose items are the records (jsonlines.org; `go test -json` writes it).

A line ends at LF; blank lines are no records. The first token of a pointer is the 0-based record. A record is parsed when it
is asked for, and where it stands is where it stands in the whole text. Where no line is blank, record k is line k + 1, and
`IndexedLines` reads no more than that line.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Protocol, overload

from evidence_store.documents.encoding import UTF8_MARK
from evidence_store.documents.json import JsonDocument
from evidence_store.documents.model import Child, Node, Note, Scalar
from evidence_store.documents.slices import SMALL, Slices
from evidence_store.documents.span_rows import LINES, Container, SpanIndex
from evidence_store.documents.text_scan import INCOMPLETE_LINE
from evidence_store.model import Format, LineRange, Span
from evidence_store.pointers import array_index

_SPACE: Final = b" \t\r\n"
_ROOT: Final = -1
"""Handle of the root; those of nodes below are offsets."""
_INDEXED_ROOT: Final = 0
_PIECE_BYTES: Final = 256 * 1024
"""Bytes that are read at once when all records are walked over."""


class JsonLinesDocument:
    """The records of a text that passed `jsonl_check.check_jsonl`."""

    format = Format.JSONL
    base = 0

    def __init__(self, raw: bytes, *, may_repeat: bool = True, end: int | None = None) -> None:
        """`end` is where the records end, where a line that breaks off stands behind them."""
        self.raw, self.may_repeat = raw, may_repeat
        self.records = tuple(iter_records(raw if end is None else raw[:end]))
        # One reader for all records: offsets count from the start of the text. Without records there is nothing to read.
        self._values = JsonDocument(raw, may_repeat=may_repeat) if self.records else None
        span = Span(self.records[0].start, self.records[-1].end) if self.records else Span(0, 0)
        self.root = Node("array", span, (), _ROOT)

    def child(self, node: Node, token: str) -> Node:
        if node.handle == _ROOT:
            return self.record(array_index(token, len(self.records)))
        return self.values.child(node, token)

    def children(self, node: Node) -> Sequence[Child]:
        return _Records(len(self.records), self.record) if node.handle == _ROOT else self.values.children(node)

    def repeated(self, node: Node) -> frozenset[str]:
        return frozenset() if node.handle == _ROOT else self.values.repeated(node)

    def scalar(self, node: Node) -> Scalar:
        if node.handle == _ROOT:
            raise TypeError("an array is no scalar")
        return self.values.scalar(node)

    def source(self, node: Node) -> bytes:
        return self.raw[node.span.start : node.span.end]

    def has_aliases(self, node: Node) -> bool:
        return False

    def record(self, at: int) -> Node:
        span = self.records[at]
        return self.values.node_at(span.start, span.end)

    @property
    def values(self) -> JsonDocument:
        """The reader of what lies below the root. There is none without records."""
        assert self._values is not None, "a node below the root lies in a record"
        return self._values


class LineReader(Protocol):
    """Reads a text in parts; see `evidence_store.store.reader.RevisionReader`."""

    def read(self, span: Span) -> bytes: ...
    def span_of_lines(self, lines: LineRange) -> Span: ...
    def lines_of(self, span: Span) -> LineRange: ...


class IndexedLines:
    """A JSON Lines revision each line of which is a record (`lines_index`), read line by line."""

    format = Format.JSONL
    base = 0

    def __init__(self, root: Container, lines: LineReader, *, may_repeat: bool) -> None:
        self._n_records, self._lines, self.may_repeat = root.n_children, lines, may_repeat
        self._slices = Slices(lines.read, self._line_of, may_repeat=may_repeat)
        self.root = Node("array", root.span, (), _INDEXED_ROOT)

    @property
    def raw(self) -> bytes:
        """All bytes to the end of the last record: for those who must have them, at their cost."""
        return self._lines.read(Span(0, self.root.span.end))

    def child(self, node: Node, token: str) -> Node:
        if node.handle == SMALL:
            return self._slices.child(node, token)
        return self.record(array_index(token, self._n_records))

    def children(self, node: Node) -> Sequence[Child]:
        if node.handle == SMALL:
            return self._slices.children(node)
        return _Records(self._n_records, self.record, self._iter_records)

    def repeated(self, node: Node) -> frozenset[str]:
        is_object = self.may_repeat and node.type == "object"
        return self._slices.repeated(node) if is_object else frozenset()

    def scalar(self, node: Node) -> Scalar:
        if node.handle != SMALL:
            raise TypeError("an array is no scalar")
        return self._slices.scalar(node)

    def source(self, node: Node) -> bytes:
        return self._lines.read(node.span)

    def has_aliases(self, node: Node) -> bool:
        return False

    def record(self, at: int) -> Node:
        span = self._lines.span_of_lines(LineRange(at + 1, at + 1))
        return next(self._nodes_in(self._lines.read(span), span.start))

    def _iter_records(self) -> Iterator[Node]:
        start, size = self.root.span.start, _PIECE_BYTES
        while start < self.root.span.end:
            raw = self._lines.read(Span(start, min(start + size, self.root.span.end)))
            whole = len(raw) if start + len(raw) == self.root.span.end else raw.rfind(b"\n") + 1
            if whole:
                yield from self._nodes_in(raw[:whole], start)
            start, size = start + whole, _PIECE_BYTES if whole else 2 * size

    def _nodes_in(self, raw: bytes, start: int) -> Iterator[Node]:
        """The records of whole lines that start here."""
        values = self._slices.open(raw, start)
        for span in iter_records(raw):
            node = values.node_at(span.start, span.end)
            yield Node(node.type, node.span, (), SMALL)

    def _line_of(self, at: int) -> int:
        return self._lines.lines_of(Span(at, at)).first


def end_of_records(notes: Iterable[Note]) -> int | None:
    """Where the records end that stand before a line that breaks off; None where none does."""
    return next((note.byte for note in notes if note.code == INCOMPLETE_LINE), None)


def lines_index(raw: bytes) -> SpanIndex:
    """The index of a text that passed `jsonl_check.check_jsonl` and has no blank line: one container, whose children are the lines."""
    if not raw:
        return SpanIndex((), ())
    n_lines = raw.count(b"\n") + (not raw.endswith(b"\n"))
    first = next(iter_records(raw))
    last_line = raw.rfind(b"\n", 0, len(raw) - 1) + 1
    end = last_line + len(raw[last_line:].rstrip(_SPACE))
    return SpanIndex((Container(LINES, "array", Span(first.start, end), n_lines),), ())


class _Records(Sequence[Child]):
    """The records as children, each made when it is asked for."""

    def __init__(self, n_records: int, record: Callable[[int], Node], iter_all: Callable[[], Iterator[Node]] | None = None) -> None:
        self._n_records, self._record, self._iter_all = n_records, record, iter_all

    def __len__(self) -> int:
        return self._n_records

    @overload
    def __getitem__(self, index: int) -> Child: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Child]: ...
    def __getitem__(self, index: int | slice) -> Child | Sequence[Child]:
        if isinstance(index, slice):
            return [self[n] for n in range(*index.indices(len(self)))]
        at = range(len(self))[index]
        return Child(str(at), self._record(at))

    def __iter__(self) -> Iterator[Child]:
        nodes = map(self._record, range(len(self))) if self._iter_all is None else self._iter_all()
        return (Child(str(at), node) for at, node in enumerate(nodes))


def iter_records(raw: bytes) -> Iterator[Span]:
    """Where the values stand, one a line that holds anything; spaces around a value and a byte order mark belong to none."""
    start = len(UTF8_MARK) if raw.startswith(UTF8_MARK) else 0
    while start < len(raw):
        end = raw.find(b"\n", start)
        end = len(raw) if end < 0 else end
        line = raw[start:end]
        text = line.lstrip(_SPACE)
        if text:
            first = start + len(line) - len(text)
            yield Span(first, first + len(text.rstrip(_SPACE)))
        start = end + 1
