"""Who may come in by the MCP door: the same keys and the same grants as at every other."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
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


class Mounted(Handling, Protocol):
    def running(self) -> AbstractAsyncContextManager[None]:
        """It handles requests within."""


class StartedWhenAsked:
    """Made and begun with the first request: the SDK takes a quarter of the memory of a server, and most are never asked by MCP."""

    def __init__(self, make: Callable[[], Mounted]) -> None:
        self._make = make
        self._lock = asyncio.Lock()
        self._stop = asyncio.Event()
        self._mounted: Mounted | None = None
        self._task: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        try:
            yield
        finally:
            self._stop.set()
            if self._task is not None:
                await self._task

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, as ASGI has it."""
        async with self._lock:
            if self._mounted is None:
                self._mounted = await self._begun()
        await self._mounted.handle(scope, receive, send)

    async def _begun(self) -> Mounted:
        mounted, up = await run_in_threadpool(self._make), asyncio.Event()

        async def run() -> None:
            # What it begins has to end in the task in which it began.
            async with mounted.running():
                up.set()
                await self._stop.wait()

        self._task = asyncio.create_task(run())
        await up.wait()
        return mounted


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
