"""Who may come in by the MCP door: the same keys and the same grants as at every other."""

from typing import Protocol

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from api.auth import admit
from api.routes.problems import problem_response

PATH = "/mcp"
OPERATION = "callMcp"


class Handling(Protocol):
    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request whose state holds its caller."""


class McpDoor:
    """The endpoint: whoever asks is admitted, then handed on."""

    def __init__(self, mounted: Handling) -> None:
        self._mounted = mounted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            await run_in_threadpool(admit, request, OPERATION)
        except Exception as why:
            answer = request.app.state.denials.watch(request, why, problem_response(request, why))
            await answer(scope, receive, send)
            return
        await self._mounted.handle(scope, receive, send)
