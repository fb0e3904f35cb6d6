"""Published reports and the walk from their conclusions to the bytes, as JSON."""

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.requests import Request
from starlette.responses import Response

from api.deps import CallerDep, IdempotencyKey, ServicesDep
from api.presenters import Json, dumps, trace_json
from api.routes.answers import Cursor, Limit, bad_cursor, page, problems, read_cursor
from api.routes.bodies import LargeBoundedRoute, done_once
from api.routes.conditional import respond
from api.routes.places import run_of
from api.schemas import ReportAnswer, ReportsPage, TraceAnswer
from api.schemas.claims import PublishedAnswer, PublishRequest
from api.work_json import ruled_json
from evidence_store.records.claims import ReportPlace, ReportRow
from evidence_store.trace import trace

router = APIRouter(prefix="/v1", tags=["reports"], route_class=LargeBoundedRoute)


@router.get(
    "/reports",
    operation_id="listReports",
    summary="Published reports, the newest first",
    response_class=Response,
    responses={200: {"model": ReportsPage}, **problems()},
)
def list_reports(request: Request, services: ServicesDep, cursor: Cursor = None, limit: Limit = 100) -> Response:
    after = None if cursor is None else _read_place(read_cursor(cursor, ""))
    found = services.store.claims.list_reports(limit + 1, after)
    return page(request, found, limit, _summary_json, lambda one: f"{one.published_at}:{one.id}")


@router.post(
    "/reports",
    operation_id="publishReport",
    summary="Publish a report for good, with claims as they stand now",
    description="Its id is derived from its text: the same text is the same report.",
    response_class=Response,
    status_code=201,
    responses={201: {"model": PublishedAnswer}, **problems(409, 413)},
)
def publish_report(request: Request, caller: CallerDep, asked: PublishRequest, idempotency_key: IdempotencyKey = None) -> Response:
    store = caller.services.store
    run = run_of(store, asked.task, asked.run)
    return done_once(
        request,
        caller,
        idempotency_key,
        "publishReport",
        asked,
        lambda: {"report": store.claims.publish_named(run, asked.title, asked.body, asked.claims)},
    )


@router.get(
    "/reports/{id}",
    operation_id="getReport",
    summary="A published report",
    response_class=Response,
    responses={200: {"model": ReportAnswer}, **problems()},
)
def get_report(request: Request, services: ServicesDep, id: Annotated[str, Path(max_length=80, examples=["rp_z3v8m2k0q7ta"])]) -> Response:
    report = services.store.claims.get_report(id)
    shown = _summary_json(report) | {
        "claims": [{"claim": one.id, "standing": one.standing.value} for one in services.store.claims.list_report_claims(id)],
        "now": [ruled_json(one) for one in services.store.claims.list_report_claims_now(id)],
        "body": report.body,
    }
    return respond(request, dumps(shown), "application/json")


@router.get(
    "/trace/{subject:path}",
    operation_id="getTrace",
    summary="The walk from a report, claim or evidence to the bytes, each hop with its check",
    response_class=Response,
    responses={200: {"model": TraceAnswer}, **problems()},
)
def get_trace(
    request: Request,
    services: ServicesDep,
    subject: Annotated[str, Path(max_length=1100, description="rp_…, TASK/C1 or ev_…", examples=["ev_tpvnrht0mge4"])],
) -> Response:
    found = trace(services.store, subject)
    return respond(request, dumps(trace_json(found)), "application/json")


def _summary_json(report: ReportRow) -> dict[str, Json]:
    return {
        "report": report.id,
        "title": report.title,
        "task": report.run.task,
        "task_revision": report.task_revision,
        "digest": report.body_digest,
        "published_at": report.published_at,
    }


def _read_place(text: str) -> ReportPlace:
    """The place in the list that a cursor names. Raises WrongUse."""
    at, _, id_ = text.partition(":")
    if not (at.isascii() and at.isdecimal() and len(at) < 17):
        raise bad_cursor()
    return ReportPlace(int(at), id_)
