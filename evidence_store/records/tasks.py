"""Rows of tasks, their revisions, progress and judgements."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import orjson
from sqlalchemy import Select, func, insert, select

from evidence_store.canonical import canonical_bytes
from evidence_store.database import ReadConnection, WriteConnection
from evidence_store.model import Clearances, EvidenceId, ProgressItem, ProgressState, TaskName, TaskRevision, WorkspaceName
from evidence_store.records.sight_of_work import is_cleared_for
from evidence_store.tables.tasks import judgements, progress, progress_evidence, proposal_events, proposals, task_revisions, tasks


@dataclass(frozen=True, slots=True)
class Judgement:
    """What somebody decided about an evidence or a claim under one task revision."""

    subject_kind: Literal["evidence", "claim"]
    subject: str
    task_revision: int
    verdict: Literal["applies", "rejected"]
    judge: str
    reason: str


def has_task(connection: ReadConnection, workspace: WorkspaceName, task: TaskName) -> bool:
    return connection.execute(select(tasks.c.name).where(tasks.c.workspace == workspace, tasks.c.name == task)).first() is not None


def list_tasks(connection: ReadConnection, workspace: WorkspaceName, after: str, limit: int) -> Sequence[TaskName]:
    """Names of tasks behind a name, in order."""
    query = select(tasks.c.name).where(tasks.c.workspace == workspace, tasks.c.name > after).order_by(tasks.c.name).limit(limit)
    return [TaskName(name) for name in connection.execute(query).scalars()]


def insert_task(connection: WriteConnection, workspace: WorkspaceName, task: TaskName, at: int) -> None:
    connection.execute(insert(tasks).values(workspace=workspace, name=task, created_at=at))


def find_task_revision(
    connection: ReadConnection, workspace: WorkspaceName, task: TaskName, number: int | None = None
) -> TaskRevision | None:
    """One task revision, the newest without a number, with the constraints that are proposed now."""
    columns = (
        task_revisions.c.number,
        task_revisions.c.goal,
        task_revisions.c.in_scope,
        task_revisions.c.excluded,
        task_revisions.c.constraints,
    )
    query = select(*columns).where(task_revisions.c.workspace == workspace, task_revisions.c.task == task)
    query = query.order_by(task_revisions.c.number.desc()).limit(1) if number is None else query.where(task_revisions.c.number == number)
    row = connection.execute(query).first()
    if row is None:
        return None
    in_scope, excluded, constraints = (tuple(orjson.loads(text)) for text in row[2:5])
    return TaskRevision(task, row[0], row[1], in_scope, excluded, constraints, _list_proposed(connection, workspace, task))


def _list_proposed(connection: ReadConnection, workspace: WorkspaceName, task: TaskName) -> tuple[str, ...]:
    return tuple(one.text for one in list_proposals(connection, workspace, task) if one.decision is None)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A constraint that a user stated, and what was decided about it."""

    ordinal: int
    """1-based within the task."""
    text: str
    run: int | None
    message: int | None
    """Of the run: the user's message that states it."""
    author: str
    decision: Literal["accepted", "declined"] | None
    task_revision: int | None
    """The task revision that an accepted one became."""


def list_proposals(connection: ReadConnection, workspace: WorkspaceName, task: TaskName) -> Sequence[Proposal]:
    """All proposals of a task in order, also those that were decided."""
    decided = (proposal_events.c.workspace == proposals.c.workspace) & (proposal_events.c.task == proposals.c.task)
    events = proposals.outerjoin(proposal_events, decided & (proposal_events.c.proposal == proposals.c.ordinal))
    columns = (
        proposals.c.ordinal,
        proposals.c.text,
        proposals.c.run,
        proposals.c.message,
        proposals.c.author,
        proposal_events.c.decision,
        proposal_events.c.task_revision,
    )
    query = select(*columns).select_from(events).where(proposals.c.workspace == workspace, proposals.c.task == task)
    return [Proposal(*row) for row in connection.execute(query.order_by(proposals.c.ordinal))]


def insert_proposal(
    connection: WriteConnection,
    workspace: WorkspaceName,
    task: TaskName,
    text: str,
    place: tuple[int | None, int | None],
    author: str,
    at: int,
) -> int:
    """Adds a proposal and gives its ordinal; `place` is the run and the message in it."""
    mine = (proposals.c.workspace == workspace, proposals.c.task == task)
    ordinal = (connection.execute(select(func.max(proposals.c.ordinal)).where(*mine)).scalar() or 0) + 1
    run, message = place
    row = {"workspace": workspace, "task": task, "ordinal": ordinal, "text": text, "run": run, "message": message, "author": author}
    connection.execute(insert(proposals).values({**row, "created_at": at}))
    return ordinal


def insert_decision(
    connection: WriteConnection,
    workspace: WorkspaceName,
    task: TaskName,
    proposal: int,
    decision: Literal["accepted", "declined"],
    task_revision: int | None,
    author: str,
    at: int,
) -> None:
    row = {
        "workspace": workspace,
        "task": task,
        "proposal": proposal,
        "decision": decision,
        "task_revision": task_revision,
        "author": author,
        "at": at,
    }
    connection.execute(insert(proposal_events).values(row))


def insert_task_revision(connection: WriteConnection, workspace: WorkspaceName, new: TaskRevision, author: str, at: int) -> None:
    row = {
        "workspace": workspace,
        "task": new.task,
        "number": new.number,
        "goal": new.goal,
        "in_scope": canonical_bytes(new.in_scope).decode(),
        "excluded": canonical_bytes(new.excluded).decode(),
        "constraints": canonical_bytes(new.constraints).decode(),
        "author": author,
        "created_at": at,
    }
    connection.execute(insert(task_revisions).values(row))


def list_progress(connection: ReadConnection, workspace: WorkspaceName, task: TaskName) -> Sequence[ProgressItem]:
    """The newest row of every subject, in the order in which the subjects first came up."""
    mine = (progress.c.workspace == workspace, progress.c.task == task)
    newest = select(func.min(progress.c.ordinal).label("first"), func.max(progress.c.ordinal).label("last")).where(*mine)
    places = newest.group_by(progress.c.subject).subquery()
    columns = (progress.c.ordinal, progress.c.subject, progress.c.state, progress.c.next, progress.c.uses)
    query = select(*columns).join(places, progress.c.ordinal == places.c.last).where(*mine).order_by(places.c.first)
    cited = _progress_evidence(connection, workspace, task, select(places.c.last))
    return [
        ProgressItem(subject, ProgressState(state), cited.get(ordinal, ()), following, tuple(orjson.loads(uses)))
        for ordinal, subject, state, following, uses in connection.execute(query)
    ]


def _progress_evidence(
    connection: ReadConnection, workspace: WorkspaceName, task: TaskName, ordinals: Select[tuple[int]]
) -> dict[int, tuple[EvidenceId, ...]]:
    columns = (progress_evidence.c.ordinal, progress_evidence.c.evidence)
    mine = (progress_evidence.c.workspace == workspace, progress_evidence.c.task == task, progress_evidence.c.ordinal.in_(ordinals))
    query = select(*columns).where(*mine).order_by(progress_evidence.c.ordinal, progress_evidence.c.position)
    found: dict[int, list[EvidenceId]] = {}
    for ordinal, id_ in connection.execute(query):
        found.setdefault(ordinal, []).append(EvidenceId(id_))
    return {ordinal: tuple(ids) for ordinal, ids in found.items()}


def has_subject(connection: ReadConnection, workspace: WorkspaceName, task: TaskName, subject: str) -> bool:
    query = select(progress.c.ordinal).where(progress.c.workspace == workspace, progress.c.task == task, progress.c.subject == subject)
    return connection.execute(query.limit(1)).first() is not None


def insert_progress(
    connection: WriteConnection,
    workspace: WorkspaceName,
    task: TaskName,
    items: Sequence[ProgressItem],
    task_revision: int,
    run: int | None,
    step: int | None,
    at: int,
) -> None:
    mine = (progress.c.workspace == workspace, progress.c.task == task)
    first = (connection.execute(select(func.max(progress.c.ordinal)).where(*mine)).scalar() or 0) + 1
    rows = [
        {
            "workspace": workspace,
            "task": task,
            "ordinal": ordinal,
            "subject": item.subject,
            "state": item.state.value,
            "next": item.next,
            "uses": canonical_bytes(item.uses).decode(),
            "task_revision": task_revision,
            "run": run,
            "step": step,
            "at": at,
        }
        for ordinal, item in enumerate(items, first)
    ]
    links = [
        {"workspace": workspace, "task": task, "ordinal": ordinal, "position": position, "evidence": id_}
        for ordinal, item in enumerate(items, first)
        for position, id_ in enumerate(item.evidence)
    ]
    if rows:
        connection.execute(insert(progress), rows)
    if links:
        connection.execute(insert(progress_evidence), links)


def insert_judgements(connection: WriteConnection, workspace: WorkspaceName, task: TaskName, new: Sequence[Judgement], at: int) -> None:
    mine = (judgements.c.workspace == workspace, judgements.c.task == task)
    first = (connection.execute(select(func.max(judgements.c.ordinal)).where(*mine)).scalar() or 0) + 1
    rows = [
        {
            "workspace": workspace,
            "task": task,
            "ordinal": ordinal,
            "subject_kind": one.subject_kind,
            "subject": one.subject,
            "task_revision": one.task_revision,
            "verdict": one.verdict,
            "judge": one.judge,
            "reason": one.reason,
            "at": at,
        }
        for ordinal, one in enumerate(new, first)
    ]
    if rows:
        connection.execute(insert(judgements), rows)


def find_judgement(connection: ReadConnection, workspace: WorkspaceName, task: TaskName, kind: str, subject: str) -> Judgement | None:
    """The newest judgement of a subject, under whichever task revision it was made."""
    columns = (judgements.c.task_revision, judgements.c.verdict, judgements.c.judge, judgements.c.reason)
    query = select(*columns).where(
        judgements.c.workspace == workspace,
        judgements.c.task == task,
        judgements.c.subject_kind == kind,
        judgements.c.subject == subject,
    )
    row = connection.execute(query.order_by(judgements.c.ordinal.desc()).limit(1)).first()
    return None if row is None else Judgement("evidence" if kind == "evidence" else "claim", subject, row[0], row[1], row[2], row[3])


def iter_progress(connection: ReadConnection, workspace: WorkspaceName, task: TaskName) -> Iterator[ProgressItem]:
    """Every row of progress in the order of recording, the later states of a subject after the earlier ones."""
    all_rows = select(progress.c.ordinal).where(progress.c.workspace == workspace, progress.c.task == task)
    cited = _progress_evidence(connection, workspace, task, all_rows)
    columns = (progress.c.ordinal, progress.c.subject, progress.c.state, progress.c.next, progress.c.uses)
    query = select(*columns).where(progress.c.workspace == workspace, progress.c.task == task).order_by(progress.c.ordinal)
    for ordinal, subject, state, following, uses in connection.execute(query):
        yield ProgressItem(subject, ProgressState(state), cited.get(ordinal, ()), following, tuple(orjson.loads(uses)))


def iter_judgements(connection: ReadConnection, workspace: WorkspaceName, task: TaskName) -> Iterator[Judgement]:
    """Every judgement of a task in the order of recording."""
    columns = (
        judgements.c.subject_kind,
        judgements.c.subject,
        judgements.c.task_revision,
        judgements.c.verdict,
        judgements.c.judge,
        judgements.c.reason,
    )
    query = select(*columns).where(judgements.c.workspace == workspace, judgements.c.task == task).order_by(judgements.c.ordinal)
    for row in connection.execute(query):
        yield Judgement(*row)


@dataclass(frozen=True, slots=True)
class PlacedJudgement:
    """A judgement at its place among those of its task."""

    ordinal: int
    judgement: Judgement


def list_newest_judgements(
    connection: ReadConnection, workspace: WorkspaceName, task: TaskName, after: int, limit: int, clearances: Clearances = None
) -> Sequence[PlacedJudgement]:
    """The newest judgement of each subject that somebody is cleared for, in the order in which they were made, behind a place."""
    mine = (judgements.c.workspace == workspace, judgements.c.task == task)
    newest = select(func.max(judgements.c.ordinal)).where(*mine).group_by(judgements.c.subject_kind, judgements.c.subject)
    columns = (
        judgements.c.ordinal,
        judgements.c.subject_kind,
        judgements.c.subject,
        judgements.c.task_revision,
        judgements.c.verdict,
        judgements.c.judge,
        judgements.c.reason,
    )
    seen = is_cleared_for(clearances, judgements.c.workspace, judgements.c.subject)
    query = select(*columns).where(*mine, judgements.c.ordinal.in_(newest), judgements.c.ordinal > after)
    query = query.where((judgements.c.subject_kind != "evidence") | seen).order_by(judgements.c.ordinal).limit(limit)
    return [PlacedJudgement(row[0], Judgement(*row[1:])) for row in connection.execute(query)]
