"""Quotes: where a text stands in a source, to the letter or with its typography folded. Knows no store.

Folded are the shape of quotation marks, dashes, spaces, ellipses and ligatures, composed letters (NFC), line ends, and what
nobody sees (zero-width characters, soft hyphens, escape sequences of terminals). Case, accents, digits and look-alikes of
other scripts are not: they change what is said. A carriage return alone is no space. ` ... ` between two pieces of a quote
stands for left out text.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal, get_args

from evidence_store.documents.encoding import unit_width
from evidence_store.documents.shown import ANSI
from evidence_store.errors import Ambiguous, InvalidInput, NotFound
from evidence_store.model import Span

QUOTE_FOLDED: Final = "quote_folded/1"
"""Transform: `=` and the names of what was folded, joined by commas (docs/formats/documents.md)."""
QUOTE_IN_WORD: Final = "quote_in_word/1"
"""Transform: the quote begins or ends inside a word or number, as `3 kg` in `13 kg`."""
MIN_QUOTE_CHARS: Final = 3
MAX_QUOTE_CHARS: Final = 4000
MAX_PLACES: Final = 20
MAX_LEFT_OUT_CHARS: Final = 300
"""Characters that an ellipsis may stand for; never a blank line."""

Fold = Literal["line_ends", "spaces", "quotes", "dashes", "ellipsis", "ligatures", "composition", "invisible", "escapes", "left_out"]

_SINGLE: Final = "'‘’‚‛′＇"
_DOUBLE: Final = '"“”„‟″«»＂'
_DASHES: Final = "-‐‑‒–—―−﹣－"
_LIGATURES: Final = "ﬀﬁﬂﬃﬄﬅﬆ"
_SPACES: Final = " \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_SPACE: Final = rf"(?:[{_SPACES}\n]|\r\n)"
_INVISIBLE: Final = "\u00ad\u200b\u200c\u200d\u2060\ufeff\U000e0000-\U000e007f"
_MARKS: Final = "\u0300-\u036f"
_UNSEEN: Final = rf"(?:[{_INVISIBLE}]|{ANSI})"
_UNITS: Final = re.compile(
    rf"(?P<escapes>{ANSI})|(?P<invisible>[{_INVISIBLE}])|(?P<spaces>{_SPACE}+)"
    rf"|(?P<single>[{_SINGLE}])|(?P<double>[{_DOUBLE}])|(?P<dashes>[{_DASHES}])"
    rf"|(?P<ellipsis>…|\.\.\.)|(?P<ligatures>[{_LIGATURES}])|(?P<other>ffi|ffl|ff|fi|fl|st|.[{_MARKS}]*)",
    re.DOTALL,
)
_ELLIPSIS: Final = re.compile(r"\s*(?:\[(?:…|\.\.\.)\]|…|\.\.\.)\s*")
_WORD: Final = re.compile(r"[A-Za-z0-9_\u00c0-\u024f\u0300-\u036f]")
NEAR_BYTES: Final = 4
"""Enough for one character of any encoding."""


@dataclass(frozen=True, slots=True)
class FoundQuote:
    """The one place of a quote; `span` counts the bytes that were searched."""

    span: Span
    transforms: tuple[str, ...] = ()
    """What was folded; empty where the quote stands to the letter."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """A piece of text with what it is folded to; `folded` is empty for what nobody sees."""

    text: str
    folded: str
    fold: Fold | None


def find_quote(raw: bytes, quote: str, encoding: str = "utf-8") -> FoundQuote:
    """Where a quote stands: to the letter, else folded.

    Raises NotFound; Ambiguous (`places` in the details, as byte ranges) where it stands more than once; InvalidInput for a
    quote of less than 3 or more than 4 000 characters, or with half of a surrogate pair.
    """
    _require_quote(quote)
    exact = _exact_places(raw, quote, encoding)
    if exact:
        span = _only(exact)
        return FoundQuote(span, word_transforms(raw, span, encoding))
    text = _Text(raw, encoding)
    found, left_out = _matches(text, _pattern(quote)), False
    pieces = [piece for piece in _ELLIPSIS.split(quote) if piece]
    if not found and len(pieces) > 1 and all(len(piece) >= MIN_QUOTE_CHARS for piece in pieces):
        found, left_out = _matches(text, _pattern_of_pieces(pieces)), True
    if not found:
        raise NotFound("the quote does not stand there, neither to the letter nor with its typography folded")
    span = _only([text.span(match) for match in found])
    folds = ("left_out",) if left_out else _folds(text.text[found[0].start : found[0].end], quote)
    return FoundQuote(span, (f"{QUOTE_FOLDED}={','.join(folds)}", *word_transforms(raw, span, encoding)))


def _require_quote(quote: str) -> None:
    if len(quote.strip()) < MIN_QUOTE_CHARS:
        raise InvalidInput(f"a quote has at least {MIN_QUOTE_CHARS} characters", {"limit": MIN_QUOTE_CHARS}, code="quote_too_short")
    if len(quote) > MAX_QUOTE_CHARS:
        raise InvalidInput(f"a quote has at most {MAX_QUOTE_CHARS} characters", {"limit": MAX_QUOTE_CHARS}, code="quote_too_long")
    if any("\ud800" <= char <= "\udfff" for char in quote):
        raise InvalidInput("the quote holds half of a surrogate pair, which is no character", code="bad_quote")


def _only(places: Sequence[Span]) -> Span:
    if len(places) > 1:
        shown = [[place.start, place.end] for place in places[:MAX_PLACES]]
        text = f"the quote stands in {len(places)} places or more; say which by --pointer, or quote more of it"
        raise Ambiguous(text, {"places": shown})
    return places[0]


# -- to the letter


def _exact_places(raw: bytes, quote: str, encoding: str) -> Sequence[Span]:
    try:
        needle = quote.encode(encoding)
    except UnicodeEncodeError:
        # The encoding of the source has no such character.
        return ()
    width = unit_width(encoding)
    places: list[Span] = []
    at = raw.find(needle)
    while at >= 0 and len(places) < MAX_PLACES:
        if at % width == 0:
            places.append(Span(at, at + len(needle)))
        at = raw.find(needle, at + 1)
    return places


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

    def __init__(self, raw: bytes, encoding: str) -> None:
        self._encoding = encoding
        # Bytes that are not UTF-8 become one character each, so that the way back is exact.
        self._errors = "surrogateescape" if encoding == "utf-8" else "replace"
        self.text = raw.decode(encoding, self._errors)

    def span(self, chars: Span) -> Span:
        start = len(self.text[: chars.start].encode(self._encoding, self._errors))
        return Span(start, start + len(self.text[chars.start : chars.end].encode(self._encoding, self._errors)))


def _matches(text: _Text, pattern: str) -> Sequence[Span]:
    """Places as ranges of characters."""
    found = islice(re.finditer(pattern, text.text), MAX_PLACES)
    return [Span(match.start(), match.end()) for match in found]


def _pattern_of_pieces(pieces: Sequence[str]) -> str:
    """The pieces in order, with little between them. No gap runs over another beginning of the first: the shortest span counts."""
    first, *others = (_pattern(piece) for piece in pieces)
    gap = rf"(?:(?!\n[ \t\r]*\n)(?!{first})[\s\S]){{0,{MAX_LEFT_OUT_CHARS}}}?"
    return first + "".join(gap + other for other in others)


def _pattern(quote: str) -> str:
    """A pattern that matches what folds to the same text. What nobody sees may stand between any two characters."""
    return f"{_UNSEEN}*+".join(_alternatives(unit) for unit in _units(quote) if unit.folded) + f"(?![{_MARKS}])"


def _alternatives(unit: _Unit) -> str:
    match unit.fold:
        case "spaces" | "line_ends":
            return f"{_SPACE}(?:{_UNSEEN}*+{_SPACE})*+"
        case "quotes":
            return f"[{_DOUBLE if unit.folded == _DOUBLE[0] else _SINGLE}]"
        case "dashes":
            return f"[{_DASHES}]"
        case "composition":
            return f"(?:{re.escape(unit.folded)}|{re.escape(unicodedata.normalize('NFD', unit.folded))})"
        case "ellipsis":
            return r"(?:…|\.\.\.)"
        case _:
            return _letters(unit.folded)


def _letters(text: str) -> str:
    """A character as it is; letters that a ligature may stand for in each way to spell them."""
    if len(text) == 1:
        return re.escape(text)
    return f"(?:{'|'.join((f'{_UNSEEN}*+'.join(text), *_spellings(text)))})"


def _spellings(text: str) -> Iterator[str]:
    """With one ligature in it; the text is two or three letters of `ffi`, `ffl` or `st`."""
    for ligature in _LIGATURES:
        letters = unicodedata.normalize("NFKC", ligature)
        if letters in text:
            yield text.replace(letters, ligature, 1)


def _units(text: str) -> Iterator[_Unit]:
    for found in _UNITS.finditer(text):
        kind, piece = found.lastgroup, found[0]
        match kind:
            case "escapes" | "invisible":
                yield _Unit(piece, "", "escapes" if kind == "escapes" else "invisible")
            case "spaces":
                yield _Unit(piece, " ", "spaces")
            case "single" | "double":
                yield _Unit(piece, _SINGLE[0] if kind == "single" else _DOUBLE[0], "quotes")
            case "dashes":
                yield _Unit(piece, "-", "dashes")
            case "ellipsis":
                yield _Unit(piece, "...", "ellipsis")
            case "ligatures":
                yield _Unit(piece, unicodedata.normalize("NFKC", piece), "ligatures")
            case _:
                composed = unicodedata.normalize("NFC", piece)
                yield _Unit(piece, composed, "composition" if composed != unicodedata.normalize("NFD", piece) else None)


def _folds(source: str, quote: str) -> Sequence[Fold]:
    """What made the two texts equal, in the order of the names above."""
    sides = [list(_units(source)), list(_units(quote))]
    found: set[Fold] = set()
    unseen = ["".join(unit.text for unit in side if not unit.folded) for side in sides]
    if unseen[0] != unseen[1]:
        found |= {unit.fold for side in sides for unit in side if not unit.folded and unit.fold}
    for mine, its in _segments(*(_seen(side) for side in sides)):
        texts = ["".join(unit.text for unit in units) for units in (mine, its)]
        if texts[0] == texts[1]:
            continue
        if texts[0].replace("\r\n", "\n") == texts[1].replace("\r\n", "\n"):
            found.add("line_ends")
        else:
            found |= {unit.fold for unit in (*mine, *its) if unit.fold}
    return [fold for fold in get_args(Fold) if fold in found]


def _seen(units: Sequence[_Unit]) -> Sequence[_Unit]:
    """Without what nobody sees; spaces that only this kept apart are one run."""
    kept: list[_Unit] = []
    for unit in units:
        if unit.folded == " " and kept and kept[-1].folded == " ":
            kept[-1] = _Unit(kept[-1].text + unit.text, " ", "spaces")
        elif unit.folded:
            kept.append(unit)
    return kept


def _segments(mine: Sequence[_Unit], its: Sequence[_Unit]) -> Iterator[tuple[Sequence[_Unit], Sequence[_Unit]]]:
    """Shortest stretches of both sides that fold to the same text; the sides as wholes do."""
    sides = iter(mine), iter(its)
    while True:
        stretches: tuple[list[_Unit], list[_Unit]] = [], []
        lengths = [0, 0]
        while not lengths[0] or lengths[0] != lengths[1]:
            shorter = 0 if lengths[0] <= lengths[1] else 1
            unit = next(sides[shorter], None)
            if unit is None:
                return
            stretches[shorter].append(unit)
            lengths[shorter] += len(unit.folded)
        yield stretches
