"""What is shown of a text without a summary: its beginning and its end, each as evidence of its own, and between them what is left out.

Both ends are whole lines where lines fit, else bytes up to a character. They stand in full, so that they can be cited; they are
slices that the store reads, with its masks. What is counted is the finished text.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from api.wrap.context import StoreContext
from api.wrap.marker import format_call, format_offload, place_of
from evidence_store.documents.charset import UTF8, encoding_of
from evidence_store.documents.encoding import unit_width
from evidence_store.documents.text import format_bytes, format_lines
from evidence_store.excerpts import NoLimit
from evidence_store.model import LineRange, Packet, Selector, Span
from evidence_store.records.sources import Revision
from evidence_store.store.found import show_range
from evidence_store.store.passages import Place
from evidence_store.store.reader import RevisionReader
from projector import cut_text, format_packet

HEAD_PERCENT = 60
WINDOW_BYTES = 16
"""Of each end, for a token of room: no more is looked at."""
_FRAME_TOKENS = 90
"""Of a packet round an excerpt, its resource not counted; what is more is found out by counting."""
_MAX_ROUNDS = 12


@dataclass(frozen=True, slots=True)
class Preview:
    """A text for a model with the packets in it."""

    text: str
    packets: tuple[Packet, ...]


NOTHING: Final = Preview("", ())


@dataclass(frozen=True, slots=True)
class _End:
    """One end of a revision that is shown."""

    span: Span
    selector: Selector


def show_ends(context: StoreContext, revision: Revision, tool: str, room: int, before: Preview = NOTHING) -> Preview | None:
    """Both ends within so many tokens, behind packets that stand `before` them; None where there is no room for any."""
    ends = _Ends(context, context.tools.store.passages.get_reader(revision))
    left = room - 2 * _FRAME_TOKENS - 3 * len(revision.resource) // 2
    left -= context.counter().count(before.text) if before.packets else 0
    for _ in range(_MAX_ROUNDS):
        if left < 4:
            return None
        head = ends.head(left * HEAD_PERCENT // 100)
        tail = ends.tail(left * (100 - HEAD_PERCENT) // 100, head.span.end if head else 0)
        shown = _shown(context, revision, tool, [one for one in (head, tail) if one], before)
        if shown is None:
            return None
        if context.fits(shown.text, room):
            return shown
        left -= max(4, left // 6)
    return None


def show_tail(context: StoreContext, revision: Revision, n_lines: int, room: int, head_of: Callable[[LineRange], str]) -> Preview | None:
    """The last lines, at most `n_lines` of them and as many as fit behind the lines that `head_of` gives; None where none fits."""
    reader = context.tools.store.passages.get_reader(revision)
    ends, left = _Ends(context, reader), room - _FRAME_TOKENS - len(revision.resource)
    last = reader.count_lines()
    for _ in range(_MAX_ROUNDS):
        end = ends.last_lines(left, last - n_lines + 1) if left >= 4 else None
        if end is None:
            return None
        packets = _read(context, revision, [end])
        shown = Preview(head_of(packets[0].lines) + format_packet(packets[0]), packets)
        if context.fits(shown.text, room):
            return shown
        left -= max(4, left // 6)
    return None


class _Ends:
    """Finds what of a revision fits at either end."""

    def __init__(self, context: StoreContext, reader: RevisionReader) -> None:
        self._context = context
        self._reader = reader
        self._n_lines = reader.count_lines()
        self._encoding = encoding_of(reader.revision.notes)

    def head(self, n_tokens: int) -> _End | None:
        span = Span(0, self._window(n_tokens))
        text = self._fenced(span)
        fitting = text[: self._context.tools.limit(n_tokens).prefix(text)]
        n_lines = min(fitting.count("\n"), self._n_lines) if span.end == self._reader.size else fitting.count("\n")
        if n_lines:
            return self._lines(1, n_lines)
        return self._bytes(0, len(fitting.removeprefix("| ").encode("utf-8", "replace")))

    def tail(self, n_tokens: int, after: int) -> _End | None:
        """From `after` on at the earliest; None where nothing is left."""
        if after >= self._reader.size:
            return None
        first = self._reader.lines_of(Span(after, after + 1)).first
        at_start = self._reader.span_of_lines(LineRange(first, first)).start == after
        found = self.last_lines(n_tokens, first if at_start else first + 1)
        if found is not None:
            return found
        fitting = self._ending(self._fenced(Span(self._reader.size - self._window(n_tokens), self._reader.size)), n_tokens)
        n_bytes = len(fitting.removesuffix("\n").encode("utf-8", "replace"))
        return self._bytes(max(after, self._reader.size - n_bytes), self._reader.size)

    def last_lines(self, n_tokens: int, first: int) -> _End | None:
        """As many whole lines as fit, from line `first` on at the earliest."""
        start = self._reader.size - self._window(n_tokens)
        text = self._fenced(Span(start, self._reader.size))
        fitting = self._ending(text, n_tokens)
        at = len(text) - len(fitting)
        whole = at == 0 and start == 0
        whole = whole or (at > 0 and text[at - 1] == "\n")
        n_lines = fitting.count("\n") - (0 if whole else 1)
        begin = max(first, self._n_lines - n_lines + 1, 1)
        return self._lines(begin, self._n_lines) if begin <= self._n_lines and n_lines > 0 else None

    def _ending(self, text: str, n_tokens: int) -> str:
        return cut_text(text, n_tokens, self._context.counter(), head_percent=0, marker=lambda _: "").text

    def _window(self, n_tokens: int) -> int:
        width = min(self._reader.size, WINDOW_BYTES * n_tokens + 4096)
        return width - width % 4 if width < self._reader.size else width

    def _fenced(self, span: Span) -> str:
        """A range as it is shown in a packet: one line after the other, each marked."""
        lines = show_range(self._reader, span, NoLimit()).text.split("\n")
        return "".join(f"| {line}\n" for line in (lines[:-1] if lines[-1] == "" and len(lines) > 1 else lines))

    def _lines(self, first: int, last: int) -> _End:
        lines = LineRange(first, last)
        return _End(self._reader.span_of_lines(lines), Selector("lines", format_lines(lines)))

    def _bytes(self, start: int, end: int) -> _End | None:
        """A range that begins and ends between characters."""
        start, end = self._between(start), self._between(end)
        return _End(Span(start, end), Selector("bytes", format_bytes(Span(start, end)))) if start < end else None

    def _between(self, at: int) -> int:
        size, width = self._reader.size, unit_width(self._encoding)
        if at >= size:
            return size
        if self._encoding != UTF8:
            return at - at % width
        near = self._reader.read(Span(at, min(size, at + 4)))
        return at + next((n for n, byte in enumerate(near) if byte & 0xC0 != 0x80), len(near))


def _shown(context: StoreContext, revision: Revision, tool: str, ends: list[_End], before: Preview) -> Preview | None:
    if not ends:
        return None
    n_lines = context.tools.store.passages.get_reader(revision).count_lines()
    bound = context.no_summary_over(tool, revision.size)
    packets = _read(context, revision, ends)
    text = before.text + "".join(map(format_packet, packets))
    packets = (*before.packets, *packets)
    start = ends[0].span.end if ends[0].span.start == 0 else 0
    end = ends[-1].span.start if ends[-1].span.start > 0 else revision.size
    if start >= end:
        return Preview(format_offload(tool, revision, n_lines, "shown: all", bound) + text, packets)
    if all(one.selector.kind == "lines" for one in ends) and len(ends) == 2:
        lines = f"{packets[-2].lines.last + 1}-{packets[-1].lines.first - 1}"
        said, place = f"left out: lines {lines}", place_of(revision, lines=lines)
    else:
        said, place = f"left out: bytes {start}-{end}", place_of(revision, bytes=f"{start}-{end}")
    marker = format_offload(tool, revision, n_lines, said, bound)
    marker += format_call("read", "read_log", place) + format_call("find", "search", place_of(revision, pattern="TEXT"))
    return Preview(marker + text, packets)


def _read(context: StoreContext, revision: Revision, ends: list[_End]) -> tuple[Packet, ...]:
    places = [Place(revision.resource, revision.number, one.selector) for one in ends]
    return context.tools.store.passages.read_all(places, NoLimit())
