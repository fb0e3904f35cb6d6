"""Stored evidence: shown again, one or many, with what stands around it, in other revisions, and where it was shown."""

from functools import partial
from typing import Annotated

import orjson
from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from api.auth import Caller
from api.deps import CallerDep, ServicesDep
from api.errors import error_object
from api.findings import evidence_json, locate_json, packet_wire
from api.presenters import Json
from api.routes.answers import JSON, Cursor, Limit, answer, page, problems, read_number_cursor
from api.routes.conditional import respond
from api.routes.kept import Asked, KeptEvidence
from api.routes.problems import status_of
from api.schemas.evidence import (
    EvidenceAnswer,
    ExposuresPage,
    IntegrityAnswer,
    LocateAnswer,
    ResolveAnswer,
    ResolveRequest,
)
from api.tools.context import DEFAULT_MAX_TOKENS, MAX_MAX_TOKENS
from api.wiring import Services
from evidence_store.errors import EvidenceStoreError
from evidence_store.ids import ReadId, read_id, read_ids
from evidence_store.model import Packet, ResourceName, TaskName, TextLimit
from evidence_store.records.runs import Exposure, run_name
from evidence_store.store import EvidenceStore
from evidence_store.store.moments import Moment

router = APIRouter(prefix="/v1", tags=["evidence"])

Id = Annotated[str, Path(max_length=80, examples=["ev_tpvnrht0mge4"], description="Letters are folded: case, o to 0, i and l to 1")]
Task = Annotated[str | None, Query(max_length=1000, description="Also say how it was judged in this task")]
MaxTokens = Annotated[int, Query(ge=1, le=MAX_MAX_TOKENS, description="Tokens of the excerpt at most")]
_KNOWN = {"description": "Not changed since the copy that If-None-Match names"}


@router.get(
    "/evidence/{id}",
    operation_id="getEvidence",
    summary="One evidence",
    response_class=Response,
    responses={200: {"model": EvidenceAnswer}, 304: _KNOWN, **problems()},
)
def get_evidence(request: Request, caller: CallerDep, id: Id, task: Task = None, max_tokens: MaxTokens = DEFAULT_MAX_TOKENS) -> Response:
    shown = _kept(request).get(caller, Asked(id, task, max_tokens), lambda: _shown(caller.services, id, task, max_tokens))
    return respond(request, shown, JSON)


@router.get(
    "/evidence/{id}/expand",
    operation_id="expandEvidence",
    summary="What stands around an evidence, or with its references followed, as an evidence of its own",
    response_class=Response,
    responses={200: {"model": EvidenceAnswer}, 304: _KNOWN, **problems()},
)
def expand_evidence(
    request: Request,
    services: ServicesDep,
    id: Id,
    to: Annotated[str, Query(max_length=40, description="parent, full, refs, or lines:N", examples=["parent"])],
    task: Task = None,
    max_tokens: MaxTokens = DEFAULT_MAX_TOKENS,
) -> Response:
    return answer(request, _shown(services, id, task, max_tokens, to))


@router.get(
    "/evidence/{id}/locate",
    operation_id="locateEvidence",
    summary="How a passage stands in another revision: same, moved, changed, gone or unknown",
    response_class=Response,
    responses={200: {"model": LocateAnswer}, **problems()},
)
def locate_evidence(
    request: Request,
    services: ServicesDep,
    id: Id,
    resource: Annotated[str, Query(min_length=1, max_length=1024, examples=["orders/openapi.json"])],
    revision: Annotated[int | None, Query(ge=1, lt=2**53, description="Without it the newest")] = None,
    max_tokens: MaxTokens = DEFAULT_MAX_TOKENS,
) -> Response:
    found = services.store.locations.locate(read_id(id).id, ResourceName(resource), revision, services.limit(max_tokens))
    return answer(request, locate_json(found, packet_wire))


@router.get(
    "/evidence/{id}/exposures",
    operation_id="listExposures",
    summary="Where an evidence was shown",
    response_class=Response,
    responses={200: {"model": ExposuresPage}, **problems()},
)
def list_exposures(request: Request, services: ServicesDep, id: Id, cursor: Cursor = None, limit: Limit = 100) -> Response:
    start = read_number_cursor(cursor)
    found = services.store.runs.list_exposures(services.store.passages.find(read_id(id).id).id)
    rows = list(enumerate(found, 1))[start : start + limit + 1]
    return page(request, rows, limit, lambda one: _exposure_json(one[1]), lambda one: one[0])


@router.get(
    "/evidence/{id}/verify",
    operation_id="verifyEvidence",
    summary="Whether identity, digests and places of an evidence agree with the stored bytes, read anew",
    response_class=Response,
    responses={200: {"model": IntegrityAnswer}, **problems()},
)
def verify_evidence(request: Request, services: ServicesDep, id: Id) -> Response:
    asked = read_id(id)
    found, text = services.store.checks.integrity(asked.id)
    return answer(request, {"id": asked.id, "integrity": found.value, "text": services.store.core.masked(text)})


@router.post(
    "/evidence:resolve",
    operation_id="resolveEvidence",
    summary="Up to 100 evidences, each with its own outcome",
    response_class=Response,
    responses={200: {"model": ResolveAnswer}, **problems()},
)
def resolve_evidence(request: Request, caller: CallerDep, asked: ResolveRequest) -> Response:
    if asked.task is not None:
        caller.services.store.tasks.get_revision(TaskName(asked.task))
    return answer(request, {"items": _resolved(_kept(request), caller, asked)})


def _resolved(kept: KeptEvidence, caller: Caller, asked: ResolveRequest) -> list[Json]:
    """For each id what asking for it alone would have answered."""
    wanted = {id: Asked(id, asked.task, asked.max_tokens) for id in asked.ids}
    made: dict[str, Json] = {id: _item(id, known.body) for id, one in wanted.items() if (known := kept.find(caller, one)) is not None}
    missing = [one for id, one in wanted.items() if id not in made]
    if missing:
        store, moment = caller.services.store, kept.moment(caller)
        with store.core.database.snapshot():
            store.passages.read_ahead(read_ids(one.id for one in missing))
            for one in missing:
                made[one.id] = _outcome(kept, caller, one, moment)
    return [made[id] for id in asked.ids]


def _outcome(kept: KeptEvidence, caller: Caller, asked: Asked, moment: Moment) -> Json:
    try:
        make = partial(_shown, caller.services, asked.id, asked.task, asked.max_tokens, anew=False)
        return _item(asked.id, kept.get(caller, asked, make, moment))
    except EvidenceStoreError as why:
        told = error_object(why)
        problem: dict[str, Json] = {"code": why.error_code, "detail": str(told["message"])}
        return {"id": asked.id, "status": status_of(why), "problem": problem}


def _item(id: str, body: bytes) -> Json:
    return {"id": id, "status": 200, "packet": orjson.Fragment(body)}


def _kept(request: Request) -> KeptEvidence:
    found = request.app.state.kept
    assert isinstance(found, KeptEvidence)
    return found


def _shown(
    services: Services, text: str, task: str | None, max_tokens: int, to: str | None = None, *, anew: bool = True
) -> dict[str, Json]:
    """The answer for an id as it was written; `anew`: see `Passages.check`. Raises what reading it raises."""
    asked = read_id(text)
    packet = _packet(services.store, asked, to, services.limit(max_tokens))
    shown = evidence_json(services.store, packet, None if task is None else TaskName(task), packet_wire, anew=anew)
    return shown | {"folded_from": text} if asked.folded else shown


def _packet(store: EvidenceStore, asked: ReadId, to: str | None, limit: TextLimit) -> Packet:
    if to is None:
        return store.passages.get(asked.id, limit)
    return store.references.expand(asked.id, limit) if to == "refs" else store.passages.expand(asked.id, to, limit)


def _exposure_json(one: Exposure) -> dict[str, Json]:
    return {
        "run": run_name(one.step.run),
        "step": one.step.number,
        "grade": one.grade.value,
        "shown_digest": one.shown_digest,
        "in_full": one.in_full,
    }
