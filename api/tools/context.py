"""What a tool call stands in: the store, and, where there is one, the run and step that it belongs to."""

from collections.abc import Callable
from dataclasses import dataclass

from evidence_store.model import Outcome, Packet, TextLimit
from evidence_store.records.runs import StepKey
from evidence_store.store import EvidenceStore

DEFAULT_MAX_TOKENS = 2000
MAX_MAX_TOKENS = 100_000


@dataclass(frozen=True, slots=True)
class ToolContext:
    store: EvidenceStore
    limit: Callable[[int], TextLimit]
    """A limit of so many tokens."""
    step: StepKey | None = None
    """None outside a run: then nothing is pinned and nothing can be recorded."""
    author: str = "agent"


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool answers: text in the documented grammar, and beside it the packets that the text shows."""

    text: str
    packets: tuple[Packet, ...] = ()
    outcome: Outcome = Outcome.OK
