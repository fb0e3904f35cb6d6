"""How an input is filled: shares and floors of the dynamic budget, the order of claim where it may differ, windows, thresholds.

Data only. What must stand, the cap and the rules of `project` are the same under every strategy; docs/formats/step.md has the fields.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, get_args

from evidence_store.errors import JsonValue
from projector.errors import RefusedStep

Claimant = Literal["evidence", "facts", "open", "excluded", "progress", "dialogue", "background"]
CLAIMANTS: Final[tuple[Claimant, ...]] = get_args(Claimant)
NamedStrategy = Literal["default", "short-chat", "long-dialogue", "tool-heavy", "document-comparison", "root-cause"]
StrategyName: TypeAlias = NamedStrategy | Literal["", "externalise", "auto"]
"""Empty is the default one; `externalise` the same where it may externalise by itself; `auto` leaves it to `strategy_for`."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """Raises RefusedStep, naming all that is wrong. Shares and floors are percents of the dynamic budget, thresholds of the cap."""

    name: str
    why: str
    """What it is for, in one line."""
    order: tuple[Claimant, ...] = CLAIMANTS
    """Who takes first of what is left beside what must stand; all of them, each once."""
    facts_floor: int = 10
    """Kept free for facts in use while others take before them; an unused floor flows on."""
    open_floor: int = 5
    excluded_floor: int = 5
    progress_floor: int = 5
    """Of subjects to be worked on; also the most that they take before all else had its turn."""
    evidence_floor: int = 0
    """Of this step's evidence; revisions of one resource have equal parts of it before other evidence."""
    dialogue_floor: int = 0
    doing_share: int = 25
    """At most for subjects being worked on, which stand before all else."""
    dialogue_share: int = 25
    """At most for recent turns before all else had its turn."""
    background_share: int = 10
    candidate_share: int = 5
    """At most for one piece of background."""
    result_rounds: int | None = None
    """How many of the newest exchanges keep results whole that can be had again; None: all do, where there is room."""
    dialogue_messages: int | None = None
    """Turns further back than so many messages wait until all else had its turn; None: none does."""
    keep_messages: int = 8
    """Newest messages that compaction leaves as they are."""
    compact_at: int = 80
    """From where on compaction is due."""
    rebuild_at: int = 80
    """From where on an input that was appended to is made anew."""
    rebuild_to: int = 100
    """What it is made anew to, so that it can grow again; 100: each input is made anew."""
    may_externalise: bool = False
    """Whether results of the newest exchange are replaced by references where it does not fit, instead of asking for it."""

    def __post_init__(self) -> None:
        faults = [*self._percent_faults(), *self._other_faults()]
        if faults:
            raise RefusedStep(f"strategy {self.name!r}: {'; '.join(faults)}", {"path": "/strategy"})

    def floor(self, claimant: Claimant) -> int:
        """Percents kept free for a claimant."""
        match claimant:
            case "evidence":
                return self.evidence_floor
            case "facts":
                return self.facts_floor
            case "open":
                return self.open_floor
            case "excluded":
                return self.excluded_floor
            case "progress":
                return self.progress_floor
            case "dialogue":
                return self.dialogue_floor
            case "background":
                return 0

    def _percent_faults(self) -> list[str]:
        return [f"{name} is {value}, not within 0 to 100" for name in PERCENTS if not 0 <= (value := getattr(self, name)) <= 100]

    def _other_faults(self) -> list[str]:
        faults = [f"{name} is below 0" for name in WINDOWS if (getattr(self, name) or 0) < 0]
        if sorted(self.order) != sorted(CLAIMANTS):
            faults.append(f"order is to name each of {', '.join(CLAIMANTS)} once")
        if (floors := sum(map(self.floor, CLAIMANTS))) > 100:
            faults.append(f"the floors make {floors}, more than 100")
        if self.dialogue_floor > self.dialogue_share:
            faults.append(f"dialogue_floor is {self.dialogue_floor}, more than dialogue_share {self.dialogue_share}")
        if self.rebuild_at < self.rebuild_to < 100:
            faults.append(f"rebuild_to is {self.rebuild_to}, more than rebuild_at {self.rebuild_at}")
        return faults


TUNABLE: Final = tuple(one.name for one in fields(Strategy) if one.name not in ("name", "why"))
"""What a step may change of a named one."""
PERCENTS: Final = tuple(name for name in TUNABLE if name.endswith(("_floor", "_share", "_at", "_to")))
WINDOWS: Final = ("result_rounds", "dialogue_messages", "keep_messages")

DEFAULT: Final = Strategy("default", "mixed work: this step's evidence first, a quarter for recent turns")
EXTERNALISE: Final = replace(DEFAULT, may_externalise=True)
_NAMED: Final = (
    DEFAULT,
    Strategy(
        "short-chat",
        "little was said yet: recent turns come first",
        order=("dialogue", "evidence", "facts", "open", "excluded", "progress", "background"),
        evidence_floor=20,
        dialogue_share=60,
    ),
    Strategy(
        "long-dialogue",
        "many turns: half of the room is for them, and results of older exchanges stand by reference",
        dialogue_floor=40,
        dialogue_share=50,
        result_rounds=2,
        keep_messages=24,
    ),
    Strategy(
        "tool-heavy",
        "mostly tool results: those behind the newest three exchanges stand by reference, so that more of the run is seen",
        dialogue_share=40,
        result_rounds=3,
        may_externalise=True,
    ),
    Strategy(
        "document-comparison",
        "two revisions side by side: each has its part of the room before other evidence, and dialogue has less",
        evidence_floor=50,
        dialogue_share=15,
        dialogue_messages=20,
        may_externalise=True,
    ),
    Strategy(
        "root-cause",
        "claims that contradict each other: what is open comes first, then the facts, then evidence",
        order=("open", "facts", "evidence", "excluded", "progress", "dialogue", "background"),
        open_floor=15,
        facts_floor=15,
        evidence_floor=30,
        dialogue_share=15,
    ),
)
NAMED_STRATEGIES: Final[Mapping[str, Strategy]] = MappingProxyType({one.name: one for one in _NAMED})


@dataclass(frozen=True, slots=True)
class ChosenStrategy:
    """The strategy of one input."""

    strategy: Strategy
    reason: str
    """Why it is this one; names nothing that the step holds."""


def changed_fields(strategy: Strategy) -> dict[str, JsonValue]:
    """In what it differs from the one of its name, as JSON; from the default one where there is none of its name."""
    base = NAMED_STRATEGIES.get(strategy.name, DEFAULT)
    values = {name: getattr(strategy, name) for name in TUNABLE if getattr(strategy, name) != getattr(base, name)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
