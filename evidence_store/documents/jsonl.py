"""JSON Lines: one JSON value a line, read as an array whose items are the records (jsonlines.org; `go test -json` writes it).

A line ends at LF; blank lines are no records. The first token of a pointer is the 0-based record. A record is parsed when it
is asked for, and where it stands is where it stands in the whole text.
"""

from collections.abc import Iterator, Sequence
from typing import Final, overload

from evidence_store.documents.encoding import UTF8_MARK
from evidence_store.documents.json import JsonDocument
from evidence_store.documents.model import Child, Node, Scalar
from evidence_store.model import Format, Span
from evidence_store.pointers import array_index

_SPACE: Final = b" \t\r\n"
_ROOT: Final = -1
"""Handle of the root; those of nodes below are offsets."""


class JsonLinesDocument:
    """The records of a text that passed `jsonl_check.check_jsonl`."""

    format = Format.JSONL
    base = 0

    def __init__(self, raw: bytes, *, may_repeat: bool = True) -> None:
        self.raw, self.may_repeat = raw, may_repeat
        self.records = tuple(iter_records(raw))
        # One reader for all records: offsets count from the start of the text. Without records there is nothing to read.
        self._values = JsonDocument(raw, may_repeat=may_repeat) if self.records else None
        span = Span(self.records[0].start, self.records[-1].end) if self.records else Span(0, 0)
        self.root = Node("array", span, (), _ROOT)

    def child(self, node: Node, token: str) -> Node:
        if node.handle == _ROOT:
            return self.record(array_index(token, len(self.records)))
        return self.values.child(node, token)

    def children(self, node: Node) -> Sequence[Child]:
        return _Records(self) if node.handle == _ROOT else self.values.children(node)

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


class _Records(Sequence[Child]):
    """The records as children, each made when it is asked for."""

    def __init__(self, document: JsonLinesDocument) -> None:
        self._document = document

    def __len__(self) -> int:
        return len(self._document.records)

    @overload
    def __getitem__(self, index: int) -> Child: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Child]: ...
    def __getitem__(self, index: int | slice) -> Child | Sequence[Child]:
        if isinstance(index, slice):
            return [self[n] for n in range(*index.indices(len(self)))]
        at = range(len(self))[index]
        return Child(str(at), self._document.record(at))


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
