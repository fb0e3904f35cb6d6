"""Values of the loop: what it asks for, within which bounds, and what it reports of a run."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from evidence_store.model import ClaimView
from evidence_store.records.runs import RunKey

JsonObjects: TypeAlias = Sequence[Mapping[str, Any]]

Chat: TypeAlias = Callable[[JsonObjects, JsonObjects], Any]
"""Messages and tools in the form of OpenAI Chat, to be sent as they are, to the answer: the assistant's message or the whole completion,
as a mapping or as an object with `model_dump`. A coroutine function works with the asynchronous doors."""

Pause: TypeAlias = Callable[[float], Awaitable[None]]

How = Literal["concluded", "closed", "closing_failed", "stopped", "provider_failed", "over_budget"]
"""How a run ended: the model called no more tools; the closing step at the limit was answered, or was not, or was not to be made; the
provider could not be asked; or the input of a step cannot fit."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far a run goes."""

    max_steps: int = 50
    """Steps with tools; the closing step comes behind them."""
    closing_step: bool = True
    """False: at the limit the run ends with what is recorded."""
    max_attempts: int = 4
    """Of one step, the first included."""
    first_wait_s: float = 1.0
    """Before the second attempt where the provider names no time; doubled with each further one."""
    max_wait_s: float = 60.0
    """At most before one attempt; a provider that asks for more ends the run."""

    def __post_init__(self) -> None:
        if self.max_steps < 1 or self.max_attempts < 1 or self.first_wait_s < 0 or self.max_wait_s < 0:
            raise ValueError(f"no bounds of a run: {self!r}")


@dataclass(frozen=True, slots=True)
class Ask:
    """A model is to be asked."""

    messages: JsonObjects
    tools: JsonObjects


@dataclass(frozen=True, slots=True)
class Wait:
    """So many seconds are to pass."""

    seconds: float


@dataclass(frozen=True, slots=True)
class RunReport:
    """A run that ended, as the store has it."""

    run: RunKey
    agent: str
    how: How
    reason: str
    """Why it ended so, or why it is empty; empty where a run with claims concluded."""
    text: str
    """The last words of the agent. For people: a parent reads claims."""
    claims: tuple[ClaimView, ...]
    """Those that this run recorded, each with its present standing."""
    n_steps: int
    peak_tokens: int
    """Of its largest input."""
    sum_tokens: int
    """Of all its inputs."""

    @property
    def empty_run(self) -> bool:
        """Whether it recorded no claim; `reason` says why."""
        return not self.claims
