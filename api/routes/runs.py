"""Runs of a task: begun, gone on with, ended; their turns, their steps, and what they were shown."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from api.deps import CallerDep, IdempotencyKey, ServicesDep
from api.presenters import Json, plain
from api.routes.answers import Cursor, Limit, answer, page, problems, read_number_cursor
from api.routes.bodies import BoundedRoute, done_once
from api.routes.names import Name
from api.routes.places import Opening, RunNumber, held, hold_of, run_of
from api.schemas.runs import (
    EmptyRequest,
    EndRequest,
    ExposuresPage,
    MessagePlaceAnswer,
    MessageRequest,
    MessagesPage,
    OpenedStepAnswer,
    OpeningAnswer,
    RunAnswer,
    RunRequest,
    RunsPage,
    RunStateAnswer,
    StepsPage,
    UsagesAnswer,
)
from api.seen_turns import list_seen_turns
from api.work_json import exposure_json, run_json, step_row_json, usage_json
from evidence_store.model import TaskName
from evidence_store.records.usages import CountedModel

router = APIRouter(prefix="/v1/tasks/{task:name}/runs", tags=["runs"], route_class=BoundedRoute)
Named = Annotated[str, Query(min_length=1, max_length=200)]


@router.get(
    "",
    operation_id="listRuns",
    summary="Runs of a task, in order",
    response_class=Response,
    responses={200: {"model": RunsPage}, **problems()},
)
def list_runs(request: Request, services: ServicesDep, task: Name, cursor: Cursor = None, limit: Limit = 100) -> Response:
    found = services.store.histories.list_summaries(TaskName(task), read_number_cursor(cursor), limit + 1)
    return page(request, found, limit, run_json, lambda one: one.run.number)


@router.post(
    "",
    operation_id="startRun",
    summary="Begin a run, with the first turn of the user where there is one",
    response_class=Response,
    status_code=201,
    responses={201: {"model": RunAnswer}, **problems(409, 413)},
)
def start_run(request: Request, caller: CallerDep, task: Name, asked: RunRequest, idempotency_key: IdempotencyKey = None) -> Response:
    store = caller.services.store

    def act() -> Json:
        key = store.runs.start(TaskName(task), asked.agent, asked.request)
        return run_json(store.histories.get_summary(key))

    return done_once(request, caller, idempotency_key, "startRun", asked, act)


@router.get(
    "/{run}",
    operation_id="getRun",
    summary="Where a run stands: its end, its open calls, its claims",
    response_class=Response,
    responses={200: {"model": RunStateAnswer}, **problems()},
)
def get_run(request: Request, services: ServicesDep, task: Name, run: RunNumber) -> Response:
    histories, key = services.store.histories, run_of(services.store, task, run)
    shown = run_json(histories.get_summary(key)) | {
        "n_steps": len(histories.list_steps(key)),
        "open_calls": list(services.store.runs.list_open_calls(key)),
        "claims": list(histories.list_claim_ids(key)),
    }
    return answer(request, shown)


@router.post(
    "/{run}/take",
    operation_id="takeRun",
    summary="Go on with a run that did not end; who held it before is refused from now on",
    response_class=Response,
    status_code=201,
    responses={201: {"model": OpeningAnswer}, **problems(409, 413)},
)
def take_run(
    request: Request, caller: CallerDep, task: Name, run: RunNumber, asked: EmptyRequest, idempotency_key: IdempotencyKey = None
) -> Response:
    store = caller.services.store
    key = run_of(store, task, run)
    return done_once(request, caller, idempotency_key, "takeRun", asked, lambda: {"opening": store.runs.take(key).opening})


@router.post(
    "/{run}/end",
    operation_id="endRun",
    summary="Mark a run as ended",
    response_class=Response,
    status_code=201,
    responses={201: {"model": RunAnswer}, **problems(409, 413)},
)
def end_run(
    request: Request,
    caller: CallerDep,
    task: Name,
    run: RunNumber,
    asked: EndRequest,
    opening: Opening = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    histories, key = caller.services.store.histories, run_of(caller.services.store, task, run)

    def act() -> Json:
        histories.end(key, asked.how, asked.reason, hold_of(key, opening))
        return run_json(histories.get_summary(key))

    return done_once(request, caller, idempotency_key, "endRun", asked, act)


@router.post(
    "/{run}/rule",
    operation_id="ruleOnClaims",
    summary="Rule on claims of the run that were recorded and not ruled on, as a process that ended in between leaves them",
    response_class=Response,
    status_code=201,
    responses={201: {"model": RunAnswer}, **problems(409, 413)},
)
def rule_on_claims(
    request: Request, caller: CallerDep, task: Name, run: RunNumber, asked: EmptyRequest, idempotency_key: IdempotencyKey = None
) -> Response:
    store = caller.services.store
    key = run_of(store, task, run)

    def act() -> Json:
        store.claims.rule_unruled(key)
        return run_json(store.histories.get_summary(key))

    return done_once(request, caller, idempotency_key, "ruleOnClaims", asked, act)


@router.get(
    "/{run}/messages",
    operation_id="listMessages",
    summary="The turns of a run as they came, with the results of calls, and its compactions between them",
    description="What names evidence that the key is not cleared for is marked. A page ends early where its bodies are large.",
    response_class=Response,
    responses={200: {"model": MessagesPage}, **problems()},
)
def list_messages(
    request: Request, services: ServicesDep, task: Name, run: RunNumber, cursor: Cursor = None, limit: Limit = 100
) -> Response:
    found = list_seen_turns(services.store, run_of(services.store, task, run), read_number_cursor(cursor), limit)
    return page(request, found.turns, found.limit, lambda one: plain(one.shown), lambda one: one.ordinal)


@router.post(
    "/{run}/messages",
    operation_id="addMessage",
    summary="Keep a turn of the user",
    response_class=Response,
    status_code=201,
    responses={201: {"model": MessagePlaceAnswer}, **problems(409, 413)},
)
def add_message(
    request: Request,
    caller: CallerDep,
    task: Name,
    run: RunNumber,
    asked: MessageRequest,
    opening: Opening = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    store = caller.services.store
    key = run_of(store, task, run)
    runs = held(store, key, opening)
    return done_once(request, caller, idempotency_key, "addMessage", asked, lambda: {"message": runs.add_user_message(key, asked.text)})


@router.get(
    "/{run}/steps",
    operation_id="listSteps",
    summary="Steps of a run, each with the task revision that it stands under",
    response_class=Response,
    responses={200: {"model": StepsPage}, **problems()},
)
def list_steps(request: Request, services: ServicesDep, task: Name, run: RunNumber, cursor: Cursor = None, limit: Limit = 100) -> Response:
    found = services.store.histories.list_steps(run_of(services.store, task, run), read_number_cursor(cursor), limit + 1)
    return page(request, found, limit, step_row_json, lambda one: one.number)


@router.post(
    "/{run}/steps",
    operation_id="openStep",
    summary="Begin the next step under the newest task revision",
    response_class=Response,
    status_code=201,
    responses={201: {"model": OpenedStepAnswer}, **problems(409, 413)},
)
def open_step(
    request: Request,
    caller: CallerDep,
    task: Name,
    run: RunNumber,
    asked: EmptyRequest,
    opening: Opening = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    store = caller.services.store
    key = run_of(store, task, run)
    runs = held(store, key, opening)
    return done_once(request, caller, idempotency_key, "openStep", asked, lambda: {"step": runs.open_step(key).number})


@router.get(
    "/{run}/usages",
    operation_id="listUsages",
    summary="The newest that was reported of a model in the runs of the task up to this one, the newest last",
    response_class=Response,
    responses={200: {"model": UsagesAnswer}, **problems()},
)
def list_usages(
    request: Request, services: ServicesDep, task: Name, run: RunNumber, provider: Named, model: Named, counter: Named, limit: Limit = 100
) -> Response:
    key = run_of(services.store, task, run)
    found = services.store.runs.list_recent_usages(key, CountedModel(provider, model, counter), limit)
    return answer(request, {"data": [usage_json(one) for one in found]})


@router.get(
    "/{run}/exposures",
    operation_id="listRunExposures",
    summary="What a run was shown, in order, in which grade",
    response_class=Response,
    responses={200: {"model": ExposuresPage}, **problems()},
)
def list_exposures(
    request: Request, services: ServicesDep, task: Name, run: RunNumber, cursor: Cursor = None, limit: Limit = 100
) -> Response:
    found = services.store.histories.list_exposures(run_of(services.store, task, run), read_number_cursor(cursor), limit + 1)
    return page(request, found, limit, exposure_json, lambda one: one.ordinal)
