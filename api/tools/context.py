"""What a tool call stands in: the store, and, where there is one, the run and step that it belongs to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Protocol, Self, runtime_checkable

from api.stores import AgentStore
from evidence_store.errors import JsonValue
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
    progress: Callable[[int, int, str], None] = lambda done, total, doing: None
    """Told, by tools that go through many places, how many of how many are done and what comes next."""

    def at(self, step: StepKey) -> Self:
        """The same for the calls of a step."""
        return replace(self, step=step)


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool answers: text in the documented grammar, and beside it the packets that the text shows."""

    text: str
    packets: tuple[Packet, ...] = ()
    outcome: Outcome = Outcome.OK
    facts: Mapping[str, JsonValue] = field(default_factory=lambda: MappingProxyType({}))
    """What else the text says, as values: lists, counts, where to go on (`api.tools.outputs`)."""


class Tools(Protocol):
    """Where our tools are called, and what those who call them keep results in: a ToolContext, or a server."""

    @property
    def store(self) -> AgentStore: ...
    @property
    def limit(self) -> Callable[[int], TextLimit]: ...
    @property
    def step(self) -> StepKey | None: ...
    def at(self, step: StepKey) -> Self: ...


@runtime_checkable
class CallsElsewhere(Protocol):
    """Tools that are called on a server, within the step that the call belongs to."""

    def call(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolAnswer:
        """The answer of a tool, errors among them. Raises StoreUnavailable, NotPermitted, InvalidInput for what cannot be sent."""
