"""The inside of one XML element, with byte places: attributes, text and child elements.

expat reads, and says where each element starts; the bytes of start tags give the rest. No entity beyond the five of XML can
stand in what is read, since a document type declaration is refused on the way in (`junit_read`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal
from xml.parsers import expat

from evidence_store.model import Span

START_TAG: Final = re.compile(rb"<[^\s/>]++[^>\"']*+(?:(?:\"[^\"]*+\"|'[^']*+')[^>\"']*+)*>")
_ATTRIBUTE: Final = re.compile(rb"""\s([^\s=/>"']++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')""")


@dataclass(frozen=True, slots=True)
class XmlPart:
    """One attribute, the text, or one child element."""

    kind: Literal["attribute", "text", "element"]
    name: str
    span: Span
    """Of an attribute between its quotes; of text all between the tags; of an element with its tags."""
    text: str
    """Entities undone; of an element only where it is nothing but text."""
    inner: Span | None = None
    """Of an element that is nothing but text: what stands between its tags."""


@dataclass(slots=True)
class _Open:
    name: str
    start: int
    inner: int
    is_empty_tag: bool
    has_attributes: bool
    has_elements: bool = False
    text: list[str] = field(default_factory=list)


def start_tag_end(raw: bytes, start: int) -> int:
    """Where the start tag at `start` ends. The text is well-formed up to there."""
    found = START_TAG.match(raw, start)
    assert found is not None, "expat has read this start tag"
    return found.end()


def element_end(raw: bytes, at: int) -> int:
    """Where the end tag at `at` ends."""
    return raw.index(b">", at) + 1


def read_parts(raw: bytes, span: Span) -> tuple[XmlPart, ...]:
    """The inside of the element at `span` of a text that was read whole: attributes, its own text if any, child elements in order."""
    reading = _Reading(raw[span.start : span.end], span.start)
    return (*reading.attributes, *reading.own_text(), *reading.elements)


class _Reading:
    """One pass over the bytes of one element."""

    def __init__(self, raw: bytes, base: int) -> None:
        self._raw, self._base = raw, base
        self._levels: list[_Open] = []
        self._root: _Open | None = None
        self._root_end = 0
        self.attributes: list[XmlPart] = []
        self.elements: list[XmlPart] = []
        self._parser = expat.ParserCreate("utf-8")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.Parse(raw, True)

    def own_text(self) -> tuple[XmlPart, ...]:
        assert self._root is not None
        text = "".join(self._root.text)
        return (XmlPart("text", "text", self._span(self._root.inner, self._root_end), text),) if text.strip() else ()

    def _span(self, start: int, end: int) -> Span:
        return Span(self._base + start, self._base + end)

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        start = self._parser.CurrentByteIndex
        inner = start_tag_end(self._raw, start)
        opened = _Open(name, start, inner, self._raw[inner - 2 : inner] == b"/>", bool(attributes))
        if self._levels:
            self._levels[-1].has_elements = True
        else:
            self._root = opened
            self.attributes = [self._attribute(found, attributes) for found in _ATTRIBUTE.finditer(self._raw, start, inner)]
        self._levels.append(opened)

    def _attribute(self, found: "re.Match[bytes]", values: Mapping[str, str]) -> XmlPart:
        name = found[1].decode("utf-8")
        start, end = found.span(2) if found[2] is not None else found.span(3)
        return XmlPart("attribute", name, self._span(start, end), values[name])

    def _text(self, text: str) -> None:
        if len(self._levels) <= 2:
            self._levels[-1].text.append(text)

    def _end(self, name: str) -> None:
        at = self._parser.CurrentByteIndex
        level = self._levels.pop()
        if not self._levels:
            self._root_end = level.inner if level.is_empty_tag else at
        elif len(self._levels) == 1:
            end = level.inner if level.is_empty_tag else element_end(self._raw, at)
            text = "".join(level.text)
            is_text = not level.has_attributes and not level.has_elements and bool(text.strip())
            inner = self._span(level.inner, at) if is_text else None
            self.elements.append(XmlPart("element", name, self._span(level.start, end), text if is_text else "", inner))
