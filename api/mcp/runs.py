"""The run of who comes with nothing but MCP: named by the call, else by the server's setting, else begun at the first call of a connection.

A step is one call: the server does not see the model's turns. What was answered is kept with it, as exposure *delivered*.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock

from evidence_store.canonical import storable
from evidence_store.errors import Conflict, InvalidInput, JsonValue
from evidence_store.model import Outcome, Packet, TaskName, TaskRevision
from evidence_store.records.runs import RunKey, StepKey
from evidence_store.store import EvidenceStore
from evidence_store.store.runs import ClosedCall, OpenCall, shown_of

DEFAULT_TASK = TaskName("mcp")
NEW = "new"
MAX_CALLERS = 10_000
"""Of one server over HTTP whose runs are known. Who has not called for longest begins another one."""
_NUMBERED = re.compile(r"(?s)(.+)/([1-9][0-9]{0,9})")


@dataclass(frozen=True, slots=True)
class RunName:
    """`TASK/RUN`, or `TASK` for a new run of it."""

    task: TaskName
    number: int | None = None


def parse_run(text: str) -> RunName:
    found = _NUMBERED.fullmatch(text)
    return RunName(TaskName(text)) if found is None else RunName(TaskName(found[1]), int(found[2]))


def format_run(key: RunKey) -> str:
    return f"{key.task}/{key.number}"


@dataclass(slots=True)
class Connection:
    """What a server knows of one connection, or, over HTTP, of all of them."""

    runs: dict[str, RunKey] = field(default_factory=dict)
    """By what tells the callers of one server apart; at most MAX_CALLERS, the last that called at the end."""
    lock: Lock = field(default_factory=Lock)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls."""

    connection: Connection
    key: str
    """Tells apart who shares the connection: a session, else a client."""
    agent: str


@dataclass(frozen=True, slots=True)
class EnteredRun:
    key: RunKey
    begun: bool
    """Whether this call began it, so that its name has to be said."""


class ImplicitRuns:
    """Finds or begins the run of a call."""

    def __init__(self, store: EvidenceStore, setting: RunName | None = None, own: str | None = None) -> None:
        """With `own`, a principal: calls that name a run go on with none but those that it began."""
        self._store = store
        self._setting = setting or RunName(DEFAULT_TASK)
        self._own = own

    def check_setting(self) -> None:
        """Raises NotFound where the setting names a run that there is not."""
        if self._setting.number is not None:
            self._store.runs.get_run(self._setting.task, self._setting.number)

    def enter(self, caller: Caller, named: str | None) -> EnteredRun:
        """The run of a call that names this run or none. Raises InvalidInput, NotFound."""
        if named == NEW:
            return self._begin(caller)
        if named is not None:
            return EnteredRun(self._named(named), begun=False)
        if self._setting.number is not None:
            return EnteredRun(self._store.runs.get_run(self._setting.task, self._setting.number), begun=False)
        with caller.connection.lock:
            runs = caller.connection.runs
            known = runs.pop(caller.key, None)
            entered = self._begin(caller) if known is None else EnteredRun(known, begun=False)
            runs[caller.key] = entered.key  # the last that was asked for stands last
            if len(runs) > MAX_CALLERS:
                del runs[next(iter(runs))]
        return entered

    def _named(self, text: str) -> RunKey:
        name = parse_run(text)
        if name.number is None:
            raise InvalidInput(f"run: {text[:80]!r} is no run; one looks like mcp/3, and {NEW!r} begins one", code="bad_argument")
        return self._store.runs.get_run(name.task, name.number, agent_prefix="" if self._own is None else f"{self._own} ")

    def _begin(self, caller: Caller) -> EnteredRun:
        """A run of the server's task. Where there is no such task, it has neither goal nor scope: nothing of a source gives it one."""
        task = self._setting.task
        with suppress(Conflict):  # a task that there is keeps its own; asked of the store at once, which other servers may share
            self._store.tasks.add_revision(TaskRevision(task, 1, "", (), (), ()), "mcp")
        return EnteredRun(self._store.runs.start(task, caller.agent), begun=True)

    def open(self, key: RunKey, name: str, arguments: Mapping[str, JsonValue]) -> StepKey:
        """Opens a step with this call in it."""
        step = self._store.runs.open_step(key)
        kept = storable(arguments)
        assert isinstance(kept, Mapping)
        self._store.runs.open_calls(step, "", [OpenCall(_call_id(step), str(storable(name)), kept)])
        return step

    def close(self, step: StepKey, outcome: Outcome, text: str, packets: Sequence[Packet]) -> None:
        """Keeps what was answered, and that its packets were delivered."""
        shown = tuple(map(shown_of, packets))
        self._store.runs.close_calls(step, [ClosedCall(_call_id(step), outcome, text, True, shown)])


def _call_id(step: StepKey) -> str:
    return f"mcp_{step.number}"
