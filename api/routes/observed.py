"""Each request as it was answered, handed to whoever keeps count. Plain ASGI, outside everything else but the ids of requests."""

import time
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.observing.metrics import Metrics
from api.observing.seen import UNKNOWN, RequestSeen
from api.observing.spans import Spans


class Observed:
    def __init__(self, app: ASGIApp, *, metrics: Metrics, spans: Spans, tell: Callable[[RequestSeen], None]) -> None:
        self._app = app
        self._metrics = metrics
        self._spans = spans
        self._tell = tell

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status, received = time.perf_counter(), 500, 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            return message

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with self._spans(scope["method"], Headers(scope=scope)) as end, self._metrics.running.track_inprogress():
            try:
                await self._app(scope, counted, watched)
            finally:
                seen = _seen(scope, status, time.perf_counter() - began, received)
                self._metrics.count(seen)
                self._tell(seen)
                end(seen)


def _seen(scope: Scope, status: int, duration_s: float, received: int) -> RequestSeen:
    """The state of a scope is shared by all that handle the request; the scope itself is not."""
    state = scope.get("state", {})
    caller = state.get("caller")
    return RequestSeen(
        state.get("request_id", ""),
        scope["method"],
        state.get("operation", UNKNOWN),
        status,
        duration_s,
        received,
        None if caller is None else caller.principal.name,
        None if caller is None else caller.principal.workspace,
        (scope.get("raw_path") or b"").partition(b"?")[0].decode("latin-1"),
        state.get("code"),
        state.get("tokens"),
    )
