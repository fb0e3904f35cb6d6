"""What a step of a run holds beside its calls: its stored inputs, their receipts, what was sent and billed, and compactions."""

from typing import Annotated

import orjson
from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from api.deps import CallerDep, IdempotencyKey, ServicesDep
from api.errors import WrongUse
from api.presenters import Json, plain
from api.replay import marked, principal_of, replay
from api.routes.answers import Cursor, Limit, answer, page, problems, read_cursor
from api.routes.bodies import BoundedRoute, done_once
from api.routes.names import Name
from api.routes.places import Opening, RunNumber, StepNumber, held, run_of, step_of
from api.schemas.runs import (
    CompactionRequest,
    EmptyRequest,
    InputDigestAnswer,
    ProjectionsPage,
    ReplayAnswer,
    SentRequest,
    UsageRequest,
)
from api.stored_inputs import get_step_input, list_inputs, stored_input_json
from evidence_store.model import Digest
from evidence_store.records.usages import NewUsage
from evidence_store.store.runs import NewCompaction

router = APIRouter(prefix="/v1/tasks/{task:name}/runs/{run}", tags=["runs"], route_class=BoundedRoute)
Which = Annotated[int | None, Query(ge=1, lt=2**53, description="Of a step that was projected more than once; the newest without it")]


@router.get(
    "/projections",
    operation_id="listRunProjections",
    summary="Stored inputs of a run in order of steps, with their token figures",
    response_class=Response,
    responses={200: {"model": ProjectionsPage}, **problems()},
)
def list_run_projections(
    request: Request, services: ServicesDep, task: Name, run: RunNumber, cursor: Cursor = None, limit: Limit = 100
) -> Response:
    return _page_of(request, services, task, run, None, cursor, limit)


@router.get(
    "/steps/{step}/projections",
    operation_id="listProjections",
    summary="Stored inputs of a step, with their token figures",
    response_class=Response,
    responses={200: {"model": ProjectionsPage}, **problems()},
)
def list_projections(
    request: Request, services: ServicesDep, task: Name, run: RunNumber, step: StepNumber, cursor: Cursor = None, limit: Limit = 100
) -> Response:
    services.store.runs.require_step(step_of(services.store, task, run, step))
    return _page_of(request, services, task, run, step, cursor, limit)


def _page_of(request: Request, services: ServicesDep, task: str, run: int, step: int | None, cursor: str | None, limit: int) -> Response:
    found = list_inputs(services.store, run_of(services.store, task, run), step, _read_place(read_cursor(cursor, "0:0")), limit + 1)
    return page(request, found, limit, stored_input_json, lambda one: f"{one.input.step.number}:{one.input.ordinal}")


def _read_place(text: str) -> tuple[int, int]:
    """Step and place in it. Raises WrongUse."""
    step, _, ordinal = text.partition(":")
    if not all(one.isascii() and one.isdecimal() and len(one) < 16 for one in (step, ordinal)):
        raise WrongUse("cursor is not one that this list gave; begin without one", code="bad_cursor")
    return int(step), int(ordinal)


@router.get(
    "/steps/{step}/receipt",
    operation_id="getReceipt",
    summary="What an input kept and left out, with tokens and reasons",
    description="As docs/formats/receipt.md has it. Evidence that the key is not cleared for is marked.",
    response_class=Response,
    responses={200: {"content": {"application/json": {"schema": {"type": "object"}}}}, **problems()},
)
def get_receipt(
    request: Request, services: ServicesDep, task: Name, run: RunNumber, step: StepNumber, projection: Which = None
) -> Response:
    stored = get_step_input(services.store, step_of(services.store, task, run, step), projection)
    return answer(request, plain(marked(services.store, orjson.loads(stored.row.receipt))))


@router.get(
    "/steps/{step}/replay",
    operation_id="replayStep",
    summary="A stored input given out again, with marks in place of evidence that may not be shown",
    response_class=Response,
    responses={200: {"model": ReplayAnswer}, **problems()},
)
def replay_step(
    request: Request, services: ServicesDep, task: Name, run: RunNumber, step: StepNumber, projection: Which = None
) -> Response:
    stored = get_step_input(services.store, step_of(services.store, task, run, step), projection)
    found = replay(services.store, stored, principal_of(services.store))
    shown: dict[str, Json] = {
        "step": stored.step.number,
        "projection": stored.ordinal,
        "same": not found.marks,
        "marks": [{"evidence": id_, "mark": mark} for id_, mark in found.marks.items()],
        "input_digest": stored.row.input_digest,
        "messages": plain(found.messages),
        "tools": plain(found.tools),
        "outside": plain(dict(found.outside)),
    }
    return answer(request, shown)


@router.post(
    "/steps/{step}/sent",
    operation_id="confirmSent",
    summary="Say that a stored input was sent as it is: what it showed counts as sent",
    response_class=Response,
    status_code=201,
    responses={201: {"model": InputDigestAnswer}, **problems(409, 413)},
)
def confirm_sent(
    request: Request,
    caller: CallerDep,
    task: Name,
    run: RunNumber,
    step: StepNumber,
    asked: SentRequest,
    opening: Opening = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    key = step_of(caller.services.store, task, run, step)
    runs = held(caller.services.store, key.run, opening)

    def act() -> Json:
        runs.confirm_sent(key, Digest(asked.input_digest))
        return {"input_digest": asked.input_digest}

    return done_once(request, caller, idempotency_key, "confirmSent", asked, act)


@router.post(
    "/steps/{step}/usage",
    operation_id="reportUsage",
    summary="Keep what a provider reported of the input of a step",
    response_class=Response,
    status_code=201,
    responses={201: {"model": UsageRequest}, **problems(409, 413)},
)
def report_usage(
    request: Request,
    caller: CallerDep,
    task: Name,
    run: RunNumber,
    step: StepNumber,
    asked: UsageRequest,
    opening: Opening = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    key = step_of(caller.services.store, task, run, step)
    runs = held(caller.services.store, key.run, opening)
    new = NewUsage(asked.provider, asked.model, asked.counter, asked.counted, asked.reported, asked.said)

    def act() -> Json:
        runs.report_usage(key, new)
        return plain(asked.model_dump())

    return done_once(request, caller, idempotency_key, "reportUsage", asked, act)


@router.post(
    "/steps/{step}/compaction",
    operation_id="recordCompaction",
    summary="Keep what became of the history before the input of a step was made",
    response_class=Response,
    status_code=201,
    responses={201: {"model": EmptyRequest}, **problems(409, 413)},
)
def record_compaction(
    request: Request,
    caller: CallerDep,
    task: Name,
    run: RunNumber,
    step: StepNumber,
    asked: CompactionRequest,
    opening: Opening = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    key = step_of(caller.services.store, task, run, step)
    runs = held(caller.services.store, key.run, opening)
    new = NewCompaction(tuple(asked.by_reference), tuple(asked.left), tuple(asked.gone), asked.recap, asked.tokens_before, asked.tokens)

    def act() -> Json:
        runs.record_compaction(key, new)
        return {}

    return done_once(request, caller, idempotency_key, "recordCompaction", asked, act)
