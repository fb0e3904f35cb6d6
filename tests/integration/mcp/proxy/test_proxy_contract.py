"""Whatever the upstream says, a client hears it through the proxy as it does directly: over stdio and HTTP, in both eras."""

from collections.abc import Iterator
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from api.mcp.proxy.own import OWN
from api.mcp.proxy.shaping import INSTRUCTIONS
from api.mcp.proxy.upstream import Upstream
from api.wiring import Services
from tests.integration.mcp.proxy.wrapping import BARE, TIGHT, Heard, command, directly, http_upstream, talk, through

pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
SMALL: tuple[tuple[str, dict[str, Any]], ...] = (
    ("echo", {"text": 'Größe: 日志 \\ " \u2028 1e22'}),
    ("echo", {"text": ""}),
    ("pods", {"n": 3}),
    ("pods", {"n": 0}),
    ("picture", {"n": 2}),
    ("fail", {"n": 1}),
    ("log", {"n": 3, "grep": "the upstream's own"}),
    ("say", {"text": "hello"}),
    ("steps", {"n": 3}),
)


@pytest.fixture(params=["stdio", "http"])
def upstream(request: pytest.FixtureRequest) -> Iterator[Upstream]:
    if request.param == "stdio":
        yield command()
        return
    with http_upstream() as address:
        yield address


async def fault_of(coroutine: Any) -> Any:
    try:
        return await coroutine
    except MCPError as why:
        return why.error


async def observe(client: Client, heard: Heard) -> dict[str, Any]:
    """All that there is to see."""
    seen: dict[str, Any] = {"version": client.protocol_version, "server": client.server_info}
    seen["resources"] = await client.list_resources()
    seen["templates"] = await client.list_resource_templates()
    seen["read"] = await client.read_resource("mem://one")
    seen["absent"] = await fault_of(client.read_resource("mem://absent"))
    seen["prompts"] = await client.list_prompts()
    seen["prompt"] = await client.get_prompt("greet", {"who": "you"})
    reference = types.PromptReference(name="greet")
    seen["completion"] = await client.complete(reference, {"name": "who", "value": "y"})
    seen["fault"] = await fault_of(client.call_tool("fault", {}))
    seen["own code"] = await fault_of(client.call_tool("fault", {"code": types.CONNECTION_CLOSED}))
    seen["unknown"] = await fault_of(client.call_tool("no_such_tool", {}))
    for n, (name, arguments) in enumerate(SMALL):
        seen[f"{n} {name}"] = await fault_of(client.call_tool(name, arguments, progress_callback=heard.take_progress))
    if client.protocol_version == "2025-11-25":
        seen["ping"] = await client.send_ping()
        seen["level"] = [await client.set_logging_level("error"), await client.call_tool("level", {})]
        seen["asked"] = await client.call_tool("ask", {})
        seen["subscribed"] = [await client.subscribe_resource("mem://one"), await client.call_tool("touch", {})]
    return seen


async def tools_of(client: Client) -> list[dict[str, Any]]:
    found: list[types.Tool] = []
    cursor: str | None = None
    while True:
        page = await client.list_tools(cursor=cursor)
        found += page.tools
        cursor = page.next_cursor
        if cursor is None:
            return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in found]


def test_small_results_and_all_else_are_the_same_with_the_proxy_and_without(services: Services, upstream: Upstream, era: str) -> None:
    heard, again = Heard(), Heard()
    direct = talk(directly(upstream, era, heard), lambda client: observe(client, heard))
    proxied = talk(through(services, upstream, era, again), lambda client: observe(client, again))
    assert proxied == direct
    assert (again.progress, again.logged) == (heard.progress, heard.logged)
    assert len(heard.progress) == 3
    assert [str(one) for one in again.messages] == [str(one) for one in heard.messages]
    assert again.notes == []


def test_the_list_of_tools_is_the_upstreams_with_ours_behind_it(services: Services, upstream: Upstream, era: str) -> None:
    direct = talk(directly(upstream, era, Heard()), tools_of)
    bare = talk(through(services, upstream, era, Heard(), BARE), tools_of)
    assert bare[: len(direct)] == direct
    assert tuple(one["name"] for one in bare[len(direct) :]) == OWN
    wrapped = talk(through(services, upstream, era, Heard(), TIGHT), tools_of)
    for before, after in zip(direct, wrapped, strict=False):
        own = before["inputSchema"]["properties"]
        shown = after["inputSchema"]["properties"]
        assert {name: shown[name] for name in own} == own
        assert set(shown) - set(own) == {"grep", "tail_n", "fields", "pointer"} - set(own)
        rest = {name: value for name, value in after.items() if name not in ("inputSchema", "outputSchema")}
        assert rest == {name: value for name, value in before.items() if name not in ("inputSchema", "outputSchema")}


def test_the_upstream_introduces_itself_and_we_add_what_a_model_needs(services: Services, upstream: Upstream, era: str) -> None:
    async def main(client: Client) -> Any:
        return client.instructions, client.server_capabilities

    direct = talk(directly(upstream, era, Heard()), main)
    assert talk(through(services, upstream, era, Heard()), main) == (f"{direct[0]}\n\n{INSTRUCTIONS}", direct[1])
