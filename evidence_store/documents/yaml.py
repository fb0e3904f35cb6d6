"""YAML documents (1.2, core schema): nodes with byte spans, aliases and merge keys as hops.

What holds: a block collection runs from its first key or dash to the end of its last value; anchors and tags before a
node, trailing line ends and comments are no part of its slice. A node reached through an alias stands where the anchor
is, and the alias is a hop. Members that come in through `<<` are seen where they are used; written ones win, then the
earlier source; `<<` itself is no member. Nothing is expanded until it is asked for.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, overload

from evidence_store.documents.json_faults import Repeat
from evidence_store.documents.model import DEFAULT_LIMITS, MAX_SHOWN_PLACES, Child, Limits, Node, Scalar
from evidence_store.documents.yaml_offsets import ByteOffsets
from evidence_store.documents.yaml_read import read_table
from evidence_store.documents.yaml_schema import KNOWN_TAGS, type_of
from evidence_store.documents.yaml_table import MERGE_TAG, MergeSource, Shape, Style
from evidence_store.errors import Ambiguous, NotContainer, NotFound
from evidence_store.model import Format, Hop, Span
from evidence_store.pointers import SHOWN_CHARS, array_index

_PROPERTIES = re.compile(rb"(?:(?:&[^\s,\[\]{}]+|!<[^>\s]*>|![^\s,\[\]{}]*)(?:[ \t]+(?:#[^\r\n]*)?|\r?\n(?:[ \t]*#[^\r\n]*)?)*){1,2}")
_LINE_END = re.compile(rb"\r\n?|\n")
_BLANKS: Final = b" \t\r\n"


@dataclass(frozen=True, slots=True)
class _Member:
    name: str
    value: int
    """The value's node, an alias where it is one."""
    key: int
    hops: tuple[Hop, ...] = ()
    """Merge keys through which it came in."""


@dataclass(frozen=True, slots=True)
class _Source:
    """A mapping named by a merge key, and the place that names it."""

    mapping: int
    hop: Hop


class _Above(NamedTuple):
    container: int
    at: int
    """Place among the items of the container, keys and values counted."""


class YamlDocument:
    """A whole YAML text with one document. Raises as `yaml_read.read_table` does."""

    format = Format.YAML
    base = 0

    def __init__(self, raw: bytes, limits: Limits = DEFAULT_LIMITS, *, may_repeat: bool = True) -> None:
        self.raw, self.may_repeat = raw, may_repeat
        self._table = read_table(raw, limits)
        self._offsets = ByteOffsets(raw)
        self._aliases = sorted(self._table.targets)
        self._members: dict[int, tuple[_Member, ...]] = {}
        self._places: dict[int, dict[str, list[_Member]]] = {}
        self.root = self._node(0, ())

    def child(self, node: Node, token: str) -> Node:
        if not node.is_container:
            raise NotContainer(f"{token[:SHOWN_CHARS]!r} leads into a {node.type}, which has no inside")
        if node.type == "array":
            items = self._table.items[node.handle]
            return self._node(items[array_index(token, len(items))], node.hops)
        places = self._places_of(node.handle).get(token)
        if not places:
            raise NotFound(f"there is no member {token[:SHOWN_CHARS]!r}")
        if len(places) > 1:
            lines = [self._line(member.key) for member in places[:MAX_SHOWN_PLACES]]
            text = f"member {token[:SHOWN_CHARS]!r} stands {len(places)} times here, so no pointer leads to one of them"
            raise Ambiguous(text, {"lines": lines})
        return self._node(places[0].value, node.hops + places[0].hops)

    def children(self, node: Node) -> Sequence[Child]:
        match node.type:
            case "object":
                return _Children(self, node, self.members_of(node.handle))
            case "array":
                return _Children(self, node, [_Member(str(n), item, item) for n, item in enumerate(self._table.items[node.handle])])
            case _:
                return ()

    def repeated(self, node: Node) -> frozenset[str]:
        if node.type != "object":
            return frozenset()
        return frozenset(name for name, places in self._places_of(node.handle).items() if len(places) > 1)

    def scalar(self, node: Node) -> Scalar:
        if node.is_container:
            raise TypeError(f"an {node.type} is no scalar")
        return self._table.value(node.handle)

    def source(self, node: Node) -> bytes:
        return self.raw[node.span.start : node.span.end]

    def has_aliases(self, node: Node) -> bool:
        # Nodes are numbered as they start, so what stands inside one is a run of numbers.
        at = bisect_left(self._aliases, node.handle)
        return at < len(self._aliases) and self._aliases[at] <= self._last_inside(node.handle)

    def node_of(self, member: _Member, above: Node) -> Node:
        return self._node(member.value, above.hops + member.hops)

    def iter_repeats(self) -> Iterator[Repeat]:
        """Every member name that is written more than once in one mapping, from the start of the text to its end."""
        for mapping in self._table.items:
            if self._table.shapes[mapping] != Shape.MAPPING:
                continue
            keys: dict[str, list[int]] = {}
            for key, _ in self._table.pairs(mapping):
                if not self._table.is_merge_key(key):
                    keys.setdefault(self._name(key), []).append(key)
            for name, places in keys.items():
                if len(places) > 1:
                    yield Repeat(self._tokens(mapping), name, tuple(self._span(key).start for key in places))

    def iter_unknown_tags(self) -> Iterator[tuple[str, int]]:
        """Tags that are not of the core schema, each with the line on which it first stands."""
        found: set[str] = set()
        for node, tag in self._table.tags.items():
            if tag not in KNOWN_TAGS and tag != MERGE_TAG and tag not in found:
                found.add(tag)
                yield tag, self._line(node)

    def inner_hops(self, node: Node) -> tuple[Hop, ...]:
        """What the aliases and merge keys that stand inside a node lead to, where that stands outside of it; each place once."""
        found: dict[Span, Hop] = {}
        pending = [node.handle]
        seen: set[int] = set()
        while pending:
            first = pending.pop()
            last = self._last_inside(first)
            for alias in self._aliases[bisect_left(self._aliases, first) : bisect_right(self._aliases, last)]:
                target = self._table.targets[alias]
                if target in seen:
                    continue
                seen.add(target)
                pending.append(target)
                span = self._span(target)
                if not node.span.start <= span.start < span.end <= node.span.end:
                    found.setdefault(span, Hop("merge" if alias in self._merged_from else "alias", span))
        return tuple(found.values())

    @cached_property
    def _merged_from(self) -> frozenset[int]:
        """Aliases that merge keys take."""
        sources = (source for mapping in self._table.items for source in self._merge_sources(mapping))
        return frozenset(place for source in sources for place in (source.item, source.value))

    def _merge_sources(self, mapping: int) -> Sequence[MergeSource]:
        return tuple(self._table.merge_sources(mapping)) if self._table.shapes[mapping] == Shape.MAPPING else ()

    def members_of(self, mapping: int) -> tuple[_Member, ...]:
        """Members of a mapping with those that merge keys bring."""
        found = self._members.get(mapping)
        if found is None:
            # The depth of merges is bounded (Limits.max_merge_depth), and so is this recursion.
            found = self._members[mapping] = self._merged(mapping)
        return found

    def _merged(self, mapping: int) -> tuple[_Member, ...]:
        pairs = [(key, value) for key, value in self._table.pairs(mapping) if not self._table.is_merge_key(key)]
        members = [_Member(self._name(key), value, key) for key, value in pairs]
        known = {member.name for member in members}
        for source in self._sources(mapping):
            brought = [member for member in self.members_of(source.mapping) if member.name not in known]
            members += [_Member(member.name, member.value, member.key, (source.hop, *member.hops)) for member in brought]
            known |= {member.name for member in brought}
        return tuple(members)

    def _sources(self, mapping: int) -> list[_Source]:
        table, sources = self._table, []
        for source in table.merge_sources(mapping):
            place = next((place for place in (source.item, source.value) if place in table.targets), source.key)
            sources.append(_Source(table.target(source.item), Hop("merge", self._span(place))))
        return sources

    def _places_of(self, mapping: int) -> dict[str, list[_Member]]:
        places = self._places.get(mapping)
        if places is None:
            places = self._places[mapping] = {}
            for member in self.members_of(mapping):
                places.setdefault(member.name, []).append(member)
        return places

    def _name(self, key: int) -> str:
        """The member name: the text of a scalar key, else the key as it is written."""
        target = self._table.target(key)
        text = self._table.texts[target]
        return text if text is not None else self.source(self._node(target, ())).decode("utf-8")

    def _node(self, number: int, hops: tuple[Hop, ...]) -> Node:
        table = self._table
        if number in table.targets:
            hops = (*hops, Hop("alias", self._span(number)))
            number = table.targets[number]
        match table.shapes[number]:
            case Shape.SEQUENCE:
                return Node("array", self._span(number), hops, number)
            case Shape.MAPPING:
                return Node("object", self._span(number), hops, number)
            case _:
                return Node(type_of(table.value(number)), self._span(number), hops, number)

    def _span(self, number: int) -> Span:
        start = self._start(number)
        return Span(start, max(start, self._end(number)))

    def _start(self, number: int) -> int:
        table = self._table
        if self._is_empty_plain(number):
            return self._offsets.byte(table.ends[number])
        at = self._offsets.byte(table.starts[number])
        if number not in table.decorated:
            return at
        if table.shapes[number] == Shape.SCALAR:
            found = _PROPERTIES.match(self.raw, at)
            return found.end() if found else at
        # A block sequence that is not indented: the event ends after its first dash.
        is_late = table.styles[number] == Style.BLOCK and table.shapes[number] == Shape.SEQUENCE and self.raw[at - 1 : at] == b"-"
        return at - 1 if is_late else at

    def _end(self, number: int) -> int:
        table = self._table
        before = number
        while table.styles[number] == Style.BLOCK and table.items.get(number):
            items = table.items[number]
            before, number = items[-2] if table.shapes[number] == Shape.MAPPING else number, items[-1]
        end = self._offsets.byte(table.ends[number])
        if table.styles[number] == Style.BLOCK_SCALAR:
            start = self._start(number)
            return start + len(_without_line_ends(self.raw[start:end], table.texts[number] or ""))
        if self._is_empty_plain(number) and before != number and number not in table.decorated:
            return self._end_before_nothing(before, end)
        return end

    def _end_before_nothing(self, key: int, at: int) -> int:
        """An explicit key without a value: the parser puts the empty value before the next token, past blanks and comments."""
        if self.raw[at - 1 : at] in (b":", b"-"):
            return at
        return self._offsets.byte(self._table.ends[key])

    def _is_empty_plain(self, number: int) -> bool:
        return self._table.styles[number] == Style.PLAIN and self._table.texts[number] == ""

    def _line(self, number: int) -> int:
        return self.raw.count(b"\n", 0, self._start(number)) + 1

    def _last_inside(self, number: int) -> int:
        """The last node that stands inside this one; nodes are numbered as they start."""
        while self._table.items.get(number):
            number = self._table.items[number][-1]
        return number

    def _tokens(self, number: int) -> tuple[str, ...]:
        """The place of a node, by the containers in which it is written."""
        tokens: list[str] = []
        while number in self._above:
            above = self._above[number]
            items = self._table.items[above.container]
            is_member = self._table.shapes[above.container] == Shape.MAPPING
            tokens.append(self._name(items[above.at - above.at % 2]) if is_member else str(above.at))
            number = above.container
        return tuple(reversed(tokens))

    @cached_property
    def _above(self) -> dict[int, _Above]:
        """Of each node where it stands; made only where members are repeated."""
        return {item: _Above(container, at) for container, items in self._table.items.items() for at, item in enumerate(items)}


class _Children(Sequence[Child]):
    """Children of one container; the span of each is found when it is asked for."""

    def __init__(self, document: YamlDocument, above: Node, members: Sequence[_Member]) -> None:
        self._document, self._above, self._members = document, above, members

    def __len__(self) -> int:
        return len(self._members)

    @overload
    def __getitem__(self, index: int) -> Child: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Child]: ...
    def __getitem__(self, index: int | slice) -> Child | Sequence[Child]:
        if isinstance(index, slice):
            return [self._child(member) for member in self._members[index]]
        return self._child(self._members[index])

    def _child(self, member: _Member) -> Child:
        return Child(member.name, self._document.node_of(member, self._above))


def _without_line_ends(source: bytes, text: str) -> bytes:
    """A block scalar up to the end of its last line that holds text, blanks at the end of that line kept.

    A line of blanks that goes on after the indentation is text too, and stands as such in what was read.
    """
    end = len(source.rstrip(_BLANKS))
    for _ in range(_n_blank_lines(text) + 1):
        line_end = _LINE_END.search(source, end)
        if line_end is None:
            return source
        last, end = line_end.start(), line_end.end()
    return source[:last]


def _n_blank_lines(text: str) -> int:
    """Lines of blanks alone that stand behind the last other line; empty ones at the end of the text do not count."""
    kept = text.rstrip("\n")
    behind = kept[len(kept.rstrip(" \t\n")) :]
    return behind.count("\n") + (len(behind) == len(kept) > 0)
