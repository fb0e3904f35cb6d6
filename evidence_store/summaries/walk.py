"""A bounded walk over a document: nodes with the tokens of their pointers, in source order, parents first.

The bound counts nodes, aliases of YAML as often as they are used; where it is met the walk ends, and says so.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from evidence_store.documents.model import Child, Document, Node

MAX_NODES: Final = 200_000


class Placed(NamedTuple):
    tokens: tuple[str, ...]
    node: Node


class Walk:
    """One walk. Iterate it once; `is_cut` is known at its end."""

    def __init__(self, document: Document, start: Placed | None = None, max_nodes: int = MAX_NODES) -> None:
        self._document = document
        self._start = start or Placed((), document.root)
        self._max_nodes = max_nodes
        self.n_nodes = 0
        self.is_cut = False

    def __iter__(self) -> Iterator[Placed]:
        levels: list[tuple[tuple[str, ...], Iterator[Child]]] = []
        current: Placed | None = self._start
        while current is not None:
            if self.n_nodes >= self._max_nodes:
                self.is_cut = True
                return
            self.n_nodes += 1
            yield current
            if current.node.is_container:
                levels.append((current.tokens, iter(self._document.children(current.node))))
            current = _next(levels)


def _next(levels: list[tuple[tuple[str, ...], Iterator[Child]]]) -> Placed | None:
    while levels:
        tokens, children = levels[-1]
        child = next(children, None)
        if child is not None:
            return Placed((*tokens, child.token), child.node)
        levels.pop()
    return None


def members(document: Document, node: Node) -> dict[str, Node]:
    """Members of an object by name; of repeated ones the first. Empty for other nodes."""
    found: dict[str, Node] = {}
    if node.type == "object":
        for child in document.children(node):
            found.setdefault(child.token, child.node)
    return found


def text_of(document: Document, node: Node | None) -> str | None:
    """The text of a string, or a number as it is spelled; None for anything else."""
    return None if node is None or node.type not in ("string", "number") else str(document.scalar(node))
