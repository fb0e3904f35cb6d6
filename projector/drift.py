"""What a provider reported against what we counted, and how much room that leaves for the next input.

A report above our count tightens the cap by the same ratio; one below it loosens nothing. Only recent steps speak, so that a run that
has changed its ways is not held to what was once the worst; what they say is never more than the profile allows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from evidence_store.errors import JsonValue

RECENT = 8
"""Steps that are looked back on."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Both figures of one input."""

    counted: int
    """By our rule (docs/formats/token-count.md)."""
    reported: int
    """All input tokens by the provider, those read from and written to its cache included."""

    def __post_init__(self) -> None:
        if isinstance(self.counted, bool) or isinstance(self.reported, bool) or self.counted <= 0 or self.reported <= 0:
            raise ValueError(f"no usage of an input: counted {self.counted}, reported {self.reported}")

    @property
    def is_low(self) -> bool:
        """Whether we counted less than the provider."""
        return self.reported > self.counted

    def over_cap(self, input_cap: int) -> int:
        """Tokens by which the input was over the cap in the provider's figures; 0 when it was not."""
        return max(0, self.reported - input_cap)

    def text(self, input_cap: int) -> str:
        """One line for people, with both figures."""
        over = self.over_cap(input_cap)
        said = f"counted {self.counted} tokens, the provider reported {self.reported}"
        return f"{said}: over the cap of {input_cap} by {over}" if over else said


@dataclass(frozen=True, slots=True)
class Drift:
    """The usage of recent steps of one model, the newest last. Counts of two counters do not belong in one."""

    MAX_STEPS: ClassVar = RECENT
    recent: tuple[Usage, ...] = ()

    def __post_init__(self) -> None:
        if len(self.recent) > RECENT:
            raise ValueError(f"a drift looks back on {RECENT} steps, not on {len(self.recent)}")

    def with_usage(self, usage: Usage) -> "Drift":
        """This drift after one more step."""
        return Drift((*self.recent, usage)[-RECENT:])

    def cap(self, input_cap: int) -> int:
        """What to plan the next input with, in our figures: the cap, or less by the worst of the recent ratios."""
        return min((input_cap * one.counted // one.reported for one in self.recent if one.is_low), default=input_cap)

    def warning(self, input_cap: int) -> str | None:
        """What to say of the newest step: None while our count was not too low."""
        newest = self.recent[-1] if self.recent else None
        return newest.text(input_cap) if newest and newest.is_low else None


# Members whose sum is all that the provider read. Anthropic leaves what its cache answers out of `input_tokens`, the others do not.
_MEMBERS = {
    "openai": (("input_tokens",), ("prompt_tokens",)),
    "anthropic": (("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),),
    "gemini": (("promptTokenCount", "toolUsePromptTokenCount"), ("prompt_token_count", "tool_use_prompt_token_count")),
}


def reported_input(provider: str, usage: Mapping[str, JsonValue]) -> int | None:
    """All input tokens that a provider's usage object speaks of; None when the provider or the figures are not known."""
    for names in _MEMBERS.get(provider, ()):
        if _is_count(usage.get(names[0])):
            return sum(value for name in names if isinstance(value := usage.get(name), int) and _is_count(value))
    return None


def _is_count(value: JsonValue) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
