"""Small pieces of a large JSON text, each read and parsed when something in it is asked for.

A node that lies in a piece has the handle SMALL; where its piece is no longer kept, its own bytes are read as one.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import overload

from evidence_store.documents.json import JsonDocument
from evidence_store.documents.model import Child, Node, Scalar
from evidence_store.model import Span

SMALL = -1
"""Handle of a node that lies in a piece."""
_KEPT_SLICES = 8


class Slices:
    """The pieces that were read last. `line_of` gives the line of a byte of the blob."""

    def __init__(self, read_bytes: Callable[[Span], bytes], line_of: Callable[[int], int] | None, *, may_repeat: bool) -> None:
        self.read_bytes = read_bytes
        self._line_of, self._may_repeat = line_of, may_repeat
        self._kept: OrderedDict[int, JsonDocument] = OrderedDict()

    def open(self, raw: bytes, base: int) -> JsonDocument:
        """These bytes of the blob as a document; it is kept."""
        made = JsonDocument(raw, base=base, may_repeat=self._may_repeat, line_of=self._line_of)
        self._kept[base] = made
        self._kept.move_to_end(base)
        if len(self._kept) > _KEPT_SLICES:
            self._kept.popitem(last=False)
        return made

    def child(self, node: Node, token: str) -> Node:
        home = self._home(node)
        return _small(home.child(_at_home(home, node), token))

    def children(self, node: Node) -> Sequence[Child]:
        home = self._home(node)
        return _SmallChildren(home.children(_at_home(home, node)))

    def repeated(self, node: Node) -> frozenset[str]:
        home = self._home(node)
        return home.repeated(_at_home(home, node))

    def scalar(self, node: Node) -> Scalar:
        home = self._home(node)
        return home.scalar(_at_home(home, node))

    def _home(self, node: Node) -> JsonDocument:
        """A piece that holds the node, else the node's own bytes as one."""
        for home in reversed(self._kept.values()):
            if home.base <= node.span.start and node.span.end <= home.base + len(home.raw):
                return home
        return self.open(self.read_bytes(node.span), node.span.start)


class _SmallChildren(Sequence[Child]):
    """Children in a piece, with handles that say so."""

    def __init__(self, children: Sequence[Child]) -> None:
        self._children = children

    def __len__(self) -> int:
        return len(self._children)

    @overload
    def __getitem__(self, index: int) -> Child: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Child]: ...
    def __getitem__(self, index: int | slice) -> Child | Sequence[Child]:
        if isinstance(index, slice):
            return list(map(_small_child, self._children[index]))
        return _small_child(self._children[index])

    def __iter__(self) -> Iterator[Child]:
        return map(_small_child, self._children)


def _small_child(child: Child) -> Child:
    return Child(child.token, _small(child.node))


def _small(node: Node) -> Node:
    return replace(node, handle=SMALL)


def _at_home(home: JsonDocument, node: Node) -> Node:
    return home.node_at(node.span.start - home.base, node.span.end - home.base)
