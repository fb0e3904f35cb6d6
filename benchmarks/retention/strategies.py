"""Ways to make the input of a model call from what came before: ours, and the whole history. Peers are in `peers`."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from api.sessions import REBUILD_TO
from api.tools import definitions
from benchmarks.retention.scenario import SYSTEM, Call, Message, Scenario
from benchmarks.retention.words import ID
from evidence_store.model import Packet
from projector import (
    EvidenceReader,
    Gate,
    GivenEvidence,
    Principal,
    Profile,
    Projected,
    Projection,
    Step,
    TokenCounter,
    counter_for,
    project,
)
from projector.compact import is_reference
from projector.layout import system_text

PROFILE = Profile("openai", "gpt-4o", 32_768, 4_096, 1_024, "o200k_base")
CAP = PROFILE.input_cap
DYNAMIC = 23_648
"""Tokens that a strategy may take for messages: the cap less 4 000 for system text and tools, as in our own budget."""
# A strategy without a store has the tools that read sources; claims and progress are ours.
_STORE_TOOLS = ("get_progress", "list_claims", "record_claim", "record_progress")


@dataclass(frozen=True, slots=True)
class Made:
    """The input of one model call."""

    messages: tuple[Message, ...]
    seconds: float
    summary_tokens: int = 0
    """What a summarizer read for it."""
    failure: str = ""
    """Why there is no input."""


class Strategy(Protocol):
    """Keeps the history of one run, and gives inputs. Messages come oldest first and each once."""

    tools: tuple[Message, ...]

    def start(self, scenario: Scenario) -> None:
        """Begins a run; forgets the one before."""

    def make(self, call: Call, more: tuple[Message, ...], results: dict[str, tuple[Packet, ...]]) -> Made:
        """The input of this call, after these further messages (those of a re-read, with their packets) when there are any."""

    def grep(self, key: str) -> str:
        """The lines of what the strategy wrote to files that speak of this key."""


def first_message(scenario: Scenario) -> Message:
    """The system message of every strategy: how to work, and the task as it was first given."""
    return {"role": "system", "content": system_text(SYSTEM, scenario.task)}


def reading_tools() -> tuple[Message, ...]:
    return tuple(dict(tool) for tool in definitions(recording=False) if _name(dict(tool)) not in _STORE_TOOLS)


def _name(tool: Message) -> str:
    return str(tool["function"]["name"])


def left_out(projection: Projection) -> bool:
    """Whether there was more to show: things left out for want of room, or references to what stands nowhere in full."""
    if any(line.reason in ("no room", "not reached") for line in projection.omitted):
        return True
    shown = {*projection.evidence, *projection.in_exchanges}
    bodies = [str(message.get("content")) for message in projection.messages if message.get("role") == "tool"]
    return any(not shown.issuperset(ID.findall(body)) for body in bodies if is_reference(body))


class FullHistory:
    """Everything, always."""

    def __init__(self) -> None:
        self.tools = reading_tools()
        self._messages: list[Message] = []

    def start(self, scenario: Scenario) -> None:
        self._messages = [first_message(scenario)]

    def make(self, call: Call, more: tuple[Message, ...], results: dict[str, tuple[Packet, ...]]) -> Made:
        begun = time.perf_counter()
        self._messages += more or call.fresh
        return Made(tuple(self._messages), time.perf_counter() - begun)

    def grep(self, key: str) -> str:
        return ""


class Ours:
    """The projector as `api.sessions.Session` calls it: the history, results by reference, progress, claims; nothing else is said."""

    def __init__(self, rebuild_to: int = REBUILD_TO, look: Callable[[Step, EvidenceReader, Gate], None] | None = None) -> None:
        """`look` is shown each step that an input was made of."""
        self.tools = tuple(dict(tool) for tool in definitions(recording=True))
        self._rebuild_to = rebuild_to
        self._look = look
        self._messages: list[Message] = []
        self._results: dict[str, tuple[Packet, ...]] = {}
        self._world = GivenEvidence(())
        self._counter: TokenCounter = counter_for(PROFILE.counter)
        self._before: Projection | None = None
        self.outcomes: list[str] = []
        """Texts of the outcomes that were no input."""
        self.crowded: list[tuple[int, int]] = []
        """Of each input that left something out: dynamic tokens used, and there were."""

    def start(self, scenario: Scenario) -> None:
        self._messages, self._results, self._before = [], {}, None
        self._world = GivenEvidence(scenario.packets.values())

    def make(self, call: Call, more: tuple[Message, ...], results: dict[str, tuple[Packet, ...]]) -> Made:
        self._messages += more or call.fresh_recorded
        self._results |= results if more else dict(call.results)
        step = Step(
            task=call.task,
            profile=PROFILE,
            system=SYSTEM,
            tools=self.tools,
            messages=tuple(self._messages),
            results=self._results,
            progress=call.progress,
            claims=call.claims,
            principal=Principal(call.clearances),
            strategy="externalise",
            rebuild_to=self._rebuild_to,
        )
        begun = time.perf_counter()
        outcome = project(step, self._world, self._counter, self._world, self._before)
        seconds = time.perf_counter() - begun
        if self._look is not None:
            self._look(step, self._world, self._world)
        if not isinstance(outcome, Projected):
            self.outcomes.append(outcome.text)
            return Made((), seconds, failure=outcome.text)
        receipt = outcome.projection.receipt
        self._before = outcome.projection
        if left_out(outcome.projection):
            self.crowded.append((receipt.dynamic_used, receipt.budget.dynamic))
        return Made(tuple(dict(message) for message in outcome.projection.messages), seconds)

    def grep(self, key: str) -> str:
        return ""
