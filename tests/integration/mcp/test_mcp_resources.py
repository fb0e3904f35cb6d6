"""What is stored, as resources of the protocol."""

import base64

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from api.mcp import resources
from api.mcp.addresses import (
    BLOB_TEMPLATE,
    ITEM_TEMPLATE,
    NODE_TEMPLATE,
    RESOURCE_TEMPLATE,
    REVISION_TEMPLATE,
    format_blob,
    format_resource,
)
from api.wiring import Services
from evidence_store.canonical import digest_of
from evidence_store.model import TextLimit
from projector import parse_packets
from tests.credentials import JWT
from tests.factories import API, API_BYTES, put, read
from tests.integration.mcp.clients import page_through, talk

NODE = types.ResourceTemplateReference(uri=NODE_TEMPLATE)


async def content(client: Client, uri: str) -> types.TextResourceContents | types.BlobResourceContents:
    (found,) = (await client.read_resource(uri)).contents
    return found


def test_resources_are_listed_in_pages(services: Services, era: str) -> None:
    for n in range(249):
        put(services.store, b"x\n", f"日志/run {n:03}.log")

    async def main(client: Client) -> None:
        found = await page_through(client)
        assert len(found) == len({one.uri for one in found}) == 250
        assert [one.name for one in found] == sorted(one.name for one in found)
        last = found[-1]
        assert (last.name, last.size) == ("日志/run 248.log", 2)
        text = await content(client, last.uri)
        assert isinstance(text, types.TextResourceContents)
        assert text.text == "x\n"
        with pytest.raises(MCPError, match="cursor"):
            await client.list_resources(cursor="nonsense")

    talk(services, era, main)


def test_templates_lead_to_evidence_revisions_nodes_and_blobs(services: Services, era: str) -> None:
    packet = read(services.store, "/limit/maximum")
    put(services.store, b'{"limit": {"maximum": 10}}\n')

    async def main(client: Client) -> None:
        templates = (await client.list_resource_templates()).resource_templates
        assert [one.uri_template for one in templates][1:] == [RESOURCE_TEMPLATE, REVISION_TEMPLATE, NODE_TEMPLATE, BLOB_TEMPLATE]
        item = await content(client, f"evidence://items/{packet.id}")
        assert isinstance(item, types.TextResourceContents)
        (shown,) = parse_packets(item.text)
        assert (shown.id, shown.excerpt) == (packet.id, "50")
        node = await content(client, f"{format_resource(API)}/revisions/1#/limit/maximum")
        assert isinstance(node, types.TextResourceContents)
        assert node.text == item.text
        texts = []
        for uri in (format_resource(API), f"{format_resource(API)}/revisions/1", format_blob(digest_of(API_BYTES))):
            found = await content(client, uri)
            assert isinstance(found, types.TextResourceContents)
            texts.append(found.text.encode())
        assert texts == [b'{"limit": {"maximum": 10}}\n', API_BYTES, API_BYTES]

    talk(services, era, main)


def test_bytes_that_are_no_text_come_as_they_are(services: Services, era: str) -> None:
    put(services.store, b"\x00\xff\xfe", "dump.bin")

    async def main(client: Client) -> None:
        found = await content(client, format_resource("dump.bin"))
        assert isinstance(found, types.BlobResourceContents)
        assert base64.b64decode(found.blob) == b"\x00\xff\xfe"

    talk(services, era, main)


def test_secrets_are_masked_and_it_is_said(services: Services, era: str) -> None:
    put(services.store, f"token: {JWT}\n".encode(), "ci.log")

    async def main(client: Client) -> None:
        found = await content(client, format_resource("ci.log"))
        assert isinstance(found, types.TextResourceContents)
        assert JWT not in found.text
        assert "[masked" in found.text
        assert found.meta is not None
        assert found.meta["evidence/masked"] is True

    talk(services, era, main)


@pytest.mark.parametrize(
    "uri",
    [
        "evidence://items/ev_000000000000",
        "evidence://resources/absent",
        f"{format_resource(API)}/revisions/9",
        f"{format_resource(API)}/revisions/1#/absent",
        f"{format_resource(API)}/revisions/0",
        f"{format_resource(API)}#/limit",
        format_blob("sha256:" + "0" * 64),
        "evidence://else/x",
        "file:///etc/passwd",
    ],
)
def test_what_is_not_there_is_an_invalid_parameter(services: Services, era: str, uri: str) -> None:
    async def main(client: Client) -> None:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)
        assert caught.value.code == types.INVALID_PARAMS
        assert "code" in caught.value.data

    talk(services, era, main)


def test_a_fault_of_ours_says_nothing_of_what_was_read(services: Services, era: str, caplog: pytest.LogCaptureFixture) -> None:
    class BrokenServices(Services):
        def limit(self, n_tokens: int) -> TextLimit:
            raise ZeroDivisionError("secret inside")

    async def main(client: Client) -> None:
        with pytest.raises(MCPError, match="resources/read failed: ZeroDivisionError") as caught:
            await client.read_resource(format_resource(API))
        assert (caught.value.code, caught.value.data) == (types.INTERNAL_ERROR, {"code": "internal_error"})
        assert (await client.list_resources()).resources

    talk(BrokenServices(services.store, services.counter), era, main)
    assert "secret inside" not in caplog.text


def test_what_is_too_large_says_how_to_read_it(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "MAX_READ_BYTES", len(API_BYTES) - 1)

    async def main(client: Client) -> None:
        with pytest.raises(MCPError, match="read_spec or read_log") as caught:
            await client.read_resource(format_resource(API))
        assert caught.value.data == {"code": "too_large", "limit": len(API_BYTES) - 1}

    talk(services, "auto", main)


def test_how_long_a_copy_may_be_kept_is_said_in_the_newest_era(services: Services) -> None:
    packet = read(services.store, "/limit/maximum")

    async def main(client: Client) -> None:
        tools, listed, templates = await client.list_tools(), await client.list_resources(), await client.list_resource_templates()
        assert (tools.ttl_ms, tools.cache_scope) == (templates.ttl_ms, templates.cache_scope) == (300_000, "public")
        assert (listed.ttl_ms, listed.cache_scope) == (0, "private")
        revision = await client.read_resource(f"{format_resource(API)}/revisions/1")
        item = await client.read_resource(f"evidence://items/{packet.id}")
        newest = await client.read_resource(format_resource(API))
        assert [(one.ttl_ms, one.cache_scope) for one in (revision, item, newest)] == [
            (86_400_000, "private"),
            (0, "private"),
            (0, "private"),
        ]

    talk(services, "auto", main)


# -- completion


async def values(client: Client, name: str, value: str, known: dict[str, str], ref: types.ResourceTemplateReference = NODE) -> list[str]:
    return (await client.complete(ref, {"name": name, "value": value}, known)).completion.values


def test_names_revisions_and_pointers_are_completed(services: Services, era: str) -> None:
    put(services.store, b'{"paths": {"/orders": {"get": {}}, "/orders/{id}": {}, "/users": {}}}', "a.json")
    put(services.store, b'{"paths": {}}', "a.json")
    for n in range(150):
        put(services.store, b"x\n", f"ci/{n:03}.log")

    async def main(client: Client) -> None:
        assert await values(client, "resource", "", {}) == ["a.json", *(f"ci/{n:03}.log" for n in range(99))]
        assert await values(client, "resource", "ci/14", {}) == [f"ci/{n}.log" for n in range(140, 150)]
        assert await values(client, "resource", "a.json", {}) == ["a.json"]
        assert (await client.complete(NODE, {"name": "resource", "value": "ci/"})).completion.has_more
        first = {"resource": "a.json", "revision": "1"}
        assert await values(client, "revision", "", {"resource": "a.json"}) == ["2", "1"]
        assert [await values(client, "pointer", value, first) for value in ("", "/", "/pa")] == [["/paths"]] * 3
        assert await values(client, "pointer", "/paths/~1o", first) == ["/paths/~1orders", "/paths/~1orders~1{id}"]
        assert await values(client, "pointer", "/paths/~1orders/", first) == ["/paths/~1orders/get"]

    talk(services, era, main)


def test_ids_of_evidence_are_completed_however_they_are_written(services: Services, era: str) -> None:
    ids = sorted(read(services.store, pointer).id for pointer in ("", "/limit", "/limit/maximum"))
    item = types.ResourceTemplateReference(uri=ITEM_TEMPLATE)

    async def main(client: Client) -> None:
        for beginning in ("", "e", "ev_"):
            assert await values(client, "id", beginning, {}, item) == ids
        for id_ in ids:
            assert await values(client, "id", id_[:6], {}, item) == [one for one in ids if one.startswith(id_[:6])]
            assert await values(client, "id", id_.upper().replace("0", "O").replace("1", "L"), {}, item) == [id_]

    talk(services, era, main)


def test_what_cannot_be_completed_has_no_values(services: Services, era: str) -> None:
    item = types.ResourceTemplateReference(uri=ITEM_TEMPLATE)
    read(services.store, "/limit")

    async def main(client: Client) -> None:
        known = {"resource": API, "revision": "1"}
        assert await values(client, "pointer", "/absent/x", known) == []
        assert await values(client, "pointer", "/limit", {"resource": "absent"}) == []
        assert await values(client, "pointer", "/limit", {}) == []
        assert await values(client, "pointer", "/limit/maximum/", known) == []
        assert [await values(client, "id", value, {}, item) for value in ("x", "ev_!", "ev_000000000000000")] == [[]] * 3
        assert await values(client, "id", "ev_", known) == []
        assert await values(client, "resource", "", {}, item) == []
        other = types.ResourceTemplateReference(uri="evidence://else/{id}")
        assert await values(client, "resource", "", known, other) == []

    talk(services, era, main)
