"""Claims of a task: recorded by the agent of a run, listed with their standing, disputed by readers."""

import re
from typing import Annotated

from fastapi import APIRouter, Path
from starlette.requests import Request
from starlette.responses import Response

from api.deps import CallerDep, IdempotencyKey, ServicesDep
from api.presenters import Json
from api.routes.answers import Cursor, Limit, answer, page, problems, read_number_cursor
from api.routes.bodies import BoundedRoute, done_once
from api.routes.names import Name
from api.routes.places import step_of
from api.schemas.claims import ClaimAnswer, ClaimHistoryAnswer, ClaimRequestModel, ClaimsPage, DisputeRequest
from api.schemas.tasks import RuledClaimAnswer
from api.signing import signed
from api.work_json import claim_history_json, claim_json, ruled_json
from evidence_store.ids import read_id
from evidence_store.model import About, Citation, Pointer, ResourceName, TaskName
from evidence_store.store.claims import ClaimRequest

router = APIRouter(prefix="/v1/tasks/{task:name}/claims", tags=["claims"], route_class=BoundedRoute)
_ID = re.compile(r"C?([1-9][0-9]{0,14})")
ClaimId = Annotated[str, Path(pattern="^C?[1-9][0-9]{0,14}$", examples=["C12"])]


@router.get(
    "",
    operation_id="listClaims",
    summary="Claims of a task in order, each with its standing now",
    response_class=Response,
    responses={200: {"model": ClaimsPage}, **problems()},
)
def list_claims(request: Request, services: ServicesDep, task: Name, cursor: Cursor = None, limit: Limit = 100) -> Response:
    found = services.store.claims.list_claims(TaskName(task), read_number_cursor(cursor), limit + 1)
    return page(request, found, limit, claim_json, lambda one: int(one.id[1:]))


@router.post(
    "",
    operation_id="recordClaim",
    summary="Record a claim in the name of the run's agent, and rule on it at once",
    response_class=Response,
    status_code=201,
    responses={201: {"model": ClaimAnswer}, **problems(409, 413)},
)
def record_claim(
    request: Request, caller: CallerDep, task: Name, asked: ClaimRequestModel, idempotency_key: IdempotencyKey = None
) -> Response:
    store = caller.services.store
    step = step_of(store, task, asked.run, asked.step)
    pointer = None if asked.about.pointer is None else Pointer(asked.about.pointer)

    def act() -> Json:
        claim = ClaimRequest(
            About(ResourceName(asked.about.resource), pointer, asked.about.aspect),
            asked.text,
            tuple(Citation(read_id(one.evidence).id, one.role) for one in asked.citations),
            store.runs.require_step(step),
            asked.standing,
            asked.scope_rule,
            asked.reason,
        )
        return claim_json(store.claims.record(step, claim))

    return done_once(request, caller, idempotency_key, "recordClaim", asked, act)


@router.get(
    "/{claim}",
    operation_id="getClaim",
    summary="One claim, with the rulings on it",
    response_class=Response,
    responses={200: {"model": ClaimHistoryAnswer}, **problems()},
)
def get_claim(request: Request, services: ServicesDep, task: Name, claim: ClaimId) -> Response:
    claims, name, number = services.store.claims, TaskName(task), _number(claim)
    return answer(request, claim_history_json(claims.get(name, number), claims.get_step(name, number), claims.list_rulings(name, number)))


@router.post(
    "/{claim}/disputes",
    operation_id="disputeClaim",
    summary="Return a claim to open, with what a reader has against it",
    description="It stays open until its evidence is judged anew. Reports that were published keep what they said.",
    response_class=Response,
    status_code=201,
    responses={201: {"model": RuledClaimAnswer}, **problems(409, 413)},
)
def dispute_claim(
    request: Request, caller: CallerDep, task: Name, claim: ClaimId, asked: DisputeRequest, idempotency_key: IdempotencyKey = None
) -> Response:
    claims, reader = caller.services.store.claims, signed(caller.principal, asked.reader)
    return done_once(
        request,
        caller,
        idempotency_key,
        "disputeClaim",
        asked,
        lambda: ruled_json(claims.dispute(TaskName(task), _number(claim), asked.reason, reader)),
    )


def _number(claim: str) -> int:
    found = _ID.fullmatch(claim)
    assert found is not None, "the pattern of the path holds"
    return int(found[1])
