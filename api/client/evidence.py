"""Operations of evidence and of reports: what was cited, and the walk to the bytes."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from api.client.operation import Operation, Pages, ask, get, named, pages
from api.client.problems import error_named
from api.client.reading import (
    checked_report_of,
    evidence_of,
    integrity_of,
    listed_report_of,
    locate_of,
    report_of,
    shown_to_of,
    trace_of,
)
from api.client.upload import Upload
from api.client.values import CheckedIntegrity, CheckedReport, FoundEvidence, ListedReport, Report, Resolved, ShownTo
from evidence_store.store.locations import LocateAnswer
from evidence_store.trace import Trace

MAX_RESOLVED = 100
"""Ids of one request."""
MARKDOWN = "text/markdown; charset=utf-8"


def get_evidence(id: str, task: str | None = None, max_tokens: int | None = None) -> Operation[FoundEvidence]:
    """One evidence, with what speaks for or against it; with a task, how it was judged there. Raises NotFound."""
    return get(f"/v1/evidence/{named(id)}", evidence_of, {"task": task, "max_tokens": max_tokens})


def expand_evidence(id: str, to: str, task: str | None = None, max_tokens: int | None = None) -> Operation[FoundEvidence]:
    """What stands around it (`parent`, `full`, `lines:N`), or with its references followed (`refs`), as an evidence of its own."""
    return get(f"/v1/evidence/{named(id)}/expand", evidence_of, {"to": to, "task": task, "max_tokens": max_tokens})


def locate_evidence(id: str, resource: str, revision: int | None = None, max_tokens: int | None = None) -> Operation[LocateAnswer]:
    """How its passage stands in another revision, the newest without a number. Raises NotFound."""
    return get(f"/v1/evidence/{named(id)}/locate", locate_of, {"resource": resource, "revision": revision, "max_tokens": max_tokens})


def list_exposures(id: str, limit: int = 100) -> Pages[ShownTo]:
    """Where it was shown. Raises NotFound."""
    return pages(f"/v1/evidence/{named(id)}/exposures", shown_to_of, limit)


def verify_evidence(id: str) -> Operation[CheckedIntegrity]:
    """Whether it agrees with the stored bytes, read anew. Raises NotFound."""
    return get(f"/v1/evidence/{named(id)}/verify", integrity_of)


def resolve_evidence(ids: Sequence[str], task: str | None = None, max_tokens: int | None = None) -> Operation[tuple[Resolved, ...]]:
    """Up to 100 evidences at once, in the order asked; each with its own outcome."""
    given = {"ids": list(ids), "task": task, "max_tokens": max_tokens}
    return ask("/v1/evidence:resolve", {name: one for name, one in given.items() if one is not None}, _resolved)


def _resolved(shown: Any) -> tuple[Resolved, ...]:
    found = []
    for item in shown["items"]:
        problem = item.get("problem")
        error = None if problem is None else error_named(problem["code"], problem["detail"], item["status"])
        found.append(Resolved(item["id"], evidence_of(item["packet"]) if error is None else None, error))
    return tuple(found)


def check_citations(report: str) -> Operation[CheckedReport]:
    """One verdict for each citation of a report in Markdown, of 10 MiB at most. Nothing is stored."""
    content = Upload(report.encode("utf-8", "replace"))
    headers = {"Content-Type": MARKDOWN}
    return Operation("POST", "/v1/citations/check", lambda answer: checked_report_of(answer.json()), headers=headers, content=content)


def list_reports(limit: int = 100) -> Pages[ListedReport]:
    """Published reports, the newest first."""
    return pages("/v1/reports", listed_report_of, limit)


def get_report(id: str) -> Operation[Report]:
    """A published report. Raises NotFound."""
    return get(f"/v1/reports/{named(id)}", report_of)


def get_trace(subject: str) -> Operation[Trace]:
    """The walk from `rp_…`, `TASK/C1` or `ev_…` to the bytes. Raises NotFound, InvalidInput."""
    return get(f"/v1/trace/{quote(subject)}", trace_of)
