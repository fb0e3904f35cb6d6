"""Typography folded away, and the way from a folded text back to the characters that it was made of.

Folded are the shape of quotation marks, dashes, spaces, ellipses and ligatures, composed letters (NFC), line ends, and what
nobody sees (zero-width characters, soft hyphens, escape sequences of terminals). Case, accents, digits and look-alikes of
other scripts are not: they change what is said. A carriage return alone is no space.
A text of any size costs a few passes of the C library over it; only stretches around a place are taken apart into units.
"""

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, Literal, get_args

from evidence_store.documents.shown import ANSI
from evidence_store.model import Span

Fold = Literal[
    "line_ends", "spaces", "quotes", "dashes", "ellipsis", "ligatures", "composition", "invisible", "escapes", "json_escapes", "left_out"
]

_SINGLE: Final = "'‘’‚‛′＇"
_DOUBLE: Final = '"“”„‟″«»＂'
_DASHES: Final = "-‐‑‒–—―−﹣－"
_LIGATURES: Final = "ﬀﬁﬂﬃﬄﬅﬆ"
_SPACES: Final = (" ", "\t", "\n", "\u00a0", "\u1680", *map(chr, range(0x2000, 0x200B)), "\u202f", "\u205f", "\u3000")
_INVISIBLE: Final = ("\u00ad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", *map(chr, range(0xE0000, 0xE0080)))
_MARKS: Final = "\u0300-\u036f"
_ANSI: Final = re.compile(ANSI)
_MARKED: Final = re.compile(rf"[^{_MARKS}][{_MARKS}]+")
_RUN: Final = re.compile("  +")
_UNITS: Final = re.compile(
    rf"(?P<escapes>{ANSI})|(?P<invisible>[{''.join(_INVISIBLE)}])|(?P<spaces>(?:[{''.join(_SPACES)}]|\r\n)+)"
    rf"|(?P<single>[{_SINGLE}])|(?P<double>[{_DOUBLE}])|(?P<dashes>[{_DASHES}])"
    rf"|(?P<ellipsis>…)|(?P<ligatures>[{_LIGATURES}])|(?P<other>.[{_MARKS}]*)",
    re.DOTALL,
)
_LETTERS: Final = {ligature: unicodedata.normalize("NFKC", ligature) for ligature in _LIGATURES}
_TABLE: Final = str.maketrans(
    dict.fromkeys(_INVISIBLE, "")
    | dict.fromkeys(_SPACES, " ")
    | dict.fromkeys(_SINGLE, "'")
    | dict.fromkeys(_DOUBLE, '"')
    | dict.fromkeys(_DASHES, "-")
    | {"…": "..."}
    | _LETTERS
)
_CHUNK_CHARS: Final = 1 << 14
# Between two of these nothing is folded together; where escape sequences may stand, only at the start of a line.
_SEAM: Final = re.compile("(?<=[A-Za-z0-9])(?=[A-Za-z0-9])|(?<=\n)(?=[A-Za-z0-9])")
_SEAM_OF_LINES: Final = re.compile("(?<=\n)(?=[A-Za-z0-9])")


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of text with what it is folded to; `folded` is empty for what nobody sees."""

    text: str
    folded: str
    fold: Fold | None


def folded_text(text: str) -> str:
    """The text with its typography folded."""
    if not text.isascii():
        text = _MARKED.sub(lambda found: unicodedata.normalize("NFC", found[0]), text)
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    return _RUN.sub(" ", text.replace("\r\n", "\n").translate(_TABLE))


class FoldedText:
    """A text in folded form, in chunks between which nothing is folded together."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = list(_chunk_starts(text))
        ends = [*self._starts[1:], len(text)]
        folded = [folded_text(text[start:end]) for start, end in zip(self._starts, ends, strict=True)]
        self._folded_starts = [0, *accumulate(map(len, folded))]
        self.folded = "".join(folded)
        self._kept: _Chunk | None = None

    def source(self, folded: Span) -> Span | None:
        """The characters that this range was made of; None where it begins or ends within a folded unit."""
        start, end = self._offset(folded.start, at_end=False), self._offset(folded.end, at_end=True)
        if start is None or end is None or end <= start:
            return None
        # A mark after the last letter belongs to it, and joins what is not the same letter without it.
        same = folded_text(self._text[start:end]) == self.folded[folded.start : folded.end]
        return Span(start, end) if same else None

    def _offset(self, at: int, *, at_end: bool) -> int | None:
        """Where the unit starts that gives this folded character, or ends that gives the one before it."""
        number = max(0, bisect_right(self._folded_starts, at - at_end) - 1)
        chunk = self._chunk(min(number, len(self._starts) - 1))
        positions = chunk.ends if at_end else chunk.starts
        found = bisect_left(positions, at)
        if found == len(positions) or positions[found] != at:
            return None
        return (chunk.source_ends if at_end else chunk.source_starts)[found]

    def _chunk(self, number: int) -> "_Chunk":
        """The units of one chunk; the last is kept, since places are looked for one after the other."""
        if self._kept is None or self._kept.number != number:
            start = self._starts[number]
            end = self._starts[number + 1] if number + 1 < len(self._starts) else len(self._text)
            self._kept = _chunk_of(number, self._text[start:end], start, self._folded_starts[number])
        return self._kept


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Where the runs of a chunk that give any folded text stand in it, and in the source. All four rise."""

    number: int
    starts: Sequence[int]
    ends: Sequence[int]
    source_starts: Sequence[int]
    source_ends: Sequence[int]


def _chunk_of(number: int, text: str, place: int, position: int) -> _Chunk:
    starts, ends, source_starts, source_ends = array("q"), array("q"), array("q"), array("q")
    for units in _runs(iter_units(text)):
        n_chars = sum(len(unit.text) for unit in units)
        if units[0].folded:
            starts.append(position)
            source_starts.append(place)
            position += len(units[0].folded)
            ends.append(position)
            source_ends.append(place + n_chars)
        place += n_chars
    return _Chunk(number, starts, ends, source_starts, source_ends)


def _runs(units: Iterator[Unit]) -> Iterator[list[Unit]]:
    """Each unit alone; spaces that only the unseen keeps apart together, with the unseen between them."""
    run: list[Unit] = []
    pending: list[Unit] = []
    for unit in units:
        if run and not unit.folded:
            pending.append(unit)
        elif run and unit.folded == " ":
            run += (*pending, unit)
            pending = []
        else:
            if run:
                yield run
            yield from ([one] for one in pending)
            run, pending = [], []
            if unit.folded == " ":
                run = [unit]
            else:
                yield [unit]
    if run:
        yield run
    yield from ([one] for one in pending)


def _chunk_starts(text: str) -> Iterator[int]:
    seam = _SEAM_OF_LINES if "\x1b" in text else _SEAM
    start = 0
    while True:
        yield start
        found = seam.search(text, start + _CHUNK_CHARS)
        if found is None:
            return
        start = found.start()


def iter_units(text: str) -> Iterator[Unit]:
    """The text in units, each folded as a whole."""
    for found in _UNITS.finditer(text):
        kind, piece = found.lastgroup, found[0]
        match kind:
            case "escapes":
                yield Unit(piece, "", "escapes")
            case "invisible":
                yield Unit(piece, "", "invisible")
            case "spaces":
                yield Unit(piece, " ", "spaces")
            case "single" | "double":
                yield Unit(piece, "'" if kind == "single" else '"', "quotes")
            case "dashes":
                yield Unit(piece, "-", "dashes")
            case "ellipsis":
                yield Unit(piece, "...", "ellipsis")
            case "ligatures":
                yield Unit(piece, _LETTERS[piece], "ligatures")
            case _:
                yield Unit(
                    piece, unicodedata.normalize("NFC", piece) if len(piece) > 1 else piece, "composition" if len(piece) > 1 else None
                )


def find_folds(source: str, quote: str) -> Sequence[Fold]:
    """What makes two texts of the same folded form equal, in the order in which folds are named."""
    sides = [list(iter_units(source)), list(iter_units(quote))]
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


def _seen(units: Sequence[Unit]) -> Sequence[Unit]:
    """Without what nobody sees; spaces that only this kept apart are one unit."""
    kept: list[Unit] = []
    for unit in units:
        if unit.folded == " " and kept and kept[-1].folded == " ":
            kept[-1] = Unit(kept[-1].text + unit.text, " ", "spaces")
        elif unit.folded:
            kept.append(unit)
    return kept


def _segments(mine: Sequence[Unit], its: Sequence[Unit]) -> Iterator[tuple[Sequence[Unit], Sequence[Unit]]]:
    """Shortest stretches of both sides that fold to the same text; the sides as wholes do."""
    sides = iter(mine), iter(its)
    while True:
        stretches: tuple[list[Unit], list[Unit]] = [], []
        lengths = [0, 0]
        while not lengths[0] or lengths[0] != lengths[1]:
            shorter = 0 if lengths[0] <= lengths[1] else 1
            unit = next(sides[shorter], None)
            if unit is None:
                return
            stretches[shorter].append(unit)
            lengths[shorter] += len(unit.folded)
        yield stretches
