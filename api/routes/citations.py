"""The check of a report's citations: one verdict each, as `evidence check --json`."""

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from api.deps import ServicesDep
from api.findings import check_json
from api.presenters import Json
from api.routes.answers import answer, problems
from api.routes.problems import TooLarge
from api.routes.streams import pieces_of
from api.schemas.evidence import CheckAnswer
from api.wiring import Services
from evidence_store.report_check import find_uncited

MAX_REPORT_BYTES = 10 * 1024 * 1024

router = APIRouter(prefix="/v1", tags=["reports"])


@router.post(
    "/citations/check",
    operation_id="checkCitations",
    summary="One verdict for each citation of a report",
    description="The body is the Markdown of the report, 10 MiB at most. Nothing is stored.",
    response_class=Response,
    responses={200: {"model": CheckAnswer}, **problems(413)},
    openapi_extra={"requestBody": {"required": True, "content": {"text/markdown": {"schema": {"type": "string"}}}}},
)
async def check_citations(request: Request, services: ServicesDep) -> Response:
    pieces = pieces_of(request, MAX_REPORT_BYTES)

    def checked() -> dict[str, Json]:
        raw = bytearray()
        for piece in pieces:
            raw += piece
            if len(raw) > MAX_REPORT_BYTES:
                raise TooLarge(f"the report has more than {MAX_REPORT_BYTES} bytes", {"limit": MAX_REPORT_BYTES})
        return _check(services, raw.decode("utf-8", "replace"))

    return answer(request, await run_in_threadpool(checked))


def _check(services: Services, text: str) -> dict[str, Json]:
    store = services.store
    return check_json(store.checks.check_report(text), find_uncited(text), store.claims.find_published(text))
