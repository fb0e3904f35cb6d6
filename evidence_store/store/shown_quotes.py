"""Quotes of what was shown: a text with marks, found where the source has secrets of these kinds between the same words."""

import re
from typing import Final

from evidence_store.documents.charset import encoding_of
from evidence_store.documents.escapes import SEARCHED_FORMATS
from evidence_store.documents.text import format_bytes
from evidence_store.errors import Ambiguous, NotFound
from evidence_store.model import Selector, Span
from evidence_store.quote_context import QuoteContext
from evidence_store.quotes import MAX_QUOTE_CHARS, FoundQuote, find_quote
from evidence_store.secrets import Mark
from evidence_store.store.reader import RevisionReader

QUOTE_MASKED: Final = "quote_masked/1"
"""Transform: the quote was of the text as it is shown, with marks (docs/formats/documents.md)."""
_NUMBERED: Final = re.compile(r"\[masked ([a-z0-9-]+)(?: ([1-9][0-9]{0,8}))?\]")
"""Numbers count the values of what was shown: another slice has others."""


def has_mark(quote: str) -> bool:
    return _NUMBERED.search(quote) is not None


def find_shown_quote(reader: RevisionReader, within: Span, quote: str, context: QuoteContext) -> FoundQuote:
    """Where a quote with marks stands; its span counts from the range's start. Raises as `find_quote`, with places of the blob."""
    raw, encoding = reader.read(within), encoding_of(reader.revision.notes)
    marks = reader.masking.masks(within).marks
    masked = _Masked(raw, within, [one for one in marks if within.start <= one.span.start and one.span.end <= within.end], encoding)
    plain = QuoteContext(_unnumbered(context.prefix), _unnumbered(context.suffix))
    try:
        found = find_quote(masked.text, _unnumbered(quote), encoding, plain, escaped=reader.revision.format in SEARCHED_FORMATS)
    except Ambiguous as exc:
        places = exc.details["places"]
        assert isinstance(places, list)
        spans = [masked.source(Span(start, end)) for start, end in places]
        raise Ambiguous(
            exc.message, {**exc.details, "places": [[one.start + within.start, one.end + within.start] for one in spans]}
        ) from exc
    span = masked.source(found.span)
    _require_same_values(quote, [one for one in marks if within.start + span.start <= one.span.start < within.start + span.end])
    return FoundQuote(span, (QUOTE_MASKED, *found.transforms))


def selector_of(reader: RevisionReader, span: Span) -> Selector:
    """How the place of such a quote is kept: by the source's own characters, or its bytes where these are too many or no text."""
    try:
        text = reader.read(span).decode(encoding_of(reader.revision.notes))
    except UnicodeDecodeError:
        text = ""
    return Selector("quote", text) if 0 < len(text) <= MAX_QUOTE_CHARS else Selector("bytes", format_bytes(span))


class _Masked:
    """A range with marks that have no numbers, and the way back to it."""

    def __init__(self, raw: bytes, within: Span, marks: list[Mark], encoding: str) -> None:
        pieces: list[bytes] = []
        at = made = 0
        self._marks: list[tuple[Span, Span]] = []
        for mark in marks:
            first, last = mark.span.start - within.start, mark.span.end - within.start
            text = f"[masked {mark.kind}]".encode(encoding)
            pieces += (raw[at:first], text)
            made += first - at
            self._marks.append((Span(made, made + len(text)), Span(first, last)))
            made, at = made + len(text), last
        self.text = b"".join((*pieces, raw[at:]))

    def source(self, place: Span) -> Span:
        return Span(self._place(place.start), self._place(place.end, end=True))

    def _place(self, at: int, *, end: bool = False) -> int:
        by = 0
        for made, source in self._marks:
            if at <= made.start if end else at < made.start:
                break
            if at < made.end:
                return source.end if end else source.start
            by = source.end - made.end
        return at + by


def _unnumbered(text: str) -> str:
    return _NUMBERED.sub(r"[masked \1]", text)


def _require_same_values(quote: str, marks: list[Mark]) -> None:
    """Raises NotFound where marks with one number stand for two values, or with two for one."""
    told = [(one[1], one[2]) for one in _NUMBERED.finditer(quote)]
    values = [(one.kind, one.value) for one in marks]
    if len(told) == len(values) and not len(set(told)) == len(set(values)) == len(set(zip(told, values, strict=True))):
        raise NotFound("the quote does not stand there: its marks tell other values apart")
