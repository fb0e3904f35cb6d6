"""Rows of the span index, and how they are read (docs/formats/spans.md). Parses nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from evidence_store.documents.model import NodeType
from evidence_store.model import Span

LINES = -1
"""Number of the container that stands for a JSON Lines text each line of which is a record."""


def order_of(container: int) -> int:
    """The number under which the members of a wide object stand once more, as runs in source order."""
    return -2 - container


@dataclass(frozen=True, slots=True)
class Container:
    """A large container; the root of the document, when it is one, has number 0."""

    number: int
    type: NodeType
    span: Span
    n_children: int


class Entry(NamedTuple):
    """A member of a large object, or a run of children of a large array or a wide object."""

    container: int
    token: str
    """Member name; for a run the index of its first child in 12 digits, so that the order of texts is that of indexes."""
    type: NodeType
    """Of the member; for a run of one child, of that; else that of the first."""
    start: int
    end: int
    inner: int | None
    """Number of the container that this child is, when it is large."""

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class SpanIndex:
    containers: tuple[Container, ...]
    entries: Iterable[Entry]
    """Made anew whenever they are walked over: there may be millions."""


class SpanReader(Protocol):
    """Reads the index of one blob."""

    def find_container(self, number: int) -> Container | None: ...

    def find_entry(self, container: int, token: str) -> Entry | None:
        """The entry of exactly this token."""

    def find_run(self, container: int, token: str) -> Entry | None:
        """The last entry whose token is not after this one."""

    def list_entries(self, container: int) -> Sequence[Entry]:
        """All entries in source order."""
