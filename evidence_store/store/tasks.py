"""Tasks: goal and scope by revision, structured progress, judgements.

A task revision comes only through `add_revision`, and no function here takes text of a source.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from evidence_store.database import ReadConnection, WriteConnection
from evidence_store.errors import Conflict, InvalidInput, JsonValue, NotFound
from evidence_store.model import EvidenceId, ProgressItem, ProgressState, TaskName, TaskRevision
from evidence_store.records import evidence as evidence_records
from evidence_store.records import runs, tasks
from evidence_store.records.events import append_event
from evidence_store.records.runs import RunKey, StepKey
from evidence_store.records.tasks import PlacedJudgement, Proposal
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
        _require_task_name(new.task)
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
            self._insert_revision(connection, new, author, at)
        return new

    def _insert_revision(self, connection: WriteConnection, new: TaskRevision, author: str, at: int) -> None:
        tasks.insert_task_revision(connection, self._core.workspace, new, author, at)
        data = {
            "goal": new.goal,
            "in_scope": new.in_scope,
            "excluded": new.excluded,
            "constraints": new.constraints,
            "author": author,
        }
        append_event(connection, self._core.workspace, "task.revision", f"{new.task}@{new.number}", data, at)

    def get_revision(self, task: TaskName, number: int | None = None) -> TaskRevision:
        """One task revision, the newest without a number. Raises NotFound."""
        with self._core.database.reading() as connection:
            return require_task_revision(connection, self._core, task, number)

    def find_newest(self, task: TaskName) -> TaskRevision | None:
        with self._core.database.reading() as connection:
            return tasks.find_task_revision(connection, self._core.workspace, task)

    def list_newest(self, after: str, limit: int) -> Sequence[TaskRevision]:
        """The newest revision of each task behind a name, by name."""
        core = self._core
        with core.database.reading() as connection:
            names = tasks.list_tasks(connection, core.workspace, after, limit)
            return [require_task_revision(connection, core, name, None) for name in names]

    def list_revisions(self, task: TaskName, after: int, limit: int) -> Sequence[TaskRevision]:
        """The revisions of a task behind a number, oldest first. Raises NotFound."""
        with self._core.database.reading() as connection:
            newest = require_task_revision(connection, self._core, task, None)
            numbers = range(after + 1, min(newest.number, after + limit) + 1)
            return [require_task_revision(connection, self._core, task, number) for number in numbers]

    # -- constraints that users state

    def propose(self, task: TaskName, text: str, author: str, run: int | None = None, message: int | None = None) -> Proposal:
        """Keeps a constraint that a user stated, until somebody accepts or declines it. The same text that still waits is not kept twice.

        Raises InvalidInput for a text of a size that no constraint has, NotFound for an unknown task.
        """
        core, wording = self._core, text.strip()
        if not wording or len(wording) > MAX_SUBJECT_CHARS:
            raise InvalidInput(f"a constraint has 1 to {MAX_SUBJECT_CHARS} characters", {"limit": MAX_SUBJECT_CHARS}, code="bad_constraint")
        with core.database.writing() as connection:
            require_task_revision(connection, core, task, None)
            if run is not None and not runs.sees_known(connection, RunKey(core.workspace, task, run), core.clearances):
                raise NotFound(f"task {task[:200]!r} has no run {run}")
            for one in tasks.list_proposals(connection, core.workspace, task):
                if one.decision is None and one.text == wording:
                    return _as_seen(connection, core, task, one)
            at = core.clock()
            ordinal = tasks.insert_proposal(connection, core.workspace, task, wording, (run, message), author, at)
            data: dict[str, JsonValue] = {"text": wording, "run": run, "message": message, "author": author}
            append_event(connection, core.workspace, "constraint.proposed", f"{task}/P{ordinal}", data, at)
        return Proposal(ordinal, wording, run, message, author, None, None)

    def list_proposals(self, task: TaskName) -> Sequence[Proposal]:
        """All proposals of a task in order, with what was decided; the run only of who may see it. Raises NotFound."""
        core = self._core
        with core.database.reading() as connection:
            require_task_revision(connection, core, task, None)
            return [_as_seen(connection, core, task, one) for one in tasks.list_proposals(connection, core.workspace, task)]

    def accept(self, task: TaskName, proposal: int, author: str, *, excluding: bool = False) -> TaskRevision:
        """Makes a proposal part of the next task revision: a constraint, or with `excluding` an exclusion rule to the letter.

        Judgements of the revision before are stale from now on. Raises NotFound, or Conflict where it was decided before.
        """
        core = self._core
        with core.database.writing() as connection:
            found = self._require_open(connection, task, proposal)
            newest = require_task_revision(connection, core, task, None)
            following = replace(newest, number=newest.number + 1, proposed=())
            if excluding:
                following = replace(following, excluded=(*newest.excluded, found.text))
            else:
                following = replace(following, constraints=(*newest.constraints, found.text))
            at = core.clock()
            self._insert_revision(connection, following, author, at)
            self._decide(connection, task, found, "accepted", following.number, author, at)
            return require_task_revision(connection, core, task, None)

    def decline(self, task: TaskName, proposal: int, author: str) -> None:
        """Takes a proposal out of every input from now on. Raises NotFound, or Conflict where it was decided before."""
        with self._core.database.writing() as connection:
            found = self._require_open(connection, task, proposal)
            self._decide(connection, task, found, "declined", None, author, self._core.clock())

    def _require_open(self, connection: WriteConnection, task: TaskName, proposal: int) -> Proposal:
        require_task_revision(connection, self._core, task, None)
        found = [one for one in tasks.list_proposals(connection, self._core.workspace, task) if one.ordinal == proposal]
        if not found:
            raise NotFound(f"task {task[:200]!r} has no proposal P{proposal}")
        if found[0].decision is not None:
            raise Conflict(f"P{proposal} was {found[0].decision} before", {"known": found[0].decision}, code="decided")
        return found[0]

    def _decide(
        self,
        connection: WriteConnection,
        task: TaskName,
        found: Proposal,
        decision: Literal["accepted", "declined"],
        number: int | None,
        author: str,
        at: int,
    ) -> None:
        tasks.insert_decision(connection, self._core.workspace, task, found.ordinal, decision, number, author, at)
        data: dict[str, JsonValue] = {"decision": decision, "task_revision": number, "author": author}
        append_event(connection, self._core.workspace, "constraint.decided", f"{task}/P{found.ordinal}", data, at)

    # -- judgements

    def list_judgements(self, task: TaskName, after: int, limit: int) -> Sequence[PlacedJudgement]:
        """The newest judgement of each subject, behind a place; those of an older task revision among them. Raises NotFound."""
        core = self._core
        with core.database.reading() as connection:
            require_task_revision(connection, core, task, None)
            return tasks.list_newest_judgements(connection, core.workspace, task, after, limit, core.clearances)

    # -- progress

    def list_progress(self, task: TaskName) -> Sequence[ProgressItem]:
        """Where every subject stands, in the order in which the subjects came up; without those whose evidence the caller does not see."""
        with self._core.database.reading() as connection:
            core = self._core
            require_task_revision(connection, core, task, None)
            found = tasks.list_progress(connection, core.workspace, task)
            if core.clearances is None:
                return found
            cited = {id_ for one in found for id_ in one.evidence}
            seen = evidence_records.list_known_ids(connection, core.workspace, tuple(cited), core.clearances)
            return [one for one in found if seen.issuperset(one.evidence)]

    def record_progress(self, task: TaskName, items: Sequence[ProgressItem], step: StepKey | None = None) -> Sequence[ProgressItem]:
        """Adds the newest state of subjects and gives those that were added.

        A `todo` for a subject that is known leaves it as it is, so that finding a subject again starts nothing anew.
        Raises NotFound, and InvalidInput for an evidence that is not stored.
        """
        core = self._core
        with core.database.writing() as connection:
            revision = require_task_revision(connection, core, task, None)
            if step is not None and not (runs.sees_known(connection, step.run, core.clearances) and runs.has_step(connection, step)):
                raise NotFound(f"task {task[:200]!r} has no step {step.number} of a run {step.run.number}")
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


def _require_task_name(name: TaskName) -> None:
    if not name or len(name) > MAX_SUBJECT_CHARS or "\0" in name:
        raise InvalidInput(
            f"a task has a name of 1 to {MAX_SUBJECT_CHARS} characters, without NUL", {"limit": MAX_SUBJECT_CHARS}, code="bad_name"
        )


def require_progress(connection: ReadConnection, core: Core, item: ProgressItem) -> None:
    if not item.subject or len(item.subject) > MAX_SUBJECT_CHARS:
        raise InvalidInput(f"a subject has 1 to {MAX_SUBJECT_CHARS} characters", code="bad_subject")
    require_evidence_ids(connection, core, item.evidence)


def require_evidence_ids(connection: ReadConnection, core: Core, ids: Sequence[EvidenceId]) -> None:
    known = evidence_records.list_known_ids(connection, core.workspace, ids, core.clearances)
    for id_ in ids:
        if id_ not in known:
            raise InvalidInput(f"evidence {id_!r} is not known; cite ids that a tool answered with", {"id": id_}, code="unknown_id")


def _as_seen(connection: ReadConnection, core: Core, task: TaskName, proposal: Proposal) -> Proposal:
    """A proposal is part of the task, and binds whoever works on it; the run that it came from may be hidden."""
    run = proposal.run
    if run is None or core.clearances is None or runs.sees_known(connection, RunKey(core.workspace, task, run), core.clearances):
        return proposal
    return replace(proposal, run=None, message=None)
