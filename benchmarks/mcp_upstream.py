"""The server that `bench_proxy` wraps: one tool that gives a text of so many bytes, over stdio."""

from typing import Any

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server

LINE = "2026-11-30T12:00:00Z INFO worker: item 0000 is done\n"
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"n_bytes": {"type": "integer"}}, "required": ["n_bytes"]}


async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[types.Tool(name="lines", input_schema=SCHEMA)])


async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    n_bytes = (params.arguments or {})["n_bytes"]
    return types.CallToolResult(content=[types.TextContent(text=(LINE * (n_bytes // len(LINE) + 1))[:n_bytes])])


async def serve() -> None:
    server: Server[Any] = Server("lines", version="1", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(serve)
