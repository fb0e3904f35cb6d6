"""Lines of UTF-16 and UTF-32 text, where a line ends at the code unit U+000A and not at a byte 0x0A.

A byte 0x0A is half of many other characters there (U+4E0A, U+010A). A range of lines runs to before the end of its last line,
so that both of its ends are whole characters and lie on the lines that they are said to be on.
"""

from bisect import bisect_right
from collections.abc import Iterator

from evidence_store.documents.encoding import unit_width
from evidence_store.documents.text import require_lines
from evidence_store.errors import NotFound
from evidence_store.model import LineRange, Span


class WideLines:
    """The lines of a text whose code units have more than one byte."""

    def __init__(self, raw: bytes, encoding: str) -> None:
        self._raw, self._encoding, self._width = raw, encoding, unit_width(encoding)
        self._starts = [0, *iter_line_starts(raw, encoding)]

    def __len__(self) -> int:
        return len(self._starts) - (self._starts[-1] == len(self._raw))

    @property
    def has_line_ends(self) -> bool:
        return len(self._starts) > 1

    def lines_of(self, span: Span) -> LineRange:
        """The lines of a byte range; an empty one stands on the line of its start."""
        return LineRange(bisect_right(self._starts, span.start), bisect_right(self._starts, max(span.start, span.end - 1)))

    def span_of(self, lines: LineRange) -> Span:
        """The bytes of these lines without the last line end. Raises InvalidInput for no range, NotFound past the end."""
        require_lines(lines)
        if lines.first > len(self):
            raise NotFound(f"line {lines.first} is past the end: there are {len(self)} lines", {"n_lines": len(self)})
        start = self._starts[lines.first - 1]
        last = min(lines.last, len(self))
        end = self._starts[last] - self._width if last < len(self._starts) else len(self._raw)
        return Span(start, end)

    def column_of(self, at: int) -> int:
        """Characters between the start of the line and this byte. 0-based."""
        start = self._starts[bisect_right(self._starts, at) - 1]
        return len(self._raw[start:at].decode(self._encoding, "replace"))


def fitted(raw: bytes, encoding: str) -> bytes:
    """The text with U+FFFD in place of each unit that is no character, as many bytes; a unit in which it breaks off stays."""
    whole = len(raw) - len(raw) % unit_width(encoding)
    return raw[:whole].decode(encoding, "replace").encode(encoding) + raw[whole:]


def iter_line_starts(raw: bytes, encoding: str) -> Iterator[int]:
    """Where a line starts, the first left out; the end of the text where it ends with a line end."""
    mark, width = "\n".encode(encoding), unit_width(encoding)
    at = raw.find(mark)
    while at >= 0:
        if at % width == 0:
            yield at + width
            at = raw.find(mark, at + width)
        else:
            at = raw.find(mark, at + 1)
