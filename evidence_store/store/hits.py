"""How a hit of a search is shown: its line with those around it, always with the hit in it.

Of a line that is too long a window round the hit is shown; of one that was drawn over with CR the frame of the hit, be it not the
one that stood there last (docs/formats/documents.md). What is not shown of a line may hold further hits: how far it is shown is
told with it. Work on a whole line is done once, however many hits it has.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from evidence_store.documents.charset import UTF8, encoding_of
from evidence_store.documents.encoding import unit_width
from evidence_store.documents.escapes import ESCAPED_FORMATS
from evidence_store.documents.text import format_lines
from evidence_store.documents.wide import WideLines
from evidence_store.excerpts import NoLimit, Shown, cut_text, is_over, show_slice
from evidence_store.model import Cut, LineRange, Selector, Span, TextLimit
from evidence_store.records.sources import Resource
from evidence_store.search import Hit
from evidence_store.secrets import Masks
from evidence_store.store.found import is_drawn, slice_passage
from evidence_store.store.mint import Passage
from evidence_store.store.reader import RevisionReader

HIT_FRAME: Final = "hit_frame/1"
"""Transform: `=` and the bytes of the other frames of the line, which are left out."""
_BEFORE_BYTES: Final = (200, 50, 0)
"""Of a line before its hit, where not all of it is shown: the first with which the hit is."""


@dataclass(frozen=True, slots=True)
class ShownHit:
    """A hit with what is shown of its line."""

    passage: Passage
    end: int
    """The byte up to which its line is shown, that of its end where all of it is."""


class HitPassages:
    """The hits of one revision as passages, each of its whole line with `n_context` lines on both sides."""

    def __init__(self, resource: Resource, reader: RevisionReader, raw: bytes, n_context: int, limit: TextLimit) -> None:
        """`raw` is the whole revision."""
        self._resource, self._reader, self._raw = resource, reader, raw
        self._n_context, self._limit = n_context, limit
        self._shower: HitShower | None = None
        self._passage: Passage | None = None

    def show(self, hit: Hit) -> ShownHit:
        """Hits of one line are asked for one after the other."""
        if self._shower is None or self._shower.line != hit.line:
            self._shower, self._passage = self._shower_of(hit.line), None
        shown, end = self._shower.show(hit.match), self._shower.end
        if self._passage is None:
            selector = Selector("lines", format_lines(self._reader.lines_of(self._shower.span)))
            self._passage = slice_passage(self._resource, self._reader, selector, self._shower.span, shown)
        return ShownHit(replace(self._passage, shown=shown, match=hit.match), end(shown, hit.match))

    def _shower_of(self, line: Span) -> "HitShower":
        reader = self._reader
        first = reader.lines_of(Span(line.start, line.start)).first
        span = reader.span_of_lines(LineRange(max(1, first - self._n_context), first + self._n_context))
        encoding, escaped = encoding_of(reader.revision.notes), reader.revision.format in ESCAPED_FORMATS
        drawn = is_drawn(reader, self._raw[span.start : span.end])
        return HitShower(self._raw, span, line, encoding, reader.masking.masks(span), self._limit, escaped, drawn)


@dataclass(frozen=True)
class HitShower:
    """Shows hits of one line."""

    raw: bytes
    """Of the whole revision."""
    span: Span
    """The line with those round it."""
    line: Span
    encoding: str
    masks: Masks
    limit: TextLimit
    escaped: bool
    drawn: bool
    """Whether CR draws over a line."""

    def show(self, match: Span) -> Shown:
        """The range, or what of it is shown of this match."""
        frame = self._hidden_frame(match) if self.drawn else None
        if frame is not None:
            return self._show_frame(match, frame)
        shown = self._whole
        return shown if _holds(shown, match) else self._show_round(self.span, match, drawn=self.drawn)

    def end(self, shown: Shown, match: Span) -> int:
        """The byte up to which the line is seen in what is shown of a match."""
        if shown.cut is not None:
            return shown.cut.shown.end
        frame = self._hidden_frame(match) if self.drawn else None
        return self.line.end if frame is None else frame.end

    @cached_property
    def _whole(self) -> Shown:
        return self._slice(self.span, self.limit, drawn=self.drawn)

    def _slice(self, span: Span, limit: TextLimit, *, drawn: bool) -> Shown:
        """Of a range that cannot fit no more is looked at than could be shown."""
        over = is_over(span, limit)
        assert not over or limit.max_bytes is not None, "nothing is over no bound"
        end = span.start + limit.max_bytes if over and limit.max_bytes is not None else span.end
        raw = self.raw[span.start : end]
        if not over:
            return show_slice(raw, span, limit, self.encoding, escaped=self.escaped, drawn=drawn, masks=self.masks)
        shown = cut_text(raw, span, limit, self.encoding, escaped=self.escaped, drawn=drawn, masks=self.masks)
        return shown if shown.cut is None else replace(shown, cut=replace(shown.cut, tokens=None, total_lines=self._n_lines(span)))

    def _n_lines(self, span: Span) -> int:
        """Lines of a range that begins before the line of the hits, or within it."""
        if span.end < self.line.end:
            return 1
        return self._n_from_line if span.start >= self.line.start else self._count_lines(span)

    @cached_property
    def _n_from_line(self) -> int:
        return self._count_lines(Span(self.line.start, self.span.end))

    def _count_lines(self, span: Span) -> int:
        if unit_width(self.encoding) > 1:
            return len(WideLines(self.raw[span.start : span.end], self.encoding))
        return self.raw.count(b"\n", span.start, span.end) + (not self.raw.endswith(b"\n", span.start, span.end))

    def _show_round(self, span: Span, match: Span, *, drawn: bool) -> Shown:
        """A window that begins a little before the hit, as far as the hit fits behind that.

        It begins at the hit where characters cannot be told apart backwards.
        """
        for n_before in _BEFORE_BYTES if self.encoding == UTF8 else (0,):
            start = max(span.start, match.start - n_before)
            while start < match.start and self.raw[start] & 0xC0 == 0x80:
                start += 1
            window = Span(start, span.end)
            shown = self._slice(window, self.limit, drawn=drawn)
            if _holds(shown, match):
                break
        return shown if shown.cut is not None else replace(shown, cut=Cut(window, None, 1))

    def _hidden_frame(self, match: Span) -> Span | None:
        """The frame that holds the hit, where it is one of those that are left out of the shown text."""
        breaks = self._breaks
        if len(breaks) < 2 or match.start > breaks[-1]:
            return None
        n_before, n_behind = bisect_left(breaks, match.start), bisect_left(breaks, match.end)
        start = breaks[n_before - 1] + unit_width(self.encoding) if n_before else self._text.start
        return Span(start, breaks[n_behind] if n_behind < len(breaks) else self._text.end)

    def _show_frame(self, match: Span, frame: Span) -> Shown:
        text, span = self._text, self.span
        before, after = Span(span.start, text.start), Span(text.end, span.end)
        left_out = f"{HIT_FRAME}={text.length - frame.length}"
        if not is_over(Span(0, before.length + frame.length + after.length), self.limit):
            pieces = [self._slice(one, NoLimit(), drawn=one is not frame) for one in (before, frame, after)]
            joined = "".join(piece.text for piece in pieces)
            if self.limit.fits(joined):
                names = dict.fromkeys(name for piece in pieces for name in piece.transforms)
                return Shown(joined, (*names, left_out))
        shown = self._slice(frame, self.limit, drawn=False)
        shown = shown if _holds(shown, match) else self._show_round(frame, match, drawn=False)
        return replace(shown, transforms=(*shown.transforms, left_out), cut=shown.cut or Cut(frame, None, 1))

    @cached_property
    def _text(self) -> Span:
        """The line without its end."""
        end = self.line.end
        for sign in ("\n".encode(self.encoding), "\r".encode(self.encoding)):
            end -= len(sign) if self.raw.endswith(sign, self.line.start, end) else 0
        return Span(self.line.start, end)

    @cached_property
    def _breaks(self) -> tuple[int, ...]:
        """Where CRs stand that begin another frame."""
        return tuple(self._iter_breaks())

    def _iter_breaks(self) -> Iterator[int]:
        sign, width, text = "\r".encode(self.encoding), unit_width(self.encoding), self._text
        at = self.raw.find(sign, text.start, text.end)
        while at >= 0:
            if (at - text.start) % width == 0:
                yield at
            at = self.raw.find(sign, at + 1, text.end)


def _holds(shown: Shown, match: Span) -> bool:
    return shown.cut is None or shown.cut.shown.start <= match.start < match.end <= shown.cut.shown.end
