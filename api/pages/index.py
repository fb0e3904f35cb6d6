"""The front page: published reports and stored resources; and the stylesheet of all pages."""

from pathlib import Path

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from api.deps import ServicesDep
from api.pages.templating import page
from api.routes.conditional import respond

LISTED = 200
_STYLE = (Path(__file__).parent / "style.css").read_bytes()

router = APIRouter(include_in_schema=False)


@router.get("/", operation_id="showIndex")
def show_index(request: Request, services: ServicesDep) -> Response:
    reports = services.store.claims.list_reports(LISTED + 1)
    resources = services.store.sources.list_resources(limit=LISTED + 1)
    values = {
        "reports": reports[:LISTED],
        "more_reports": len(reports) > LISTED,
        "resources": resources[:LISTED],
        "more_resources": len(resources) > LISTED,
    }
    return page(request, "index.html", values)


@router.get("/style.css", operation_id="getStyle")
async def get_style(request: Request) -> Response:
    return respond(request, _STYLE, "text/css")
