"""The page of a published report: what it said, and beside it where its claims stand now."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from api.deps import ServicesDep
from api.pages.templating import page
from evidence_store.model import Standing

MAX_CONTENTS = 80
"""Headings in the table of contents."""

router = APIRouter(include_in_schema=False)


@router.get("/reports/{id}", operation_id="showReport")
def show_report(request: Request, services: ServicesDep, id: str) -> Response:
    # Memory of a server that shows no report.
    from api.pages.markdown import render_report_body

    claims = services.store.claims
    report = claims.get_report(id)
    published = claims.list_report_claims(report.id)
    as_published = {one.id: one.standing for one in published}
    now = [claim for claim in claims.list_claims(report.run.task) if claim.id in as_published]
    body = render_report_body(report.body, report.run.task, frozenset(as_published))
    counts = {standing.value: sum(claim.standing is standing for claim in now) for standing in Standing}
    contents = [heading for heading in body.headings if heading.level == 2] if len(body.headings) > MAX_CONTENTS else body.headings[1:]
    values = {
        "report": report,
        "body": body,
        "contents": contents,
        "now": now,
        "as_published": as_published,
        "counts": {name: n for name, n in counts.items() if n},
    }
    return page(request, "report.html", values)
