"""Figures without a tokenizer of the model's own: the bytes bound, and estimates for families that publish none.

A byte-level BPE never makes more tokens than the text has UTF-8 bytes. The factors were measured on 26 kinds of text
(prose in nine languages, specs, logs, code, digits, hex, base64, emoji) against each family's tokenizer or, for Claude, an
unofficial reconstruction of it; each stands above the worst ratio seen. So they are estimates, not bounds.
"""

import re
from dataclasses import dataclass
from math import ceil

from projector.ports import Exactness, TokenCounter
from projector.render.scalars import repair_surrogates


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


@dataclass(frozen=True, slots=True)
class Family:
    """How a family's counts are estimated from the larger of two known ones."""

    factor_percent: int
    digits_alone: bool
    """Whether it spends a token on each digit."""


# worst ratio seen → factor: 1.00 → 1.05, 1.22 → 1.25, 1.00 → 1.05, 1.18 → 1.25, 1.35 → 1.40, 1.33 → 1.40, 1.35 → 1.45, 1.81 → 1.90
FAMILIES: dict[str, Family] = {
    "llama-3": Family(105, False),
    "deepseek": Family(125, False),
    "qwen-3": Family(105, True),
    "qwen-3.5": Family(125, True),
    "mistral": Family(140, True),
    "gemma": Family(140, True),
    "claude-3": Family(145, False),
    "claude": Family(190, False),
}

_DIGITS = re.compile(r"[0-9]{2,}")


class EstimatingCounter:
    """min(bytes, factor × larger of two known counts), with a token a digit where the family counts so."""

    def __init__(self, family: str, known: tuple[TokenCounter, ...]) -> None:
        self._name = family
        self._family = FAMILIES[family]
        self._known = known

    @property
    def id(self) -> str:
        return f"estimate:{self._name}"

    @property
    def exactness(self) -> Exactness:
        return "estimate"

    def count(self, text: str) -> int:
        """An estimate that was never too low on the kinds of text it was measured on."""
        base = max(counter.count(text) for counter in self._known)
        if self._family.digits_alone:
            base += sum(len(run) - ceil(len(run) / 3) for run in _DIGITS.findall(text))
        return min(-(-base * self._family.factor_percent // 100), len(repair_surrogates(text).encode()))
