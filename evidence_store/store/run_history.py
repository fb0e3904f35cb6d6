"""What a run left behind: all that is needed to go on with it, and how it ended.

An end is an event of the journal and nothing else: a run without one was interrupted, or is at work.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from evidence_store.database import ReadConnection
from evidence_store.errors import Conflict, JsonValue
from evidence_store.model import TaskName
from evidence_store.records import exposures, run_history, runs
from evidence_store.records.events import append_event
from evidence_store.records.exposures import RunExposure
from evidence_store.records.run_history import ResultRow, StepRow, UsedTokens
from evidence_store.records.runs import MessageRow, RunKey, run_name
from evidence_store.store.core import Core
from evidence_store.store.holding import ENDED, Hold, require_held
from evidence_store.store.run_access import require_seen
from evidence_store.store.tasks import require_task_revision

MAX_REASON_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run ended."""

    how: str
    """A word of whoever ran it (`api.loop.model.How`)."""
    reason: str
    empty: bool
    """Whether it recorded no claim."""


@dataclass(frozen=True, slots=True)
class RunHistory:
    """A run as it is stored, in one reading."""

    run: RunKey
    agent: str
    messages: tuple[MessageRow, ...]
    results: tuple[ResultRow, ...]
    steps: tuple[StepRow, ...]
    open_calls: tuple[str, ...]
    """Calls without a result."""
    end: RunEnd | None


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run in a list."""

    run: RunKey
    agent: str
    end: RunEnd | None


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A message of a run; one of a tool with the result of its call."""

    message: MessageRow
    result: ResultRow | None


class RunHistories:
    """The stored runs of one workspace."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def get(self, key: RunKey) -> RunHistory:
        """All that a run left. Raises NotFound."""
        with self._core.database.reading() as connection:
            agent = require_seen(connection, self._core, key)
            return RunHistory(
                key,
                agent,
                tuple(runs.list_messages(connection, key)),
                tuple(run_history.list_results(connection, key)),
                tuple(run_history.list_steps(connection, key)),
                tuple(runs.list_open_calls(connection, key)),
                self._find_end(connection, key),
            )

    def find_end(self, key: RunKey) -> RunEnd | None:
        """How a run ended; None for one that has not. Raises NotFound."""
        with self._core.database.reading() as connection:
            require_seen(connection, self._core, key)
            return self._find_end(connection, key)

    def end(self, key: RunKey, how: str, reason: str, hold: Hold | None = None) -> RunEnd:
        """Marks a run as ended, and whether it recorded a claim; a longer reason is cut at 2 000 characters.

        Raises NotFound, and Conflict for a run that has ended, or that another has taken from who holds it.
        """
        core = self._core
        with core.database.writing() as connection:
            require_seen(connection, core, key)
            if run_history.find_newest_payload(connection, key.workspace, ENDED, run_name(key)) is not None:
                raise Conflict(f"{run_name(key)} has ended", code="run_ended")
            if hold is not None:
                require_held(connection, hold)
            end = RunEnd(how, reason[:MAX_REASON_CHARS], not run_history.list_claim_numbers(connection, key))
            data: dict[str, JsonValue] = {"how": end.how, "reason": end.reason, "empty": end.empty}
            append_event(connection, core.workspace, "run.ended", run_name(key), data, core.clock())
        return end

    def list_runs(self, task: TaskName) -> Sequence[RunKey]:
        """The runs of a task in order, as far as they are seen."""
        core = self._core
        with core.database.reading() as connection:
            return run_history.list_runs(connection, core.workspace, task, clearances=core.clearances)

    def list_used_tokens(self, key: RunKey) -> Sequence[UsedTokens]:
        """What the stored inputs of a run take, in order of steps; a step may have several. Raises NotFound."""
        with self._core.database.reading() as connection:
            require_seen(connection, self._core, key)
            return run_history.list_used_tokens(connection, key)

    def list_summaries(self, task: TaskName, after: int, limit: int) -> Sequence[RunSummary]:
        """The runs of a task that are seen, in order, behind a number, with agent and end. Raises NotFound for an unknown task."""
        core = self._core
        with core.database.reading() as connection:
            require_task_revision(connection, core, task, None)
            keys = run_history.list_runs(connection, core.workspace, task, after, limit, core.clearances)
            return [RunSummary(key, runs.find_agent(connection, key) or "", self._find_end(connection, key)) for key in keys]

    def get_summary(self, key: RunKey) -> RunSummary:
        """Raises NotFound."""
        with self._core.database.reading() as connection:
            return RunSummary(key, require_seen(connection, self._core, key), self._find_end(connection, key))

    def _find_end(self, connection: ReadConnection, key: RunKey) -> RunEnd | None:
        return end_of(run_history.find_newest_payload(connection, key.workspace, ENDED, run_name(key)))

    def list_steps(self, key: RunKey, after: int = 0, limit: int | None = None) -> Sequence[StepRow]:
        """The steps of a run in order, behind a number. Raises NotFound."""
        with self._core.database.reading() as connection:
            require_seen(connection, self._core, key)
            return run_history.list_steps(connection, key, after, limit)

    def list_turns(self, key: RunKey, after: int, limit: int) -> Sequence[StoredTurn]:
        """The messages of a run behind a place, in order. Raises NotFound."""
        with self._core.database.reading() as connection:
            require_seen(connection, self._core, key)
            rows = runs.list_messages(connection, key, after, limit)
            calls = {row.ordinal: orjson.loads(row.body)["call"] for row in rows if row.role == "tool"}
            results = {one.call: one for one in run_history.list_results(connection, key, tuple(calls.values()))}
        return [StoredTurn(row, results.get(calls[row.ordinal]) if row.ordinal in calls else None) for row in rows]

    def list_exposures(self, key: RunKey, after: int, limit: int) -> Sequence[RunExposure]:
        """What a run was shown, in order, behind a place. Raises NotFound."""
        with self._core.database.reading() as connection:
            require_seen(connection, self._core, key)
            return exposures.list_run_exposures(connection, key, after, limit)

    def list_claim_ids(self, key: RunKey) -> Sequence[str]:
        """Ids of the claims that a run recorded and that are seen, in order."""
        with self._core.database.reading() as connection:
            return [f"C{number}" for number in run_history.list_claim_numbers(connection, key, self._core.clearances)]


def end_of(payload: bytes | None) -> RunEnd | None:
    """The end that an event tells of; None without one."""
    if payload is None:
        return None
    data = orjson.loads(payload)["data"]
    return RunEnd(data["how"], data["reason"], data["empty"])
