"""Quotes: where a text stands in a source, to the letter or with its typography folded. Knows no store.

What is folded stands in `folding`. ` ... ` between two pieces of a quote stands for left out text, of which there is little and
no blank line. A quote is one stretch of the source: what stands in several places is ambiguous.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from evidence_store.documents.encoding import unit_width
from evidence_store.documents.escapes import undo_escapes
from evidence_store.errors import Ambiguous, InvalidInput, NotFound
from evidence_store.folding import FoldedText, find_folds, folded_text
from evidence_store.model import Span
from evidence_store.quote_context import NEAR_BYTES, NO_CONTEXT, QuoteContext, require_characters

QUOTE_FOLDED: Final = "quote_folded/1"
"""Transform: `=` and the names of what was folded, joined by commas (docs/formats/documents.md)."""
QUOTE_IN_WORD: Final = "quote_in_word/1"
"""Transform: the quote begins or ends inside a word or number, as `3 kg` in `13 kg`."""
MIN_QUOTE_CHARS: Final = 3
MAX_QUOTE_CHARS: Final = 4000
MAX_PLACES: Final = 20
MAX_CANDIDATES: Final = 100
"""Folded places that are looked at closely."""
MAX_LEFT_OUT_CHARS: Final = 300
"""Characters that an ellipsis may stand for; never a blank line."""

_ELLIPSIS: Final = re.compile(r"\s*(?:\[(?:…|\.\.\.)\]|…|\.\.\.)\s*")
_WORD: Final = re.compile(r"[A-Za-z0-9_\u00c0-\u024f\u0300-\u036f]")
_BLANK_LINE: Final = re.compile(r"\n[ \t\r]*\n")


@dataclass(frozen=True, slots=True)
class FoundQuote:
    """The one place of a quote; `span` counts the bytes that were searched."""

    span: Span
    transforms: tuple[str, ...] = ()
    """What was folded; empty where the quote stands to the letter."""


def find_quote(raw: bytes, quote: str, encoding: str = "utf-8", context: QuoteContext = NO_CONTEXT, *, escaped: bool = False) -> FoundQuote:
    """Where a quote stands: to the letter, else folded; only where the context stands round it. `escaped`: in JSON.

    Raises NotFound; Ambiguous (`places` in the details, as byte ranges) where it stands more than once; InvalidInput for a
    quote of less than 3 or more than 4 000 characters, or with half of a surrogate pair.
    """
    _require_quote(quote)
    exact = list(islice(_exact_places(raw, quote, encoding, context), MAX_PLACES))
    if exact:
        span = _only(exact)
        return FoundQuote(span, word_transforms(raw, span, encoding))
    text = _Text(raw, encoding, escaped=escaped)
    folded = FoldedText(text.text)
    fits = text.fits(context)
    found, left_out = _whole(folded, quote, fits), False
    if not found:
        found, left_out = _in_pieces(folded, text.text, quote, fits), True
    if not found:
        where = "there" if context == NO_CONTEXT else "there with this text before and after it"
        raise NotFound(f"the quote does not stand {where}, neither to the letter nor with its typography folded")
    span = _only([text.span(place) for place in found])
    folds = ("left_out",) if left_out else find_folds(text.text[found[0].start : found[0].end], quote)
    folds = (*folds, "json_escapes") if text.is_undone(found[0]) else folds
    return FoundQuote(span, (f"{QUOTE_FOLDED}={','.join(folds)}", *word_transforms(raw, span, encoding)))


def _require_quote(quote: str) -> None:
    if len(quote.strip()) < MIN_QUOTE_CHARS:
        raise InvalidInput(f"a quote has at least {MIN_QUOTE_CHARS} characters", {"limit": MIN_QUOTE_CHARS}, code="quote_too_short")
    if len(quote) > MAX_QUOTE_CHARS:
        raise InvalidInput(f"a quote has at most {MAX_QUOTE_CHARS} characters", {"limit": MAX_QUOTE_CHARS}, code="quote_too_long")
    require_characters(quote)


def _only(places: Sequence[Span]) -> Span:
    if len(places) > 1:
        shown = [[place.start, place.end] for place in places[:MAX_PLACES]]
        text = f"the quote stands in {len(places)} places or more; say which by a pointer, a prefix or a suffix, or quote more of it"
        raise Ambiguous(text, {"places": shown})
    return places[0]


# -- to the letter


def _exact_places(raw: bytes, quote: str, encoding: str, context: QuoteContext) -> Iterator[Span]:
    try:
        needle = quote.encode(encoding)
    except UnicodeEncodeError:
        # The encoding of the source has no such character.
        return
    width = unit_width(encoding)
    at = raw.find(needle)
    while at >= 0:
        place = Span(at, at + len(needle))
        if at % width == 0 and context.fits(raw, place, encoding):
            yield place
        at = raw.find(needle, at + 1)


def word_transforms(raw: bytes, span: Span, encoding: str) -> tuple[str, ...]:
    """The transform where a word or number runs on over an end of the quote."""
    before = raw[max(0, span.start - NEAR_BYTES) : span.start].decode(encoding, "replace")[-1:]
    after = raw[span.end : span.end + NEAR_BYTES].decode(encoding, "replace")[:1]
    quote = raw[span.start : span.end].decode(encoding, "replace")
    runs_on = any(_WORD.match(outer) and _WORD.match(inner) for outer, inner in ((before, quote[:1]), (after, quote[-1:])))
    return (QUOTE_IN_WORD,) if runs_on else ()


# -- folded


class _Text:
    """The source as text, with the way back to its bytes."""

    def __init__(self, raw: bytes, encoding: str, *, escaped: bool) -> None:
        self._raw, self._encoding = raw, encoding
        # Bytes that are not UTF-8 become one character each, so that the way back is exact.
        self._errors = "surrogateescape" if encoding == "utf-8" else "replace"
        self._source = raw.decode(encoding, self._errors)
        self._undone = undo_escapes(self._source, every=True) if escaped and "\\" in self._source else None
        self.text = self._source if self._undone is None else self._undone.text

    def span(self, chars: Span) -> Span:
        place = self._place(chars)
        start = len(self._source[: place.start].encode(self._encoding, self._errors))
        return Span(start, start + len(self._source[place.start : place.end].encode(self._encoding, self._errors)))

    def is_undone(self, chars: Span) -> bool:
        """Whether escapes were undone in this range."""
        place = self._place(chars)
        return self._source[place.start : place.end] != self.text[chars.start : chars.end]

    def _place(self, chars: Span) -> Span:
        """Of the source."""
        if self._undone is None:
            return chars
        return Span(self._undone.source(chars.start), self._undone.source(chars.end, end=True))

    def fits(self, context: QuoteContext) -> Callable[[Span], bool]:
        """Whether the context stands round a range of characters."""
        if context == NO_CONTEXT:
            return lambda chars: True
        return lambda chars: context.fits(self._raw, self.span(chars), self._encoding)


def _whole(text: FoldedText, quote: str, fits: Callable[[Span], bool]) -> Sequence[Span]:
    """Places of the folded quote, as ranges of characters of the source."""
    needle = folded_text(quote)
    return _sources(text, (Span(at, at + len(needle)) for at in _occurrences(text.folded, needle, len(text.folded))), fits)


def _in_pieces(text: FoldedText, source: str, quote: str, fits: Callable[[Span], bool]) -> Sequence[Span]:
    """Places of the pieces of a quote around its ellipses, in order and near one another; the shortest stretches."""
    pieces = [folded_text(piece) for piece in _ELLIPSIS.split(quote) if piece]
    if len(pieces) < 2 or any(len(piece.strip()) < MIN_QUOTE_CHARS for piece in pieces):
        return ()
    found = _sources(text, _stretches(text.folded, pieces), fits)
    return [span for span in found if not _BLANK_LINE.search(source, span.start, span.end)]


def _stretches(folded: str, pieces: Sequence[str]) -> Iterator[Span]:
    first, *others = pieces
    for at in _occurrences(folded, first, len(folded)):
        end = at + len(first)
        again = folded.find(first, at + 1, end + MAX_LEFT_OUT_CHARS)
        for n, piece in enumerate(others):
            start = folded.find(piece, end, end + MAX_LEFT_OUT_CHARS + len(piece))
            if start < 0 or (not n and 0 <= again < start):
                break
            end = start + len(piece)
        else:
            yield Span(at, end)


def _sources(text: FoldedText, folded: Iterator[Span], fits: Callable[[Span], bool]) -> Sequence[Span]:
    mapped = (text.source(span) for span in islice(folded, MAX_CANDIDATES))
    return list(islice((span for span in mapped if span is not None and fits(span)), MAX_PLACES))


def _occurrences(text: str, needle: str, end: int) -> Iterator[int]:
    at = text.find(needle, 0, end)
    while at >= 0:
        yield at
        at = text.find(needle, at + 1, end)
