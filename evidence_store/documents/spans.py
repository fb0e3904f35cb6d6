"""The span index of a JSON text: where the children of its large containers stand, so that a read touches one or two frames.

Every container of more than 64 KiB that repeats no member has a row for each member of an object, and one for each run of an
array's items of about 4 KiB; so what lies below an indexed child is at most 64 KiB, and is parsed on its own. A wide object has
runs, too, which give its members in their order. `IndexedDocument` is a document like any other, over an index and a way to
read bytes (docs/formats/spans.md).
"""

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import overload

from evidence_store.documents.json import Columns, JsonDocument, type_of
from evidence_store.documents.json_check import LARGE_BYTES, iter_large
from evidence_store.documents.model import Child, Node, NodeType, Scalar
from evidence_store.documents.slices import SMALL, Slices
from evidence_store.documents.span_rows import Container, Entry, SpanIndex, SpanReader, order_of
from evidence_store.errors import NotContainer, NotFound
from evidence_store.model import Format, Span
from evidence_store.pointers import SHOWN_CHARS, array_index

RUN_BYTES = 4096
"""Least bytes of a run; a single child may be longer."""
WIDE_CHILDREN = 4096
"""An object with more members has runs, too."""
_INDEX_DIGITS = 12
_BETWEEN = b" \t\r\n,"


def build_index(document: JsonDocument, min_bytes: int = LARGE_BYTES, wide_children: int = WIDE_CHILDREN) -> SpanIndex:
    """The index of a whole document; empty where there is no container of more than `min_bytes`, or the root repeats a member.

    A container that repeats one is not indexed, nor is what lies in it: its children have no names of their own.
    """
    large = [found.node for found in iter_large(document, min_bytes) if not document.repeated(found.node)]
    if not large:
        return SpanIndex((), ())
    numbers = {node.span.start: number for number, node in enumerate(large)}
    indexed: list[_Members | list[Entry]] = []
    containers = []
    for number, node in enumerate(large):
        columns = document.columns(node)
        containers.append(Container(number, node.type, node.span, len(columns.starts)))
        if node.type == "object":
            indexed.append(_members(document, number, columns, numbers))
        if node.type == "array" or len(columns.starts) > wide_children:
            indexed.append(list(_runs(document, number, node, columns, numbers)))
    return SpanIndex(tuple(containers), _Entries(tuple(indexed)))


@dataclass(frozen=True, slots=True)
class _Entries:
    """The entries of all containers, one container after the other."""

    parts: "tuple[_Members | list[Entry], ...]"

    def __iter__(self) -> Iterator[Entry]:
        for part in self.parts:
            yield from part


@dataclass(frozen=True, slots=True)
class _Members:
    """The members of one object."""

    number: int
    columns: Columns
    types: Sequence[NodeType]
    inner: Mapping[int, int]
    """Place of a large member to its number."""

    def __iter__(self) -> Iterator[Entry]:
        columns = self.columns
        for at, (name, type_, start, end) in enumerate(zip(columns.names, self.types, columns.starts, columns.ends, strict=True)):
            yield Entry(self.number, name, type_, start, end, self.inner.get(at))


def _members(document: JsonDocument, number: int, columns: Columns, numbers: Mapping[int, int]) -> _Members:
    types = tuple(map(type_of, map(document.raw.__getitem__, columns.starts)))
    inner = {at: numbers[start] for at, start in enumerate(columns.starts) if start in numbers}
    return _Members(number, columns, types, inner)


def _runs(document: JsonDocument, number: int, node: Node, columns: Columns, numbers: Mapping[int, int]) -> Iterator[Entry]:
    """Children one after the other until they are long enough; a large one is a run of its own.

    A run of items goes from the first to the last value. One of members begins behind the value before it, since it holds their
    names; of a large member it holds the name alone.
    """
    is_object = node.type == "object"
    container = order_of(number) if is_object else number
    starts, ends = columns.starts, columns.ends
    froms = array("q", [node.span.start + 1, *ends[:-1]]) if is_object else starts

    def run(first: int, end: int, inner: int | None = None) -> Entry:
        return Entry(container, str(first).zfill(_INDEX_DIGITS), type_of(document.raw[starts[first]]), froms[first], end, inner)

    first = 0
    for at, (start, end) in enumerate(zip(starts, ends, strict=True)):
        inner = numbers.get(start)
        if first < at and (inner is not None or end - froms[first] > RUN_BYTES):
            yield run(first, ends[at - 1])
            first = at
        if inner is not None:
            yield run(at, start if is_object else end, inner)
            first = at + 1
    if first < len(starts):
        yield run(first, ends[-1])


class IndexedDocument:
    """A JSON revision read through its index. Holds no more than a few slices in memory."""

    format = Format.JSON
    base = 0

    def __init__(
        self,
        index: SpanReader,
        read_bytes: Callable[[Span], bytes],
        *,
        may_repeat: bool = False,
        line_of: Callable[[int], int] | None = None,
    ) -> None:
        self.may_repeat = may_repeat
        self._index, self._read_bytes = index, read_bytes
        self._slices = Slices(read_bytes, line_of, may_repeat=may_repeat)
        self.root = self._container_node(0)

    @property
    def raw(self) -> bytes:
        """All bytes of the root: for those who must have them, at their cost."""
        return b" " * self.root.span.start + self._read_bytes(self.root.span)

    def child(self, node: Node, token: str) -> Node:
        if not node.is_container:
            raise NotContainer(f"{token[:SHOWN_CHARS]!r} leads into a {node.type}, which has no inside")
        if node.handle == SMALL:
            return self._slices.child(node, token)
        if node.type == "array":
            items = self.children(node)
            return items[array_index(token, len(items))].node
        entry = self._index.find_entry(node.handle, token)
        if entry is None:
            raise NotFound(f"there is no member {token[:SHOWN_CHARS]!r}")
        return _node_of(entry)

    def children(self, node: Node) -> Sequence[Child]:
        if not node.is_container:
            return ()
        if node.handle == SMALL:
            return self._slices.children(node)
        if node.type == "array":
            return _Runs(self, node, node.handle, self._n_children(node))
        order = order_of(node.handle)
        if self._index.find_run(order, _index_token(0)) is not None:
            return _Runs(self, node, order, self._n_children(node))
        return [Child(entry.token, _node_of(entry)) for entry in self._index.list_entries(node.handle)]

    def repeated(self, node: Node) -> frozenset[str]:
        if self.may_repeat and node.type == "object" and node.handle == SMALL:
            return self._slices.repeated(node)
        return frozenset()

    def has_aliases(self, node: Node) -> bool:
        return False

    def scalar(self, node: Node) -> Scalar:
        return self._slices.scalar(node)

    def source(self, node: Node) -> bytes:
        return self._read_bytes(node.span)

    def run(self, container: int, at: int, *, is_object: bool) -> "_Run":
        """The run that holds a child."""
        entry = self._index.find_run(container, _index_token(at))
        assert entry is not None, "a place within bounds lies in a run"
        first = int(entry.token)
        if is_object:
            return self._run_of_members(entry, first)
        if entry.inner is not None:
            return _Run(first, (Child("0", _node_of(entry)),))
        # One character before the run stands for the bracket of its container.
        piece = self._slices.open(b"[" + self._read_bytes(entry.span) + b"]", entry.start - 1)
        return _Run(first, self._slices.children(piece.root))

    def _run_of_members(self, entry: Entry, first: int) -> "_Run":
        kept = self._read_bytes(entry.span)
        text = kept.lstrip(_BETWEEN)
        if entry.inner is not None:
            name = JsonDocument(b"{" + text + b"0}", may_repeat=False)
            return _Run(first, (Child(name.columns(name.root).names[0], self._container_node(entry.inner)),))
        piece = self._slices.open(b"{" + text + b"}", entry.end - len(text) - 1)
        return _Run(first, self._slices.children(piece.root))

    def _container_node(self, number: int) -> Node:
        found = self._index.find_container(number)
        if found is None:
            raise NotFound("the span index of this revision is missing")
        return Node(found.type, found.span, (), number)

    def _n_children(self, node: Node) -> int:
        found = self._index.find_container(node.handle)
        assert found is not None, "a handle is the number of a container"
        return found.n_children


@dataclass(frozen=True, slots=True)
class _Run:
    first: int
    children: Sequence[Child]
    """Of a run of items, their tokens count from 0."""


class _Runs(Sequence[Child]):
    """Children of a large container, each found through the run that holds it."""

    def __init__(self, document: IndexedDocument, node: Node, container: int, n_children: int) -> None:
        self._document, self._container, self._n_children = document, container, n_children
        self._is_object = node.type == "object"
        self._last = _Run(0, ())

    def __len__(self) -> int:
        return self._n_children

    @overload
    def __getitem__(self, index: int) -> Child: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Child]: ...
    def __getitem__(self, index: int | slice) -> Child | Sequence[Child]:
        if isinstance(index, slice):
            return [self[n] for n in range(*index.indices(self._n_children))]
        at = range(self._n_children)[index]
        run = self._last
        if not run.first <= at < run.first + len(run.children):
            run = self._last = self._document.run(self._container, at, is_object=self._is_object)
        child = run.children[at - run.first]
        return child if self._is_object else Child(str(at), child.node)


def _index_token(at: int) -> str:
    return str(at).zfill(_INDEX_DIGITS)


def _node_of(entry: Entry) -> Node:
    return Node(entry.type, entry.span, (), SMALL if entry.inner is None else entry.inner)
