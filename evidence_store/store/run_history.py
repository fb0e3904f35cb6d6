"""What a run left behind: all that is needed to go on with it, and how it ended.

An end is an event of the journal and nothing else: a run without one was interrupted, or is at work.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from evidence_store.errors import Conflict, JsonValue, NotFound
from evidence_store.model import TaskName
from evidence_store.records import run_history, runs
from evidence_store.records.events import append_event
from evidence_store.records.run_history import ResultRow, StepRow
from evidence_store.records.runs import MessageRow, RunKey, run_name
from evidence_store.store.core import Core
from evidence_store.store.holding import ENDED, Hold, require_held

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


class RunHistories:
    """The stored runs of one workspace."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def get(self, key: RunKey) -> RunHistory:
        """All that a run left. Raises NotFound."""
        with self._core.database.reading() as connection:
            agent = runs.find_agent(connection, key)
            if agent is None:
                raise NotFound(f"there is no run {run_name(key)!r}")
            return RunHistory(
                key,
                agent,
                tuple(runs.list_messages(connection, key)),
                tuple(run_history.list_results(connection, key)),
                tuple(run_history.list_steps(connection, key)),
                tuple(runs.list_open_calls(connection, key)),
                end_of(run_history.find_newest_payload(connection, key.workspace, ENDED, run_name(key))),
            )

    def find_end(self, key: RunKey) -> RunEnd | None:
        """How a run ended; None for one that has not. Raises NotFound."""
        with self._core.database.reading() as connection:
            if runs.find_agent(connection, key) is None:
                raise NotFound(f"there is no run {run_name(key)!r}")
            return end_of(run_history.find_newest_payload(connection, key.workspace, ENDED, run_name(key)))

    def end(self, key: RunKey, how: str, reason: str, hold: Hold | None = None) -> RunEnd:
        """Marks a run as ended, and whether it recorded a claim; a longer reason is cut at 2 000 characters.

        Raises NotFound, and Conflict for a run that has ended, or that another has taken from who holds it.
        """
        core = self._core
        with core.database.writing() as connection:
            if runs.find_agent(connection, key) is None:
                raise NotFound(f"there is no run {run_name(key)!r}")
            if run_history.find_newest_payload(connection, key.workspace, ENDED, run_name(key)) is not None:
                raise Conflict(f"{run_name(key)} has ended", code="run_ended")
            if hold is not None:
                require_held(connection, hold)
            end = RunEnd(how, reason[:MAX_REASON_CHARS], not run_history.list_claim_numbers(connection, key))
            data: dict[str, JsonValue] = {"how": end.how, "reason": end.reason, "empty": end.empty}
            append_event(connection, core.workspace, "run.ended", run_name(key), data, core.clock())
        return end

    def list_runs(self, task: TaskName) -> Sequence[RunKey]:
        """The runs of a task in order."""
        with self._core.database.reading() as connection:
            return run_history.list_runs(connection, self._core.workspace, task)

    def list_claim_ids(self, key: RunKey) -> Sequence[str]:
        """Ids of the claims that a run recorded, in order."""
        with self._core.database.reading() as connection:
            return [f"C{number}" for number in run_history.list_claim_numbers(connection, key)]


def end_of(payload: bytes | None) -> RunEnd | None:
    """The end that an event tells of; None without one."""
    if payload is None:
        return None
    data = orjson.loads(payload)["data"]
    return RunEnd(data["how"], data["reason"], data["empty"])
