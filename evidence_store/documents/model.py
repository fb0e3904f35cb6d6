"""What a document answers: nodes with byte spans, their children, their scalars.

Spans are 0-based, half-open, and count the bytes of the whole blob, also when only a slice of it is in memory (`base`).
A node's span is the value alone. Numbers keep their spelling: no value passes through a float.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias, Union

from evidence_store.model import Format, Hop, Pointer, Span
from evidence_store.pointers import format_pointer

NodeType = Literal["object", "array", "string", "number", "boolean", "null"]


class Number(str):
    """A number as it was spelled. A str, so that every digit is kept; compare it with `==` for the same spelling."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Number({str.__repr__(self)})"


Scalar: TypeAlias = str | Number | bool | None
PlainValue: TypeAlias = Union[Scalar, Sequence["PlainValue"], Mapping[str, "PlainValue"]]  # noqa: UP007 (a forward name)
"""A node as plain data; numbers are `Number`, never int or float."""


@dataclass(frozen=True, slots=True)
class Node:
    """One value of a document."""

    type: NodeType
    span: Span
    hops: tuple[Hop, ...] = ()
    """The aliases and merge keys on the way from the root, in order."""
    handle: int = 0
    """The document's own key of the node; means nothing elsewhere."""

    @property
    def is_container(self) -> bool:
        return self.type in ("object", "array")


class Child(NamedTuple):
    token: str
    """Member name or index, not escaped."""
    node: Node


class Tree(Protocol):
    """The containers of a document. Answers are the same for every call."""

    def child(self, node: Node, token: str) -> Node:
        """The child that a pointer token names.

        Raises BadIndex, NotFound, NotContainer (the node is a scalar) or Ambiguous (the member is repeated).
        """

    def children(self, node: Node) -> Sequence[Child]:
        """All children in source order, repeated members each time they stand; empty for scalars. Indexing is lazy."""

    def repeated(self, node: Node) -> frozenset[str]:
        """Member names that stand more than once in this object."""


class Values(Protocol):
    """The scalars of a document."""

    def scalar(self, node: Node) -> Scalar:
        """The value of a scalar node, escapes undone; TypeError for a container."""

    def source(self, node: Node) -> bytes:
        """The bytes of the node's span."""

    def has_aliases(self, node: Node) -> bool:
        """Whether the node's own bytes do not say all of it, since an alias stands in them."""


class Document(Tree, Values, Protocol):
    """A revision, or a slice of one that is a whole value, as a tree."""

    @property
    def format(self) -> Format: ...

    @property
    def raw(self) -> bytes:
        """The bytes in memory; the first of them stands at `base` of the blob."""

    @property
    def base(self) -> int: ...

    @property
    def may_repeat(self) -> bool:
        """Whether an object of the document may repeat a member; False is certain."""

    @property
    def root(self) -> Node: ...


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that are met before or while a document is parsed; each has a clear error."""

    max_bytes: int = 256 * 1024 * 1024
    max_depth: int = 500
    """Containers inside one another, the root counted."""
    max_nodes: int = 5_000_000
    """Values of a JSON, JSON Lines or YAML document; in the first two an empty container counts twice, in YAML names count, too."""
    max_alias_nodes: int = 1_000_000
    """Nodes that the aliases and merge keys of a YAML document stand for, beyond those that are written."""
    max_merge_depth: int = 32
    """Mappings that take members one from another through merge keys."""
    max_repeats: int = 1000
    """Repeated members that a document may have before it is refused."""
    max_line_bytes: int = 256 * 1024 * 1024
    """Of a text, JSON Lines or CSV, the line end not counted."""
    max_seconds: int = 60
    """That a search or a diff may take."""


DEFAULT_LIMITS = Limits()
MAX_NAME_CHARS = 80
"""Characters of a member name that a note or error repeats."""
MAX_SHOWN_PLACES = 20
"""Lines or places that one note or error lists."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something that was found while looking through the bytes, and that the caller should know."""

    code: str
    text: str
    line: int | None = None
    lines: tuple[int, ...] = ()
    pointer: Pointer | None = None
    """For repeated members: of the object that holds them."""
    byte: int | None = None


def repeat_note(container: tuple[str, ...], name: str, lines: Sequence[int]) -> Note:
    """The note on a member name that stands more than once in the object at `container`."""
    pointer = format_pointer(container)
    shown = name[:MAX_NAME_CHARS]
    text = f"member {shown!r} stands {len(lines)} times in {pointer!r}; a pointer to it or below is ambiguous"
    return Note("duplicate_key", text, line=lines[1], lines=tuple(lines[:MAX_SHOWN_PLACES]), pointer=pointer)
