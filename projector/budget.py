"""Token figures of one step: one field a term, and what follows from them.

    window 32 768 − output 4 096 − slack 1 024 = input cap 27 648;  − fixed 4 000 = dynamic 23 648

`fixed` is what system text, task section and tool definitions take: a reserve of 4 000, or what is counted when that is more.
"""

from dataclasses import dataclass, replace

from projector.drift import Drift

DEFAULT_RESERVE_TOKENS = 4_000
# What the count rule adds for the request as a whole: more than the framing of any provider we know (docs/formats/token-count.md).
REQUEST_TOKENS = 12


@dataclass(frozen=True, slots=True)
class Prices:
    """What input costs at a provider that keeps beginnings of inputs, in percent of a token that is read plainly."""

    read: int = 100
    """A token that was in the input before, too."""
    write: int = 100
    """A token that is new behind it, and is kept."""

    def billed(self, tokens: int, shared: int) -> float:
        """The billed equivalent, in tokens read plainly, of an input that shares so many of its tokens with the one before."""
        return (shared * self.read + (tokens - shared) * self.write) / 100


@dataclass(frozen=True, slots=True)
class Profile:
    """Which model reads the input, and how much of it."""

    provider: str
    model: str
    window: int
    """Tokens of input and output together."""
    output: int
    """Tokens kept free for the answer."""
    slack: int
    """Tokens kept free for what our count and the provider's may differ by."""
    counter: str
    """A name of `counter_for`."""
    reserve: int = DEFAULT_RESERVE_TOKENS
    """Least tokens set aside for the fixed part."""
    prices: Prices = Prices()

    def __post_init__(self) -> None:
        if min(self.window, self.output, self.slack, self.reserve) < 0 or self.input_cap <= 0:
            raise ValueError(f"no room for input: window {self.window}, output {self.output}, slack {self.slack}")

    @property
    def input_cap(self) -> int:
        return self.window - self.output - self.slack


@dataclass(frozen=True, slots=True)
class Budget:
    """The terms of one step's budget."""

    window: int
    output: int
    slack: int
    fixed: int
    """Tokens of the fixed part: the reserve, or what was counted when that is more."""

    @property
    def input_cap(self) -> int:
        """Tokens that the whole input may have."""
        return self.window - self.output - self.slack

    @property
    def dynamic(self) -> int:
        """Tokens left for all that changes from step to step; negative when the fixed part alone is over the cap."""
        return self.input_cap - self.fixed


def budget_for(profile: Profile, counted_fixed: int) -> Budget:
    """The budget of a step whose fixed part has so many tokens. In a window too small for the reserve, half of the cap is set aside."""
    reserve = min(profile.reserve, profile.input_cap // 2)
    return Budget(profile.window, profile.output, profile.slack, max(reserve, counted_fixed))


def tightened_cap(input_cap: int, drift: Drift) -> int:
    """The cap to plan with after what providers reported of recent steps; never above the cap that the profile gives."""
    return min(input_cap, drift.cap(input_cap))


def tightened(profile: Profile, drift: Drift) -> Profile:
    """The profile with so much more slack that its cap is the tightened one; at least one token of input stays."""
    cap = max(1, tightened_cap(profile.input_cap, drift))
    return replace(profile, slack=profile.slack + profile.input_cap - cap)
