"""Results whose labels somebody is not cleared for: withheld, masked, and as if they were not there for the reading tools."""

import pytest

from api.wrap import ResultBudget, ToolRules, ToolWrapper, Treatment, WrapRules
from evidence_store.errors import JsonValue
from evidence_store.model import LabelPolicy, Outcome, ResourceName
from evidence_store.store import EvidenceStore
from projector import parse_errors, parse_packets
from tests.factories import put
from tests.integration.wrapping import logs, wrapper_of

LONG = logs(3_000)


def guarded(store: EvidenceStore, *clearances: str) -> ToolWrapper:
    """Results of `get_logs` have the label `prod`."""
    rules = WrapRules(ResultBudget(8_000), tools={"get_logs": ToolRules(labels=("prod",))}, clearances=frozenset(clearances))
    return wrapper_of(store, rules)


@pytest.mark.parametrize("text", ["request small\n", LONG])
@pytest.mark.parametrize("filters", [{}, {"grep": "request"}, {"tail_n": 2}, {"pointer": "/a"}])
def test_who_is_not_cleared_for_a_tool_sees_nothing_of_its_results(store: EvidenceStore, text: str, filters: dict[str, object]) -> None:
    result = guarded(store).call("get_logs", lambda: text, filters)
    assert (result.treatment, result.packets, result.value) == (Treatment.WITHHELD, (), result.text)
    assert "request" not in result.text
    assert store.sources.get_bytes(ResourceName("get_logs"), 1) == text.encode()


def test_who_is_cleared_sees_them(store: EvidenceStore) -> None:
    assert guarded(store, "prod").call("get_logs", lambda: "small\n", {}).value == "small\n"
    assert guarded(store, "prod").call("get_logs", lambda: LONG, {}).treatment is Treatment.OFFLOADED


def test_a_label_that_somebody_gave_the_resource_counts_too(store: EvidenceStore) -> None:
    wrapper = guarded(store)
    assert wrapper.call("now", lambda: "noon\n", {}).value == "noon\n"
    put(store, b"noon\n", "now", labels=("secret",))
    assert wrapper.call("now", lambda: "noon\n", {}).treatment is Treatment.WITHHELD


def test_the_words_of_an_error_are_withheld_as_well(store: EvidenceStore) -> None:
    def failing() -> str:
        raise ValueError("request 7 of prod")

    result = guarded(store).call("get_logs", failing, {})
    assert result.outcome is Outcome.ERROR
    assert "request" not in result.text


def test_a_label_that_masks_shows_where_it_stands_and_not_what(store: EvidenceStore) -> None:
    store.permissions.set_policy("prod", LabelPolicy.MASKED, "human:ann")
    wrapper = guarded(store)
    for result in (wrapper.call("get_logs", lambda: LONG, {}), wrapper.answer("read_log", {"resource": "get_logs", "lines": "1-3"})):
        assert "| [masked]\n" in result.text
        assert "request" not in result.text


def calls_of(id_: str) -> list[tuple[str, dict[str, JsonValue]]]:
    return [
        ("read_log", {"resource": "get_logs", "lines": "1-3"}),
        ("summary", {"resource": "get_logs"}),
        ("search", {"resource": "get_logs", "pattern": "request"}),
        ("search", {"resource": "get*", "pattern": "request"}),
        ("diff", {"resource": "get_logs", "old_revision": 1, "new_revision": 1}),
        ("get_evidence", {"id": id_}),
    ]


def test_reading_tools_answer_what_is_hidden_as_what_is_not_there(store: EvidenceStore) -> None:
    id_ = guarded(store, "prod").call("get_logs", lambda: LONG, {}).packets[0].id
    wrapper = guarded(store)
    for tool, arguments in calls_of(id_):
        absent = {**arguments, **({"resource": "nothing"} if "resource" in arguments else {"id": "ev_000000000000"})}
        hidden = wrapper.answer(tool, arguments)
        assert hidden.text == wrapper.answer(tool, absent).text
        assert hidden.outcome is Outcome.ERROR
        assert guarded(store, "prod").answer(tool, arguments).outcome is Outcome.OK


def test_a_listing_names_only_what_may_be_seen(store: EvidenceStore) -> None:
    guarded(store).call("get_logs", lambda: LONG, {})
    put(store, b"{}", "open.json")
    assert '"open.json"' in guarded(store).answer("list_resources", {}).text
    assert "get_logs" not in guarded(store).answer("list_resources", {}).text
    assert "get_logs" in guarded(store, "prod").answer("list_resources", {}).text


@pytest.mark.parametrize("tool", ["list_claims", "get_progress"])
def test_what_may_repeat_hidden_words_is_not_there(store: EvidenceStore, tool: str) -> None:
    assert parse_errors(guarded(store).answer(tool, {}).text)[0].code == "unknown_tool"


def test_labels_of_a_tool_are_those_of_its_packets(store: EvidenceStore) -> None:
    result = guarded(store, "prod").call("get_logs", lambda: LONG, {})
    assert {packet.labels for packet in result.packets} == {("prod",)}
    assert len(parse_packets(result.text)) == len(result.packets)
