"""The web application: endpoints, pages and errors over given services; and serving it on this machine."""

from collections.abc import Callable
from dataclasses import dataclass

import uvicorn
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from api.auth import Gatekeeper
from api.errors import WrongUse
from api.listening import LOOPBACK, listening, signals_taken
from api.pages import evidence as evidence_page
from api.pages import failure, index
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
    progress,
    projections,
    reports,
    resources,
    runs,
    steps,
    tasks,
    tool_calls,
    tools,
)
from api.routes.headers import AnswerHeaders, LoopbackOnly
from api.routes.kept import EvidenceFromMemory, KeptEvidence
from api.routes.names import NamesInPaths
from api.routes.problems import problem_response
from api.wiring import Services
from evidence_store import VERSION
from evidence_store.errors import EvidenceStoreError

STOP_AFTER_S = 5
"""How long requests that are being answered may take once the server is told to stop."""
_MACHINE_PATHS = ("/v1", "/healthz")
_MACHINE_ROUTES = (
    health,
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


def create_app(services: Services, *, unauthenticated: bool = False) -> FastAPI:
    """The application over these services; it does not close them. With `unauthenticated` whoever asks is the owner of the store."""
    app = FastAPI(
        title="evidence-store",
        version=VERSION,
        summary="Evidence with its place in the stored bytes, and the way to them.",
        openapi_url="/v1/openapi.json",
        # The interactive pages of the framework fetch their scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
    )
    app.state.services = services
    app.state.gatekeeper = Gatekeeper(services, unauthenticated=unauthenticated)
    app.state.kept = KeptEvidence(app.state.gatekeeper)
    app.add_middleware(NamesInPaths)
    app.add_middleware(EvidenceFromMemory, gatekeeper=app.state.gatekeeper, kept=app.state.kept)
    app.add_middleware(AnswerHeaders)
    for module in (*_MACHINE_ROUTES, index, report_page, evidence_page, trace_page, source_page):
        app.include_router(module.router)
    for kind in (EvidenceStoreError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, _answer_error)
    return app


def _answer_error(request: Request, why: Exception) -> Response:
    """Problem details for machines; for readers of pages, a page."""
    if request.url.path.startswith(_MACHINE_PATHS):
        return problem_response(request, why)
    return failure.error_page(request, why)


@dataclass(frozen=True, slots=True)
class Serving:
    """How the application is served."""

    port: int
    """0: any free one."""
    host: str = LOOPBACK
    unauthenticated: bool = False


def serve(services: Services, how: Serving, note: Callable[[str], None]) -> None:
    """Serves until Ctrl-C or SIGTERM. Raises WrongUse when the port cannot be had, or where others would get in without a key."""
    is_local = how.host in (LOOPBACK, "::1", "localhost")
    if how.unauthenticated and not is_local:
        raise WrongUse(f"--unauthenticated stands for the loopback interface only, not for {how.host}", {"known": [LOOPBACK]})
    app: ASGIApp = create_app(services, unauthenticated=how.unauthenticated)
    with listening(how.port, how.host) as listener, signals_taken():
        shown = f"[{how.host}]" if ":" in how.host else how.host
        address = f"http://{shown}:{listener.getsockname()[1]}/"
        config = uvicorn.Config(
            # Whom a page elsewhere sends here has no key, so where keys are asked for it gets nothing.
            LoopbackOnly(app) if how.unauthenticated else app,
            log_level="warning",
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=STOP_AFTER_S,
        )
        note(f"serving on {address} until Ctrl-C")
        uvicorn.Server(config).run(sockets=[listener])
