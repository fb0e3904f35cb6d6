"""The client of the SDK's version 1, which speaks the handshake era (2025-11-25). Runs in its environment (`client`)."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from typing import Any

from benchmarks.mcp_clients.client import Connected, Server

VERSION = "2025-11-25"


class Session:
    def __init__(self, session: Any) -> None:
        self._session = session

    async def tools(self) -> list[str]:
        return [tool.name for tool in (await self._session.list_tools()).tools]

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        result = await self._session.call_tool(name, dict(arguments))
        if result.isError:
            raise RuntimeError(result.content[0].text)
        return result.structuredContent

    async def n_resources(self) -> int:
        types: Any = import_module("mcp.types")
        found, cursor = 0, None
        while True:
            page = await self._session.list_resources(params=types.PaginatedRequestParams(cursor=cursor))
            found, cursor = found + len(page.resources), page.nextCursor
            if cursor is None:
                return found


async def connect(server: Server, use: Callable[[Connected], Awaitable[Any]]) -> Any:
    mcp: Any = import_module("mcp")
    async with _streams(server) as streams, mcp.ClientSession(*streams[:2]) as session:
        hello = await session.initialize()
        if hello.protocolVersion != VERSION:
            raise RuntimeError(f"agreed on {hello.protocolVersion}")
        return await use(Session(session))


def _streams(server: Server) -> AbstractAsyncContextManager[Any]:
    if "url" in server:
        http: Any = import_module("mcp.client.streamable_http")
        made: AbstractAsyncContextManager[Any] = http.streamable_http_client(server["url"])
        return made
    stdio: Any = import_module("mcp.client.stdio")
    started: AbstractAsyncContextManager[Any] = stdio.stdio_client(stdio.StdioServerParameters(**server))
    return started
