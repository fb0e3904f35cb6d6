"""Lines and byte ranges of any bytes, whatever their format.

A line ends at LF only, and its end belongs to it; CR, NEL and the Unicode separators end none. Lines are 1-based and
inclusive, bytes 0-based and half-open. A range that begins past the end is absent; one that ends past it is clipped.
"""

import re
import sys
from bisect import bisect_right
from collections.abc import Callable

from evidence_store.errors import InvalidInput, NotFound
from evidence_store.model import LineRange, Span

_RANGE = re.compile(r"([0-9]{1,18})-([0-9]{1,18})", re.ASCII)
_LINES = re.compile(r"([0-9]{1,18})(?:-([0-9]{1,18}))?", re.ASCII)
_RELATIVE = re.compile(r"(?P<end>head|tail):(?P<n>[1-9][0-9]{0,17})|around:(?P<around>[1-9][0-9]{0,17}):(?P<near>[0-9]{1,17})", re.ASCII)
_LINE_FEED = re.compile(rb"\n")


class LineStarts:
    """Offsets at which the lines of `raw` start; bytes after the last LF are a line, nothing after it is none."""

    def __init__(self, raw: bytes) -> None:
        self._size = len(raw)
        self._starts = [0, *(found.end() for found in _LINE_FEED.finditer(raw))]

    def __len__(self) -> int:
        return len(self._starts) - (self._starts[-1] == self._size)

    def line(self, at: int) -> int:
        """The line of a byte: one more than the line ends before it."""
        return bisect_right(self._starts, at)

    def lines_of(self, span: Span) -> LineRange:
        """The lines of a byte range; an empty one stands on the line of its start."""
        return LineRange(self.line(span.start), self.line(max(span.start, span.end - 1)))

    def span_of(self, lines: LineRange) -> Span:
        """The bytes of these lines. Raises InvalidInput for no range, NotFound for one that begins past the end."""
        require_lines(lines)
        if lines.first > len(self):
            raise NotFound(f"line {lines.first} is past the end: there are {len(self)} lines", {"n_lines": len(self)})
        end = self._size if lines.last >= len(self._starts) else self._starts[lines.last]
        return Span(self._starts[lines.first - 1], end)


def require_lines(lines: LineRange) -> None:
    if not 1 <= lines.first <= lines.last:
        raise InvalidInput(f"{lines.first}-{lines.last} is no line range: lines count from 1 and the last is not before the first")


def parse_lines(text: str) -> LineRange:
    """`A-B`, or `A` for that line alone, as lines. Raises InvalidInput."""
    found = _LINES.fullmatch(text)
    if not found:
        raise InvalidInput(f"{text[:80]!r} is no line range, which is written A-B, A, head:N, tail:N or around:LINE:N")
    lines = LineRange(int(found[1]), int(found[2] or found[1]))
    require_lines(lines)
    return lines


def resolve_lines(text: str, count_lines: Callable[[], int]) -> LineRange:
    """`A-B`, `A`, `head:N`, `tail:N` or `around:LINE:N` (N lines before and after) as lines of a text with so many.

    Raises InvalidInput for another form, NotFound for the end of a text without lines.
    """
    found = _RELATIVE.fullmatch(text)
    if not found:
        return parse_lines(text)
    if found["around"]:
        line, n_near = int(found["around"]), int(found["near"])
        last = count_lines()
        if line > last:
            raise NotFound(f"line {line} is past the end: there are {last} lines", {"n_lines": last})
        return LineRange(max(1, line - n_near), line + n_near)
    n_lines = int(found["n"])
    if found["end"] == "head":
        return LineRange(1, n_lines)
    last = count_lines()
    if not last:
        raise NotFound("the text has no lines", {"n_lines": 0})
    return LineRange(max(1, last - n_lines + 1), last)


def require_line_form(text: str) -> None:
    """Raises InvalidInput for what is no form of lines, before there is a text."""
    resolve_lines(text, lambda: sys.maxsize)


def format_lines(lines: LineRange) -> str:
    return f"{lines.first}-{lines.last}"


def parse_bytes(text: str) -> Span:
    """`A-B` as a byte range. Raises InvalidInput."""
    found = _RANGE.fullmatch(text)
    if not found or int(found[1]) > int(found[2]):
        raise InvalidInput(f"{text[:80]!r} is no byte range, which is written A-B with the first byte not after the end")
    return Span(int(found[1]), int(found[2]))


def format_bytes(span: Span) -> str:
    return f"{span.start}-{span.end}"


def span_of_lines(raw: bytes, lines: LineRange) -> Span:
    """The bytes of these lines; reads no more of `raw` than it has to. Errors as `LineStarts.span_of`."""
    require_lines(lines)
    start = _after_line_feeds(raw, 0, lines.first - 1)
    if start is None or start == len(raw):
        n_lines = count_lines(raw)
        raise NotFound(f"line {lines.first} is past the end: there are {n_lines} lines", {"n_lines": n_lines})
    end = _after_line_feeds(raw, start, lines.last - lines.first + 1)
    return Span(start, len(raw) if end is None else end)


def span_of_bytes(size: int, wanted: Span) -> Span:
    """The range clipped to `size` bytes. Raises NotFound when it begins past the end."""
    if wanted.start > size or (wanted.start == size and size):
        raise NotFound(f"byte {wanted.start} is past the end: there are {size} bytes", {"size": size})
    return Span(wanted.start, min(wanted.end, size))


def lines_of_span(raw: bytes, span: Span) -> LineRange:
    """The lines of a byte range; an empty one stands on the line of its start."""
    first = raw.count(b"\n", 0, span.start) + 1
    last = first + raw.count(b"\n", span.start, max(span.start, span.end - 1))
    return LineRange(first, last)


def column_of(raw: bytes, at: int) -> int:
    """Characters between the start of the line and this byte; bytes that are no characters count one each. 0-based."""
    return len(raw[raw.rfind(b"\n", 0, at) + 1 : at].decode("utf-8", "replace"))


def count_lines(raw: bytes) -> int:
    return raw.count(b"\n") + (bool(raw) and not raw.endswith(b"\n"))


def _after_line_feeds(raw: bytes, start: int, n: int) -> int | None:
    """Offset after the n-th LF from `start`; None when there are fewer."""
    at = start
    for _ in range(n):
        found = raw.find(b"\n", at)
        if found < 0:
            return None
        at = found + 1
    return at
