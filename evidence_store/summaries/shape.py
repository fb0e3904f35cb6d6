"""`json-shape`: types, keys with counts, lengths of arrays, depth, and a pointer to read on at each line.

Places are merged: `[]` stands for the items of arrays, `{}` for the members of objects that have many different ones. The walk
goes level by level, so that where the bound is met what is missing is the depth and never the top.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from evidence_store.documents.model import Document, Node, NodeType
from evidence_store.summaries.model import NODE_FORMATS, Material, Subject, Summarizer, not_of_kind
from evidence_store.summaries.walk import MAX_NODES, Placed
from evidence_store.summaries.wording import counted, listed, name, pointer, section

KIND: Final = "json-shape"
MAX_KEYS: Final = 30
"""Different members up to which they are told apart by name."""
SHOWN_KEYS: Final = 16
MAX_PLACES: Final = 40
MAX_LEVEL_PLACES: Final = 2_000
"""Merged places of one level that are told apart; a document that has more has no shape to speak of."""
ITEMS: Final = "[]"
MEMBERS: Final = "{}"


@dataclass(slots=True)
class _Group:
    """All containers that stand at one merged place."""

    place: tuple[str, ...]
    found: list[Placed] = field(default_factory=list)


@dataclass(slots=True)
class _Inside:
    """What the containers of a group hold, by token: how many nodes of which type."""

    types: dict[str, Counter[NodeType]] = field(default_factory=dict)

    def add(self, token: str, node: Node) -> None:
        self.types.setdefault(token, Counter())[node.type] += 1


class _Shape:
    """One walk over a document, level by level."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self.lines: list[str] = []
        self.n_places = 0
        self.n_nodes = 1
        self.depth = 0
        self.is_cut = False

    def read(self) -> None:
        root = _Group((), [Placed((), self._document.root)])
        level = [root] if self._document.root.is_container else []
        while level:
            self.depth += 1
            below: dict[tuple[str, ...], _Group] = {}
            for group in level:
                self._look(group, below)
                if self.is_cut:
                    return
            level = list(below.values())

    def _look(self, group: _Group, below: dict[tuple[str, ...], _Group]) -> None:
        """Describes one merged place, and puts its containers one level down."""
        objects = [one for one in group.found if one.node.type == "object"]
        arrays = [one for one in group.found if one.node.type == "array"]
        children = [(one, self._document.children(one.node)) for one in group.found]
        n_children = sum(len(inside) for _, inside in children)
        if self.n_nodes + n_children > MAX_NODES or len(below) > MAX_LEVEL_PLACES:
            self.is_cut = True
            return
        self.n_nodes += n_children
        names = {child.token for one, inside in children if one.node.type == "object" for child in inside}
        merged = len(names) > MAX_KEYS
        inside_objects, inside_arrays = _Inside(), _Inside()
        for one, found in children:
            is_array = one.node.type == "array"
            for child in found:
                token = ITEMS if is_array else MEMBERS if merged else child.token
                (inside_arrays if is_array else inside_objects).add(token, child.node)
                if child.node.is_container:
                    place = (*group.place, token)
                    below.setdefault(place, _Group(place)).found.append(Placed((*one.tokens, child.token), child.node))
        self.n_places += 1
        if len(self.lines) < MAX_PLACES:
            self.lines.append(
                _line(group, objects, arrays, (inside_objects, inside_arrays), self._lengths(objects), self._lengths(arrays), len(names))
            )

    def _lengths(self, found: list[Placed]) -> tuple[int, int]:
        lengths = [len(self._document.children(one.node)) for one in found]
        return (min(lengths), max(lengths)) if lengths else (0, 0)


def _line(
    group: _Group,
    objects: list[Placed],
    arrays: list[Placed],
    inside: tuple[_Inside, _Inside],
    n_members: tuple[int, int],
    n_items: tuple[int, int],
    n_names: int,
) -> str:
    parts = []
    if objects:
        head = f"{counted(len(objects), 'object')} of {_span(*n_members)} {'key' if n_members[1] == 1 else 'keys'}"
        parts.append(head + _keys(inside[0], len(objects), n_names))
    if arrays:
        head = f"{counted(len(arrays), 'array')} of {_span(*n_items)} {'item' if n_items[1] == 1 else 'items'}"
        types = inside[1].types.get(ITEMS)
        parts.append(head + (f": {_types(types)}" if types else ""))
    first = group.found[0].tokens
    shown = pointer(group.place)
    return f"{shown} {'; '.join(parts)}" + ("" if tuple(first) == group.place else f"; first {pointer(first)}")


def _keys(inside: _Inside, n_objects: int, n_names: int) -> str:
    if not inside.types:
        return ""
    if list(inside.types) == [MEMBERS] and n_names > MAX_KEYS:
        return f", {n_names} different: {_types(inside.types[MEMBERS])}"
    entries = [f"{name(token)} {_key(types, n_objects)}" for token, types in inside.types.items()]
    return f": {listed(entries, SHOWN_KEYS)}"


def _key(types: "Counter[NodeType]", n_objects: int) -> str:
    """A type alone where all objects have the member with it, else each type with how often it stands."""
    if len(types) == 1 and types.total() == n_objects:
        return next(iter(types))
    return "|".join(f"×{n} {type_}" for type_, n in _by_count(types))


def _types(types: "Counter[NodeType]") -> str:
    return ", ".join(f"{n} {type_}" for type_, n in _by_count(types))


def _by_count(types: "Counter[NodeType]") -> list[tuple[NodeType, int]]:
    return sorted(types.items(), key=lambda found: (-found[1], found[0]))


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def summarize(material: Material) -> str:
    """Raises InvalidInput (`no_summary`) for formats without nodes."""
    if material.format not in NODE_FORMATS:
        raise not_of_kind(KIND, f"a {material.format.value} resource has no nodes")
    document = material.document
    shape = _Shape(document)
    shape.read()
    nodes = (
        f"more than {MAX_NODES} nodes, deeper than {shape.depth - 1}: what is below is left out"
        if shape.is_cut
        else f"{counted(shape.n_nodes, 'node')}, depth {shape.depth}"
    )
    head = f"{KIND}: {document.root.type}, {counted(len(material.raw), 'byte')}, {nodes}\n"
    return head + section("places ([] any item, {} any member):", shape.lines, MAX_PLACES, shape.n_places)


def applies(subject: Subject) -> bool:
    return subject.format in NODE_FORMATS


SHAPE: Final = Summarizer(KIND, summarize, applies)
