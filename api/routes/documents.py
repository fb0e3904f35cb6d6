"""Places of stored revisions as evidence: read, searched, summarized, compared. Each answer is that of the command of this name."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from api.deps import ServicesDep
from api.errors import WrongUse
from api.findings import diff_json, packet_wire, search_json
from api.places import Asked, find_places
from api.routes.answers import answer, problems
from api.routes.names import Name
from api.schemas.evidence import DiffAnswer, PacketAnswer, PacketsAnswer, SearchAnswer
from api.tools.context import DEFAULT_MAX_TOKENS, MAX_MAX_TOKENS
from api.wiring import Services
from evidence_store.model import Pointer, ResourceName
from evidence_store.store.comparisons import SearchRequest, Target
from evidence_store.store.found import View

DEFAULT_HITS, MAX_HITS = 20, 1000
DEFAULT_PAIRS, MAX_PAIRS = 100, 1000
MAX_CONTEXT = 100
MAX_FIELDS = 100

router = APIRouter(prefix="/v1", tags=["documents"])

Revision = Annotated[int | None, Query(ge=1, lt=2**53, description="Without it the newest")]
MaxTokens = Annotated[int, Query(ge=1, le=MAX_MAX_TOKENS, description="Tokens of an excerpt at most")]
PointerText = Annotated[str | None, Query(max_length=8000, description="JSON Pointer", examples=["/paths/~1orders/get"])]
Pattern = Annotated[str, Query(min_length=1, max_length=8000, examples=["timeout"])]
Hits = Annotated[int, Query(ge=1, le=MAX_HITS, description="Hits at most")]
Context = Annotated[int, Query(ge=0, le=MAX_CONTEXT, description="Lines around a hit")]
EveryRevision = Annotated[bool, Query(description="Every revision, oldest first")]
ResourceText = Annotated[str, Query(min_length=1, max_length=1024, examples=["orders/openapi.json"])]


@router.get(
    "/documents/{resource:name}/read",
    operation_id="readDocument",
    summary="A place of a revision as evidence; with fields, one for each",
    response_class=Response,
    responses={200: {"model": PacketAnswer | PacketsAnswer}, **problems()},
)
def read_document(
    request: Request,
    services: ServicesDep,
    resource: Name,
    revision: Revision = None,
    pointer: PointerText = None,
    lines: Annotated[str | None, Query(max_length=80, description="A-B from 1, head:N, tail:N, around:LINE:N", examples=["1-20"])] = None,
    bytes: Annotated[str | None, Query(max_length=80, description="A-B from 0, the end not included", examples=["0-100"])] = None,
    quote: Annotated[str | None, Query(max_length=8000, description="Text that stands there once; may stand beside a pointer")] = None,
    prefix: Annotated[str, Query(max_length=8000, description="With quote: what stands right before it")] = "",
    suffix: Annotated[str, Query(max_length=8000, description="With quote: what stands right after it")] = "",
    case: Annotated[str | None, Query(max_length=8000, description="Test case of a report", examples=["suite/name"])] = None,
    operation: Annotated[str | None, Query(max_length=8000, description="Method and path", examples=["get /orders"])] = None,
    parameter: Annotated[str | None, Query(max_length=1000, description="With operation: one of its parameters")] = None,
    schema: Annotated[str | None, Query(max_length=1000, description="Name of a schema")] = None,
    fields: Annotated[list[str], Query(max_length=MAX_FIELDS, description="Only these members, each an evidence of its own")] = [],  # noqa: B006 - FastAPI copies it
    view: Annotated[View, Query(description="keys: the names of the members, as evidence of what is absent")] = "source",
    children: Annotated[str | None, Query(max_length=80, description="A-B from 0: outline of these children")] = None,
    max_tokens: MaxTokens = DEFAULT_MAX_TOKENS,
) -> Response:
    asked = Asked(
        ResourceName(resource),
        revision,
        pointer,
        lines,
        bytes,
        quote,
        prefix,
        suffix,
        case,
        operation,
        parameter,
        schema,
        tuple(fields),
        view,
        children,
    )
    places = find_places(services.store, asked)
    packets = [packet_wire(one) for one in services.store.passages.read_all(places, services.limit(max_tokens))]
    return answer(request, {"packets": packets} if fields else packets[0])


@router.get(
    "/documents/{resource:name}/search",
    operation_id="searchDocument",
    summary="Lines of a revision that hold a pattern; without any, a receipt",
    response_class=Response,
    responses={200: {"model": SearchAnswer}, **problems()},
)
def search_document(
    request: Request,
    services: ServicesDep,
    resource: Name,
    pattern: Pattern,
    revision: Revision = None,
    regex: bool = False,
    ignore_case: bool = False,
    limit: Hits = DEFAULT_HITS,
    context: Context = 0,
    all_revisions: EveryRevision = False,
    max_tokens: MaxTokens = DEFAULT_MAX_TOKENS,
) -> Response:
    name = ResourceName(resource)
    if all_revisions and revision is not None:
        raise WrongUse("all_revisions goes without a revision")
    targets: list[Target] = _revisions(services, name) if all_revisions else [(name, revision)]
    return _search(request, services, targets, SearchRequest(pattern, regex, ignore_case, limit, context), max_tokens)


@router.get(
    "/search",
    operation_id="search",
    summary="The same in all resources whose names match",
    response_class=Response,
    responses={200: {"model": SearchAnswer}, **problems()},
)
def search(
    request: Request,
    services: ServicesDep,
    resource: Annotated[str, Query(min_length=1, max_length=1024, description="A name, or a pattern of names", examples=["ci/*.log"])],
    pattern: Pattern,
    regex: bool = False,
    ignore_case: bool = False,
    limit: Hits = DEFAULT_HITS,
    context: Context = 0,
    all_revisions: EveryRevision = False,
    max_tokens: MaxTokens = DEFAULT_MAX_TOKENS,
) -> Response:
    targets: list[Target] = []
    for name in services.store.sources.list_matching(resource):
        targets += _revisions(services, name) if all_revisions else [(name, None)]
    return _search(request, services, targets, SearchRequest(pattern, regex, ignore_case, limit, context), max_tokens)


@router.get(
    "/documents/{resource:name}/summary",
    operation_id="summarizeDocument",
    summary="What a revision holds, by its structure",
    response_class=Response,
    responses={200: {"model": PacketAnswer}, **problems()},
)
def summarize_document(
    request: Request,
    services: ServicesDep,
    resource: Name,
    revision: Revision = None,
    kind: Annotated[str | None, Query(max_length=200, description="Without it the one that fits best", examples=["log"])] = None,
    tool: Annotated[str | None, Query(max_length=1000, description="Choose the kind as for an output of this tool")] = None,
    max_tokens: MaxTokens = DEFAULT_MAX_TOKENS,
) -> Response:
    found = services.store.summaries.read(ResourceName(resource), revision, kind, services.limit(max_tokens), tool=tool)
    return answer(request, packet_wire(found))


@router.get(
    "/diff",
    operation_id="diff",
    summary="What differs between two revisions, as evidence of both sides",
    response_class=Response,
    responses={200: {"model": DiffAnswer}, **problems()},
)
def diff(
    request: Request,
    services: ServicesDep,
    old: ResourceText,
    new: ResourceText,
    old_revision: Revision = None,
    new_revision: Revision = None,
    pointer: PointerText = None,
    limit: Annotated[int, Query(ge=1, le=MAX_PAIRS, description="Pairs at most")] = DEFAULT_PAIRS,
    max_tokens: MaxTokens = DEFAULT_MAX_TOKENS,
) -> Response:
    below = None if pointer is None else Pointer(pointer)
    sides = ((ResourceName(old), old_revision), (ResourceName(new), new_revision))
    found = services.store.comparisons.diff(*sides, below, limit, services.limit(max_tokens))
    return answer(request, diff_json(found, packet_wire))


def _revisions(services: Services, name: ResourceName) -> list[Target]:
    return [(name, one.number) for one in services.store.sources.list_revisions(name)]


def _search(request: Request, services: Services, targets: list[Target], asked: SearchRequest, max_tokens: int) -> Response:
    found = services.store.comparisons.search(targets, asked, services.limit(max_tokens))
    return answer(request, search_json(found, len(targets), packet_wire))
