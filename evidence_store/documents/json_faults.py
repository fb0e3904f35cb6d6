"""Exact and slow reading of JSON (RFC 8259) bytes: where a fault stands, and which members are repeated.

It runs only where the fast readers found something. It does not recurse, keeps every offset, and never repeats a part of
the text in a message beyond the word that JSON lacks (NaN, Infinity).
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, NoReturn

from evidence_store.errors import RefusedDocument

_TOKEN = re.compile(
    rb"[ \t\r\n]*+(?:(?P<mark>[{}\[\]:,])"
    rb'|(?P<string>"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*+)*")'
    rb"|(?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)(?![0-9A-Za-z.+-])"
    rb"|(?P<word>true|false|null)(?![0-9A-Za-z]))"
)
_SPACE = re.compile(rb"[ \t\r\n]*+")
_FOREIGN = re.compile(rb"-?(?:NaN|Infinity)")
_HALF = re.compile(rb"\\u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}|\\u(?P<half>[dD][89a-fA-F][0-9A-Fa-f]{2})|\\.", re.DOTALL)

_Expected = Literal["value", "value_or_close", "name", "name_or_close", "colon", "comma_or_close"]
_WANTED: Mapping[_Expected, str] = {
    "value": "a value",
    "value_or_close": "a value or ']'",
    "name": "a member name in double quotes",
    "name_or_close": "a member name in double quotes or '}'",
    "colon": "':' after a member name",
    "comma_or_close": "',' or the end of the container",
}


class Member(NamedTuple):
    """A child as it stands: `name` is the token, offsets are those of the value and of the name."""

    name: str
    name_at: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Repeat:
    """A member name that stands more than once in one object."""

    container: tuple[str, ...]
    name: str
    offsets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Scan:
    """What one value holds."""

    members: Sequence[Member]
    """Children of the outermost container; empty for a scalar."""
    repeats: Sequence[Repeat]
    end: int


@dataclass(slots=True)
class _Level:
    is_object: bool
    start: int
    members: list[Member] = field(default_factory=list)
    name: str = ""
    name_at: int = 0

    def add(self, start: int, end: int) -> None:
        name = self.name if self.is_object else str(len(self.members))
        self.members.append(Member(name, self.name_at if self.is_object else start, start, end))

    @property
    def token(self) -> str:
        return self.name if self.is_object else str(len(self.members))

    def repeats(self, container: tuple[str, ...]) -> list[Repeat]:
        if not self.is_object:
            return []
        seen: set[str] = set()
        # Nothing is kept of names that stand once: there may be millions.
        places: dict[str, list[int]] = {}
        for member in self.members:
            if member.name in seen:
                places[member.name] = []
            seen.add(member.name)
        if not places:
            return []
        del seen
        for member in self.members:
            if member.name in places:
                places[member.name].append(member.name_at)
        found = [Repeat(container, name, tuple(offsets)) for name, offsets in places.items()]
        return sorted(found, key=lambda repeat: repeat.offsets)


class _Scanner:
    """Reads one value from `start`. One instance reads once."""

    def __init__(self, raw: bytes, start: int, end: int, container: tuple[str, ...]) -> None:
        self._raw, self._at, self._end = raw, start, end
        self._container = container
        self._levels: list[_Level] = []
        self._expected: _Expected = "value"
        self._repeats: list[Repeat] = []
        self._members: Sequence[Member] = ()
        self._done = False

    def scan(self) -> Scan:
        while not self._done:
            found = _TOKEN.match(self._raw, self._at, self._end)
            if found is None:
                self._refuse_here()
            kind = found.lastgroup
            start, end = found.span(kind or 0)
            self._at = start
            if kind == "mark":
                self._mark(self._raw[start], start, end)
            elif kind == "string" and self._expected in ("name", "name_or_close"):
                self._name(start, end)
            elif self._expected in ("value", "value_or_close"):
                self._scalar(start, end)
            else:
                self._refuse_here()
            self._at = end
        return Scan(self._members, self._repeats, self._at)

    def _mark(self, mark: int, start: int, end: int) -> None:
        if mark in b"{[" and self._expected in ("value", "value_or_close"):
            self._levels.append(_Level(mark == ord("{"), start))
            self._expected = "name_or_close" if mark == ord("{") else "value_or_close"
        elif mark in b"}]" and self._levels and self._closes(mark):
            level = self._levels.pop()
            place = self._container + tuple(outer.token for outer in self._levels)
            self._repeats += level.repeats(place)
            self._members = level.members
            self._complete(level.start, end)
        elif mark == ord(":") and self._expected == "colon":
            self._expected = "value"
        elif mark == ord(",") and self._expected == "comma_or_close":
            self._expected = "name" if self._levels[-1].is_object else "value"
        else:
            self._refuse_here()

    def _closes(self, mark: int) -> bool:
        if self._levels[-1].is_object:
            return mark == ord("}") and self._expected in ("name_or_close", "comma_or_close")
        return mark == ord("]") and self._expected in ("value_or_close", "comma_or_close")

    def _name(self, start: int, end: int) -> None:
        self._require_whole_pairs(start, end)
        level = self._levels[-1]
        level.name, level.name_at = string_value(self._raw[start:end]), start
        self._expected = "colon"

    def _scalar(self, start: int, end: int) -> None:
        if self._raw[start] == ord('"'):
            self._require_whole_pairs(start, end)
        self._members = ()
        self._complete(start, end)

    def _complete(self, start: int, end: int) -> None:
        if self._levels:
            self._levels[-1].add(start, end)
            self._expected = "comma_or_close"
        else:
            self._done = True

    def _require_whole_pairs(self, start: int, end: int) -> None:
        half = next((found.start() for found in _HALF.finditer(self._raw, start, end) if found["half"]), None)
        if half is not None:
            refuse(self._raw, half, "lone_surrogate", "an escape gives half of a surrogate pair, which is no character")

    def _refuse_here(self) -> NoReturn:
        space = _SPACE.match(self._raw, self._at, self._end)
        at = space.end() if space else self._at
        foreign = _FOREIGN.match(self._raw, at, self._end)
        if foreign:
            word = foreign[0].decode("ascii")
            refuse(self._raw, at, "not_json_number", f"{word} is no JSON number (RFC 8259 section 6)")
        if at >= self._end:
            refuse(self._raw, at, "syntax", f"the text ends where {_WANTED[self._expected]} is expected")
        refuse(self._raw, at, "syntax", f"{_WANTED[self._expected]} is expected")


def scan(raw: bytes, start: int, end: int, container: tuple[str, ...] = ()) -> Scan:
    """Reads the one value in `raw[start:end]`; `container` is its own place. Raises RefusedDocument at the first fault."""
    read = _Scanner(raw, start, end, container).scan()
    rest = _SPACE.match(raw, read.end, end)
    if rest is None or rest.end() != end:
        refuse(raw, rest.end() if rest else read.end, "trailing_data", "more text follows the end of the value")
    return read


def refuse(raw: bytes, at: int, code: str, why: str) -> NoReturn:
    """Raises RefusedDocument with the place: `line` and `column` are 1-based, `byte` is 0-based."""
    line = raw.count(b"\n", 0, at) + 1
    column = len(raw[raw.rfind(b"\n", 0, at) + 1 : at].decode("utf-8", "replace")) + 1
    raise RefusedDocument(f"not JSON at line {line}, column {column}: {why}", {"line": line, "column": column, "byte": at}, code=code)


def string_value(literal: bytes) -> str:
    """The text of a JSON string literal that is known to be sound."""
    value = json.loads(literal)
    assert isinstance(value, str)
    return value
