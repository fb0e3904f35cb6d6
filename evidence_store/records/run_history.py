"""Rows from which a run is opened again: its steps, the results of its calls, its claims, and how it ended."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select

from evidence_store.database import ReadConnection
from evidence_store.model import Outcome, TaskName, WorkspaceName
from evidence_store.records.runs import RunKey
from evidence_store.tables import claims, events, runs, steps, tool_results


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


def list_steps(connection: ReadConnection, key: RunKey) -> Sequence[StepRow]:
    """The steps of a run in order."""
    mine = (steps.c.workspace == key.workspace, steps.c.task == key.task, steps.c.run == key.number)
    query = select(steps.c.number, steps.c.task_revision).where(*mine).order_by(steps.c.number)
    return [StepRow(*row) for row in connection.execute(query)]


def list_results(connection: ReadConnection, key: RunKey) -> Sequence[ResultRow]:
    """The results of all calls of a run."""
    mine = (tool_results.c.workspace == key.workspace, tool_results.c.task == key.task, tool_results.c.run == key.number)
    query = select(tool_results.c.call, tool_results.c.outcome, tool_results.c.body).where(*mine)
    return [ResultRow(call, Outcome(outcome), body) for call, outcome, body in connection.execute(query)]


def list_runs(connection: ReadConnection, workspace: WorkspaceName, task: TaskName) -> Sequence[RunKey]:
    """The runs of a task in order."""
    query = select(runs.c.number).where(runs.c.workspace == workspace, runs.c.task == task).order_by(runs.c.number)
    return [RunKey(workspace, task, number) for number in connection.execute(query).scalars()]


def list_claim_numbers(connection: ReadConnection, key: RunKey) -> Sequence[int]:
    """Numbers, within the task, of the claims that a run recorded."""
    mine = (claims.c.workspace == key.workspace, claims.c.task == key.task, claims.c.run == key.number)
    return list(connection.execute(select(claims.c.number).where(*mine).order_by(claims.c.number)).scalars())


def find_newest_payload(connection: ReadConnection, workspace: WorkspaceName, kind: str, subject: str) -> bytes | None:
    """The payload of the newest event of a kind about a subject; None where there is none."""
    mine = (events.c.workspace == workspace, events.c.kind == kind, events.c.subject == subject)
    return connection.execute(select(events.c.payload).where(*mine).order_by(events.c.number.desc()).limit(1)).scalar()
