"""MCP at `/mcp` of the HTTP server, over real HTTP: the same keys, grants and sight as at every other door."""

from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceTemplateReference

from api.app import create_app
from api.mcp.addresses import NODE_TEMPLATE
from api.wiring import Services
from evidence_store.access import Grant
from evidence_store.model import LabelPolicy, ResourceName, TaskName
from evidence_store.store.keys import KeyRequest
from evidence_store.store.put_request import PutRequest
from tests.factories import API
from tests.integration.http_server import served
from tests.integration.mcp.clients import CLAIM, TIMEOUT_S, answer, error, use_everything

READ = (Grant.EVIDENCE_READ,)
WRITE = (Grant.EVIDENCE_READ, Grant.CLAIM_WRITE)


@pytest.fixture
def address(services: Services) -> Iterator[str]:
    with served(create_app(services)) as base:
        yield f"{base}/mcp"


def key(services: Services, grants: Sequence[Grant], clearances: Sequence[str] = ()) -> str:
    return services.store.keys.create(KeyRequest("test", frozenset(grants), frozenset(clearances)), "test").secret


def talk(address: str, era: str, secret: str, main: Callable[[Client], Coroutine[Any, Any, None]]) -> None:
    """One connection with a key of its own."""

    async def run() -> None:
        with anyio.fail_after(TIMEOUT_S):
            async with (
                httpx2.AsyncClient(headers={"Authorization": f"Bearer {secret}"}) as http,
                Client(streamable_http_client(address, http_client=http), mode=era) as client,
            ):
                await main(client)

    anyio.run(run)


def test_an_agent_with_nothing_but_a_key_records_a_claim_that_verifies(services: Services, address: str, era: str) -> None:
    recorded: list[str] = []

    async def main(client: Client) -> None:
        recorded.append(await use_everything(client, 1))

    talk(address, era, key(services, WRITE), main)
    assert recorded == ["mcp/C1"]
    assert services.store.checks.verify(deep=True).faults == ()


def test_tools_that_record_are_there_for_who_may_write_claims_only(services: Services, address: str, era: str) -> None:
    async def main(client: Client) -> None:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert "read_spec" in names
        assert not [name for name in names if name.startswith("record")]
        refused = await error(client, "record_claim", {**CLAIM, "citations": []})
        assert refused["code"] == "unknown_tool"

    talk(address, era, key(services, READ), main)
    assert services.store.tasks.find_newest(TaskName("mcp")) is not None, "its calls are kept in a run all the same"


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({}, 401, "unauthenticated"),
        ({"Authorization": "Bearer es_" + "A" * 43}, 401, "unauthenticated"),
        ({"Authorization": "Basic abc"}, 401, "unauthenticated"),
    ],
)
def test_nobody_comes_in_without_a_key(address: str, headers: dict[str, str], status: int, code: str) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for method in ("POST", "GET", "DELETE"):
        found = httpx2.request(method, address, json=body, headers=headers)
        assert (found.status_code, found.json()["code"]) == (status, code)
        assert found.headers["www-authenticate"] == "Bearer"


def test_a_key_without_the_grant_to_read_is_refused(services: Services, address: str) -> None:
    secret = key(services, (Grant.EVIDENCE_WRITE,))
    found = httpx2.post(address, json={}, headers={"Authorization": f"Bearer {secret}"})
    assert (found.status_code, found.json()["code"]) == (403, "grant_missing")


def test_what_is_hidden_looks_as_what_is_absent(services: Services, address: str, era: str) -> None:
    hidden, absent = "secret.json", "absent.json"
    revision = services.store.sources.put(PutRequest(ResourceName(hidden), labels=("red",)), [b'{"limit": 4711}\n']).revision
    seen: list[str] = []

    async def main(client: Client) -> None:
        shown = await answer(client, "list_resources")
        seen.append(" ".join(one["resource"] for one in shown["resources"]))
        for name, arguments in (
            ("read_spec", {"pointer": "/limit"}),
            ("read_log", {"lines": "1-1"}),
            ("search", {"pattern": "4711"}),
            ("summary", {}),
            ("diff", {"old_revision": 1, "new_revision": 1}),
        ):
            told = [await error(client, name, {**arguments, "resource": one}) for one in (hidden, absent)]
            assert str(told[0]).replace(hidden, absent) == str(told[1]), name
        for uri in (
            "evidence://resources/{}",
            "evidence://resources/{}/revisions/1",
            "evidence://resources/{}/revisions/1#/limit",
        ):
            told_of = [await failure(client, uri.format(one)) for one in (hidden, absent)]
            assert told_of[0].replace(hidden, absent) == told_of[1]
        other = "sha256:" + "0" * 64
        assert (await failure(client, f"evidence://blobs/{revision.digest}")).replace(revision.digest, other) == await failure(
            client, f"evidence://blobs/{other}"
        )

    talk(address, era, key(services, READ), main)
    assert seen == [API]

    async def cleared(client: Client) -> None:
        (packet,) = (await answer(client, "read_spec", resource=hidden, pointer="/limit"))["packets"]
        assert packet["excerpt"] == "4711"

    talk(address, era, key(services, READ, ("red",)), cleared)


async def failure(client: Client, uri: str) -> str:
    with pytest.raises(MCPError) as caught:
        await client.read_resource(uri)
    return f"{caught.value.error.code} {caught.value.error.message} {caught.value.error.data}"


def test_of_what_is_masked_no_content_is_given(services: Services, address: str, era: str) -> None:
    name = ResourceName("grey.json")
    services.store.sources.put(PutRequest(name, labels=("grey",)), [b'{"salary": 4711}\n'])
    services.store.permissions.set_policy("grey", LabelPolicy.MASKED, "test")
    told: list[str] = []

    async def main(client: Client) -> None:
        told.append(str(await client.call_tool("read_spec", {"resource": name, "pointer": "/salary"})))
        told.append(str(await client.call_tool("read_spec", {"resource": name, "pointer": ""})))
        told.append(str(await client.call_tool("search", {"resource": name, "pattern": "4[7]1", "regex": True})))
        told.append(str(await client.call_tool("summary", {"resource": name})))
        told.append(await failure(client, f"evidence://resources/{name}"))
        completed = await client.complete(
            ref=ResourceTemplateReference(uri=NODE_TEMPLATE),
            argument={"name": "pointer", "value": "/"},
            context_arguments={"resource": name, "revision": "1"},
        )
        assert completed.completion.values == []

    talk(address, era, key(services, READ), main)
    for one in told:
        assert "salary" not in one.replace("/salary", "")
        assert "4711" not in one


def test_who_may_not_record_goes_on_with_no_run_of_others(services: Services, address: str, era: str) -> None:
    begun: list[str] = []

    async def begin(client: Client) -> None:
        begun.append((await answer(client, "list_resources"))["run"])

    async def intrude(client: Client) -> None:
        await answer(client, "list_resources")
        refused = await error(client, "list_resources", {"run": begun[0]})
        missing = await error(client, "list_resources", {"run": "mcp/99"})
        assert str(refused).replace("run 1'", "run 99'") == str(missing)
        assert (await answer(client, "list_resources", run="mcp/2"))["run"] == "mcp/2"

    talk(address, era, key(services, WRITE), begin)
    talk(address, era, key(services, READ), intrude)
    assert begun == ["mcp/1"]


def test_a_session_belongs_to_the_key_that_began_it(services: Services, address: str) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    mine, other = ({"Authorization": f"Bearer {key(services, READ)}", "Accept": "application/json, text/event-stream"} for _ in range(2))
    session = {"Mcp-Session-Id": httpx2.post(address, json=hello, headers=mine).headers["mcp-session-id"]}
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    assert [httpx2.post(address, json=listing, headers=who | session).status_code for who in (mine, other)] == [200, 404]


def test_a_revoked_key_ends_its_sessions(services: Services, address: str) -> None:
    made = services.store.keys.create(KeyRequest("test", frozenset(READ)), "test")

    async def main(client: Client) -> None:
        await client.list_tools()
        services.store.keys.revoke(made.key.id, "test")
        with pytest.raises((MCPError, httpx2.HTTPError)):
            await client.call_tool("list_resources", {})

    talk(address, "legacy", made.secret, main)


def test_an_owner_on_loopback_needs_no_key_and_pages_elsewhere_get_nothing(services: Services, era: str) -> None:
    async def main(client: Client) -> None:
        assert "record_claim" in [tool.name for tool in (await client.list_tools()).tools]

    with served(create_app(services, unauthenticated=True)) as base:
        talk(f"{base}/mcp", era, "none", main)
        found = httpx2.post(f"{base}/mcp", json={}, headers={"Origin": "https://elsewhere.example"})
    assert found.status_code == 403
