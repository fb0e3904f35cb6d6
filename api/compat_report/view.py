"""One version of the document, as far as the packets in the input show it.

Every answer comes from a packet that stands in the input. What no packet shows is `Hidden`: never guessed, never remembered.
A view notes which packets it drew on, so that a comparison can name what it rests on.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from api.compat_report.model import Look, Need, Side, Value
from api.compat_report.pointers import escape_token, is_root, last_token, locate, parent_of, split_pointer, unescape_token

_ARRAYS = {
    "parameters", "required", "enum", "security", "allOf", "anyOf", "oneOf", "tags", "servers", "type", "consumes", "produces", "schemes",
}  # fmt: skip
_MAPS = {
    "properties", "patternProperties", "components", "schemas", "headers", "responses", "$defs", "definitions", "securityDefinitions",
}  # fmt: skip
WIDE_BYTES = 14_000
"""A container of at most this size is read whole although the usual limit gives an outline; at 2.5 bytes a token it fits in 5 600."""


class Hidden(Exception):
    """No packet in the input shows this place, or these."""

    def __init__(self, *needs: Need) -> None:
        super().__init__(", ".join(f"{need.side} {need.pointer}" for need in needs) + " not in the input")
        self.needs = needs


@dataclass(frozen=True, slots=True)
class Child:
    """What an outline says of one member."""

    type: str
    size: int
    n_children: int | None
    names: tuple[str, ...] = ()
    """The first member names of an object."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A packet, read: the value of a passage shown whole, the names of a container, or an outline."""

    id: str
    pointer: str
    excerpt: str
    value: Value = None
    names: tuple[str, ...] | None = None
    """Set for `keys` evidence."""
    children: Mapping[str, Child] | None = None
    """Set for an outline."""
    is_array: bool = False
    """Whether an outline is that of an array."""
    n_children: int = 0
    first: int = 0
    """0-based place of the first child of an outline."""
    next: str | None = None
    """An option that continues an outline."""
    whole: bool = True
    """False when the passage is cut: then only its place is known."""

    @property
    def has_value(self) -> bool:
        return self.whole and self.names is None and self.children is None


class Missing:
    """Stands for a place that is shown not to exist."""


MISSING = Missing()


@dataclass(slots=True)
class View:
    """What the input shows of one version."""

    side: Side
    root: str = ""
    """Resource of the document itself."""
    patient: bool = True
    """Whether a second, wider reading of a container is worth a step."""
    absent: dict[str, None] = field(default_factory=dict)
    """Resources that a reference named and that are not there."""
    used: dict[str, None] = field(default_factory=dict)
    """Ids of the packets drawn on so far, in order."""
    _values: dict[str, Shown] = field(default_factory=dict)
    _keys: dict[str, Shown] = field(default_factory=dict)
    _outlines: dict[str, list[Shown]] = field(default_factory=dict)
    _cut: dict[str, Shown] = field(default_factory=dict)
    """Places that are shown in part, or whose excerpt has no value of its own: they are read member by member."""

    def add(self, shown: Iterable[Shown]) -> None:
        for one in shown:
            if one.names is not None:
                self._keys[one.pointer] = one
            elif one.children is not None:
                self._outlines.setdefault(one.pointer, []).append(one)
            elif one.has_value:
                self._values[one.pointer] = one
            else:
                self._cut[one.pointer] = one

    def fork(self, *, patient: bool = True, absent: Iterable[str] = ()) -> "View":
        """The same packets, with nothing drawn on yet."""
        gone = self.absent | dict.fromkeys(absent)
        return View(self.side, self.root, patient, gone, {}, self._values, self._keys, self._outlines, self._cut)

    def node(self, pointer: str) -> "Node":
        return Node(self, pointer)

    def find_packet(self, pointer: str, look: Look) -> Shown | None:
        """The packet of exactly this place, shown in full."""
        return (self._values if look == "source" else self._keys).get(pointer)

    def has_outline(self, pointer: str) -> bool:
        return pointer in self._outlines

    def is_cut(self, pointer: str) -> bool:
        return pointer in self._cut

    def pages(self, pointer: str) -> tuple[Shown, ...]:
        return tuple(self._outlines.get(pointer, ()))

    def known_pointers(self) -> Iterator[str]:
        """Every place of which some packet stands in the input."""
        yield from dict.fromkeys([*self._values, *self._keys, *self._outlines])

    def find(self, pointer: str) -> Value | Missing:
        """The value of a place, or MISSING where it is shown not to exist; raises Hidden."""
        below: list[str] = []
        prefix = pointer
        while True:
            whole = self._values.get(prefix)
            if whole is not None:
                self.used.setdefault(whole.id)
                return _descend(whole.value, below)
            if below and self._lacks(prefix, below[-1]):
                return MISSING
            if is_root(prefix):
                raise Hidden(self.need(pointer))
            prefix, _, token = prefix.rpartition("/")
            below.append(unescape_token(token))

    def need(self, pointer: str) -> Need:
        """How to read a place that is not shown: whole where that can be hoped for, else the names of its members."""
        if not pointer or pointer in self._cut:
            return Need(self.side, pointer, "keys")
        size = self.size(pointer)
        wide = self.has_outline(pointer) or (size is not None and size > WIDE_BYTES // 4)
        if wide and not (self.patient and size is not None and size <= WIDE_BYTES):
            return Need(self.side, pointer, "keys")
        return Need(self.side, pointer, wide=wide)

    def size(self, pointer: str) -> int | None:
        """Bytes of a place, as far as outlines tell."""
        pages = self._outlines.get(pointer, [])
        children = {token: child.size for page in pages for token, child in (page.children or {}).items()}
        if pages and len(children) == pages[0].n_children:
            return sum(children.values())
        child = self._child(pointer)
        return None if child is None else child.size

    def names(self, pointer: str) -> tuple[str, ...] | None:
        """The member names of an object, or None when the place is shown to be no object; raises Hidden."""
        keys = self._keys.get(pointer)
        if keys is not None:
            self.used.setdefault(keys.id)
            return keys.names
        pages = self._outlines.get(pointer, [])
        children = dict.fromkeys(token for page in pages for token in page.children or {})
        if pages and len(children) == pages[0].n_children:
            self.used.update(dict.fromkeys(page.id for page in pages))
            return tuple(children)
        listed = self._names_in_outline(pointer)
        if listed is not None:
            return listed
        try:
            value = self.find(pointer)
        except Hidden as hidden:
            if pages or pointer in self._cut:
                raise Hidden(Need(self.side, pointer, "keys")) from hidden
            raise
        return tuple(value) if isinstance(value, dict) else None

    def says(self, pointer: str, text: str) -> bool:
        """Whether a packet that covers this place spells this text."""
        while True:
            one = self._values.get(pointer)
            if one is not None and text in one.excerpt:
                return True
            if is_root(pointer):
                return False
            pointer = parent_of(pointer)

    def _lacks(self, prefix: str, token: str) -> bool:
        keys = self._keys.get(prefix)
        if keys is not None and keys.names is not None and token not in keys.names and not _is_array(prefix):
            self.used.setdefault(keys.id)
            return True
        pages = self._outlines.get(prefix, [])
        tokens = {name for page in pages for name in page.children or {}}
        if pages and token not in tokens and len(tokens) == pages[0].n_children:
            self.used.update(dict.fromkeys(page.id for page in pages))
            return True
        return False

    def _names_in_outline(self, pointer: str) -> tuple[str, ...] | None:
        """All names of an object, where the outline of its container gives them."""
        child = self._child(pointer)
        if child is None or child.type != "object" or len(child.names) != child.n_children:
            return None
        self.used.update(dict.fromkeys(page.id for page in self.pages(parent_of(pointer))))
        return child.names

    def _child(self, pointer: str) -> Child | None:
        """What the outline of its container says of a place."""
        token = last_token(pointer)
        for page in () if is_root(pointer) else self._outlines.get(parent_of(pointer), ()):
            child = (page.children or {}).get(token)
            if child is not None:
                return child
        return None


@dataclass(frozen=True, slots=True)
class Node:
    """A place in one version. Reading it raises Hidden where the input does not show it."""

    view: View
    pointer: str

    def child(self, token: str) -> "Node":
        return Node(self.view, f"{self.pointer}/{escape_token(token)}")

    @property
    def token(self) -> str:
        return last_token(self.pointer)

    def parent(self) -> "Node":
        return Node(self.view, parent_of(self.pointer))

    @property
    def is_in_absent_file(self) -> bool:
        """Whether the place lies in a resource that is not there."""
        return locate(self.pointer).resource in self.view.absent

    def find(self) -> Value | Missing:
        return self.view.find(self.pointer)

    def exists(self) -> bool:
        """Whether the place is there; it need not be shown in full for that."""
        try:
            return not isinstance(self.find(), Missing)
        except Hidden:
            if is_root(self.pointer) or _is_array(parent_of(self.pointer)):
                raise
            return self.token in self.parent().names()

    def get(self, token: str) -> "Node | None":
        """The member, or None where it does not exist."""
        child = self.child(token)
        return child if child.exists() else None

    def value(self) -> Value:
        """The value; None also where the place does not exist."""
        found = self.find()
        return None if isinstance(found, Missing) else found

    def names(self) -> tuple[str, ...]:
        """The member names; empty where the place is no object or does not exist."""
        return self.view.names(self.pointer) or ()

    def members(self) -> "dict[str, Node]":
        return {name: self.child(name) for name in self.names()}

    def items(self) -> "tuple[Node, ...]":
        """The items of an array; empty where the place is no array or does not exist."""
        value = self.value()
        return tuple(self.child(str(at)) for at in range(len(value))) if isinstance(value, list) else ()

    def text(self) -> str | None:
        """The value where it is a string (or a number, by its spelling)."""
        value = self.value()
        return str(value) if isinstance(value, str) else None

    def is_shown(self) -> bool:
        """Whether the place is there and can be read without a further step."""
        if self.view.has_outline(self.pointer) or self.view.is_cut(self.pointer):
            return True
        try:
            return not isinstance(self.find(), Missing)
        except Hidden:
            return False


def _descend(value: Value, below: list[str]) -> Value | Missing:
    """`below` holds the tokens from the last to the first."""
    for token in reversed(below):
        if isinstance(value, dict) and token in value:
            value = value[token]
        elif isinstance(value, list) and token.isdecimal() and str(int(token)) == token and int(token) < len(value):
            value = value[int(token)]
        else:
            return MISSING
    return value


def _is_array(pointer: str) -> bool:
    """Whether an array stands at this place by the rules of OpenAPI, so that `keys` gives labels and not names."""
    tokens = split_pointer(pointer)
    if not tokens or tokens[-1] not in _ARRAYS:
        return False
    # At the root `parameters` is Swagger's map of shared ones.
    return tokens[-1] != "parameters" if len(tokens) == 1 else tokens[-2] not in _MAPS
