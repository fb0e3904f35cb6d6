"""Rows of claims, their citations and standings, and reports."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, func, insert, select

from evidence_store.database import ReadConnection, WriteConnection
from evidence_store.model import (
    About,
    Citation,
    ClaimView,
    Clearances,
    Digest,
    EvidenceId,
    Pointer,
    ResourceName,
    Standing,
    TaskName,
    WorkspaceName,
)
from evidence_store.records.runs import RunKey, StepKey
from evidence_store.records.sight_of_work import sees_claim, sees_report
from evidence_store.tables.claims import citations, claim_events, claim_labels, claims, report_claims, reports

FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class NewClaim:
    step: StepKey
    task_revision: int
    author: str
    about: About
    text: str
    citations: tuple[Citation, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ruling:
    """One event in the life of a claim."""

    standing: Standing
    reason: str
    checker: str | None
    support: str | None
    scope_rule: str | None
    task_revision: int


@dataclass(frozen=True, slots=True)
class ReportRow:
    id: str
    run: RunKey
    task_revision: int
    title: str
    body_digest: Digest
    body: str
    published_at: int
    """Microseconds since 1970 UTC."""


def insert_claim(connection: WriteConnection, new: NewClaim, at: int) -> int:
    """Adds the next claim of a task and gives its number."""
    run = new.step.run
    newest = connection.execute(
        select(func.max(claims.c.number)).where(claims.c.workspace == run.workspace, claims.c.task == run.task)
    ).scalar()
    number = (newest or 0) + 1
    key = {"workspace": run.workspace, "task": run.task}
    row = {
        **key,
        "number": number,
        "run": run.number,
        "step": new.step.number,
        "task_revision": new.task_revision,
        "author": new.author,
        "about_resource": new.about.resource,
        "about_pointer": new.about.pointer,
        "about_aspect": new.about.aspect,
        "text": new.text,
        "created_at": at,
    }
    connection.execute(insert(claims).values(row))
    cited = [
        {**key, "claim": number, "position": position, "evidence": one.evidence, "role": one.role}
        for position, one in enumerate(new.citations)
    ]
    if cited:
        connection.execute(insert(citations), cited)
    if new.labels:
        connection.execute(insert(claim_labels), [{**key, "claim": number, "label": label} for label in new.labels])
    return number


def insert_ruling(connection: WriteConnection, workspace: WorkspaceName, task: TaskName, claim: int, ruling: Ruling, at: int) -> None:
    mine = (claim_events.c.workspace == workspace, claim_events.c.task == task, claim_events.c.claim == claim)
    ordinal = (connection.execute(select(func.max(claim_events.c.ordinal)).where(*mine)).scalar() or 0) + 1
    row = {
        "workspace": workspace,
        "task": task,
        "claim": claim,
        "ordinal": ordinal,
        "standing": ruling.standing.value,
        "reason": ruling.reason,
        "checker": ruling.checker,
        "support": ruling.support,
        "scope_rule": ruling.scope_rule,
        "task_revision": ruling.task_revision,
        "at": at,
    }
    connection.execute(insert(claim_events).values(row))


def list_claims(
    connection: ReadConnection,
    workspace: WorkspaceName,
    task: TaskName,
    number: int | None = None,
    clearances: Clearances = None,
    after: int = 0,
    limit: int | None = None,
) -> Sequence[ClaimView]:
    """Claims of a task in order, behind a number, or one; each with its newest standing and the task revision that it holds under."""
    mine = [claims.c.workspace == workspace, claims.c.task == task, claims.c.number > after]
    mine.append(sees_claim(clearances, claims.c.workspace, claims.c.task, claims.c.number))
    events = [claim_events.c.workspace == workspace, claim_events.c.task == task]
    if number is not None:
        mine.append(claims.c.number == number)
        events.append(claim_events.c.claim == number)
    newest = (
        select(claim_events.c.claim, func.max(claim_events.c.ordinal).label("last"))
        .where(*events)
        .group_by(claim_events.c.claim)
        .subquery()
    )
    columns = (
        claims.c.number,
        claims.c.about_resource,
        claims.c.about_pointer,
        claims.c.about_aspect,
        claims.c.text,
        claims.c.author,
        claim_events.c.standing,
        claim_events.c.reason,
        claim_events.c.checker,
        claim_events.c.task_revision,
        claim_events.c.scope_rule,
    )
    query = (
        select(*columns)
        .join(newest, claims.c.number == newest.c.claim)
        .join(claim_events, (claim_events.c.claim == newest.c.claim) & (claim_events.c.ordinal == newest.c.last))
        .where(*mine, claim_events.c.workspace == workspace, claim_events.c.task == task)
        .order_by(claims.c.number)
        .limit(limit)
    )
    cited = _citations(connection, workspace, task, number)
    return [_view(tuple(row), cited.get(row[0], ())) for row in connection.execute(query)]


def _view(row: tuple[object, ...], cited: tuple[Citation, ...]) -> ClaimView:
    number, resource, pointer, aspect, text, author, standing, reason, checker, task_revision, rule = row
    assert isinstance(task_revision, int)
    about = About(ResourceName(str(resource)), None if pointer is None else Pointer(str(pointer)), str(aspect))
    named = None if checker is None else str(checker)
    scope_rule = None if rule is None else str(rule)
    return ClaimView(
        f"C{number}", about, str(text), cited, str(author), Standing(str(standing)), str(reason), named, task_revision, scope_rule
    )


def _citations(connection: ReadConnection, workspace: WorkspaceName, task: TaskName, number: int | None) -> dict[int, tuple[Citation, ...]]:
    columns = (citations.c.claim, citations.c.evidence, citations.c.role)
    query = select(*columns).where(citations.c.workspace == workspace, citations.c.task == task)
    if number is not None:
        query = query.where(citations.c.claim == number)
    found: dict[int, tuple[Citation, ...]] = {}
    for claim, id_, role in connection.execute(query.order_by(citations.c.claim, citations.c.position)):
        found[claim] = (*found.get(claim, ()), Citation(EvidenceId(id_), role))
    return found


@dataclass(frozen=True, slots=True)
class CitedBy:
    """A claim that cites an evidence, by task and number."""

    task: TaskName
    claim: int
    role: str


def list_citing(
    connection: ReadConnection, workspace: WorkspaceName, evidence: EvidenceId, clearances: Clearances = None
) -> Sequence[CitedBy]:
    """All citations of an evidence, by task and claim."""
    columns = (citations.c.task, citations.c.claim, citations.c.role)
    query = select(*columns).where(citations.c.workspace == workspace, citations.c.evidence == evidence)
    query = query.where(sees_claim(clearances, citations.c.workspace, citations.c.task, citations.c.claim))
    return [CitedBy(TaskName(task), claim, role) for task, claim, role in connection.execute(query.order_by(*columns[:2]))]


def list_rulings(connection: ReadConnection, workspace: WorkspaceName, task: TaskName, claim: int) -> Sequence[Ruling]:
    """The history of a claim, oldest first."""
    columns = (
        claim_events.c.standing,
        claim_events.c.reason,
        claim_events.c.checker,
        claim_events.c.support,
        claim_events.c.scope_rule,
        claim_events.c.task_revision,
    )
    mine = (claim_events.c.workspace == workspace, claim_events.c.task == task, claim_events.c.claim == claim)
    query = select(*columns).where(*mine).order_by(claim_events.c.ordinal)
    return [Ruling(Standing(standing), *rest) for standing, *rest in connection.execute(query)]


def find_claim_step(connection: ReadConnection, workspace: WorkspaceName, task: TaskName, claim: int) -> StepKey | None:
    query = select(claims.c.run, claims.c.step).where(claims.c.workspace == workspace, claims.c.task == task, claims.c.number == claim)
    row = connection.execute(query).first()
    return None if row is None else StepKey(RunKey(workspace, task, row[0]), row[1])


def insert_report(connection: WriteConnection, new: ReportRow, published: Sequence[ClaimView], at: int) -> None:
    key = {"workspace": new.run.workspace, "task": new.run.task}
    row = {
        **key,
        "id": new.id,
        "run": new.run.number,
        "task_revision": new.task_revision,
        "title": new.title,
        "body_digest": new.body_digest,
        "body": new.body,
        "format_version": FORMAT_VERSION,
        "published_at": at,
    }
    connection.execute(insert(reports).values(row))
    rows = [
        {**key, "report": new.id, "position": position, "claim": int(claim.id[1:]), "standing": claim.standing.value}
        for position, claim in enumerate(published)
    ]
    if rows:
        connection.execute(insert(report_claims), rows)


_REPORT = (
    reports.c.id,
    reports.c.task,
    reports.c.run,
    reports.c.task_revision,
    reports.c.title,
    reports.c.body_digest,
    reports.c.body,
    reports.c.published_at,
)


def _report(
    workspace: WorkspaceName, id_: str, task: str, run: int, task_revision: int, title: str, digest: str, body: str, published_at: int
) -> ReportRow:
    return ReportRow(id_, RunKey(workspace, TaskName(task), run), task_revision, title, Digest(digest), body, published_at)


def _seen(clearances: Clearances) -> ColumnElement[bool]:
    return sees_report(clearances, reports.c.workspace, reports.c.id)


def find_report(connection: ReadConnection, workspace: WorkspaceName, id_: str, clearances: Clearances = None) -> ReportRow | None:
    query = select(*_REPORT).where(reports.c.workspace == workspace, reports.c.id == id_, _seen(clearances))
    row = connection.execute(query).first()
    if row is None:
        return None
    return _report(workspace, *row)


@dataclass(frozen=True, slots=True)
class ReportPlace:
    """Of a report in the order of their publishing."""

    published_at: int
    id: str


@dataclass(frozen=True, slots=True)
class PublishedClaim:
    """A claim as a report published it."""

    id: str
    standing: Standing


def list_report_claims(connection: ReadConnection, workspace: WorkspaceName, report: str) -> Sequence[PublishedClaim]:
    """The claims that a report published, in its order."""
    columns = (report_claims.c.claim, report_claims.c.standing)
    query = select(*columns).where(report_claims.c.workspace == workspace, report_claims.c.report == report)
    rows = connection.execute(query.order_by(report_claims.c.position))
    return [PublishedClaim(f"C{number}", Standing(standing)) for number, standing in rows]


def list_reports(
    connection: ReadConnection, workspace: WorkspaceName, limit: int, clearances: Clearances = None, after: ReportPlace | None = None
) -> Sequence[ReportRow]:
    """The newest reports first, those that follow a place in this order."""
    query = select(*_REPORT).where(reports.c.workspace == workspace, _seen(clearances))
    if after is not None:
        same = (reports.c.published_at == after.published_at) & (reports.c.id > after.id)
        query = query.where((reports.c.published_at < after.published_at) | same)
    query = query.order_by(reports.c.published_at.desc(), reports.c.id).limit(limit)
    return [_report(workspace, *row) for row in connection.execute(query)]
