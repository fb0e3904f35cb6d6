"""Rows of the span index, and how they are read (docs/formats/spans.md). Parses nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from evidence_store.documents.model import NodeType
from evidence_store.model import Span


@dataclass(frozen=True, slots=True)
class Container:
    """A large container; the root of the document, when it is one, has number 0."""

    number: int
    type: NodeType
    span: Span
    n_children: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A member of a large object, or a run of items of a large array."""

    container: int
    token: str
    """Member name; for a run the index of its first item in 12 digits, so that the order of texts is that of indexes."""
    type: NodeType
    """Of the member; for a run of one item, of the item; else that of the first."""
    span: Span
    inner: int | None
    """Number of the container that this child is, when it is large."""


@dataclass(frozen=True, slots=True)
class SpanIndex:
    containers: tuple[Container, ...]
    entries: tuple[Entry, ...]


class SpanReader(Protocol):
    """Reads the index of one blob."""

    def find_container(self, number: int) -> Container | None: ...

    def find_entry(self, container: int, token: str) -> Entry | None:
        """The entry of exactly this token."""

    def find_run(self, container: int, token: str) -> Entry | None:
        """The last entry whose token is not after this one."""

    def list_entries(self, container: int) -> Sequence[Entry]:
        """All entries in source order."""
