"""What there is: tasks, their runs, and the calls of one, with what was delivered to it."""

from collections.abc import Sequence
from dataclasses import dataclass

from evidence_store.model import EvidenceId, TaskName
from evidence_store.records import listings, run_history, runs
from evidence_store.records.listings import CallRow, RunRow, TaskRow
from evidence_store.records.runs import RunKey, run_name
from evidence_store.store.core import Core
from evidence_store.store.holding import ENDED
from evidence_store.store.run_access import require_seen
from evidence_store.store.run_history import RunEnd, end_of
from evidence_store.store.tasks import require_task_revision


@dataclass(frozen=True, slots=True)
class ListedRun:
    row: RunRow
    end: RunEnd | None
    """None: it is at work, or was interrupted."""


@dataclass(frozen=True, slots=True)
class RunCalls:
    """The calls of a run, in their order."""

    calls: tuple[CallRow, ...]
    delivered: tuple[tuple[int, EvidenceId], ...]
    """Number of the step, and an evidence that was delivered in it."""


class Listings:
    """What one workspace holds."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list_tasks(self, after: str, limit: int) -> Sequence[TaskRow]:
        """Tasks in order of their names, those after this one."""
        with self._core.database.reading() as connection:
            return listings.list_tasks(connection, self._core.workspace, after, limit)

    def list_runs(self, task: TaskName, after: int, limit: int) -> Sequence[ListedRun]:
        """Runs of a task in order, those after this number. Raises NotFound."""
        workspace = self._core.workspace
        with self._core.database.reading() as connection:
            require_task_revision(connection, self._core, task, None)
            rows = [
                row
                for row in listings.list_runs(connection, workspace, task, after, limit)
                if runs.sees(connection, RunKey(workspace, task, row.number), self._core.clearances)
            ]
            names = [run_name(RunKey(workspace, task, row.number)) for row in rows]
            ends = [end_of(run_history.find_newest_payload(connection, workspace, ENDED, name)) for name in names]
        return [ListedRun(row, end) for row, end in zip(rows, ends, strict=True)]

    def get_calls(self, key: RunKey) -> RunCalls:
        """Raises NotFound."""
        with self._core.database.reading() as connection:
            require_seen(connection, self._core, key)
            return RunCalls(tuple(listings.list_calls(connection, key)), tuple(listings.list_delivered(connection, key)))
