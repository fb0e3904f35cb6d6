"""Wire models of HTTP: the shapes of answers, for the published description and for clients. They refuse unknown keys.

`api.presenters` makes the answers; a test holds the two together.
"""

from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict


class Wire(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TraceHopAnswer(Wire):
    kind: str
    id: str
    check: str
    text: str


class TraceAnswer(Wire):
    ok: bool
    subject: str
    hops: list[TraceHopAnswer]


class PublishedClaimAnswer(BaseModel):
    """A claim as the report published it."""

    claim: str
    standing: str


class PublishedClaimNow(PublishedClaimAnswer):
    reason: str


class ReportAnswer(Wire):
    report: str
    title: str
    task: str
    task_revision: int
    digest: str
    published_at: int
    claims: list[PublishedClaimAnswer]
    now: list[PublishedClaimNow]
    """The same claims as they stand now."""
    body: str
    """Markdown, as it was published."""


class ReportSummary(Wire):
    report: str
    title: str
    task: str
    task_revision: int
    digest: str
    published_at: int
    """Microseconds since 1970 UTC."""


class NoteAnswer(Wire):
    code: str
    text: str
    line: int | None = None
    lines: list[int] | None = None
    pointer: str | None = None
    byte: int | None = None


class RevisionAnswer(Wire):
    resource: str
    revision: int
    digest: str
    size: int
    media_type: str
    format: str
    complete: bool
    notes: list[NoteAnswer]
    counts: dict[str, int] | None = None
    """Of a test report: tests, failures, errors, skipped."""
    version_label: str | None = None


class StoredAnswer(RevisionAnswer):
    created: bool
    """False where the bytes were those of the newest revision."""


class ResourceAnswer(Wire):
    resource: str
    kind: str
    scope: str
    labels: list[str]
    newest: int
    digest: str
    max_age_s: int | None = None


class ObservationAnswer(Wire):
    revision: int
    observed_at: int
    """Microseconds since 1970 UTC."""
    tool: str | None


class Page(Wire):
    next_cursor: str | None
    """`cursor` of the page that follows; null at the end."""


class ReportsPage(Page):
    data: list[ReportSummary]


class ResourcesPage(Page):
    data: list[ResourceAnswer]


class RevisionsPage(Page):
    data: list[RevisionAnswer]


class ObservationsPage(Page):
    data: list[ObservationAnswer]


class StatsAnswer(Wire):
    counts: dict[str, int]
    """By kind: resources, revisions, observations, evidence, tasks, runs, claims, reports."""
    raw_bytes: int
    stored_bytes: int


class HealthAnswer(Wire):
    status: str


class Problem(BaseModel):
    """RFC 9457. Beside these members stands what helps to repair the request: `nearest`, `keys`, `limit`, `known`, …"""

    model_config = ConfigDict(extra="allow", frozen=True)

    type: str
    title: str
    status: int
    detail: str
    code: str
    kind: str | None = None
    """The wider code that `code` is one of; left out where it is the same."""
    request_id: str
    errors: list[dict[str, str]] | None = None
    """For parameters that were refused: `in`, `name` and `detail` of each."""


@cache
def problem_content() -> dict[str, Any]:
    """The body of an error answer, for the description of an endpoint."""
    return {"application/problem+json": {"schema": Problem.model_json_schema()}}
