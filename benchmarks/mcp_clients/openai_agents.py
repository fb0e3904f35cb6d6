"""openai-agents' MCP client, and its runner with its own scripted model. Runs in its environment (`client`)."""

import json
from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from typing import Any

from benchmarks.mcp_clients.client import READ, Connected, Server


class Connection:
    def __init__(self, server: Any) -> None:
        self._server = server

    async def tools(self) -> list[str]:
        return [tool.name for tool in await self._server.list_tools()]

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        result = await self._server.call_tool(name, dict(arguments))
        failed = getattr(result, "is_error", None) or getattr(result, "isError", None)
        if failed:
            raise RuntimeError(result.content[0].text)
        return getattr(result, "structured_content", None) or result.structuredContent

    async def n_resources(self) -> int:
        found, cursor = 0, None
        while True:
            page = await self._server.list_resources(cursor)
            found += len(page.resources)
            cursor = getattr(page, "next_cursor", None) or getattr(page, "nextCursor", None)
            if cursor is None:
                return found


async def connect(server: Server, use: Callable[[Connected], Awaitable[Any]]) -> Any:
    mcp: Any = import_module("agents.mcp")
    made = mcp.MCPServerStreamableHttp({"url": server["url"]}) if "url" in server else mcp.MCPServerStdio(dict(server))
    async with made as connected:
        await _run_an_agent(connected)
        return await use(Connection(connected))


async def _run_an_agent(server: Any) -> None:
    """A whole turn of the runner: the model's second input has the text of the packet."""
    agents, testing = import_module("agents"), import_module("agents.testing")
    call = testing.ModelStep(output=[testing.function_call("read_spec", READ, call_id="call_1")])
    model = testing.ScriptedModel([call, testing.ModelStep(output=[testing.assistant_message("done")])])
    agent: Any = agents.Agent(name="reader", model=model, mcp_servers=[server])
    await agents.Runner.run(agent, "What is the maximum?", run_config=agents.RunConfig(tracing_disabled=True))
    if "| 50" not in json.dumps(model.last_call.input, default=str):
        raise RuntimeError("the packet is not in the model's input")
