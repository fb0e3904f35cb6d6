"""Results over the budget: stored whole, a packet in their place, and our tools to read on; errors and pictures stay what they are."""

import json
from typing import Any

import mcp_types as types
import pytest
from jsonschema import Draft202012Validator
from mcp import Client

from api.mcp.proxy.catalog import Naming
from api.mcp.proxy.serving import ProxyOptions
from api.wiring import Services
from evidence_store.errors import InvalidInput, StoreUnavailable
from evidence_store.model import Grade, ResourceName, Span, TaskName, TextLimit
from evidence_store.store.sources import Sources
from tests.factories import API
from tests.integration.mcp.proxy.wrapping import TIGHT, Heard, command, said, talk, text_of, through, tools_of


def proxied(services: Services, era: str, main: Any, options: ProxyOptions = TIGHT, *words: str) -> Heard:
    heard = Heard()
    talk(through(services, command(*words), era, heard, options), main)
    return heard


def stored(services: Services, name: str) -> bytes:
    revision = services.store.sources.get_revision(ResourceName(name), None)
    return services.store.sources.get_reader(revision).read(Span(0, revision.size))


def test_a_text_over_the_budget_is_stored_whole_and_can_be_read_on(services: Services, era: str) -> None:
    async def main(client: Client) -> None:
        result = await client.call_tool("log", {"n": 2000})
        shown = text_of(result)
        assert shown.startswith("[offloaded log: ")
        assert result.meta is not None
        assert result.meta["evidence/offloaded"] == {"resource": "log?n=2000", "revision": 1, "size": 44894}
        call = next(line for line in shown.splitlines() if line.startswith("read: read "))
        on = json.loads(call.removeprefix("read: read "))
        assert "line" in await said(client, "read", **on, max_tokens=100)
        assert "ERROR disk full" in await said(client, "search", resource="log?n=2000", pattern="ERROR")
        again = await said(client, "get_evidence", id=shown.split("[evidence ")[1][:15])
        assert "log?n=2000" in again

    proxied(services, era, main)
    assert stored(services, "log?n=2000").count(b"\n") == 2000
    assert services.store.checks.verify(deep=True).faults == ()


def test_what_was_shown_counts_as_delivered(services: Services) -> None:
    ids: list[Any] = []

    async def main(client: Client) -> None:
        ids.append((await said(client, "log", n=2000)).split("[evidence ")[1][:15])

    proxied(services, "auto", main)
    (exposure,) = services.store.runs.list_exposures(ids[0])
    assert exposure.grade is Grade.DELIVERED


def test_a_fault_of_ours_is_told_in_words_and_its_call_is_closed(services: Services, era: str, caplog: pytest.LogCaptureFixture) -> None:
    class BrokenServices(Services):
        def limit(self, n_tokens: int) -> TextLimit:
            raise ZeroDivisionError("secret inside")

    async def main(client: Client) -> None:
        failed = await client.call_tool("read", {"resource": API, "pointer": "/limit"})
        assert failed.is_error
        assert "internal_error" in text_of(failed)
        assert await said(client, "echo", text="on") == "on"

    proxied(BrokenServices(services.store, services.counter), era, main)
    assert services.store.runs.list_open_calls(services.store.runs.get_run(TaskName("mcp"), 1)) == []
    assert "secret inside" not in caplog.text


def test_structured_content_over_the_budget_keeps_to_the_schema_that_is_told(services: Services, era: str) -> None:
    async def main(client: Client) -> None:
        tools = await tools_of(client)
        schema = Draft202012Validator(tools["pods"].output_schema or {})
        small, large = await client.call_tool("pods", {"n": 3}), await client.call_tool("pods", {"n": 900})
        assert len(small.structured_content["pods"]) == 3
        assert large.structured_content["offloaded"] == {"resource": "pods?n=900&~part=structured", "revision": 1, "size": 35318}
        assert large.structured_content["packets"][0]["id"].startswith("ev_")
        for one in (small, large):
            assert [fault.message for fault in schema.iter_errors(one.structured_content)] == []
        assert not schema.is_valid({"pods": [{"name": 1}]})
        assert [block.text for block in large.content if isinstance(block, types.TextContent)][1:] == ["900 pods"]
        assert "api-42" in await said(client, "read", resource="pods?n=900&~part=structured", pointer="/pods/42/name")

    proxied(services, era, main)
    assert len(json.loads(stored(services, "pods?n=900&~part=structured"))["pods"]) == 900


@pytest.mark.parametrize("form", ["json", "content", "items", "rows"])
def test_what_texts_and_structured_content_both_say_is_stored_once(services: Services, form: str) -> None:
    async def main(client: Client) -> None:
        result = await client.call_tool("both", {"n": 900, "form": form})
        assert [block.type for block in result.content] == ["text"]
        assert result.structured_content["offloaded"]["resource"] == f"both?form={form}&n=900"
        small = await client.call_tool("both", {"n": 2, "form": form})
        assert "offloaded" not in small.structured_content
        assert "api-7" in await said(client, "both", n=900, form=form, grep='api-7$|api-7"')

    proxied(services, "auto", main)
    assert [resource.name for resource, _ in services.store.sources.list_resources("", 9)] == [f"both?form={form}&n=900", API]


def test_a_list_of_objects_keeps_its_structure(services: Services, era: str) -> None:
    async def main(client: Client) -> None:
        large = await client.call_tool("both", {"n": 900, "form": "rows"})
        assert text_of(large).count("\n") < 60
        name = large.structured_content["offloaded"]["resource"]
        assert "api-5" in await said(client, "read", resource=name, pointer="/result/5/name")
        assert '"api-7"' in await said(client, "both", n=900, form="rows", pointer="/result/7")
        hit = await said(client, "both", n=900, form="rows", grep='"api-77"')
        assert '| {"name":"api-77","cpu":[1]},' in hit
        small = await client.call_tool("both", {"n": 2, "form": "rows"})
        assert len(small.content) == len(small.structured_content["result"]) == 2

    proxied(services, era, main)
    assert len(json.loads(stored(services, "both?form=rows&n=900"))["result"]) == 900


@pytest.mark.parametrize("n", [8, 9, 10, 11, 12, 13, 14])
def test_items_whose_texts_alone_are_over_the_budget_do_not_pass(services: Services, n: int) -> None:
    async def main(client: Client) -> None:
        result = await client.call_tool("both", {"n": n, "form": "rows"})
        n_tokens = services.counter().count(text_of(result))
        assert n_tokens <= 200, (n, n_tokens)

    proxied(services, "auto", main, ProxyOptions(tokens=200))


def test_pictures_pass_beside_and_errors_stay_errors(services: Services) -> None:
    async def main(client: Client) -> None:
        result = await client.call_tool("picture", {"n": 900})
        assert [block.type for block in result.content] == ["text", "image"]
        failed = await client.call_tool("fail", {"n": 900})
        assert failed.is_error
        assert text_of(failed).startswith("[offloaded fail: ")

    proxied(services, "auto", main)
    assert stored(services, "fail?n=900#error") == b"it broke\n" * 900


def test_filters_are_taken_out_of_the_arguments_and_applied_to_what_is_stored(services: Services) -> None:
    async def main(client: Client) -> None:
        assert "line 1998" in await said(client, "log", n=2000, tail_n=2)
        assert "api-7" in await said(client, "pods", n=900, pointer="/pods/7")
        assert await said(client, "log", n=1, grep="of the upstream") == "line 0: all is well\n"
        failed = await client.call_tool("fail", {"n": 1, "pointer": "/pods"})
        assert (failed.is_error, text_of(failed)) == (True, "it broke\n")
        wrong = await client.call_tool("echo", {"text": "x", "tail_n": -1})
        assert wrong.is_error
        assert "bad_argument" in text_of(wrong)

    proxied(services, "auto", main)


def test_names_that_are_the_upstreams_are_prefixed_and_it_is_said(services: Services) -> None:
    async def main(client: Client) -> None:
        assert await said(client, "search", text="it") == "found it"
        names = list(await tools_of(client))
        assert names[-4:] == ["search", "get_evidence", "read", "evidence_search"]
        shown = await said(client, "log", n=2000)
        assert 'find: evidence_search {"resource":"log?n=2000"' in shown
        assert "777" in await said(client, "evidence_search", resource="log?n=2000", pattern="ERROR")

    heard = proxied(services, "auto", main, TIGHT, "--clash")
    assert heard.notes == ["the wrapped server has a tool 'search' itself: ours is 'evidence_search'"]


def test_a_prefix_stands_before_our_names_also_in_texts(services: Services) -> None:
    async def main(client: Client) -> None:
        names = list(await tools_of(client))
        assert names[-4:] == ["search", "files_get_evidence", "files_read", "files_search"]
        shown = await said(client, "log", n=2000)
        assert 'find: files_search {"resource":"log?n=2000"' in shown
        assert "line 2" in await said(client, "files_read", resource="log?n=2000", lines="3")
        assert await said(client, "read", lines="3") == "done", "as the upstream answers what it does not know"

    heard = proxied(services, "auto", main, ProxyOptions(tokens=400, naming=Naming("files_")), "--clash")
    assert heard.notes == []


def test_our_tools_are_left_to_another_server(services: Services) -> None:
    async def main(client: Client) -> None:
        assert list(await tools_of(client))[-1] == "search"
        assert await said(client, "search", text="it") == "found it"
        assert 'find: store_search {"resource":"log?n=2000"' in await said(client, "log", n=2000)
        assert await said(client, "store_read", pointer="") == "done"

    heard = proxied(services, "auto", main, ProxyOptions(tokens=400, naming=Naming("store_", offered=False)), "--clash")
    assert heard.notes == []


@pytest.mark.parametrize("prefix", ["a b", "日", "x" * 33, "a\n"])
def test_a_prefix_that_no_name_can_have_is_refused(prefix: str) -> None:
    with pytest.raises(InvalidInput, match="--prefix takes"):
        Naming(prefix)


def test_an_upstream_without_tools_has_ours(services: Services, era: str) -> None:
    async def main(client: Client) -> None:
        assert list(await tools_of(client)) == ["get_evidence", "read", "search"]
        assert '"maximum": 50' in await said(client, "search", resource=API, pattern="maximum")

    proxied(services, era, main, TIGHT, "--bare")


def test_what_is_kept_is_also_stored_where_it_passes(services: Services) -> None:
    async def main(client: Client) -> None:
        assert await said(client, "echo", text="small") == "small"

    proxied(services, "auto", main, ProxyOptions(keep_small=True))
    assert stored(services, "echo?text=small") == b"small"


def test_without_offloading_every_result_passes(services: Services) -> None:
    async def main(client: Client) -> None:
        assert (await said(client, "log", n=2000)).count("\n") == 2000

    proxied(services, "auto", main, ProxyOptions(tokens=400, offload=False))


def test_a_result_that_cannot_be_stored_is_an_error_and_holds_nothing_of_it(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise StoreUnavailable("the disk is full")

    async def main(client: Client) -> None:
        monkeypatch.setattr(Sources, "put", fail)
        failed = await client.call_tool("log", {"n": 2000})
        assert failed.is_error
        assert "could not be stored: the disk is full" in text_of(failed)
        assert "line 1" not in text_of(failed)

    proxied(services, "auto", main)


@pytest.mark.parametrize("more", [{}, {"lines": "1-2", "pointer": ""}, {"such": 1}])
def test_a_read_that_is_wrong_says_how_to_mend_it(services: Services, more: dict[str, Any]) -> None:
    async def main(client: Client) -> None:
        failed = await client.call_tool("read", {"resource": "x", **more})
        assert failed.is_error
        assert "retry: yes" in text_of(failed)
        assert "read_" not in text_of(failed)

    proxied(services, "auto", main)
