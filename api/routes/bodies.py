"""Bodies of requests: bounded while they come, and kept answers to those that come again."""

from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any

from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from api.auth import Caller
from api.once import Done, once
from api.presenters import Json, dumps
from api.routes.problems import TooLarge
from api.routes.repeats import again, asked_bytes

MAX_BODY_BYTES = 1024 * 1024
MAX_LARGE_BODY_BYTES = 16 * 1024 * 1024
"""Of what holds the input of a model, the results of a turn, or a report."""


class _Bounded(Request):
    """A request whose body is refused as soon as it is larger than the bound."""

    max_bytes = MAX_BODY_BYTES

    async def stream(self) -> AsyncGenerator[bytes, None]:
        n_bytes = 0
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
            await bounded.body()
            return await handle(bounded)

        return handle_bounded


class LargeBoundedRoute(BoundedRoute):
    """The same with 16 MiB."""

    request_class = _LargeBounded


def done_once(
    request: Request, caller: Caller, key: str | None, operation: str, asked: BaseModel, act: Callable[[], Json], status: int = 201
) -> Response:
    """The answer of an operation that adds something, done once for each idempotency key."""
    where = (request.scope["path"], str(request.query_params))
    return again(request, once(caller, key, asked_bytes(operation, asked, *where), lambda: Done(status, dumps(act()))))
