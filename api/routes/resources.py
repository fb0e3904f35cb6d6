"""Resources and their revisions: listed, put as a stream, and seen again."""

from typing import Annotated

from fastapi import APIRouter, Header, Path, Query
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from api.deps import CallerDep, IdempotencyKey, ServicesDep
from api.presenters import Json, observation_json, resource_json, revision_json
from api.routes.answers import Cursor, Limit, answer, page, problems, read_cursor, read_number_cursor
from api.routes.digests import read_content_digest
from api.routes.names import Name
from api.routes.streams import pieces_of
from api.schemas import ObservationsPage, ResourceAnswer, ResourcesPage, RevisionAnswer, RevisionsPage, StoredAnswer
from evidence_store.model import Format, Kind, ResourceName
from evidence_store.store.put_request import PutRequest

router = APIRouter(prefix="/v1", tags=["resources"])

Number = Annotated[int, Path(ge=1, lt=2**53, examples=[1])]
Text = Annotated[str | None, Query(max_length=1000)]


@router.get(
    "/resources",
    operation_id="listResources",
    summary="Resources by name, each with its newest revision",
    response_class=Response,
    responses={200: {"model": ResourcesPage}, **problems()},
)
def list_resources(request: Request, services: ServicesDep, cursor: Cursor = None, limit: Limit = 100) -> Response:
    found = services.store.sources.list_resources(read_cursor(cursor, ""), limit + 1)
    return page(request, found, limit, lambda one: resource_json(*one), lambda one: one[0].name)


@router.get(
    "/resources/{resource:name}",
    operation_id="getResource",
    summary="One resource with its newest revision",
    response_class=Response,
    responses={200: {"model": ResourceAnswer}, **problems()},
)
def get_resource(request: Request, services: ServicesDep, resource: Name) -> Response:
    newest = services.store.sources.get_revision(ResourceName(resource), None)
    return answer(request, resource_json(services.store.sources.get_resource(newest.resource), newest))


@router.get(
    "/resources/{resource:name}/revisions",
    operation_id="listRevisions",
    summary="Revisions of a resource, oldest first",
    response_class=Response,
    responses={200: {"model": RevisionsPage}, **problems()},
)
def list_revisions(request: Request, services: ServicesDep, resource: Name, cursor: Cursor = None, limit: Limit = 100) -> Response:
    after = read_number_cursor(cursor)
    found = [one for one in services.store.sources.list_revisions(ResourceName(resource)) if one.number > after]
    return page(request, found[: limit + 1], limit, revision_json, lambda one: one.number)


@router.get(
    "/resources/{resource:name}/revisions/{number}",
    operation_id="getRevision",
    summary="One revision",
    response_class=Response,
    responses={200: {"model": RevisionAnswer}, **problems()},
)
def get_revision(request: Request, services: ServicesDep, resource: Name, number: Number) -> Response:
    return answer(request, revision_json(services.store.sources.get_revision(ResourceName(resource), number)))


@router.get(
    "/resources/{resource:name}/revisions/{number}/observations",
    operation_id="listObservations",
    summary="Each time that a revision was seen, oldest first",
    response_class=Response,
    responses={200: {"model": ObservationsPage}, **problems()},
)
def list_observations(
    request: Request, services: ServicesDep, resource: Name, number: Number, cursor: Cursor = None, limit: Limit = 100
) -> Response:
    found = services.store.sources.list_observations(ResourceName(resource), number, read_number_cursor(cursor), limit + 1)
    return page(request, found, limit, lambda one: observation_json(one[1]), lambda one: one[0])


@router.post(
    "/resources/{resource:name}/revisions",
    operation_id="putRevision",
    summary="Store the body as the next revision",
    description="The body is the tool output, byte for byte, and is streamed. Equal to the newest one, it is one more observation of that.",
    response_class=Response,
    responses={
        201: {"model": StoredAnswer, "description": "A new revision"},
        200: {"model": StoredAnswer, "description": "The bytes of the newest revision, seen again"},
        **problems(409, 413),
    },
    openapi_extra={"requestBody": {"required": True, "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}}}},
)
async def put_revision(
    request: Request,
    caller: CallerDep,
    resource: Name,
    kind: Kind | None = None,
    format: Format | None = None,
    scope: Text = None,
    label: Annotated[list[str], Query(max_length=100)] = [],  # noqa: B006 - FastAPI copies it
    file_name: Text = None,
    version_label: Text = None,
    tool: Text = None,
    complete: bool = True,
    if_newest: Annotated[
        int | None, Query(ge=0, lt=2**53, description="Refuse unless this is the newest revision; 0: there is none")
    ] = None,
    max_age_s: Annotated[int | None, Query(ge=1, lt=2**53, description="The resource is live")] = None,
    idempotency_key: IdempotencyKey = None,
    content_type: Annotated[str | None, Header(description="Media type; decides the format")] = None,
    content_digest: Annotated[str | None, Header(description="RFC 9530 `sha-256`; refused where the bytes have another")] = None,
) -> Response:
    asked = PutRequest(
        ResourceName(resource),
        kind,
        scope,
        tuple(label),
        None if content_type in (None, "application/octet-stream") else content_type,
        format,
        file_name,
        version_label,
        tool,
        complete=complete,
        if_newest=if_newest,
        idempotency_key=idempotency_key,
        max_age_s=max_age_s,
        digest=read_content_digest(content_digest),
    )
    store = caller.services.store
    result = await run_in_threadpool(store.sources.put, asked, pieces_of(request, store.core.limits.max_bytes))
    shown: dict[str, Json] = revision_json(result.revision) | {"created": result.made}
    return answer(request, shown, 201 if result.made else 200)
