"""Headers of every answer, and the check of who is asked for. Plain ASGI, so that a request costs little more."""

import secrets
from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SECURITY_HEADERS: Mapping[str, str] = {
    # No script, no image, no frame, no form: pages are text and one stylesheet, so that nothing in a source can act.
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
LOOPBACK_NAMES = ("127.0.0.1", "localhost")


class AnswerHeaders:
    """Gives each request an id, and each answer that id and the security headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = request_id

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Request-Id"] = request_id
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)


class LoopbackOnly:
    """Refuses requests under another name than that of this machine.

    A page elsewhere can have its own name lead to 127.0.0.1 and then read what is served there; its name gives it away.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and host_name(Headers(scope=scope).get("host", "")) not in LOOPBACK_NAMES:
            refused = PlainTextResponse("this server answers to 127.0.0.1 and localhost only\n", 421)
            await refused(scope, receive, send)
            return
        await self._app(scope, receive, send)


def host_name(header: str) -> str:
    """The name in a Host header, without its port."""
    name, colon, port = header.rpartition(":")
    return name.lower() if colon and port.isdecimal() else header.lower()
