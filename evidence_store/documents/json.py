"""JSON documents: lazy, over the bytes; a container is read one level at a time.

`msgspec.Raw` values point into the buffer they were read from, so a child's offset is its address less that of the
buffer; no scanner of our own is needed. Repeated members, which such a reading drops, are seen from the gaps between
the values: each gap holds exactly one member name.
"""

import ctypes
import re
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import add
from typing import Final, overload

import msgspec

from evidence_store.documents.encoding import UTF8_MARK
from evidence_store.documents.json_faults import Repeat, Scan, scan, string_value
from evidence_store.documents.model import MAX_SHOWN_PLACES, Child, Node, NodeType, Number, Scalar
from evidence_store.errors import Ambiguous, NotContainer, NotFound
from evidence_store.model import Format, Span
from evidence_store.pointers import SHOWN_CHARS, array_index

_TYPES: Final[dict[int, NodeType]] = {
    ord("{"): "object", ord("["): "array", ord('"'): "string", ord("t"): "boolean", ord("f"): "boolean", ord("n"): "null",
}  # fmt: skip
_NAME_GAP = re.compile(rb'[ \t\r\n]*+,?[ \t\r\n]*+"[^"\\]*+(?:\\.[^"\\]*+)*"[ \t\r\n]*+:[ \t\r\n]*+', re.DOTALL)
_SPACE = re.compile(rb"[ \t\r\n]*+")
_OPENING: Final = frozenset(b"{[")
_OBJECT: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ARRAY: Final = msgspec.json.Decoder(list[msgspec.Raw])
_KEPT_CONTAINERS = 256
"""Containers whose children are kept: a walk down and back up reads none of them twice."""
_MAX_LISTED = 10_000
"""Children of one container up to which all of them are kept once they were walked over."""


class _Buffer(ctypes.Structure):
    """`Py_buffer` of the C interface (buffer protocol of CPython, stable since 3.3)."""

    _fields_ = (
        ("buf", ctypes.c_void_p), ("obj", ctypes.c_void_p), ("len", ctypes.c_ssize_t), ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int), ("ndim", ctypes.c_int), ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p), ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p),
    )  # fmt: skip


_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = (ctypes.py_object, ctypes.POINTER(_Buffer), ctypes.c_int)
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes = (ctypes.POINTER(_Buffer),)
_release_buffer.restype = None


class _Places:
    """Where values that were read from one buffer stand in it."""

    def __init__(self, raw: bytes) -> None:
        self._base = 0
        self._base = self.starts_of((raw,))[0]

    def starts_of(self, owners: Iterable[object]) -> "array[int]":
        """Offsets of the first bytes. One structure serves all: this runs once for each member of a large document."""
        view = _Buffer()
        reference = ctypes.byref(view)
        starts = array("q")
        for owner in owners:
            _get_buffer(owner, reference, 0)
            starts.append((view.buf or 0) - self._base)
            _release_buffer(reference)
        return starts


@dataclass(frozen=True, slots=True)
class Columns:
    """The children of one container, a column for each of their parts: a value for each would take ten times the memory."""

    names: Sequence[str]
    """Empty for an array."""
    starts: "array[int]"
    """Offsets in the document's `raw`."""
    ends: "array[int]"


class JsonDocument:
    """A JSON text, or a slice of one that is a whole value and starts at `base` of the blob.

    The text must have passed `json_check.check_json`. `may_repeat` says that members may be repeated; they are then looked for.
    `line_of` gives the line of a byte of the blob; without it a slice names no lines.
    """

    format = Format.JSON

    def __init__(self, raw: bytes, *, base: int = 0, may_repeat: bool = True, line_of: Callable[[int], int] | None = None) -> None:
        self.raw, self.base = raw, base
        self.may_repeat = may_repeat
        self._line_of = line_of
        self.places = _Places(raw)
        self._kept: OrderedDict[int, _Children] = OrderedDict()
        first = _SPACE.match(raw, len(UTF8_MARK) if not base and raw.startswith(UTF8_MARK) else 0)
        assert first is not None
        self.root = self.node_at(first.end(), len(raw.rstrip(b" \t\r\n")))

    def child(self, node: Node, token: str) -> Node:
        if not node.is_container:
            raise NotContainer(f"{token[:SHOWN_CHARS]!r} leads into a {node.type}, which has no inside")
        children = self._children(node)
        if node.type == "array":
            return children[array_index(token, len(children))].node
        return children.member(token)

    def children(self, node: Node) -> Sequence[Child]:
        return self._children(node) if node.is_container else ()

    def repeated(self, node: Node) -> frozenset[str]:
        return self._children(node).repeated if node.type == "object" else frozenset()

    def repeats(self, node: Node) -> Sequence[Repeat]:
        """Repeated members in and below an object that repeats some, their containers as seen from it; none for any other node."""
        return self._children(node).repeats if node.type == "object" else ()

    def columns(self, node: Node) -> Columns:
        """The children of a container that repeats no member."""
        return self._children(node).columns()

    def iter_containers(self, node: Node) -> Iterator[Child]:
        """Those children of a container that are containers."""
        return self._children(node).iter_containers()

    def scalar(self, node: Node) -> Scalar:
        source = self.source(node)
        match node.type:
            case "string":
                return string_value(source)
            case "number":
                return Number(source.decode("ascii"))
            case "boolean":
                return source == b"true"
            case "null":
                return None
            case "object" | "array":
                raise TypeError(f"an {node.type} is no scalar")

    def source(self, node: Node) -> bytes:
        return self.raw[node.span.start - self.base : node.span.end - self.base]

    def has_aliases(self, node: Node) -> bool:
        return False

    def node_at(self, start: int, end: int) -> Node:
        """The node of the value at these offsets of `raw`."""
        return Node(type_of(self.raw[start]), Span(self.base + start, self.base + end), (), start)

    def lines_at(self, offsets: Sequence[int]) -> Sequence[int]:
        """The lines of offsets in `raw`; none where they are not known."""
        if self._line_of is not None:
            return [self._line_of(self.base + at) for at in offsets]
        return [] if self.base else [self.raw.count(b"\n", 0, at) + 1 for at in offsets]

    def _children(self, node: Node) -> "_Children":
        kept = self._kept.get(node.handle)
        if kept is None:
            kept = self._kept[node.handle] = self._read(node)
            if len(self._kept) > _KEPT_CONTAINERS:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(node.handle)
        return kept

    def _read(self, node: Node) -> "_Children":
        start, end = node.span.start - self.base, node.span.end - self.base
        view = memoryview(self.raw)[start:end]
        if node.type == "array":
            return _Children(self, (), _ARRAY.decode(view))
        children = self._members(_OBJECT.decode(view))
        if not self.may_repeat or children.fill(start, end):
            return children
        del children  # of a wide object it is as large as all that follows
        return _RepeatedChildren(self, scan(self.raw, start, end))

    def _members(self, members: dict[str, msgspec.Raw]) -> "_Children":
        return _Children(self, tuple(members), list(members.values()))


class _Children(Sequence[Child]):
    """Children of one container. The place of each is found when it is asked for, those of all once they were walked over."""

    repeated: frozenset[str] = frozenset()
    repeats: Sequence[Repeat] = ()

    def __init__(self, document: JsonDocument, names: tuple[str, ...], values: Sequence[msgspec.Raw]) -> None:
        self._document, self._names, self._values = document, names, values
        self._n_children = len(values)
        self._index: dict[str, int] | None = None
        self._columns: Columns | None = None
        self._listed: list[Child] | None = None
        self._containers: list[Child] | None = None

    def __len__(self) -> int:
        return self._n_children

    @overload
    def __getitem__(self, index: int) -> Child: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Child]: ...
    def __getitem__(self, index: int | slice) -> Child | Sequence[Child]:
        if isinstance(index, slice):
            return [self._child(n) for n in range(*index.indices(len(self)))]
        return self._child(range(len(self))[index])

    def __iter__(self) -> Iterator[Child]:
        if self._listed is not None:
            return iter(self._listed)
        self.columns()
        if len(self) > _MAX_LISTED:
            return map(self._child, range(len(self)))
        self._listed = [self._child(at) for at in range(len(self))]
        return iter(self._listed)

    def iter_containers(self) -> Iterator[Child]:
        """Those that are containers, without a value for each of the others."""
        if self._containers is not None:
            return iter(self._containers)
        raw = self._document.raw
        found = (self._child(at) for at, start in enumerate(self.columns().starts) if raw[start] in _OPENING)
        if len(self) > _MAX_LISTED:
            return found
        self._containers = list(found)
        return iter(self._containers)

    def columns(self) -> Columns:
        if self._columns is None:
            starts = self._document.places.starts_of(self._values)
            self._columns = Columns(self._names, starts, array("q", map(add, starts, map(len, self._values))))
            self._values = ()
        return self._columns

    def _child(self, at: int) -> Child:
        if self._columns is None:
            value = self._values[at]
            start = self._document.places.starts_of((value,))[0]
            end = start + _length(value)
        else:
            start, end = self._columns.starts[at], self._columns.ends[at]
        return Child(self._names[at] if self._names else str(at), self._document.node_at(start, end))

    def member(self, name: str) -> Node:
        """Raises NotFound or Ambiguous."""
        if self._index is None:
            self._index = {name: at for at, name in enumerate(self._names)}
        at = self._index.get(name)
        if at is None:
            raise NotFound(f"there is no member {name[:SHOWN_CHARS]!r}")
        return self._child(at).node

    def fill(self, start: int, end: int) -> bool:
        """Whether these members are all that the object holds: between two values stands one name and nothing else."""
        at = start + 1
        columns = self.columns()
        for value_start, value_end in zip(columns.starts, columns.ends, strict=True):
            if value_start < at or not _NAME_GAP.fullmatch(self._document.raw, at, value_start):
                return False
            at = value_end
        return _SPACE.fullmatch(self._document.raw, at, end - 1) is not None


class _RepeatedChildren(_Children):
    """Children of an object some of whose members stand more than once."""

    def __init__(self, document: JsonDocument, found: Scan) -> None:
        super().__init__(document, tuple(member.name for member in found.members), ())
        self._n_children = len(found.members)
        starts = array("q", [member.start for member in found.members])
        self._columns = Columns(self._names, starts, array("q", [member.end for member in found.members]))
        self._offsets = {repeat.name: repeat.offsets for repeat in found.repeats if not repeat.container}
        self.repeated, self.repeats = frozenset(self._offsets), found.repeats

    def member(self, name: str) -> Node:
        offsets = self._offsets.get(name)
        if offsets is None:
            return super().member(name)
        text = f"member {name[:SHOWN_CHARS]!r} stands {len(offsets)} times here, so no pointer leads to one of them"
        lines = self._document.lines_at(offsets[:MAX_SHOWN_PLACES])
        raise Ambiguous(text, {"lines": [*lines]} if lines else {})


def type_of(first: int) -> NodeType:
    """The type of the value that begins with this byte."""
    return _TYPES.get(first, "number")


def _length(value: msgspec.Raw) -> int:
    return len(value)
