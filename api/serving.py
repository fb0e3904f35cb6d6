"""Serving the application: a socket, the server over it, and its end."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import uvicorn

from api.app import create_app
from api.connections import TimedConnection
from api.errors import WrongUse
from api.listening import LOOPBACK, listening, signals_taken
from api.observing.logs import Form, set_up_logs
from api.routes.headers import LoopbackOnly
from api.server_settings import DEFAULT_SERVER, ServerSettings
from api.wiring import Services

MAX_HEAD_BYTES = 64 * 1024
"""Of a request; the bounds that are answered in words are smaller."""


@dataclass(frozen=True, slots=True)
class Serving:
    """How the application is served."""

    port: int
    """0: any free one."""
    host: str = LOOPBACK
    unauthenticated: bool = False
    trusted_proxy: str | None = None
    """Address or network whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed."""
    settings: ServerSettings = DEFAULT_SERVER
    log: Form = "lines"
    log_names: bool = False
    """Whether lines of the log have paths, which hold names of resources."""


def serve(services: Services, how: Serving, note: Callable[[str], None]) -> None:
    """Serves until Ctrl-C or SIGTERM. Raises WrongUse when the port cannot be had, or where others would get in without a key."""
    is_local = how.host in (LOOPBACK, "::1", "localhost")
    if how.unauthenticated and not is_local:
        raise WrongUse(f"--unauthenticated stands for the loopback interface only, not for {how.host}", {"known": [LOOPBACK]})
    set_up_logs(how.log, with_names=how.log_names)
    app: Any = create_app(services, unauthenticated=how.unauthenticated, settings=how.settings)
    with listening(how.port, how.host) as listener, signals_taken():
        shown = f"[{how.host}]" if ":" in how.host else how.host
        address = f"http://{shown}:{listener.getsockname()[1]}/"
        config = uvicorn.Config(
            # Whom a page elsewhere sends here has no key, so where keys are asked for it gets nothing.
            LoopbackOnly(app) if how.unauthenticated else app,
            log_config=None,
            log_level="warning",
            access_log=False,
            lifespan="on",
            server_header=False,
            # Its own parser, whatever else is installed: its bounds are those that are described.
            http=TimedConnection,
            h11_max_incomplete_event_size=MAX_HEAD_BYTES,
            ws="none",
            limit_concurrency=how.settings.max_connections,
            timeout_graceful_shutdown=how.settings.stop_after_s,
            proxy_headers=how.trusted_proxy is not None,
            forwarded_allow_ips=how.trusted_proxy,
        )
        note(f"serving on {address} until Ctrl-C")
        uvicorn.Server(config).run(sockets=[listener])
