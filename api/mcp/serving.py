"""Serving MCP: over stdio for the client that starts the process, or as streamable HTTP on this machine.

Over stdio, stdout belongs to the protocol: the SDK moves the descriptor aside, and what else is written lands on stderr.
"""

from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address

import anyio
import uvicorn
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from api.errors import WrongUse
from api.listening import LOOPBACK, listening, signals_taken
from api.mcp.server import McpOptions, build_server
from api.wiring import Services

PATH = "/mcp"
STOP_AFTER_S = 5
"""How long requests that are being answered may take once the server is told to stop."""


@dataclass(frozen=True, slots=True)
class HttpPlace:
    """Where HTTP is served."""

    host: str
    port: int

    @property
    def name(self) -> str:
        """As it stands in an address."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def is_loopback(self) -> bool:
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def parse_http_place(text: str, *, unprotected: bool) -> HttpPlace:
    """`HOST:PORT`, or a port alone. Raises WrongUse; for a host that others reach too, unless that is what is asked for."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or LOOPBACK
    if not (port.isascii() and port.isdecimal() and len(port) <= 5):
        raise WrongUse(f"--http takes HOST:PORT or PORT, not {text[:80]!r}")
    place = HttpPlace(host, int(port))
    if not place.is_loopback and not unprotected:
        raise WrongUse(f"{host[:80]!r} can be reached from elsewhere, and nobody is asked for a key: add --unprotected if that is meant")
    return place


def serve_stdio(services: Services, options: McpOptions) -> None:
    """Serves the client at stdin and stdout until it closes them. Raises NotFound as `build_server` does."""
    server = build_server(services, options)

    async def run() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(run)


def serve_http(services: Services, options: McpOptions, place: HttpPlace, note: Callable[[str], None]) -> None:
    """Serves until Ctrl-C or SIGTERM; port 0 takes any free one. Raises WrongUse when it cannot be had, and as `build_server` does."""
    app = build_server(services, options).streamable_http_app(streamable_http_path=PATH, transport_security=security_of(place))
    with listening(place.port, place.host, "--http") as listener, signals_taken():
        note(f"serving MCP on http://{place.name}:{listener.getsockname()[1]}{PATH} until Ctrl-C")
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, lifespan="on", server_header=False, timeout_graceful_shutdown=STOP_AFTER_S
        )
        uvicorn.Server(config).run(sockets=[listener])


def security_of(place: HttpPlace) -> TransportSecuritySettings:
    """On loopback no page elsewhere may have its own name lead here; on other hosts whatever name leads here is meant."""
    names = {place.name, "127.0.0.1", "localhost", "[::1]"}
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=place.is_loopback,
        allowed_hosts=[*names, *(f"{name}:*" for name in names)],  # without a port where it is that of the scheme
        allowed_origins=[*(f"http://{name}" for name in names), *(f"http://{name}:*" for name in names)],
    )
