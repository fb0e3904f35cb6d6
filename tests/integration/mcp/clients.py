"""The SDK's own client, as the tests use it: to a server in this process, and what it answers taken apart."""

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp_types as types
from mcp import Client

from api.mcp.server import McpOptions, build_server
from api.wiring import Services

TIMEOUT_S = 60
READING = McpOptions()
RECORDING = McpOptions(recording=True)
CLAIM = {"about": {"resource": "stable-v2/openapi.json", "pointer": "/limit"}, "text": "`maximum` of `limit` is 50."}


def talk(services: Services, era: str, main: Callable[[Client], Awaitable[None]], options: McpOptions = READING) -> None:
    """Runs what is said to a server of these options."""
    talk_to(Client(build_server(services, options), mode=era), main)


def talk_to(client: Client, main: Callable[[Client], Awaitable[None]]) -> None:
    async def run() -> None:
        with anyio.fail_after(TIMEOUT_S):
            async with client:
                await main(client)

    anyio.run(run)


def text_of(result: types.CallToolResult) -> str:
    """The text, which is the only content."""
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


async def answer(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    """The structured answer of a call that succeeds."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result
    found: dict[str, Any] = result.structured_content
    return found


async def error(client: Client, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The structured error of a call that fails; no error has a traceback."""
    result = await client.call_tool(name, arguments)
    assert result.is_error
    assert "Traceback" not in text_of(result)
    found: dict[str, Any] = result.structured_content
    return found


async def use_everything(client: Client, n_resources: int) -> str:
    """What every client must be able to do; gives the claim that it recorded, as `evidence trace` takes it."""
    names = [tool.name for tool in (await client.list_tools()).tools]
    assert names == sorted(names)
    assert {"read_spec", "get_evidence", "record_claim"} <= set(names)
    (packet,) = (await answer(client, "read_spec", resource="stable-v2/openapi.json", pointer="/limit/maximum"))["packets"]
    (again,) = (await answer(client, "get_evidence", id=packet["id"]))["packets"]
    assert (packet["excerpt"], again["digest"]) == ("50", packet["digest"])
    claim = await answer(client, "record_claim", **CLAIM, citations=[{"evidence": packet["id"], "role": "support"}])
    assert claim["standing"] == "verified", claim
    assert len(await page_through(client)) == n_resources
    return f"{claim['run'].rpartition('/')[0]}/{claim['claim']}"


async def page_through(client: Client) -> list[types.Resource]:
    """All resources, page by page."""
    found: list[types.Resource] = []
    cursor: str | None = None
    while True:
        page = await client.list_resources(cursor=cursor)
        found += page.resources
        cursor = page.next_cursor
        if cursor is None:
            return found
