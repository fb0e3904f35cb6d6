"""Lines of a stored revision, a window at a time."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from api.deps import ServicesDep
from api.pages.templating import page
from api.pages.window import window_of
from evidence_store.documents.text import parse_lines
from evidence_store.model import ResourceName

STEP_LINES = 200
"""Lines of a window that a reader turns to."""
MAX_NUMBER = 2**53 - 1

router = APIRouter(include_in_schema=False)


@router.get("/resources/{name:path}@{revision:int}/source", operation_id="showSource")
def show_source(
    request: Request,
    services: ServicesDep,
    name: str,
    revision: Annotated[int, Path(ge=1, le=MAX_NUMBER)],
    lines: Annotated[str, Query(max_length=40)] = f"1-{STEP_LINES}",
) -> Response:
    found = services.store.sources.get_revision(ResourceName(name), revision)
    masking = services.store.passages.get_reader(found).masking
    window = window_of(services.store.sources.get_bytes(found.resource, found.number), parse_lines(lines), masking=masking)
    return page(request, "source.html", {"revision": found, "window": window, "step": STEP_LINES})
