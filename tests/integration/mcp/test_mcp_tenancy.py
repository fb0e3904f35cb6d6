"""What may not be seen looks as what is not there through MCP: every tool, every address of a resource and the completion of names."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceTemplateReference

from api.app import create_app
from api.mcp.addresses import NODE_TEMPLATE
from tests.integration.http_server import served
from tests.integration.mcp.clients import TIMEOUT_S
from tests.integration.tenancy import Prepared, Things, World, prepare, worlds
from tests.integration.tenancy_asks import tool_arguments


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return prepare(tmp_path_factory.mktemp("tenancy"))


@pytest.fixture
def both(prepared: Prepared, tmp_path: Path) -> Iterator[tuple[World, World]]:
    with worlds(prepared, tmp_path, copied=True) as opened:
        yield opened


def everything(world: World, era: str, things: Things) -> dict[str, Any]:
    """What each request of a connection is answered."""
    said: dict[str, Any] = {}

    async def main(client: Client) -> None:
        names = [tool.name for tool in (await client.list_tools()).tools]
        said["tools"] = names
        for name in names:
            for n, arguments in enumerate(tool_arguments(name, things)):
                said[f"{name} {n}"] = (await client.call_tool(name, arguments)).model_dump(mode="json")
        said["resources"] = (await client.list_resources()).model_dump(mode="json")
        named = quote(things.resource, safe="")
        for uri in (f"resources/{named}", f"resources/{named}/revisions/1", f"resources/{named}/revisions/1#/limit", things.evidence):
            try:
                said[uri] = (await client.read_resource(f"evidence://{uri}")).model_dump(mode="json")
            except MCPError as why:
                said[uri] = str(why.error)
        reference = ResourceTemplateReference(type="ref/resource", uri=NODE_TEMPLATE)
        completed = await client.complete(reference, {"name": "resource", "value": things.resource[:3]})
        said["completion"] = completed.model_dump(mode="json")

    async def run() -> None:
        headers = {"Authorization": f"Bearer {world.secret}"}
        with anyio.fail_after(3 * TIMEOUT_S):
            async with (
                httpx2.AsyncClient(headers=headers) as http,
                Client(streamable_http_client(f"{address}/mcp", http_client=http), mode=era) as client,
            ):
                await main(client)

    with served(create_app(world.services)) as address:
        anyio.run(run)
    return said


@pytest.mark.parametrize("kind", ["hidden", "foreign"])
def test_no_tool_and_no_address_tells_what_may_not_be_seen(prepared: Prepared, both: tuple[World, World], kind: str, era: str) -> None:
    seen, unseen = (everything(world, era, getattr(prepared, kind)) for world in both)
    assert len(seen["tools"]) == 11
    for name in unseen:
        assert seen[name] == unseen[name], name
    assert seen["read_spec 0"]["is_error"]
