"""Token figures of a run: what its inputs take, beside what whole tool outputs in one conversation would."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Spent:
    """Token figures of a run, by the count rule of the projections."""

    cap: int
    by_step: list[int] = field(default_factory=list)
    pasted: int = 0
    """Sum over the steps of the input with every message and tool output so far kept whole."""

    @property
    def peak(self) -> int:
        return max(self.by_step, default=0)

    @property
    def total(self) -> int:
        return sum(self.by_step)
