"""Figures without a tokenizer of the model's own: the bytes bound, and estimates and bounds for the families of `families.py`.

No tokenizer makes more tokens than the text that it divides has bytes, when each token stands for a byte or more. So bytes are a
bound wherever the text is divided as it is; where it is brought into a normal form first, those of the longer of the two.
"""

import re
import unicodedata
from math import ceil

from projector.ports import Exactness, Figure, TokenCounter
from projector.render.scalars import repair_surrogates
from projector.tokens.families import FAMILIES, NormalForm, Runs
from projector.tokens.figures import figure_of

_DIGITS = re.compile(r"[0-9]{2,}")
_LINE_ENDS = re.compile(r"[\r\n]{2,}")
_BLANKS = re.compile(r"[^\S\r\n]{8,}")
_REPEATED = re.compile(r"([^\s\d])\1{7,}")
# SentencePiece puts a space before the text.
_LEADING_BYTES = 1
_SLICE_CHARS = 512


class BytesCounter:
    """One token for each UTF-8 byte: too high, never too low for byte-level BPE without a normaliser."""

    @property
    def id(self) -> str:
        return "bytes"

    @property
    def exactness(self) -> Exactness:
        return "upper_bound"

    def count(self, text: str) -> int:
        """UTF-8 bytes of the text."""
        return len(repair_surrogates(text).encode())


class BoundingCounter:
    """One token for each byte of the text, or of its normal form where that is longer: too high, never too low for the family."""

    def __init__(self, family: str) -> None:
        self._family = FAMILIES[family]

    @property
    def id(self) -> str:
        return f"bound:{self._family.name}"

    @property
    def exactness(self) -> Exactness:
        return "upper_bound"

    def count(self, text: str) -> int:
        """Bytes of the text, or of its normal form, and one; 0 for none."""
        if not text:
            return 0
        plain = repair_surrogates(text)
        form = self._family.normal_form
        # most texts are ASCII, which no form changes
        formed_bytes = 0 if form is None or plain.isascii() else _bytes_of_form(form, plain)
        return max(len(plain.encode()), formed_bytes) + _LEADING_BYTES


class EstimatingCounter:
    """min(bound, factor × larger of two known counts, and what runs cost), with a token a digit where the family counts so."""

    def __init__(self, family: str, known: tuple[TokenCounter, ...]) -> None:
        self._family = FAMILIES[family]
        self._known = known
        self._bound = BoundingCounter(family)

    @property
    def id(self) -> str:
        return f"estimate:{self._family.name}"

    @property
    def exactness(self) -> Exactness:
        return "estimate"

    def count(self, text: str) -> int:
        """An estimate that was never too low on the kinds of text it was measured on."""
        return self.figure(text).tokens

    def figure(self, text: str) -> Figure:
        """The estimate, with what its base says of itself."""
        found = [figure_of(counter, text) for counter in self._known]
        base = max(figure.tokens for figure in found)
        if self._family.digits_alone:
            base += sum(len(run) - ceil(len(run) / 3) for run in _DIGITS.findall(text))
        hundredths = base * self._family.factor_percent + _cost_of_runs(text, self._family.runs)
        tokens = min(ceil(hundredths / 100), self._bound.count(text))
        return Figure(tokens, self.id, "estimate", next((figure.note for figure in found if figure.note), ""))


def _bytes_of_form(form: NormalForm, text: str) -> int:
    """Of slices: a cut parts only what would have been joined, and joined characters never have more bytes than their parts.

    Whole texts are not normalised: a row of marks takes time by the square of its length (a million of them: hours).
    """
    slices = (text[at : at + _SLICE_CHARS] for at in range(0, len(text), _SLICE_CHARS))
    return sum(len(unicodedata.normalize(form, one).encode()) for one in slices)


def _cost_of_runs(text: str, runs: Runs) -> int:
    """In hundredths of a token."""
    line_ends = sum(map(len, _LINE_ENDS.findall(text))) if runs.line_ends else 0
    blanks = sum(map(len, _BLANKS.findall(text))) if runs.blanks else 0
    letters = others = 0
    for found in _REPEATED.finditer(text) if runs.letters or runs.others else ():
        if found[1].isalpha():
            letters += len(found[0])
        else:
            others += len(found[0])
    return line_ends * runs.line_ends + blanks * runs.blanks + letters * runs.letters + others * runs.others
