"""The web application: endpoints, pages, MCP and errors over given services."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.util import find_spec

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from api.auth import Gatekeeper
from api.errors import Unauthenticated, WrongUse
from api.listening import LOOPBACK
from api.observing.logs import log_request
from api.observing.metrics import Metrics
from api.observing.spans import request_spans
from api.pages import evidence as evidence_page
from api.pages import failure, index, signing
from api.pages import reports as report_page
from api.pages import sources as source_page
from api.pages import traces as trace_page
from api.routes import (
    blobs,
    citations,
    claims,
    documents,
    evidence,
    health,
    keys,
    labels,
    mcp,
    progress,
    projections,
    reports,
    resources,
    runs,
    stats,
    steps,
    tasks,
    tool_calls,
    tools,
)
from api.routes.bodies import MAX_BODY_BYTES
from api.routes.bounds import Bounds
from api.routes.denials import Denials
from api.routes.headers import AnswerHeaders
from api.routes.kept import EvidenceFromMemory, KeptEvidence
from api.routes.names import NamesInPaths
from api.routes.observed import Observed
from api.routes.problems import problem_response
from api.server_settings import DEFAULT_SERVER, ServerSettings
from api.wiring import Services
from evidence_store import VERSION
from evidence_store.access import Principal
from evidence_store.errors import EvidenceStoreError

_MACHINE_PATHS = ("/v1", "/healthz", "/readyz", "/metrics")
_MACHINE_ROUTES = (
    health,
    stats,
    resources,
    blobs,
    documents,
    evidence,
    citations,
    tasks,
    progress,
    runs,
    steps,
    tool_calls,
    tools,
    projections,
    claims,
    reports,
    labels,
    keys,
)


def create_app(services: Services, *, unauthenticated: bool = False, settings: ServerSettings = DEFAULT_SERVER) -> FastAPI:
    """The application over these services; it does not close them. With `unauthenticated` whoever asks is the owner of the store.

    Raises WrongUse where tokens are to be taken and cannot be.
    """
    app = FastAPI(
        title="evidence-store",
        version=VERSION,
        summary="Evidence with its place in the stored bytes, and the way to them.",
        openapi_url="/v1/openapi.json",
        # The interactive pages of the framework fetch their scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        # The framework's own spans hold addresses, and so names of resources; ours stand in their place (`api.observing`).
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
        lifespan=_lifespan,
    )
    app.state.services = services
    app.state.settings = settings
    app.state.gatekeeper = Gatekeeper(
        services, unauthenticated=unauthenticated, token_principal=_token_principal(settings), requests_per_s=settings.requests_per_s
    )
    app.state.kept = KeptEvidence(app.state.gatekeeper)
    app.add_middleware(NamesInPaths)
    app.add_middleware(EvidenceFromMemory, gatekeeper=app.state.gatekeeper, kept=app.state.kept)
    app.add_middleware(Bounds, max_body_bytes=settings.max_json_bytes, max_uploads=settings.max_uploads)
    app.state.metrics = Metrics()
    app.state.denials = Denials(settings.denials_per_minute)
    app.add_middleware(Observed, metrics=app.state.metrics, spans=request_spans(), tell=log_request)
    app.add_middleware(AnswerHeaders)
    for module in (*_MACHINE_ROUTES, index, report_page, evidence_page, trace_page, source_page):
        app.include_router(module.router)
    if not unauthenticated:
        app.include_router(signing.router)
    _mount_mcp(app, unauthenticated=unauthenticated)
    for kind in (EvidenceStoreError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, _answer_error)
    return app


def _token_principal(settings: ServerSettings) -> Callable[[str], Principal] | None:
    if settings.tokens is None:
        return None
    try:
        from api.tokens import Tokens  # an extra
    except ModuleNotFoundError as why:
        raise WrongUse(f"tokens need the extra: pip install 'evidence-store[oidc]' ({why.name} is missing)") from why
    return Tokens(settings.tokens).principal


def _mount_mcp(app: FastAPI, *, unauthenticated: bool) -> None:
    """Beside HTTP, where the extra `mcp` is installed."""
    app.state.mounted = None
    if find_spec("mcp") is None:
        return

    def make() -> mcp.Mounted:
        from api.mcp.mounted import Mounted  # start-up cost, and an extra
        from api.mcp.serving import HttpPlace

        max_body_bytes = min(app.state.settings.max_json_bytes, MAX_BODY_BYTES)
        return Mounted(max_body_bytes=max_body_bytes, loopback=HttpPlace(LOOPBACK, 0) if unauthenticated else None)

    app.state.mounted = mcp.StartedWhenAsked(make)
    app.router.routes.append(Route(mcp.PATH, mcp.McpDoor(app.state.mounted)))


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        if app.state.mounted is not None:
            await stack.enter_async_context(app.state.mounted.running())
        yield


def _answer_error(request: Request, why: Exception) -> Response:
    """Problem details for machines; for readers of pages, a page."""
    denials: Denials = request.app.state.denials
    if request.url.path.startswith(_MACHINE_PATHS):
        return denials.watch(request, why, problem_response(request, why))
    if isinstance(why, Unauthenticated):
        query = f"?{request.url.query}" if request.url.query else ""
        return signing.sign_in_page(request, f"{request.url.path}{query}", None)
    return denials.watch(request, why, failure.error_page(request, why))
