"""How a hit of a search is shown: its line with those around it, always with the hit in it.

Of a line that is too long a window round the hit is shown; of one that was drawn over with CR the frame of the hit, be it not the
one that stood there last (docs/formats/documents.md).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from evidence_store.documents.charset import UTF8
from evidence_store.documents.encoding import unit_width
from evidence_store.excerpts import NoLimit, Shown, is_over, show_slice
from evidence_store.model import Cut, Span, TextLimit
from evidence_store.search import Hit
from evidence_store.secrets import Masks

HIT_FRAME: Final = "hit_frame/1"
"""Transform: `=` and the bytes of the other frames of the line, which are left out."""
_BEFORE_BYTES: Final = 200
"""Of a line before its hit, where not all of it is shown."""


@dataclass(frozen=True, slots=True)
class HitShower:
    """Shows hits of one revision."""

    raw: bytes
    """Of the whole revision."""
    encoding: str
    masks: Masks
    limit: TextLimit
    escaped: bool
    drawn: bool
    """Whether CR draws over a line."""

    def show(self, span: Span, hit: Hit) -> Shown:
        """The range, which holds the line of the hit."""
        frame = self._hidden_frame(hit) if self.drawn else None
        if frame is not None:
            return self._show_frame(span, hit, frame)
        shown = self._slice(span, self.limit, drawn=self.drawn)
        return shown if _holds(shown, hit.match) else self._show_round(span, hit.match, drawn=self.drawn)

    def _slice(self, span: Span, limit: TextLimit, *, drawn: bool) -> Shown:
        raw = self.raw[span.start : span.end]
        return show_slice(raw, span, limit, self.encoding, escaped=self.escaped, drawn=drawn, masks=self.masks)

    def _show_round(self, span: Span, match: Span, *, drawn: bool) -> Shown:
        """A window that begins a little before the hit; at it, where characters cannot be told apart backwards."""
        start = max(span.start, match.start - _BEFORE_BYTES) if self.encoding == UTF8 else match.start
        while start < match.start and self.raw[start] & 0xC0 == 0x80:
            start += 1
        window = Span(start, span.end)
        shown = self._slice(window, self.limit, drawn=drawn)
        return shown if shown.cut is not None else replace(shown, cut=Cut(window, None, 1))

    def _hidden_frame(self, hit: Hit) -> Span | None:
        """The frame that holds the hit, where it is one of those that are left out of the shown text."""
        text = self._text_of(hit.line)
        breaks = list(self._breaks(text))
        if len(breaks) < 2 or hit.match.start > breaks[-1]:
            return None
        width = unit_width(self.encoding)
        start = max((at + width for at in breaks if at < hit.match.start), default=text.start)
        return Span(start, min((at for at in breaks if at >= hit.match.end), default=text.end))

    def _show_frame(self, span: Span, hit: Hit, frame: Span) -> Shown:
        text = self._text_of(hit.line)
        before, after = Span(span.start, text.start), Span(text.end, span.end)
        left_out = f"{HIT_FRAME}={text.length - frame.length}"
        if not is_over(Span(0, before.length + frame.length + after.length), self.limit):
            pieces = [self._slice(one, NoLimit(), drawn=one is not frame) for one in (before, frame, after)]
            joined = "".join(piece.text for piece in pieces)
            if self.limit.fits(joined):
                names = dict.fromkeys(name for piece in pieces for name in piece.transforms)
                return Shown(joined, (*names, left_out))
        shown = self._slice(frame, self.limit, drawn=False)
        shown = shown if _holds(shown, hit.match) else self._show_round(frame, hit.match, drawn=False)
        return replace(shown, transforms=(*shown.transforms, left_out), cut=shown.cut or Cut(frame, None, 1))

    def _text_of(self, line: Span) -> Span:
        """The line without its end."""
        end = line.end
        for sign in ("\n".encode(self.encoding), "\r".encode(self.encoding)):
            end -= len(sign) if self.raw.endswith(sign, line.start, end) else 0
        return Span(line.start, end)

    def _breaks(self, text: Span) -> Iterator[int]:
        """Where CRs stand that begin another frame."""
        sign, width = "\r".encode(self.encoding), unit_width(self.encoding)
        at = self.raw.find(sign, text.start, text.end)
        while at >= 0:
            if (at - text.start) % width == 0:
                yield at
            at = self.raw.find(sign, at + 1, text.end)


def _holds(shown: Shown, match: Span) -> bool:
    return shown.cut is None or shown.cut.shown.start <= match.start < match.end <= shown.cut.shown.end
