"""LangChain's MCP adapter: the tools as LangChain's own, called by an agent with a scripted model. Runs in its environment (`client`)."""

from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from typing import Any

from benchmarks.mcp_clients.client import Connected, Server
from benchmarks.mcp_clients.version_one import Session


class Adapter(Session):
    """Calls go through the tools that the adapter made; what they answered is in the artifact of the message."""

    def __init__(self, session: Any, tools: list[Any]) -> None:
        super().__init__(session)
        self._tools = {tool.name: tool for tool in tools}

    async def tools(self) -> list[str]:
        return list(self._tools)

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        message = await self._tools[name].ainvoke({"type": "tool_call", "id": "call_1", "name": name, "args": dict(arguments)})
        if message.status == "error":
            raise RuntimeError(message.content)
        # A file block here would be refused by models of OpenAI Chat.
        if [block["type"] for block in message.content] != ["text"]:
            raise RuntimeError(f"not plain text: {message.content}")
        return message.artifact["structured_content"]


async def connect(server: Server, use: Callable[[Connected], Awaitable[Any]]) -> Any:
    client: Any = import_module("langchain_mcp_adapters.client")
    tools: Any = import_module("langchain_mcp_adapters.tools")
    way = {"transport": "streamable_http", "url": server["url"]} if "url" in server else {"transport": "stdio", **server}
    async with client.MultiServerMCPClient({"evidence": way}).session("evidence") as session:
        return await use(Adapter(session, await tools.load_mcp_tools(session)))
