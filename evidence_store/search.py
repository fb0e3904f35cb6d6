"""Literal and regular-expression search by line, over any bytes.

One hit a line: the first match in it. A line ends at LF; a CR before it belongs to the line and is not searched, so `$`
stands before CRLF too. Escape sequences of terminals do not hide text: such a line is searched without them, and the hit's
bytes span them. Regular expressions are RE2, whose time is linear in the text.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
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


_Finder: TypeAlias = Callable[[bytes], Span | None]
"""Gives the first match in a line without its end."""


class _Match(Protocol):
    def start(self) -> int: ...
    def end(self) -> int: ...


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
) -> Hits:
    """The first `limit` lines that hold the pattern, places as bytes of `raw`; `encoding` is one that it is in.

    In JSON (`escaped`) a line is searched with its escapes undone, too, so that `日` is found where `\\u65e5` stands.
    `watch` is called now and then, and raises what ends the search. Raises InvalidInput for a pattern that cannot be searched for.
    """
    needle = _needle(pattern, regex=regex)
    if limit < 0:
        raise InvalidInput("the limit of hits is not below 0")
    if encoding != "utf-8":
        find = _re2_finder(needle, regex=regex, ignore_case=ignore_case) if regex or ignore_case else _literal_finder(needle)
        found = _by_decoded_line(raw, encoding, find, watch)
    elif regex or ignore_case or (escaped and b"\\" in raw):
        plain = not (regex or ignore_case)
        find = _literal_finder(needle) if plain else _re2_finder(needle, regex=regex, ignore_case=ignore_case)
        found = _by_line(raw, watched(_iter_lines(raw), watch), find, escaped=escaped)
    else:
        found = _literal(raw, needle)
    hits = tuple(islice(found, limit + 1))
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


def _literal(raw: bytes, needle: bytes) -> Iterator[Hit]:
    """Jumps from hit to hit, and reads line by line only where escape sequences may hide one."""
    find = _literal_finder(needle)
    at = 0
    # Both are searched for again only once they are passed: each stretch of the text is read twice at most.
    found, escape = raw.find(needle), raw.find(_ESCAPE)
    while found >= 0 or escape >= 0:
        if escape >= 0 and (found < 0 or escape < found):
            line = _line_at(raw, escape)
            yield from _by_line(raw, iter((line,)), find)
        else:
            line = _line_at(raw, found)
            yield Hit(line, Span(found, found + len(needle)))
        at = line.end
        found = raw.find(needle, at) if 0 <= found < at else found
        escape = raw.find(_ESCAPE, at) if 0 <= escape < at else escape


def _literal_finder(needle: bytes) -> _Finder:
    def find(text: bytes) -> Span | None:
        at = text.find(needle)
        return Span(at, at + len(needle)) if at >= 0 else None

    return find


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

    def find(text: bytes) -> Span | None:
        found: _Match | None = compiled.search(text)
        return Span(found.start(), found.end()) if found else None

    return find


def _by_line(raw: bytes, lines: Iterator[Span], find: _Finder, *, escaped: bool = False) -> Iterator[Hit]:
    for line in lines:
        text = raw[line.start : line.end].removesuffix(b"\n").removesuffix(b"\r")
        found = find(text)
        if found is None and _ESCAPE in text:
            found = _find_without_escapes(text, find)
        if found is None and escaped and b"\\" in text:
            found = _find_undone(text, find)
        if found is not None:
            yield Hit(line, Span(line.start + found.start, line.start + found.end))


def _by_decoded_line(raw: bytes, encoding: str, find: _Finder, watch: Callable[[], None]) -> Iterator[Hit]:
    """Each line is searched as UTF-8, and what is found there is led back to the bytes of the source."""
    lines = _iter_lines(raw) if unit_width(encoding) == 1 else _iter_wide_lines(raw, encoding)
    for line in watched(lines, watch):
        # What does not fit is as long as U+FFFD, but for a unit in which the text breaks off.
        text = raw[line.start : line.end].decode(encoding, "replace")
        utf8 = text.encode("utf-8")
        for hit in _by_line(utf8, iter((Span(0, len(utf8)),)), find):
            first, last = (len(utf8[:at].decode("utf-8", "ignore")) for at in (hit.match.start, hit.match.end))
            start = line.start + len(text[:first].encode(encoding))
            yield Hit(line, Span(start, min(line.end, start + len(text[first:last].encode(encoding)))))


def _iter_wide_lines(raw: bytes, encoding: str) -> Iterator[Span]:
    start = 0
    for end in (*iter_line_starts(raw, encoding), len(raw)):
        if end > start:
            yield Span(start, end)
        start = end


def _find_without_escapes(text: bytes, find: _Finder) -> Span | None:
    """The match in the text without escape sequences, as offsets in the text with them."""
    kept = []
    at = 0
    for sequence in _ANSI.finditer(text):
        kept.append(Span(at, sequence.start()))
        at = sequence.end()
    kept.append(Span(at, len(text)))
    found = find(b"".join(text[piece.start : piece.end] for piece in kept))
    if found is None:
        return None
    start = _offset(kept, found.start, at_end=False)
    return Span(start, max(start, _offset(kept, found.end, at_end=True)))


def _find_undone(text: bytes, find: _Finder) -> Span | None:
    """The match in a line of JSON with its escapes undone, as offsets in the line."""
    source = text.decode("utf-8", "surrogateescape")
    undone = undo_escapes(source, every=True)
    if undone.text == source:
        return None
    made = undone.text.encode("utf-8", "surrogateescape")
    found = find(made)
    if found is None:
        return None
    first, last = (len(made[:at].decode("utf-8", "ignore")) for at in (found.start, found.end))
    start, end = undone.source(first), undone.source(last, end=True)
    return Span(*(len(source[:at].encode("utf-8", "surrogateescape")) for at in (start, max(start, end))))


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
