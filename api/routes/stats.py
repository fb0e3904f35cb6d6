"""How much there is, for people; and metrics, for Prometheus."""

import ipaddress

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from api.auth import admit
from api.deps import ServicesDep
from api.observing.metrics import MEDIA_TYPE, Metrics
from api.presenters import Json
from api.routes.answers import answer, problems
from api.schemas import StatsAnswer
from evidence_store.store.statistics import read_stats

router = APIRouter(tags=["server"])
_FORWARDED = ("forwarded", "x-forwarded-for", "via")


@router.get(
    "/v1/stats",
    operation_id="getStats",
    summary="How much the workspace holds, as the caller sees it",
    response_class=Response,
    responses={200: {"model": StatsAnswer}, **problems()},
)
def get_stats(request: Request, services: ServicesDep) -> Response:
    found = read_stats(services.store.core)
    shown: dict[str, Json] = {"counts": dict(found.counts), "raw_bytes": found.raw_bytes, "stored_bytes": found.stored_bytes}
    return answer(request, shown)


@router.get("/metrics", operation_id="getMetrics", summary="Metrics in the text form of Prometheus", include_in_schema=False)
def get_metrics(request: Request) -> Response:
    """Whoever has `audit:read`; by a setting, also this machine without a key, unless the request came through a proxy."""
    if not (request.app.state.settings.metrics == "loopback" and _is_from_here(request)):
        admit(request)
    metrics: Metrics = request.app.state.metrics
    return Response(metrics.text(), headers={"Cache-Control": "no-store"}, media_type=MEDIA_TYPE)


def _is_from_here(request: Request) -> bool:
    if request.client is None or any(name in request.headers for name in _FORWARDED):
        return False
    try:
        return ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        return False
