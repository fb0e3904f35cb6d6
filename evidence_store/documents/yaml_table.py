"""The nodes of a YAML document, built from the parser's events without recursion and without following an alias.

Positions are kept as the parser gives them, in characters; `yaml.YamlDocument` turns them into byte spans. Limits are
met while the events come in: depth, the number of nodes, and of those that aliases stand for.
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final

import yaml

from evidence_store.documents.model import Limits, Scalar
from evidence_store.documents.yaml_pairs import HiddenPairs
from evidence_store.documents.yaml_schema import KNOWN_TAGS, plain_value, tagged_value
from evidence_store.errors import LimitExceeded

MERGE_TAG: Final = "tag:yaml.org,2002:merge"


class Shape(IntEnum):
    SCALAR = 0
    SEQUENCE = 1
    MAPPING = 2
    ALIAS = 3


class Style(IntEnum):
    """How a node is written; it decides where its slice starts and ends."""

    PLAIN = 0
    QUOTED = 1
    BLOCK_SCALAR = 2
    FLOW = 3
    BLOCK = 4


@dataclass(frozen=True, slots=True)
class MergeSource:
    """One mapping named by a merge key: the key, its value, and the item of the value (the value itself where it is no list)."""

    key: int
    value: int
    item: int


class YamlFault(Exception):
    """A fault at a character of the text."""

    def __init__(self, char: int, code: str, why: str) -> None:
        super().__init__(why)
        self.char, self.code, self.why = char, code, why


@dataclass(slots=True)
class YamlTable:
    """All nodes of one document, by number in the order in which they start; the root is 0."""

    shapes: bytearray = field(default_factory=bytearray)
    styles: bytearray = field(default_factory=bytearray)
    starts: "array[int]" = field(default_factory=lambda: array("q"))
    ends: "array[int]" = field(default_factory=lambda: array("q"))
    texts: list[str | None] = field(default_factory=list)
    """Decoded text of scalars."""
    items: dict[int, list[int]] = field(default_factory=dict)
    """Of a sequence its items; of a mapping key, value, key, value, …"""
    targets: dict[int, int] = field(default_factory=dict)
    """Of an alias the node that it names."""
    tags: dict[int, str] = field(default_factory=dict)
    decorated: set[int] = field(default_factory=set)
    """Nodes with an anchor or a tag before them."""

    def value(self, node: int) -> Scalar:
        """Of a scalar."""
        text = self.texts[node]
        assert text is not None
        tag = self.tags.get(node)
        if tag in KNOWN_TAGS:
            return tagged_value(text, tag)
        return plain_value(text) if self.styles[node] == Style.PLAIN else text

    def is_merge_key(self, node: int) -> bool:
        """`<<` is a merge key where it is plain, and a member name like any other where it is quoted or tagged as text."""
        if self.shapes[node] != Shape.SCALAR or self.texts[node] != "<<":
            return False
        tag = self.tags.get(node)
        return self.styles[node] == Style.PLAIN if tag is None else tag == MERGE_TAG

    def pairs(self, mapping: int) -> Iterator[tuple[int, int]]:
        """Keys with their values."""
        items = iter(self.items[mapping])
        return zip(items, items, strict=True)

    def merge_sources(self, mapping: int) -> Iterator[MergeSource]:
        """What the merge keys of a mapping name, in order; lists of mappings are taken apart."""
        for key, value in self.pairs(mapping):
            if self.is_merge_key(key):
                listed = self.target(value)
                for item in self.items[listed] if self.shapes[listed] == Shape.SEQUENCE else (value,):
                    yield MergeSource(key, value, item)

    def target(self, node: int) -> int:
        """The node itself, or the one that it names."""
        return self.targets.get(node, node)


class TableBuilder:
    """Takes the events of one stream and gives its table. One instance is used once."""

    def __init__(self, limits: Limits, pairs: HiddenPairs) -> None:
        """`pairs` are those that were hidden in the text."""
        self.table = YamlTable()
        self._limits, self._pairs = limits, pairs
        self._open: list[int] = []
        self._anchors: dict[str, int] = {}
        self._expanded: dict[int, int] = {}
        """Nodes in each closed container when its aliases are followed; a scalar counts 1."""
        self._merge_depths: dict[int, int] = {}
        self._n_documents = 0

    def build(self, text: bytes) -> YamlTable:
        """Raises YamlFault, yaml.YAMLError or LimitExceeded. `text` starts after the byte order mark."""
        loader: Any = yaml.CSafeLoader(text)
        try:
            while True:
                event = loader.get_event()
                if isinstance(event, yaml.StreamEndEvent):
                    break
                self._take(event)
        finally:
            loader.dispose()
        if not self._n_documents:
            raise YamlFault(0, "empty", "the text holds no document")
        return self.table

    def _take(self, event: Any) -> None:
        match event:
            case yaml.ScalarEvent():
                self._scalar(event)
            case yaml.MappingStartEvent():
                self._container(event, Shape.MAPPING)
            case yaml.SequenceStartEvent():
                self._container(event, Shape.SEQUENCE)
            case yaml.CollectionEndEvent():
                self._close(event)
            case yaml.AliasEvent():
                self._alias(event)
            case yaml.DocumentStartEvent():
                self._n_documents += 1
                self._require_first(event)

    def _require_first(self, event: Any) -> None:
        if self._n_documents > 1:
            raise YamlFault(event.start_mark.index, "several_documents", "a second document starts here; one is expected")

    def _add(self, shape: Shape, style: Style, start: int, end: int, text: str | None = None) -> int:
        table = self.table
        node = len(table.shapes)
        if node >= self._limits.max_nodes:
            limit = self._limits.max_nodes
            raise LimitExceeded(f"the document has more than the limit of {limit} values", {"limit": limit}, code="too_many_nodes")
        table.shapes.append(shape)
        table.styles.append(style)
        table.starts.append(start)
        table.ends.append(end)
        table.texts.append(text)
        if self._open:
            table.items[self._open[-1]].append(node)
        return node

    def _decorate(self, node: int, event: Any) -> None:
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        if event.tag is not None:
            self.table.tags[node] = event.tag
        if event.anchor is not None or event.tag is not None:
            self.table.decorated.add(node)

    def _scalar(self, event: Any) -> None:
        text = self._pairs.restored(event.value, escaped=event.style == '"')
        style = Style.BLOCK_SCALAR if event.style in ("|", ">") else Style.QUOTED if event.style else Style.PLAIN
        node = self._add(Shape.SCALAR, style, event.start_mark.index, event.end_mark.index, text)
        self._decorate(node, event)
        tag = event.tag
        if tag in KNOWN_TAGS:
            try:
                tagged_value(event.value, tag)
            except ValueError as exc:
                raise YamlFault(event.start_mark.index, "bad_tag", str(exc)) from exc

    def _container(self, event: Any, shape: Shape) -> None:
        flow = bool(event.flow_style)
        decorated = event.anchor is not None or event.tag is not None
        # A start event covers the properties too. It ends after the bracket of a flow collection; of a block collection with
        # properties it ends where the first key or dash starts, or (a sequence not indented in its mapping) after that dash.
        # A pair without braces in a flow sequence (`[a: 1]`) has no properties: its event is empty, or covers the `?` before its key.
        begins = event.start_mark.index
        start = max(begins, event.end_mark.index - 1) if flow else event.end_mark.index if decorated else begins
        node = self._add(shape, Style.FLOW if flow else Style.BLOCK, start, start)
        self.table.items[node] = []
        self._decorate(node, event)
        self._open.append(node)
        if len(self._open) > self._limits.max_depth:
            limit = self._limits.max_depth
            raise LimitExceeded(f"the depth of the document is over the limit of {limit} containers inside one another", {"limit": limit})

    def _close(self, event: Any) -> None:
        node = self._open.pop()
        table = self.table
        table.ends[node] = event.end_mark.index
        expanded = 1
        for item in table.items[node]:
            expanded += self._expanded.get(table.target(item), 1)
        self._expanded[node] = expanded
        if table.shapes[node] == Shape.MAPPING:
            self._require_flat_merges(node)
        if expanded - len(table.shapes) > self._limits.max_alias_nodes:
            limit = self._limits.max_alias_nodes
            raise LimitExceeded(f"the aliases of the document stand for more than the limit of {limit} alias nodes", {"limit": limit})

    def _require_flat_merges(self, mapping: int) -> None:
        """Merge keys take mappings, and not too many of them one from another: a member carries each step as a hop."""
        depth = 0
        for source in self.table.merge_sources(mapping):
            if self.table.shapes[self.table.target(source.item)] != Shape.MAPPING:
                why = "'<<' takes a mapping or a list of mappings (quoted, it is a member name)"
                raise YamlFault(self.table.starts[source.key], "bad_merge", why)
            depth = max(depth, 1 + self._merge_depths.get(self.table.target(source.item), 0))
        if depth > self._limits.max_merge_depth:
            limit = self._limits.max_merge_depth
            raise LimitExceeded(f"merge keys take members through more than the limit of {limit} alias steps", {"limit": limit})
        self._merge_depths[mapping] = depth

    def _alias(self, event: Any) -> None:
        target = self._anchors.get(event.anchor)
        start = event.start_mark.index
        if target is None:
            raise YamlFault(start, "unknown_alias", "an alias names no anchor before it")
        if target in self.table.items and target not in self._expanded:
            raise YamlFault(start, "recursive_alias", "an alias names the node in which it stands")
        node = self._add(Shape.ALIAS, Style.PLAIN, start, event.end_mark.index)
        self.table.targets[node] = target
