"""Rows for who asks what there is: tasks, the runs of one, the calls of a run."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ScalarSelect, Table, func, select

from evidence_store.database import ReadConnection
from evidence_store.model import EvidenceId, Grade, Outcome, TaskName, WorkspaceName
from evidence_store.records.runs import RunKey
from evidence_store.tables.claims import claims
from evidence_store.tables.runs import exposures, projections, runs, steps, tool_calls, tool_results
from evidence_store.tables.tasks import task_revisions, tasks


@dataclass(frozen=True, slots=True)
class TaskRow:
    name: TaskName
    revision: int
    """Number of the newest."""
    goal: str
    """Of that revision."""
    n_runs: int
    n_claims: int
    created_at: int


@dataclass(frozen=True, slots=True)
class RunRow:
    number: int
    agent: str
    n_steps: int
    n_inputs: int
    n_calls: int
    n_claims: int
    created_at: int


@dataclass(frozen=True, slots=True)
class CallRow:
    """A call with what was delivered for it."""

    step: int
    call: str
    tool: str
    outcome: Outcome | None
    """None: it has no result yet."""
    body: str
    """What the model was told; empty without a result."""
    opened_at: int


def _count_in_task(table: Table) -> ScalarSelect[int]:
    mine = (table.c.workspace == tasks.c.workspace, table.c.task == tasks.c.name)
    return select(func.count()).select_from(table).where(*mine).scalar_subquery()


def _count_in_run(table: Table) -> ScalarSelect[int]:
    mine = (table.c.workspace == runs.c.workspace, table.c.task == runs.c.task, table.c.run == runs.c.number)
    return select(func.count()).select_from(table).where(*mine).scalar_subquery()


def list_tasks(connection: ReadConnection, workspace: WorkspaceName, after: str, limit: int) -> Sequence[TaskRow]:
    """Tasks in order of their names, those after this one."""
    revision, any_ = task_revisions.c, task_revisions.alias().c
    newest = select(func.max(any_.number)).where(any_.workspace == tasks.c.workspace, any_.task == tasks.c.name)
    joined = tasks.join(task_revisions, (revision.workspace == tasks.c.workspace) & (revision.task == tasks.c.name))
    columns = (tasks.c.name, revision.number, revision.goal, _count_in_task(runs), _count_in_task(claims), tasks.c.created_at)
    query = select(*columns).select_from(joined).where(revision.number == newest.scalar_subquery())
    query = query.where(tasks.c.workspace == workspace, tasks.c.name > after).order_by(tasks.c.name).limit(limit)
    return [TaskRow(*row) for row in connection.execute(query)]


def list_runs(connection: ReadConnection, workspace: WorkspaceName, task: TaskName, after: int, limit: int) -> Sequence[RunRow]:
    """Runs of a task in order, those after this number."""
    columns = (runs.c.number, runs.c.agent, *map(_count_in_run, (steps, projections, tool_calls, claims)), runs.c.created_at)
    query = select(*columns).where(runs.c.workspace == workspace, runs.c.task == task, runs.c.number > after)
    return [RunRow(*row) for row in connection.execute(query.order_by(runs.c.number).limit(limit))]


def list_calls(connection: ReadConnection, key: RunKey) -> Sequence[CallRow]:
    """Calls of a run in the order in which they were opened."""
    call, result = tool_calls.c, tool_results.c
    same = (result.workspace == call.workspace) & (result.task == call.task) & (result.run == call.run) & (result.call == call.call)
    columns = (call.step, call.call, call.name, result.outcome, result.body, call.opened_at)
    query = select(*columns).select_from(tool_calls.outerjoin(tool_results, same))
    query = query.where(call.workspace == key.workspace, call.task == key.task, call.run == key.number)
    rows = connection.execute(query.order_by(call.step, call.opened_at, call.call))
    return [
        CallRow(step, id_, tool, None if outcome is None else Outcome(outcome), body or "", at)
        for step, id_, tool, outcome, body, at in rows
    ]


def list_delivered(connection: ReadConnection, key: RunKey) -> Sequence[tuple[int, EvidenceId]]:
    """What was delivered to a run, in its order: the number of the step and the evidence."""
    one = exposures.c
    query = select(one.step, one.evidence).where(one.workspace == key.workspace, one.task == key.task, one.run == key.number)
    rows = connection.execute(query.where(one.grade == Grade.DELIVERED.value).order_by(one.ordinal))
    return [(step, EvidenceId(id_)) for step, id_ in rows]
