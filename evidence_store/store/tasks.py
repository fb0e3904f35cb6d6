"""Tasks: goal and scope by revision, structured progress, judgements.

A task revision comes only through `add_revision`, and no function here takes text of a source.
"""

from collections.abc import Sequence
from dataclasses import replace

from evidence_store.database import ReadConnection
from evidence_store.errors import Conflict, InvalidInput, NotFound
from evidence_store.model import EvidenceId, ProgressItem, ProgressState, TaskName, TaskRevision
from evidence_store.records import evidence as evidence_records
from evidence_store.records import tasks
from evidence_store.records.events import append_event
from evidence_store.records.runs import StepKey
from evidence_store.store.core import Core

MAX_SUBJECT_CHARS = 1000


class Tasks:
    """Tasks of one workspace."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def add_revision(self, new: TaskRevision, author: str) -> TaskRevision:
        """Stores the next state of a task's goal and scope; `new.number` is the number that it must get.

        The same content as the newest revision changes nothing. Raises Conflict when another revision came first.
        """
        core = self._core
        if not new.task or len(new.task) > MAX_SUBJECT_CHARS:
            raise InvalidInput("a task has a name of 1 to 1000 characters", code="bad_name")
        with core.database.writing() as connection:
            known = tasks.find_task_revision(connection, core.workspace, new.task)
            if known is not None and replace(known, number=new.number, proposed=new.proposed) == new:
                return known
            number = 0 if known is None else known.number
            if new.number != number + 1:
                raise Conflict(f"task {new.task!r} is at revision {number}, {new.number} cannot follow", {"known": number})
            at = core.clock()
            if known is None:
                tasks.insert_task(connection, core.workspace, new.task, at)
            tasks.insert_task_revision(connection, core.workspace, new, author, at)
            data = {
                "goal": new.goal,
                "in_scope": new.in_scope,
                "excluded": new.excluded,
                "constraints": new.constraints,
                "author": author,
            }
            append_event(connection, core.workspace, "task.revision", f"{new.task}@{new.number}", data, at)
        return new

    def get_revision(self, task: TaskName, number: int | None = None) -> TaskRevision:
        """One task revision, the newest without a number. Raises NotFound."""
        with self._core.database.reading() as connection:
            return require_task_revision(connection, self._core, task, number)

    def find_newest(self, task: TaskName) -> TaskRevision | None:
        with self._core.database.reading() as connection:
            return tasks.find_task_revision(connection, self._core.workspace, task)

    def list_progress(self, task: TaskName) -> Sequence[ProgressItem]:
        """Where every subject stands, in the order in which the subjects came up."""
        with self._core.database.reading() as connection:
            require_task_revision(connection, self._core, task, None)
            return tasks.list_progress(connection, self._core.workspace, task)

    def record_progress(self, task: TaskName, items: Sequence[ProgressItem], step: StepKey | None = None) -> Sequence[ProgressItem]:
        """Adds the newest state of subjects and gives those that were added.

        A `todo` for a subject that is known leaves it as it is, so that finding a subject again starts nothing anew.
        Raises InvalidInput for an evidence that is not stored.
        """
        core = self._core
        with core.database.writing() as connection:
            revision = require_task_revision(connection, core, task, None)
            seen: set[str] = set()
            added = []
            for item in items:
                require_progress(connection, core, item)
                known = item.subject in seen or tasks.has_subject(connection, core.workspace, task, item.subject)
                if not (item.state is ProgressState.TODO and known):
                    added.append(item)
                seen.add(item.subject)
            run = None if step is None else step.run.number
            at = core.clock()
            number = None if step is None else step.number
            tasks.insert_progress(connection, core.workspace, task, added, revision.number, run, number, at)
            if added:
                data = {"items": [[item.subject, item.state.value, list(item.evidence)] for item in added]}
                append_event(connection, core.workspace, "progress.recorded", task, data, at)
        return added


def require_task_revision(connection: ReadConnection, core: Core, task: TaskName, number: int | None) -> TaskRevision:
    found = tasks.find_task_revision(connection, core.workspace, task, number)
    if found is None:
        raise NotFound(f"there is no task {task[:200]!r}" if number is None else f"task {task[:200]!r} has no revision {number}")
    return found


def require_progress(connection: ReadConnection, core: Core, item: ProgressItem) -> None:
    if not item.subject or len(item.subject) > MAX_SUBJECT_CHARS:
        raise InvalidInput(f"a subject has 1 to {MAX_SUBJECT_CHARS} characters", code="bad_subject")
    require_evidence_ids(connection, core, item.evidence)


def require_evidence_ids(connection: ReadConnection, core: Core, ids: Sequence[EvidenceId]) -> None:
    known = evidence_records.list_known_ids(connection, core.workspace, ids)
    for id_ in ids:
        if id_ not in known:
            raise InvalidInput(f"evidence {id_!r} is not known; cite ids that a tool answered with", {"id": id_}, code="unknown_id")
