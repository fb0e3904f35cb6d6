"""Tools over MCP, with the SDK's own client in memory and in both eras of the protocol."""

from dataclasses import replace
from threading import Event

import anyio
import mcp_types as types
import orjson
import pytest
from anyio import to_thread
from jsonschema import Draft202012Validator
from mcp import Client

from api.mcp.server import McpOptions
from api.tools import ToolContext, call_tool
from api.wiring import Services
from evidence_store.model import TextLimit
from tests.factories import API, put
from tests.integration.mcp.clients import READING, RECORDING, answer, error, talk, text_of

RECORDING_TOOLS = {"record_claim", "record_progress"}


def dumped(tools: list[types.Tool]) -> bytes:
    return orjson.dumps([tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools])


def test_tools_are_listed_in_order_with_equal_bytes_and_hints(services: Services, era: str) -> None:
    async def main(client: Client) -> None:
        first = (await client.list_tools()).tools
        again = (await client.list_tools(cache_mode="bypass")).tools
        assert dumped(first) == dumped(again)
        assert [tool.name for tool in first] == sorted(tool.name for tool in first)
        assert {tool.name for tool in first}.isdisjoint(RECORDING_TOOLS)
        for tool in first:
            assert tool.annotations is not None
            hints = tool.annotations
            assert (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint) == (
                True,
                False,
                True,
                False,
            )
            for schema in (tool.input_schema, tool.output_schema):
                assert schema is not None
                Draft202012Validator.check_schema(schema)
                assert schema["type"] == "object"

    talk(services, era, main)


def test_recording_tools_are_apart_and_say_that_they_record(services: Services, era: str) -> None:
    async def main(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        recording = {name for name, tool in tools.items() if tool.annotations is not None and not tool.annotations.read_only_hint}
        assert recording == RECORDING_TOOLS

    talk(services, era, main, RECORDING)

    async def without(client: Client) -> None:
        found = await error(client, "record_progress", {"items": []})
        assert (found["code"], found["advice"]) == ("unknown_tool", "retry_with")
        assert set(found["details"]["known"]).isdisjoint(RECORDING_TOOLS)

    talk(services, era, without)


def test_an_answer_is_the_text_of_the_tool_and_its_packets(services: Services, era: str) -> None:
    asked = {"resource": API, "pointer": "/limit/maximum"}
    expected = call_tool(services.tools(), "read_spec", asked, recording=False)

    async def main(client: Client) -> None:
        first = await client.call_tool("read_spec", asked)
        assert text_of(first) == expected.text + "run: mcp/1\n"
        assert text_of(await client.call_tool("read_spec", asked)) == expected.text
        assert first.structured_content["run"] == "mcp/1"
        (packet,) = first.structured_content["packets"]
        assert (packet["id"], packet["excerpt"], packet["next"]) == (expected.packets[0].id, "50", None)
        assert first.meta is not None
        assert first.meta["evidence/run"] == "mcp/1"

    talk(services, era, main)


def test_next_is_an_object_of_arguments_that_continues(services: Services, era: str) -> None:
    put(services.store, b"".join(b"line %d\n" % n for n in range(1000)), "run.log")

    async def main(client: Client) -> None:
        (packet,) = (await answer(client, "read_log", resource="run.log", lines="1-1000", max_tokens=200))["packets"]
        (second,) = (await answer(client, "read_log", **packet["next"]))["packets"]
        assert packet["excerpt"].splitlines()[0] == "line 0"
        assert second["lines"][0] == packet["excerpt"].count("\n") + 1
        listed = await answer(client, "list_resources", after="run.log")
        assert [one["resource"] for one in listed["resources"]] == [API]

    talk(services, era, main)


def test_links_stand_beside_the_text_where_they_are_asked_for(services: Services, era: str) -> None:
    async def main(client: Client) -> None:
        result = await client.call_tool("read_spec", {"resource": API, "pointer": "/limit/maximum"})
        links = [one for one in result.content if isinstance(one, types.ResourceLink)]
        assert [one.uri.split("/")[2] for one in links] == ["items", "resources"]
        for one in links:
            assert (await client.read_resource(one.uri)).contents

    talk(services, era, main, McpOptions(links=True))


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("no_such_tool", {}, "unknown_tool"),
        ("read_spec", {}, "bad_argument"),
        ("read_spec", {"resource": API, "pointer": "/limit", "max_tokens": "many"}, "bad_argument"),
        ("read_spec", {"resource": API, "pointer": "/limit", "such": 1}, "bad_argument"),
        ("read_spec", {"resource": API, "pointer": "/limits"}, "not_found"),
        ("read_spec", {"resource": API, "pointer": "limits"}, "malformed_pointer"),
        ("get_evidence", {"id": "ev_000000000000"}, "unknown_id"),
        ("search", {"resource": API, "pattern": "(", "regex": True}, "bad_pattern"),
        ("list_resources", {"run": 7}, "bad_argument"),
        ("list_resources", {"run": "mcp"}, "bad_argument"),
        ("list_resources", {"run": "mcp/900"}, "not_found"),
    ],
)
def test_what_goes_wrong_is_a_tool_error_that_can_be_mended(services: Services, name: str, arguments: dict[str, object], code: str) -> None:
    async def main(client: Client) -> None:
        found = await error(client, name, arguments)
        assert (found["code"], found["advice"]) == (code, "retry_with")

    talk(services, "auto", main)


def test_a_fault_of_ours_is_told_in_words_and_the_connection_goes_on(
    services: Services, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    class BrokenServices(Services):
        def limit(self, n_tokens: int) -> TextLimit:
            raise ZeroDivisionError("secret inside")

    async def main(client: Client) -> None:
        found = await error(client, "read_spec", {"resource": API, "pointer": "/limit"})
        assert (found["code"], found["advice"]) == ("internal_error", "final")
        assert "secret inside" not in str(found)
        assert (await answer(client, "list_resources"))["resources"]

    talk(BrokenServices(services.store, services.counter), era, main)
    (record,) = [one for one in caplog.records if one.name == "api.mcp.faults"]
    assert (record.levelname, record.exc_info) == ("ERROR", None)
    assert record.getMessage().startswith("read_spec failed: ZeroDivisionError at test_mcp_tools.py:")


def test_a_search_over_many_resources_tells_how_far_it_is(services: Services, era: str) -> None:
    for n in range(5):
        put(services.store, b"nothing here\n", f"ci/{n}.log")
    told: list[tuple[float, float | None, str | None]] = []

    async def report(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async def main(client: Client) -> None:
        await client.call_tool("search", {"resource": "ci/*.log", "pattern": "error"}, progress_callback=report)

    talk(services, era, main)
    assert told == [(n, 5, f"ci/{n}.log") for n in range(5)]


class Waiting(Services):
    """A read in these services waits until it is told to go on."""

    begun = Event()
    go_on = Event()

    def tools(self, *arguments: object, **named: object) -> ToolContext:
        def limit(n_tokens: int) -> TextLimit:
            self.begun.set()
            self.go_on.wait(60)
            return self.limit(n_tokens)

        return replace(super().tools(*arguments, **named), limit=limit)  # type: ignore[arg-type]


def test_a_call_that_is_cancelled_is_closed_as_such_and_delivers_nothing(services: Services, era: str) -> None:
    waiting = Waiting(services.store, services.counter)
    waiting.begun.clear()
    waiting.go_on.clear()

    async def main(client: Client) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "read_spec", {"resource": API, "pointer": "/limit/maximum"})
            await to_thread.run_sync(waiting.begun.wait, 60)
            tasks.cancel_scope.cancel()
            waiting.go_on.set()
        listed = await answer(client, "list_resources", run="mcp/1")
        assert listed["run"] == "mcp/1"

    talk(waiting, era, main)
    run = services.store.runs.get_run("mcp", 1)  # type: ignore[arg-type]
    assert services.store.runs.list_open_calls(run) == []
    packet = call_tool(services.tools(), "read_spec", {"resource": API, "pointer": "/limit/maximum"}, recording=False).packets[0]
    assert services.store.runs.list_exposures(packet.id) == []


def test_many_calls_at_once_share_the_run_of_their_connection(services: Services, era: str) -> None:
    runs: list[str] = []

    async def main(client: Client) -> None:
        async def one() -> None:
            runs.append((await answer(client, "read_spec", resource=API, pointer="/limit/maximum"))["run"])

        async with anyio.create_task_group() as tasks:
            for _ in range(12):
                tasks.start_soon(one)

    talk(services, era, main, READING)
    assert runs == ["mcp/1"] * 12
