"""Serving the application: a socket, the server over it, and its end."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import uvicorn

from api.app import create_app
from api.errors import WrongUse
from api.listening import LOOPBACK, listening, signals_taken
from api.routes.headers import LoopbackOnly
from api.wiring import Services

STOP_AFTER_S = 5
"""How long requests that are being answered may take once the server is told to stop."""


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
    app: Any = create_app(services, unauthenticated=how.unauthenticated)
    with listening(how.port, how.host) as listener, signals_taken():
        shown = f"[{how.host}]" if ":" in how.host else how.host
        address = f"http://{shown}:{listener.getsockname()[1]}/"
        config = uvicorn.Config(
            # Whom a page elsewhere sends here has no key, so where keys are asked for it gets nothing.
            LoopbackOnly(app) if how.unauthenticated else app,
            log_level="warning",
            access_log=False,
            lifespan="on",
            server_header=False,
            timeout_graceful_shutdown=STOP_AFTER_S,
        )
        note(f"serving on {address} until Ctrl-C")
        uvicorn.Server(config).run(sockets=[listener])
