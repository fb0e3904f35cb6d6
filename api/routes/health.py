"""Whether the server lives, and whether it can do its work."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from api.presenters import dumps
from api.readiness import require_ready
from api.schemas import HealthAnswer, problem_content
from api.wiring import Services

router = APIRouter(tags=["server"])


@router.get(
    "/healthz",
    operation_id="getHealth",
    summary="Whether the store can be read",
    response_class=Response,
    responses={200: {"model": HealthAnswer}, 503: {"description": "The store cannot be read", "content": problem_content()}},
)
def get_health(request: Request) -> Response:
    request.state.operation = "getHealth"
    services: Services = request.app.state.services
    services.store.sources.list_resources(limit=1)
    return Response(dumps({"status": "ok"}), headers={"Cache-Control": "no-store"}, media_type="application/json")


@router.get(
    "/readyz",
    operation_id="getReady",
    summary="Whether the server can do its work",
    description="The database answers and has the schema of this version, the folder of the store can be written, and there is space left.",
    response_class=Response,
    responses={200: {"model": HealthAnswer}, 503: {"description": "`failed` names what is missing", "content": problem_content()}},
)
def get_ready(request: Request) -> Response:
    request.state.operation = "getReady"
    require_ready(request.app.state.services, request.app.state.settings.min_free_bytes)
    return Response(dumps({"status": "ready"}), headers={"Cache-Control": "no-store"}, media_type="application/json")
