"""The input of a step: built from what a request describes, and not kept; or kept as it was made elsewhere."""

from typing import Annotated

from fastapi import APIRouter, Body
from starlette.requests import Request
from starlette.responses import Response

from api.deps import CallerDep, IdempotencyKey
from api.presenters import plain
from api.routes.answers import answer, problems
from api.routes.bodies import LargeBoundedRoute, done_once
from api.routes.names import Name
from api.routes.places import Opening, RunNumber, StepNumber, held, read_shown, step_of
from api.schemas.runs import InputDigestAnswer, OutcomeAnswer, ProjectionRequest
from api.schemas.texts import Object
from api.stored_inputs import received_projection
from projector import outcome_json

router = APIRouter(prefix="/v1", tags=["projections"], route_class=LargeBoundedRoute)


@router.post(
    "/projections",
    operation_id="project",
    summary="Build the input of a step, or say what to do instead",
    description="The body is STEP.json (docs/formats/step.md). It is built for the key: the clearances of `principal` count for nothing.",
    response_class=Response,
    responses={200: {"model": OutcomeAnswer}, **problems(413)},
)
def build_projection(
    request: Request, caller: CallerDep, step: Annotated[Object, Body(examples=[{"task": {"goal": "Find what breaks clients."}}])]
) -> Response:
    # Memory of a server that builds no input: the whole projector.
    from api.projecting import project_for

    return answer(request, plain(outcome_json(project_for(step, caller.services))))


@router.post(
    "/tasks/{task:name}/runs/{run}/steps/{step}/projection",
    operation_id="storeProjection",
    summary="Keep the input of a step with its receipt, and that its evidence was projected",
    response_class=Response,
    status_code=201,
    responses={201: {"model": InputDigestAnswer}, **problems(409, 413)},
)
def store_projection(
    request: Request,
    caller: CallerDep,
    task: Name,
    run: RunNumber,
    step: StepNumber,
    asked: ProjectionRequest,
    opening: Opening = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    store = caller.services.store
    key = step_of(store, task, run, step)
    new = received_projection(
        asked.messages, asked.tools, asked.outside, asked.profile.model_dump(), asked.receipt, tuple(map(read_shown, asked.shown))
    )
    runs = held(store, key.run, opening)
    return done_once(request, caller, idempotency_key, "storeProjection", asked, lambda: {"input_digest": runs.record_projection(key, new)})
