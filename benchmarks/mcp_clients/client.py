"""The process of a client: does at a server what every client must be able to, and prints what it saw as one line of JSON.

Runs in the client's environment, where nothing of ours is: `python -m benchmarks.mcp_clients.client CLIENT SERVER`, the latter as JSON.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from typing import Any, Protocol

Server = Mapping[str, Any]
"""`url`, or `command`, `args` and `env`."""
READ = {"resource": "stable-v2/openapi.json", "pointer": "/limit/maximum"}
CLAIM = {"about": {"resource": "stable-v2/openapi.json", "pointer": "/limit"}, "text": "`maximum` of `limit` is 50."}


class Connected(Protocol):
    """A client that is connected to a server."""

    async def tools(self) -> list[str]:
        """The names of the tools, in the order in which they came."""

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """The structured content of an answer."""

    async def n_resources(self) -> int:
        """How many resources there are on all pages."""


async def use(client: Connected) -> dict[str, Any]:
    """What it saw."""
    tools = await client.tools()
    packet = (await client.call("read_spec", READ))["packets"][0]
    again = (await client.call("get_evidence", {"id": packet["id"]}))["packets"][0]
    claim = await client.call("record_claim", {**CLAIM, "citations": [{"evidence": packet["id"], "role": "support"}]})
    return {
        "tools": tools,
        "excerpt": packet["excerpt"],
        "same": packet["digest"] == again["digest"],
        "standing": claim["standing"],
        "claim": f"{claim['run'].rpartition('/')[0]}/{claim['claim']}",
        "n_resources": await client.n_resources(),
    }


CLIENTS: Mapping[str, str] = {"v1": "version_one", "langchain": "langchain_adapter", "agents": "openai_agents"}
"""Client to the module that connects it."""


def main(client: str, server: str) -> None:
    connect: Callable[[Server, Callable[[Connected], Awaitable[Any]]], Awaitable[Any]]
    connect = import_module(f"benchmarks.mcp_clients.{CLIENTS[client]}").connect
    print(json.dumps(asyncio.run(connect(json.loads(server), use))))  # type: ignore[arg-type]  # a coroutine function gives it


if __name__ == "__main__":
    main(*sys.argv[1:])
