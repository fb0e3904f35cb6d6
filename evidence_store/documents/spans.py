"""The span index of a JSON text: where the children of its large containers stand, so that a read touches one or two frames.

Every container of more than 64 KiB has a row for each member of an object, and one for each run of an array's items of about
4 KiB; so what lies below an indexed child is at most 64 KiB, and is parsed on its own. `IndexedDocument` is a document like
any other, over an index and a way to read bytes (docs/formats/spans.md).
"""

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import overload

from evidence_store.documents.json import JsonDocument
from evidence_store.documents.json_check import LARGE_BYTES, iter_large
from evidence_store.documents.model import Child, Node, Scalar
from evidence_store.documents.span_rows import Container, Entry, SpanIndex, SpanReader
from evidence_store.errors import NotContainer, NotFound
from evidence_store.model import Format, Span
from evidence_store.pointers import SHOWN_CHARS, array_index

RUN_BYTES = 4096
"""Least bytes of a run of array items; a single item may be longer."""
SMALL = -1
"""Handle of a node that is no indexed container."""
_KEPT_SLICES = 8
_INDEX_DIGITS = 12


def build_index(document: JsonDocument, min_bytes: int = LARGE_BYTES) -> SpanIndex:
    """The index of a document without repeated members; empty for one that has no container of more than `min_bytes`."""
    large = list(iter_large(document, min_bytes))
    numbers = {found.node.span.start: number for number, found in enumerate(large)}
    containers: list[Container] = []
    entries: list[Entry] = []
    for number, found in enumerate(large):
        children = document.children(found.node)
        containers.append(Container(number, found.node.type, found.node.span, len(children)))
        made = _members(number, children, numbers) if found.node.type == "object" else _runs(number, children, numbers)
        entries.extend(made)
    return SpanIndex(tuple(containers), tuple(entries))


def _members(number: int, children: Sequence[Child], numbers: dict[int, int]) -> Iterator[Entry]:
    for child in children:
        yield Entry(number, child.token, child.node.type, child.node.span, _inner(child.node, numbers))


def _runs(number: int, children: Sequence[Child], numbers: dict[int, int]) -> Iterator[Entry]:
    """Items one after the other until they are long enough; a large item is a run of its own."""
    first: Child | None = None
    end = 0
    for child in children:
        inner = _inner(child.node, numbers)
        if first is not None and (inner is not None or child.node.span.end - first.node.span.start > RUN_BYTES):
            yield _run(number, first, end, None)
            first = None
        if inner is not None:
            yield _run(number, child, child.node.span.end, inner)
            continue
        first, end = first or child, child.node.span.end
    if first is not None:
        yield _run(number, first, end, None)


def _run(number: int, first: Child, end: int, inner: int | None) -> Entry:
    return Entry(number, first.token.zfill(_INDEX_DIGITS), first.node.type, Span(first.node.span.start, end), inner)


def _inner(node: Node, numbers: dict[int, int]) -> int | None:
    return numbers.get(node.span.start) if node.is_container else None


class IndexedDocument:
    """A JSON revision read through its index. Holds no more than a few slices in memory."""

    format = Format.JSON
    base = 0
    may_repeat = False

    def __init__(self, index: SpanReader, read_bytes: Callable[[Span], bytes]) -> None:
        self._index, self._read_bytes = index, read_bytes
        self._slices: OrderedDict[int, JsonDocument] = OrderedDict()
        root = index.find_container(0)
        if root is None:
            raise NotFound("the span index of this revision is missing")
        self.root = Node(root.type, root.span, (), 0)

    @property
    def raw(self) -> bytes:
        """All bytes of the root: for those who must have them, at their cost."""
        return b" " * self.root.span.start + self._read_bytes(self.root.span)

    def child(self, node: Node, token: str) -> Node:
        if not node.is_container:
            raise NotContainer(f"{token[:SHOWN_CHARS]!r} leads into a {node.type}, which has no inside")
        if node.handle == SMALL:
            home = self._home(node)
            return _small(home.child(_at_home(home, node), token))
        if node.type == "array":
            return self.item(node, array_index(token, self._container(node).n_children))
        entry = self._index.find_entry(node.handle, token)
        if entry is None:
            raise NotFound(f"there is no member {token[:SHOWN_CHARS]!r}")
        return _node_of(entry)

    def item(self, node: Node, at: int) -> Node:
        """The item of a large array."""
        run = self._index.find_run(node.handle, str(at).zfill(_INDEX_DIGITS))
        assert run is not None, "an array index within bounds lies in a run"
        if run.inner is not None:
            return _node_of(run)
        return _small(self._run_items(run)[at - int(run.token)].node)

    def _run_items(self, run: Entry) -> Sequence[Child]:
        """The items of a run, read as an array of their own: one character before them stands for its bracket."""
        document = JsonDocument(b"[" + self._read_bytes(run.span) + b"]", base=run.span.start - 1, may_repeat=False)
        return document.children(document.root)

    def children(self, node: Node) -> Sequence[Child]:
        if not node.is_container:
            return ()
        if node.handle == SMALL:
            home = self._home(node)
            return [Child(child.token, _small(child.node)) for child in home.children(_at_home(home, node))]
        if node.type == "array":
            return _Items(self, node, self._container(node).n_children)
        return [Child(entry.token, _node_of(entry)) for entry in self._index.list_entries(node.handle)]

    def repeated(self, node: Node) -> frozenset[str]:
        return frozenset()

    def has_aliases(self, node: Node) -> bool:
        return False

    def scalar(self, node: Node) -> Scalar:
        home = self._home(node)
        return home.scalar(_at_home(home, node))

    def source(self, node: Node) -> bytes:
        return self._read_bytes(node.span)

    def _container(self, node: Node) -> Container:
        found = self._index.find_container(node.handle)
        assert found is not None, "a handle is the number of a container"
        return found

    def _home(self, node: Node) -> JsonDocument:
        """A slice in memory that holds the node, else the node's own bytes as a document."""
        starts = sorted(self._slices)
        at = bisect_right(starts, node.span.start) - 1
        if at >= 0:
            home = self._slices[starts[at]]
            if node.span.end <= home.base + len(home.raw):
                return home
        home = JsonDocument(self._read_bytes(node.span), base=node.span.start, may_repeat=False)
        self._slices[node.span.start] = home
        if len(self._slices) > _KEPT_SLICES:
            self._slices.popitem(last=False)
        return home


class _Items(Sequence[Child]):
    """Items of a large array, each found when it is asked for."""

    def __init__(self, document: IndexedDocument, node: Node, n_items: int) -> None:
        self._document, self._node, self._n_items = document, node, n_items

    def __len__(self) -> int:
        return self._n_items

    @overload
    def __getitem__(self, index: int) -> Child: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Child]: ...
    def __getitem__(self, index: int | slice) -> Child | Sequence[Child]:
        if isinstance(index, slice):
            return [self[n] for n in range(*index.indices(self._n_items))]
        at = range(self._n_items)[index]
        return Child(str(at), self._document.item(self._node, at))


def _node_of(entry: Entry) -> Node:
    return Node(entry.type, entry.span, (), SMALL if entry.inner is None else entry.inner)


def _small(node: Node) -> Node:
    return replace(node, handle=SMALL)


def _at_home(home: JsonDocument, node: Node) -> Node:
    return home.node_at(node.span.start - home.base, node.span.end - home.base)
