"""Whether the server answers and its store can be read."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from api.presenters import dumps
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
    services: Services = request.app.state.services
    services.store.sources.list_resources(limit=1)
    return Response(dumps({"status": "ok"}), headers={"Cache-Control": "no-store"}, media_type="application/json")
