"""Literal and regular-expression search by line, over any bytes.

The first match of a line is a hit, and so is each further one that a reader of the hit before it does not see: one hit a line,
unless the caller says how far a line is shown. A line ends at LF; a CR before it belongs to the line and is not searched, so `$`
stands before CRLF too. Escape sequences of terminals do not hide text: such a line is searched without them, too, and the hit's
bytes span them. Regular expressions are RE2, whose time is linear in the text.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import merge
from itertools import islice
from typing import Final, Protocol, TypeAlias

from evidence_store.deadline import unbounded, watched
from evidence_store.documents.encoding import unit_width
from evidence_store.documents.escapes import undo_escapes
from evidence_store.documents.shown import ANSI
from evidence_store.documents.wide import iter_line_starts
from evidence_store.errors import InvalidInput
from evidence_store.model import Span

MAX_PATTERN_BYTES = 2000
_MAX_RE2_MEMORY = 8 << 20
"""Bytes that RE2 may take for one pattern; it refuses what needs more."""
_ANSI = re.compile(ANSI.encode("ascii"))
_WRITTEN_LF: Final = r"\\(?:n|x0[aA]|x\{0*[aA]\}|0?12)"
# Outside of brackets, which may stand for more than a line feed, or alone in them.
_LINE_FEED: Final = re.compile(
    rf"^(?:[^\\\[]|(?!{_WRITTEN_LF})\\.|\[\^?+\]?+(?:[^\]\\]|\\.)*\])*(?:{_WRITTEN_LF}|\[{_WRITTEN_LF}\])", re.DOTALL
)
_ESCAPE = b"\x1b"


@dataclass(frozen=True, slots=True)
class Hit:
    line: Span
    """The whole line, its end included."""
    match: Span


@dataclass(frozen=True, slots=True)
class Hits:
    hits: tuple[Hit, ...]
    more: bool
    """Whether the limit left some out."""


Reach: TypeAlias = Callable[[Hit], int]
"""Up to which byte the line of a hit is seen by who is shown the hit; asked once for a hit, before the next one is looked for."""
_Finder: TypeAlias = Callable[[bytes], Iterator[Span]]
"""Gives the matches in a line without its end: in order, and none over another."""


class _Match(Protocol):
    def start(self) -> int: ...
    def end(self) -> int: ...


def whole_line(hit: Hit) -> int:
    """The reach of who sees all of a line."""
    return hit.line.end


def search(
    raw: bytes,
    pattern: str,
    *,
    regex: bool = False,
    ignore_case: bool = False,
    limit: int = 20,
    encoding: str = "utf-8",
    escaped: bool = False,
    watch: Callable[[], None] = unbounded,
    reach: Reach = whole_line,
    start: int = 0,
) -> Hits:
    """The first `limit` hits of the pattern from byte `start` on, places as bytes of `raw`; `encoding` is one that it is in.

    In JSON (`escaped`) a line is searched with its escapes undone, too, so that `日` is found where `\\u65e5` stands.
    `watch` is called now and then, and raises what ends the search. Raises InvalidInput for a pattern that cannot be searched for.
    """
    needle = _needle(pattern, regex=regex)
    if limit < 0:
        raise InvalidInput("the limit of hits is not below 0")

    def is_wanted(hit: Hit) -> bool:
        return hit.match.end > start or hit.match.start >= start

    def seen(hit: Hit) -> int:
        return reach(hit) if is_wanted(hit) else hit.match.end

    if encoding != "utf-8":
        find = _re2_finder(needle, regex=regex, ignore_case=ignore_case) if regex or ignore_case else _literal_finder(needle)
        found = _by_decoded_line(raw, encoding, find, watch, seen)
    elif regex or ignore_case or (escaped and b"\\" in raw):
        plain = not (regex or ignore_case)
        find = _literal_finder(needle) if plain else _re2_finder(needle, regex=regex, ignore_case=ignore_case)
        found = _by_line(raw, watched(_iter_lines(raw), watch), find, seen, escaped=escaped)
    else:
        found = _literal(raw, needle, seen)
    hits = tuple(islice(filter(is_wanted, found), limit + 1))
    return Hits(hits[:limit], len(hits) > limit)


def _needle(pattern: str, *, regex: bool) -> bytes:
    try:
        needle = pattern.encode("utf-8")
    except UnicodeEncodeError as exc:
        raise InvalidInput("the pattern holds half of a surrogate pair, which is no character") from exc
    if not needle or len(needle) > MAX_PATTERN_BYTES:
        raise InvalidInput(f"a pattern has 1 to {MAX_PATTERN_BYTES} bytes", {"limit": MAX_PATTERN_BYTES})
    if b"\n" in needle:
        raise InvalidInput("a pattern is searched for line by line and holds no line feed")
    if regex and _LINE_FEED.search(pattern):
        raise InvalidInput("a pattern is searched for line by line, so that one with \\n has no hit; search for one of its lines")
    return needle


def _literal(raw: bytes, needle: bytes, reach: Reach) -> Iterator[Hit]:
    """Jumps from line to line that holds a hit, or escape sequences, which may hide one."""
    find = _literal_finder(needle)
    at = 0
    # Both are searched for again only once they are passed: each stretch of the text is read twice at most.
    found, escape = raw.find(needle), raw.find(_ESCAPE)
    while found >= 0 or escape >= 0:
        line = _line_at(raw, min(place for place in (found, escape) if place >= 0))
        if line.start <= escape < line.end:
            yield from _by_line(raw, iter((line,)), find, reach)
        else:
            yield from _unseen(line, _iter_literal(raw, needle, found, line.end), reach)
        at = line.end
        found = raw.find(needle, at) if 0 <= found < at else found
        escape = raw.find(_ESCAPE, at) if 0 <= escape < at else escape


def _iter_literal(text: bytes, needle: bytes, start: int, end: int) -> Iterator[Span]:
    at = text.find(needle, start, end)
    while at >= 0:
        yield Span(at, at + len(needle))
        at = text.find(needle, at + len(needle), end)


def _literal_finder(needle: bytes) -> _Finder:
    return lambda text: _iter_literal(text, needle, 0, len(text))


def _re2_finder(needle: bytes, *, regex: bool, ignore_case: bool) -> _Finder:
    # Start-up cost: the library is loaded only where something is searched for.
    import re2

    options = re2.Options()
    options.literal = not regex
    options.case_sensitive = not ignore_case
    options.max_mem = _MAX_RE2_MEMORY
    options.log_errors = False
    try:
        compiled = re2.compile(needle, options)
    except re2.error as exc:
        reason = exc.args[0] if exc.args else "not RE2 syntax"
        text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise InvalidInput(f"the pattern is no regular expression of RE2: {text[:200]}", code="bad_pattern") from exc

    def find(text: bytes) -> Iterator[Span]:
        found: Iterator[_Match] = compiled.finditer(text)
        return (Span(one.start(), one.end()) for one in found)

    return find


def _by_line(raw: bytes, lines: Iterator[Span], find: _Finder, reach: Reach, *, escaped: bool = False) -> Iterator[Hit]:
    for line in lines:
        text = raw[line.start : line.end].removesuffix(b"\n").removesuffix(b"\r")
        matches = (Span(line.start + one.start, line.start + one.end) for one in _matches(text, find, escaped=escaped))
        yield from _unseen(line, matches, reach)


def _unseen(line: Span, matches: Iterator[Span], reach: Reach) -> Iterator[Hit]:
    """The first match of a line, and those that are not in what is seen of it with an earlier one."""
    seen = line.start - 1
    for match in matches:
        if match.end > seen:
            hit = Hit(line, match)
            yield hit
            seen = reach(hit)
            if seen >= line.end:
                return


def _matches(text: bytes, find: _Finder, *, escaped: bool) -> Iterator[Span]:
    """The matches in a line as it stands, and in it without what hides text; of two in one place the first that is told."""
    readings = [find(text)]
    if _ESCAPE in text:
        readings.append(_find_without_escapes(text, find))
    if escaped and b"\\" in text:
        readings.append(_find_undone(text, find))
    if len(readings) == 1:
        yield from readings[0]
        return
    before: Span | None = None
    for match in merge(*readings, key=lambda one: one.start):
        if before is None or (match.start >= before.end and match != before):
            yield match
            before = match


def _by_decoded_line(raw: bytes, encoding: str, find: _Finder, watch: Callable[[], None], reach: Reach) -> Iterator[Hit]:
    """Each line is searched as UTF-8, and what is found there is led back to the bytes of the source."""
    lines = _iter_lines(raw) if unit_width(encoding) == 1 else _iter_wide_lines(raw, encoding)
    for line in watched(lines, watch):
        # What does not fit is as long as U+FFFD, but for a unit in which the text breaks off.
        text = raw[line.start : line.end].decode(encoding, "replace")
        yield from _unseen(line, _led_back(line, text, encoding, find), reach)


def _led_back(line: Span, text: str, encoding: str, find: _Finder) -> Iterator[Span]:
    """The matches in the text of a line, as bytes of the source."""
    utf8 = text.encode("utf-8")
    places = _Places(utf8)
    searched = utf8.removesuffix(b"\n").removesuffix(b"\r")
    at, n_before = line.start, 0
    for match in _matches(searched, find, escaped=False):
        first, last = places.of(match.start), places.of(match.end)
        at += len(text[n_before:first].encode(encoding))
        n_before = first
        yield Span(at, min(line.end, at + len(text[first:last].encode(encoding))))


class _Places:
    """Characters before a byte of a text in UTF-8, counted on from where it was asked last; a byte that is none of it is one."""

    def __init__(self, utf8: bytes) -> None:
        self._utf8 = utf8
        self._at = self._n_before = 0

    def of(self, at: int) -> int:
        at = self._start_of_character(at)
        if at < self._at:
            self._at = self._n_before = 0
        self._n_before += len(self._utf8[self._at : at].decode("utf-8", "surrogateescape"))
        self._at = at
        return self._n_before

    def _start_of_character(self, at: int) -> int:
        """RE2 takes a character apart where it is asked for single bytes (`\\C`)."""
        first = at
        while 0 < first < len(self._utf8) and first > at - 3 and self._utf8[first] & 0xC0 == 0x80:
            first -= 1
        return first if first < len(self._utf8) and self._utf8[first] >= 0xC0 else at


def _iter_wide_lines(raw: bytes, encoding: str) -> Iterator[Span]:
    start = 0
    for end in (*iter_line_starts(raw, encoding), len(raw)):
        if end > start:
            yield Span(start, end)
        start = end


def _find_without_escapes(text: bytes, find: _Finder) -> Iterator[Span]:
    """The matches in the text without escape sequences, as offsets in the text with them."""
    kept = []
    at = 0
    for sequence in _ANSI.finditer(text):
        kept.append(Span(at, sequence.start()))
        at = sequence.end()
    kept.append(Span(at, len(text)))
    for found in find(b"".join(text[piece.start : piece.end] for piece in kept)):
        start = _offset(kept, found.start, at_end=False)
        yield Span(start, max(start, _offset(kept, found.end, at_end=True)))


def _find_undone(text: bytes, find: _Finder) -> Iterator[Span]:
    """The matches in a line of JSON with its escapes undone, as offsets in the line."""
    source = text.decode("utf-8", "surrogateescape")
    undone = undo_escapes(source, every=True)
    if undone.text == source:
        return
    made = undone.text.encode("utf-8", "surrogateescape")
    places = _Places(made)
    at = n_before = 0
    for found in find(made):
        start = undone.source(places.of(found.start))
        end = max(start, undone.source(places.of(found.end), end=True))
        at += len(source[n_before:start].encode("utf-8", "surrogateescape"))
        n_before = start
        yield Span(at, at + len(source[start:end].encode("utf-8", "surrogateescape")))


def _offset(kept: list[Span], at: int, *, at_end: bool) -> int:
    """Where the byte at this place of the joined pieces stands; the end of a match stays within the piece it ends in."""
    for piece in kept:
        if at < piece.length or (at_end and at == piece.length):
            return piece.start + at
        at -= piece.length
    return kept[-1].end


def _iter_lines(raw: bytes) -> Iterator[Span]:
    at = 0
    while at < len(raw):
        line = _line_at(raw, at)
        yield line
        at = line.end


def _line_at(raw: bytes, at: int) -> Span:
    end = raw.find(b"\n", at)
    return Span(raw.rfind(b"\n", 0, at) + 1, len(raw) if end < 0 else end + 1)
