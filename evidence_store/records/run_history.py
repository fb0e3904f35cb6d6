"""Rows from which a run is opened again: its steps, the results of its calls, its claims, and how it ended."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select

from evidence_store.database import ReadConnection
from evidence_store.model import Clearances, Outcome, TaskName, WorkspaceName
from evidence_store.records.runs import RunKey
from evidence_store.records.sight_of_work import sees_claim, sees_run
from evidence_store.tables.claims import claims
from evidence_store.tables.journal import events
from evidence_store.tables.runs import projections, runs, steps, tool_results


@dataclass(frozen=True, slots=True)
class StepRow:
    number: int
    task_revision: int


@dataclass(frozen=True, slots=True)
class ResultRow:
    call: str
    outcome: Outcome
    body: str
    """What the model was told."""


def list_steps(connection: ReadConnection, key: RunKey, after: int = 0, limit: int | None = None) -> Sequence[StepRow]:
    """The steps of a run in order, behind a number."""
    mine = (steps.c.workspace == key.workspace, steps.c.task == key.task, steps.c.run == key.number)
    query = select(steps.c.number, steps.c.task_revision).where(*mine, steps.c.number > after).order_by(steps.c.number).limit(limit)
    return [StepRow(*row) for row in connection.execute(query)]


@dataclass(frozen=True, slots=True)
class UsedTokens:
    """What one stored input of a step takes."""

    step: int
    tokens: int


def list_used_tokens(connection: ReadConnection, key: RunKey) -> Sequence[UsedTokens]:
    """Of all stored inputs of a run, in order of steps."""
    mine = (projections.c.workspace == key.workspace, projections.c.task == key.task, projections.c.run == key.number)
    query = select(projections.c.step, projections.c.used_tokens).where(*mine).order_by(projections.c.step, projections.c.ordinal)
    return [UsedTokens(*row) for row in connection.execute(query)]


def list_results(connection: ReadConnection, key: RunKey, calls: Sequence[str] | None = None) -> Sequence[ResultRow]:
    """The results of all calls of a run, or of some."""
    mine = [tool_results.c.workspace == key.workspace, tool_results.c.task == key.task, tool_results.c.run == key.number]
    if calls is not None:
        mine.append(tool_results.c.call.in_(calls))
    query = select(tool_results.c.call, tool_results.c.outcome, tool_results.c.body).where(*mine)
    return [ResultRow(call, Outcome(outcome), body) for call, outcome, body in connection.execute(query)]


def list_runs(
    connection: ReadConnection,
    workspace: WorkspaceName,
    task: TaskName,
    after: int = 0,
    limit: int | None = None,
    clearances: Clearances = None,
) -> Sequence[RunKey]:
    """The runs of a task that somebody is cleared for, in order, behind a number."""
    query = select(runs.c.number).where(runs.c.workspace == workspace, runs.c.task == task, runs.c.number > after)
    query = query.where(sees_run(clearances, runs.c.workspace, runs.c.task, runs.c.number)).order_by(runs.c.number).limit(limit)
    return [RunKey(workspace, task, number) for number in connection.execute(query).scalars()]


def list_claim_numbers(connection: ReadConnection, key: RunKey, clearances: Clearances = None) -> Sequence[int]:
    """Numbers, within the task, of the claims that a run recorded and that somebody is cleared for."""
    mine = [claims.c.workspace == key.workspace, claims.c.task == key.task, claims.c.run == key.number]
    mine.append(sees_claim(clearances, claims.c.workspace, claims.c.task, claims.c.number))
    return list(connection.execute(select(claims.c.number).where(*mine).order_by(claims.c.number)).scalars())


def find_newest_payload(connection: ReadConnection, workspace: WorkspaceName, kind: str, subject: str) -> bytes | None:
    """The payload of the newest event of a kind about a subject; None where there is none."""
    mine = (events.c.workspace == workspace, events.c.kind == kind, events.c.subject == subject)
    return connection.execute(select(events.c.payload).where(*mine).order_by(events.c.number.desc()).limit(1)).scalar()
