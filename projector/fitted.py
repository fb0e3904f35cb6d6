"""What goes into the stage that fits a step, and what comes out of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from evidence_store.model import EvidenceId
from projector.collect import Collected
from projector.dialects.forms import Dialect, Opening
from projector.dialogue import Passage
from projector.layout import Layout
from projector.model import JsonObject, Kept, Omitted, Step, Withheld
from projector.rejudge import Judged
from projector.strategy import ChosenStrategy

NOTHING = Withheld()


@dataclass(frozen=True, slots=True)
class Material:
    """What the stages before made of a step."""

    step: Step
    permitted: frozenset[EvidenceId]
    collected: Collected
    judged: Judged
    request: str
    dynamic_tokens: int
    dialect: Dialect
    opening: Opening
    tools: tuple[JsonObject, ...]
    chosen: ChosenStrategy
    spare_tokens: int = 0
    """Of the dynamic budget, what stays free for what is appended later, as far as there is a choice."""
    withheld: Withheld = NOTHING
    """What of progress and candidates the step has no longer, as the principal may not see it."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """What stands in the input, and the account of it."""

    layout: Layout
    kept: tuple[Kept, ...]
    omitted: tuple[Omitted, ...]
    evidence: tuple[EvidenceId, ...]
    in_exchanges: tuple[EvidenceId, ...]
    cited: tuple[EvidenceId, ...]
    open_calls: tuple[str, ...]
    withheld: Withheld


@dataclass(frozen=True, slots=True)
class Overfull:
    """What must stand does not fit: its parts, for whoever decides what to do instead."""

    must_tokens: int
    room_tokens: int
    open_exchange: Passage | None
    newest: Passage | None
    needed: tuple[tuple[EvidenceId, int], ...]
    needed_in_full: Mapping[EvidenceId, int]
    """What is needed and stands in full in one of the exchanges, with its tokens as a packet of its own."""
    kept: tuple[Kept, ...]


@dataclass(frozen=True, slots=True)
class Forbidden:
    """An open exchange, which must stand, names evidence that the principal may not see."""

    name: str
