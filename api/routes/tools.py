"""Tools outside of runs: our reading tools for agents whose runs are not kept, and what stands in place of an output that was put."""

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.requests import Request
from starlette.responses import Response

from api.deps import ServicesDep
from api.presenters import packet_json
from api.routes.answers import answer, problems
from api.routes.bodies import BoundedRoute
from api.routes.names import Name
from api.schemas.runs import ToolAnswerModel, ToolRequestModel
from api.schemas.tools import PreviewAnswer, PreviewRequest
from api.tools import call_tool
from api.work_json import tool_answer_json
from api.wrap import Filters, Wanted, show_here
from evidence_store.model import ResourceName

router = APIRouter(prefix="/v1", tags=["tools"], route_class=BoundedRoute)


@router.post(
    "/tools/{name}",
    operation_id="callReadingTool",
    summary="Make a call of one of our reading tools, outside of any run",
    description="Nothing is pinned or kept. What goes wrong is an answer with `outcome` error.",
    response_class=Response,
    responses={200: {"model": ToolAnswerModel}, **problems(413)},
)
def call_reading_tool(
    request: Request, services: ServicesDep, name: Annotated[str, Path(max_length=80, examples=["search"])], asked: ToolRequestModel
) -> Response:
    return answer(request, tool_answer_json(call_tool(services.tools(), name, asked.arguments, recording=False)))


@router.post(
    "/resources/{resource:name}/revisions/{number}/preview",
    operation_id="previewRevision",
    summary="What a model gets in place of a tool's output, within so many tokens",
    description="As wrapped tools show it (docs/wrapping.md). Nothing is kept but the evidence that it shows.",
    response_class=Response,
    responses={200: {"model": PreviewAnswer}, **problems(413)},
)
def preview_revision(
    request: Request,
    services: ServicesDep,
    resource: Name,
    number: Annotated[int, Path(ge=1, lt=2**53, examples=[1])],
    asked: PreviewRequest,
) -> Response:
    sources, name = services.store.sources, ResourceName(resource)
    sources.require_unmasked(name)
    chosen = asked.filters
    filters = Filters(chosen.grep, chosen.tail_n, tuple(chosen.fields), chosen.pointer)
    wanted = Wanted(asked.tool, asked.tokens, asked.summary_bytes, filters, asked.whole)
    shown = show_here(services.tools(), services.counter, sources.get_revision(name, number), wanted)
    return answer(request, {"text": shown.text, "packets": [packet_json(one) for one in shown.packets]})
