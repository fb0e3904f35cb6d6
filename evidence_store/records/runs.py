"""Rows of runs: pins, messages, steps, projections, exposures, tool calls and their results."""

from collections.abc import Sequence
from dataclasses import dataclass

import orjson
from sqlalchemy import func, insert, select

from evidence_store.canonical import canonical_bytes
from evidence_store.database import ReadConnection, WriteConnection
from evidence_store.model import Clearances, Digest, EvidenceId, Grade, Outcome, ResourceName, TaskName, WorkspaceName
from evidence_store.records.sight_of_work import sees_run
from evidence_store.tables.runs import exposures, messages, pins, projections, runs, steps, tool_calls, tool_results

FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class RunKey:
    """A run, by workspace, task and 1-based number within the task."""

    workspace: WorkspaceName
    task: TaskName
    number: int


@dataclass(frozen=True, slots=True)
class StepKey:
    run: RunKey
    number: int
    """1-based within the run."""


def run_name(key: RunKey) -> str:
    return f"{key.task}/run {key.number}"


def step_name(key: StepKey) -> str:
    return f"{run_name(key.run)}/step {key.number}"


@dataclass(frozen=True, slots=True)
class Shown:
    """One text of an evidence that a run was shown."""

    evidence: EvidenceId
    shown_digest: Digest
    transforms: tuple[str, ...]
    in_full: bool


@dataclass(frozen=True, slots=True)
class Exposure:
    step: StepKey
    evidence: EvidenceId
    grade: Grade
    shown_digest: Digest
    in_full: bool


@dataclass(frozen=True, slots=True)
class ProjectionRow:
    input_digest: Digest
    input: bytes
    """zstd of the minified JSON of messages, tools, and what stands outside the list where anything does."""
    profile: str
    receipt: str
    counter: str
    exactness: str
    cap_tokens: int
    used_tokens: int


@dataclass(frozen=True, slots=True)
class StepInput:
    """A stored projection with the step that it was made for."""

    step: StepKey
    ordinal: int
    """1-based within the step: it may have been projected more than once."""
    row: ProjectionRow


@dataclass(frozen=True, slots=True)
class MessageRow:
    ordinal: int
    step: int | None
    role: str
    body: str


def _run(key: RunKey) -> dict[str, object]:
    return {"workspace": key.workspace, "task": key.task, "run": key.number}


def _step(key: StepKey) -> dict[str, object]:
    return {**_run(key.run), "step": key.number}


def insert_run(connection: WriteConnection, workspace: WorkspaceName, task: TaskName, agent: str, at: int) -> RunKey:
    """Adds the next run of a task."""
    newest = connection.execute(select(func.max(runs.c.number)).where(runs.c.workspace == workspace, runs.c.task == task)).scalar()
    key = RunKey(workspace, task, (newest or 0) + 1)
    connection.execute(insert(runs).values(workspace=workspace, task=task, number=key.number, agent=agent, created_at=at))
    return key


def find_agent(connection: ReadConnection, key: RunKey) -> str | None:
    """Who runs it; None when there is no such run."""
    query = select(runs.c.agent).where(runs.c.workspace == key.workspace, runs.c.task == key.task, runs.c.number == key.number)
    return connection.execute(query).scalar()


def sees(connection: ReadConnection, key: RunKey, clearances: Clearances) -> bool:
    """Whether somebody may see what a run was shown, and so what was said in it; true of a run that there is not."""
    if clearances is None:
        return True
    mine = (runs.c.workspace == key.workspace, runs.c.task == key.task, runs.c.number == key.number)
    unseen = select(runs.c.number).where(*mine, ~sees_run(clearances, runs.c.workspace, runs.c.task, runs.c.number))
    return connection.execute(unseen).first() is None


def sees_known(connection: ReadConnection, key: RunKey, clearances: Clearances) -> bool:
    """Whether there is such a run, and somebody may see it. Both are asked, so that a hidden one takes no longer than none."""
    is_seen = sees(connection, key, clearances)
    return find_agent(connection, key) is not None and is_seen


def list_newest_runs(
    connection: ReadConnection, workspace: WorkspaceName, limit: int, clearances: Clearances = None, agent_prefix: str = ""
) -> Sequence[RunKey]:
    """Runs of all tasks, the newest first: those that somebody is cleared for, of agents whose names begin so."""
    query = select(runs.c.task, runs.c.number).where(runs.c.workspace == workspace, runs.c.agent.startswith(agent_prefix, autoescape=True))
    query = query.where(sees_run(clearances, runs.c.workspace, runs.c.task, runs.c.number))
    query = query.order_by(runs.c.created_at.desc(), runs.c.task, runs.c.number.desc()).limit(limit)
    return [RunKey(workspace, TaskName(task), number) for task, number in connection.execute(query)]


def list_pins(connection: ReadConnection, key: RunKey, resource: ResourceName) -> Sequence[int]:
    """Revisions of a resource that the run is pinned to, the one that it used first coming first."""
    query = select(pins.c.revision).where(
        pins.c.workspace == key.workspace, pins.c.task == key.task, pins.c.run == key.number, pins.c.resource == resource
    )
    return list(connection.execute(query.order_by(pins.c.created_at, pins.c.revision)).scalars())


def insert_pin(connection: WriteConnection, key: RunKey, resource: ResourceName, revision: int, at: int) -> None:
    connection.execute(insert(pins).values({**_run(key), "resource": resource, "revision": revision, "created_at": at}))


def insert_step(connection: WriteConnection, key: RunKey, task_revision: int, at: int) -> StepKey:
    """Adds the next step of a run."""
    mine = (steps.c.workspace == key.workspace, steps.c.task == key.task, steps.c.run == key.number)
    number = (connection.execute(select(func.max(steps.c.number)).where(*mine)).scalar() or 0) + 1
    connection.execute(insert(steps).values({**_run(key), "number": number, "task_revision": task_revision, "created_at": at}))
    return StepKey(key, number)


def has_step(connection: ReadConnection, key: StepKey) -> bool:
    mine = (steps.c.workspace == key.run.workspace, steps.c.task == key.run.task, steps.c.run == key.run.number)
    return connection.execute(select(steps.c.number).where(*mine, steps.c.number == key.number)).first() is not None


def insert_message(connection: WriteConnection, key: RunKey, step: int | None, role: str, body: str, at: int) -> int:
    mine = (messages.c.workspace == key.workspace, messages.c.task == key.task, messages.c.run == key.number)
    ordinal = (connection.execute(select(func.max(messages.c.ordinal)).where(*mine)).scalar() or 0) + 1
    row = {**_run(key), "ordinal": ordinal, "step": step, "role": role, "body": body, "format_version": FORMAT_VERSION, "created_at": at}
    connection.execute(insert(messages).values(row))
    return ordinal


def list_messages(connection: ReadConnection, key: RunKey, after: int = 0, limit: int | None = None) -> Sequence[MessageRow]:
    """The messages of a run behind a place, in order; all of them without a limit."""
    columns = (messages.c.ordinal, messages.c.step, messages.c.role, messages.c.body)
    mine = (messages.c.workspace == key.workspace, messages.c.task == key.task, messages.c.run == key.number)
    query = select(*columns).where(*mine, messages.c.ordinal > after).order_by(messages.c.ordinal).limit(limit)
    return [MessageRow(*row) for row in connection.execute(query)]


def insert_projection(connection: WriteConnection, key: StepKey, new: ProjectionRow, at: int) -> None:
    mine = (
        projections.c.workspace == key.run.workspace,
        projections.c.task == key.run.task,
        projections.c.run == key.run.number,
        projections.c.step == key.number,
    )
    ordinal = (connection.execute(select(func.max(projections.c.ordinal)).where(*mine)).scalar() or 0) + 1
    row = {
        **_step(key),
        "ordinal": ordinal,
        "input_digest": new.input_digest,
        "input": new.input,
        "profile": new.profile,
        "receipt": new.receipt,
        "counter": new.counter,
        "exactness": new.exactness,
        "cap_tokens": new.cap_tokens,
        "used_tokens": new.used_tokens,
        "format_version": FORMAT_VERSION,
        "created_at": at,
    }
    connection.execute(insert(projections).values(row))


def list_step_inputs(
    connection: ReadConnection, key: RunKey, step: int | None = None, after: tuple[int, int] = (0, 0), limit: int | None = None
) -> Sequence[StepInput]:
    """The projections of a run, or of one step, in order of steps; `after` is step and ordinal of the one before the first."""
    columns = (
        projections.c.step,
        projections.c.ordinal,
        projections.c.input_digest,
        projections.c.input,
        projections.c.profile,
        projections.c.receipt,
        projections.c.counter,
        projections.c.exactness,
        projections.c.cap_tokens,
        projections.c.used_tokens,
    )
    mine = (projections.c.workspace == key.workspace, projections.c.task == key.task, projections.c.run == key.number)
    later = (projections.c.step > after[0]) | ((projections.c.step == after[0]) & (projections.c.ordinal > after[1]))
    query = select(*columns).where(*mine, later).order_by(projections.c.step, projections.c.ordinal).limit(limit)
    if step is not None:
        query = query.where(projections.c.step == step)
    return [
        StepInput(StepKey(key, step), ordinal, ProjectionRow(Digest(digest), *rest))
        for step, ordinal, digest, *rest in connection.execute(query)
    ]


def insert_exposures(connection: WriteConnection, key: StepKey, grade: Grade, shown: Sequence[Shown], at: int) -> None:
    mine = (exposures.c.workspace == key.run.workspace, exposures.c.task == key.run.task, exposures.c.run == key.run.number)
    first = (connection.execute(select(func.max(exposures.c.ordinal)).where(*mine)).scalar() or 0) + 1
    rows = [
        {
            **_step(key),
            "ordinal": ordinal,
            "evidence": one.evidence,
            "grade": grade.value,
            "shown_digest": one.shown_digest,
            "transforms": canonical_bytes(one.transforms).decode(),
            "in_full": one.in_full,
            "at": at,
        }
        for ordinal, one in enumerate(shown, first)
    ]
    if rows:
        connection.execute(insert(exposures), rows)


def list_exposures(
    connection: ReadConnection, workspace: WorkspaceName, id_: EvidenceId, key: RunKey | None, clearances: Clearances = None
) -> Sequence[Exposure]:
    """Where an evidence was shown, in one run or in all that are seen, in order."""
    shown = exposures.alias("shown")
    columns = (shown.c.task, shown.c.run, shown.c.step, shown.c.grade, shown.c.shown_digest, shown.c.in_full)
    query = select(*columns).where(shown.c.workspace == workspace, shown.c.evidence == id_)
    query = query.where(sees_run(clearances, shown.c.workspace, shown.c.task, shown.c.run))
    if key is not None:
        query = query.where(shown.c.task == key.task, shown.c.run == key.number)
    query = query.order_by(shown.c.task, shown.c.run, shown.c.ordinal)
    return [
        Exposure(StepKey(RunKey(workspace, TaskName(task), run), step), id_, Grade(grade), Digest(digest), in_full)
        for task, run, step, grade, digest, in_full in connection.execute(query)
    ]


def insert_tool_call(connection: WriteConnection, key: StepKey, call: str, name: str, arguments: str, at: int) -> None:
    row = {**_step(key), "call": call, "name": name, "arguments": arguments, "opened_at": at}
    connection.execute(insert(tool_calls).values(row))


def insert_tool_result(connection: WriteConnection, key: RunKey, call: str, outcome: Outcome, complete: bool, body: str, at: int) -> None:
    row = {**_run(key), "call": call, "outcome": outcome.value, "complete": complete, "body": body, "closed_at": at}
    connection.execute(insert(tool_results).values(row))


def list_calls_among(connection: ReadConnection, key: RunKey, calls: Sequence[str]) -> Sequence[str]:
    """Those of the ids that name a call of the run."""
    mine = (tool_calls.c.workspace == key.workspace, tool_calls.c.task == key.task, tool_calls.c.run == key.number)
    return list(connection.execute(select(tool_calls.c.call).where(*mine, tool_calls.c.call.in_(calls))).scalars())


def list_open_calls(connection: ReadConnection, key: RunKey) -> Sequence[str]:
    """Calls without a result, in the order in which they were opened."""
    closed = select(tool_results.c.call).where(
        tool_results.c.workspace == key.workspace, tool_results.c.task == key.task, tool_results.c.run == key.number
    )
    mine = (tool_calls.c.workspace == key.workspace, tool_calls.c.task == key.task, tool_calls.c.run == key.number)
    query = select(tool_calls.c.call).where(*mine, tool_calls.c.call.not_in(closed))
    return list(connection.execute(query.order_by(tool_calls.c.step, tool_calls.c.call)).scalars())


def list_input_digests(connection: ReadConnection, key: StepKey) -> Sequence[Digest]:
    """Digests of the inputs that were projected for a step."""
    mine = (
        projections.c.workspace == key.run.workspace,
        projections.c.task == key.run.task,
        projections.c.run == key.run.number,
        projections.c.step == key.number,
    )
    return [Digest(d) for d in connection.execute(select(projections.c.input_digest).where(*mine)).scalars()]


def list_step_exposures(connection: ReadConnection, key: StepKey, grade: Grade) -> Sequence[Shown]:
    """What a step was shown in one grade."""
    columns = (exposures.c.evidence, exposures.c.shown_digest, exposures.c.transforms, exposures.c.in_full)
    mine = (
        exposures.c.workspace == key.run.workspace,
        exposures.c.task == key.run.task,
        exposures.c.run == key.run.number,
        exposures.c.step == key.number,
        exposures.c.grade == grade.value,
    )
    query = select(*columns).where(*mine).order_by(exposures.c.ordinal)
    return [
        Shown(EvidenceId(id_), Digest(digest), tuple(orjson.loads(transforms)), in_full)
        for id_, digest, transforms, in_full in connection.execute(query)
    ]


def is_exposed(
    connection: ReadConnection, workspace: WorkspaceName, task: TaskName, id_: EvidenceId, clearances: Clearances = None
) -> bool:
    """Whether any run of a task was shown an evidence, of those that are seen."""
    # Under another name, since what is asked of each run is asked of this table, too.
    shown = exposures.alias("shown")
    mine = (shown.c.workspace == workspace, shown.c.task == task, shown.c.evidence == id_)
    query = select(shown.c.ordinal).where(*mine, sees_run(clearances, shown.c.workspace, shown.c.task, shown.c.run))
    return connection.execute(query.limit(1)).first() is not None
