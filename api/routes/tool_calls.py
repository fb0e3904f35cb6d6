"""Calls of a step: opened with the turn that makes them, made on the server where they are ours, and closed with their results."""

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.requests import Request
from starlette.responses import Response

from api.access import require_grant
from api.deps import CallerDep, IdempotencyKey
from api.presenters import Json, dumps
from api.routes.answers import JSON, problems
from api.routes.bodies import LargeBoundedRoute, done_once
from api.routes.conditional import respond
from api.routes.names import Name
from api.routes.places import Opening, RunNumber, StepNumber, held, read_shown, step_of
from api.schemas.runs import CallsAnswer, CallsRequest, ResultsRequest, ToolAnswerModel, ToolRequestModel
from api.tools import call_tool
from api.tools.definitions import BY_NAME
from api.work_json import tool_answer_json
from evidence_store.store.runs import ClosedCall, OpenCall

router = APIRouter(prefix="/v1/tasks/{task:name}/runs/{run}/steps/{step}", tags=["runs"], route_class=LargeBoundedRoute)


@router.post(
    "/calls",
    operation_id="openCalls",
    summary="Keep a turn of the agent and open its calls",
    response_class=Response,
    status_code=201,
    responses={201: {"model": CallsAnswer}, **problems(409, 413)},
)
def open_calls(
    request: Request,
    caller: CallerDep,
    task: Name,
    run: RunNumber,
    step: StepNumber,
    asked: CallsRequest,
    opening: Opening = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    key = step_of(caller.services.store, task, run, step)
    runs = held(caller.services.store, key.run, opening)
    calls = [OpenCall(one.call, one.name, one.arguments) for one in asked.calls]

    def act() -> Json:
        runs.open_calls(key, asked.text, calls)
        return {"calls": [one.call for one in calls]}

    return done_once(request, caller, idempotency_key, "openCalls", asked, act)


@router.post(
    "/results",
    operation_id="closeCalls",
    summary="Close calls with their results, and keep that their packets were delivered",
    response_class=Response,
    status_code=201,
    responses={201: {"model": CallsAnswer}, **problems(409, 413)},
)
def close_calls(
    request: Request,
    caller: CallerDep,
    task: Name,
    run: RunNumber,
    step: StepNumber,
    asked: ResultsRequest,
    opening: Opening = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    key = step_of(caller.services.store, task, run, step)
    runs = held(caller.services.store, key.run, opening)
    results = [ClosedCall(one.call, one.outcome, one.body, one.complete, tuple(map(read_shown, one.shown))) for one in asked.results]

    def act() -> Json:
        runs.close_calls(key, results)
        return {"calls": [one.call for one in results]}

    return done_once(request, caller, idempotency_key, "closeCalls", asked, act)


@router.post(
    "/tools/{name}",
    operation_id="callTool",
    summary="Make a call of one of our tools on the server",
    description="In the name of the run's agent, on the revisions that the run is pinned to. It needs `evidence:read`, too, since it "
    "answers with evidence. What goes wrong is an answer with `outcome` error. Neither call nor result is kept: see `openCalls` and "
    "`closeCalls`. A call that records is done once for each idempotency key.",
    response_class=Response,
    responses={200: {"model": ToolAnswerModel}, **problems(409, 413)},
)
def call_our_tool(
    request: Request,
    caller: CallerDep,
    task: Name,
    run: RunNumber,
    step: StepNumber,
    name: Annotated[str, Path(max_length=80, examples=["search"])],
    asked: ToolRequestModel,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    require_grant(caller.principal, "getEvidence")
    services = caller.services
    key = step_of(services.store, task, run, step)
    context = services.tools(key, services.store.runs.require_step(key))

    def act() -> Json:
        return tool_answer_json(call_tool(context, name, asked.arguments, recording=True))

    if name in BY_NAME and BY_NAME[name].records:
        return done_once(request, caller, idempotency_key, f"callTool {name}", asked, act, 200)
    # What only reads may take long, and must not hold the lock that an answer is kept under.
    return respond(request, dumps(act()), JSON)
