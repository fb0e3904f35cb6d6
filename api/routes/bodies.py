"""Bodies of requests: bounded while they come, and kept answers to those that come again."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any

from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from api.auth import Caller
from api.errors import WrongUse
from api.once import Done, once
from api.presenters import Json, dumps
from api.routes.problems import TooLarge
from api.routes.repeats import again, asked_bytes

MAX_BODY_BYTES = 1024 * 1024
MAX_LARGE_BODY_BYTES = 16 * 1024 * 1024
"""Of what holds the input of a model, the results of a turn, or a report."""
WAIT_S = 60
"""How long a client may take to send a body."""


class _Bounded(Request):
    """A request whose body is refused as soon as it is larger than the bound."""

    max_bytes = MAX_BODY_BYTES

    async def stream(self) -> AsyncGenerator[bytes, None]:
        n_bytes, said = 0, self.headers.get("content-length", "")
        if said.isdecimal() and int(said) > self.max_bytes:
            raise TooLarge(f"a body of {said} bytes, more than {self.max_bytes}", {"limit": self.max_bytes})
        async for piece in super().stream():
            n_bytes += len(piece)
            if n_bytes > self.max_bytes:
                raise TooLarge(f"a body of more than {self.max_bytes} bytes", {"limit": self.max_bytes})
            yield piece


class _LargeBounded(_Bounded):
    max_bytes = MAX_LARGE_BODY_BYTES


class BoundedRoute(APIRoute):
    """A route whose body is held to 1 MiB. Raises TooLarge before anything is read of it as JSON."""

    request_class: type[_Bounded] = _Bounded

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_bounded(request: Request) -> Response:
            bounded = self.request_class(request.scope, request.receive)
            try:
                await asyncio.wait_for(bounded.body(), WAIT_S)
            except (ClientDisconnect, TimeoutError) as why:
                raise WrongUse("the body broke off before its end", code="body_broken_off") from why
            return await handle(bounded)

        return handle_bounded


class LargeBoundedRoute(BoundedRoute):
    """The same with 16 MiB."""

    request_class = _LargeBounded


def done_once(
    request: Request, caller: Caller, key: str | None, operation: str, asked: BaseModel, act: Callable[[], Json], status: int = 201
) -> Response:
    """The answer of an operation that adds something, done once for each idempotency key."""
    asked_for = b"" if key is None else asked_bytes(operation, asked, request.scope["path"], str(request.query_params))
    return again(request, once(caller, key, asked_for, lambda: Done(status, dumps(act()))))
