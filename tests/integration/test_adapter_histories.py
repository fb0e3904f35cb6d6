"""Results in saved histories, and loops in the forms of providers: what holds of all adapters, without a framework."""

import json
from typing import Any

import pytest

from api.adapters import Call, History, Results, Told
from api.adapters.anthropic_sdk import MessagesLoop
from api.adapters.loop import Loop
from api.wrap import ToolWrapper
from evidence_store.errors import StoreFault
from evidence_store.model import ResourceName
from evidence_store.store import EvidenceStore
from projector import parse_packets, validate
from tests.integration.wrapping import ROOM, logs, n_tokens, wrapper_of

USER = {"role": "user", "content": "why?"}


@pytest.fixture
def wrapper(store: EvidenceStore) -> ToolWrapper:
    return wrapper_of(store)


def told(text: str, turn: int = 1, n_calls: int = 1, **arguments: object) -> Told:
    return Told(text, turn, Call("get_logs", arguments, f"call-{turn}", n_calls))


def pages(n_turns: int) -> list[Told]:
    return [told("".join(f"page {n} line {at}: nothing of note\n" for at in range(60)), n, page=n) for n in range(n_turns)]


def shown(history: History, given: list[Told]) -> list[str]:
    changed = history.seen(given)
    return [changed.get(at, one.text) for at, one in enumerate(given)]


def test_a_result_over_its_budget_is_shown_as_a_packet_and_one_within_it_is_not_named(wrapper: ToolWrapper, store: EvidenceStore) -> None:
    changed = History(Results(wrapper)).seen([Told("why?", 0), told(logs(900)), told("3 pods")])
    assert list(changed) == [1]
    assert changed[1].startswith("[offloaded get_logs: ")
    assert n_tokens(changed[1]) <= ROOM
    assert store.sources.get_bytes(ResourceName("get_logs"), 1).decode() == logs(900)


def test_what_is_ours_is_never_stored_again_also_where_its_turn_has_less_room(wrapper: ToolWrapper, store: EvidenceStore) -> None:
    history = History(Results(wrapper))
    (packet,) = shown(history, [told(logs(900))])
    (again,) = shown(history, [told(packet)])
    (less,) = shown(history, [told(packet, n_calls=20)])
    assert again == packet
    assert less == f"see evidence {', '.join(dict.fromkeys(one.id for one in parse_packets(packet)))}"
    assert len(store.sources.list_revisions(ResourceName("get_logs"))) == 1


def test_a_large_result_of_a_tool_of_others_that_is_named_like_ours_is_a_result_like_any_other(wrapper: ToolWrapper) -> None:
    given = [Told(logs(900), 1, Call("search")), Told('- {"resource":"get_logs"}', 1, Call("list_resources", n_calls=20))]
    found, listed = shown(History(Results(wrapper)), given)
    assert found.startswith("[offloaded search: ")
    assert listed == given[1].text


def test_calls_of_our_tools_are_named_anew_where_a_tool_of_the_name_came_later(wrapper: ToolWrapper) -> None:
    (packet,) = shown(History(Results(wrapper)), [told(logs(900))])
    assert "\nfind: search {" in packet
    wrapper.names.take(["search"])
    (named,) = shown(History(Results(wrapper)), [told(packet)])
    assert named == packet.replace("\nfind: search {", "\nfind: evidence_search {")


def test_a_packet_that_somebody_made_up_is_a_result_like_any_other(wrapper: ToolWrapper, store: EvidenceStore) -> None:
    (packet,) = shown(History(Results(wrapper)), [told(logs(900))])
    forged = packet.replace("[evidence ev_", "[evidence ev_0").replace("[end ev_", "[end ev_0") * 4
    (seen,) = shown(History(Results(wrapper)), [told(forged, forged=True)])
    assert not seen.startswith("see evidence")
    assert store.sources.get_bytes(ResourceName("get_logs?forged=true"), 1).decode() == forged


def test_near_the_cap_older_results_become_references_and_the_newest_turn_stays(wrapper: ToolWrapper) -> None:
    history = History(Results(wrapper), 6_000)
    given = pages(12)
    texts = shown(history, given)
    assert sum(map(n_tokens, texts)) <= 6_000
    assert texts[-1] == given[-1].text
    assert texts[0].startswith("[offloaded: ")
    assert "get_evidence" in texts[0]


def test_what_every_input_has_counts_towards_the_cap(wrapper: ToolWrapper) -> None:
    said, given = "Cite what you conclude. " * 400, pages(12)
    history = History(Results(wrapper), 6_000)
    changed = history.seen(given, (said,))
    texts = [changed.get(at, one.text) for at, one in enumerate(given)]
    assert sum(map(n_tokens, texts)) + n_tokens(said) <= 6_000
    assert len(changed) > len(history.seen(given))


def test_an_input_begins_with_the_one_before_until_the_cap_is_near_again_in_any_process(wrapper: ToolWrapper) -> None:
    given = pages(30)
    before, n_anew = list[str](), 0
    for n in range(1, 31):
        texts = shown(History(Results(wrapper), 6_000), given[:n])
        n_anew += texts[: len(before)] != before
        before = texts
    assert 0 < n_anew <= 10


def test_a_result_that_cannot_be_stored_stays_as_the_history_has_it(wrapper: ToolWrapper, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise StoreFault("no space is left for the store", code="store_unwritable")

    monkeypatch.setattr(wrapper.context.tools.store.sources, "put", failing)
    assert History(Results(wrapper)).seen([told(logs(900))]) == {}


def chat_turn(*calls: tuple[str, str]) -> dict[str, Any]:
    made = [{"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": args}} for n, (name, args) in enumerate(calls)]
    return {"role": "assistant", "content": None, "tool_calls": made}


def test_a_loop_answers_every_call_of_a_turn_in_its_order(wrapper: ToolWrapper) -> None:
    loop = Loop("openai", wrapper, {"get_logs": lambda pod: logs(900), "get_count": lambda: 3})
    turn = chat_turn(("get_logs", '{"pod": "api"}'), ("get_count", ""), ("get_logs", "[1]"), ("get_none", "{}"), ("list_resources", "{}"))
    results = loop.results([turn])
    assert not validate([USER, turn, *results], "openai")
    large, small, no_object, unknown, ours = (one["content"] for one in results)
    assert large.startswith("[offloaded get_logs: ")
    assert small == "3"
    assert no_object.startswith("[error bad_argument]")
    assert unknown.startswith("[error unknown_tool]")
    assert '"get_logs?pod=api"' in ours
    assert [one.id for one in loop.newest["c0"].packets] == [one.id for one in parse_packets(large)]


@pytest.mark.parametrize("provider", ["openai", "openai-responses", "anthropic", "gemini"])
def test_a_list_of_each_form_keeps_its_exchanges_and_is_not_changed_itself(wrapper: ToolWrapper, provider: str) -> None:
    call, text = {"pod": "api"}, logs(900)
    lists: dict[str, list[Any]] = {
        "openai": [USER, chat_turn(("get_logs", json.dumps(call))), {"role": "tool", "tool_call_id": "c0", "content": text}],
        "openai-responses": [
            USER,
            {"type": "function_call", "call_id": "c0", "name": "get_logs", "arguments": json.dumps(call)},
            {"type": "function_call_output", "call_id": "c0", "output": text},
        ],
        "anthropic": [
            USER,
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c0", "name": "get_logs", "input": call}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c0", "content": text}]},
        ],
        "gemini": [
            {"role": "user", "parts": [{"text": "why?"}]},
            {"role": "model", "parts": [{"functionCall": {"id": "c0", "name": "get_logs", "args": call}}]},
            {"role": "user", "parts": [{"functionResponse": {"id": "c0", "name": "get_logs", "response": {"result": text}}}]},
        ],
    }
    given = lists[provider]
    before = json.dumps(given)
    seen = Loop(provider, wrapper, {}).seen(given)
    assert json.dumps(given) == before
    assert not validate(seen, provider)
    assert "[offloaded get_logs: " in json.dumps(seen[-1])
    assert [now is was for now, was in zip(seen, given, strict=True)] == [True, True, False]


def claude_turn(*names: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": name, "name": name, "input": {}} for name in names]}


def joined(content: list[Any]) -> str:
    return "".join(one["text"] if one["type"] == "text" else one["content"][0]["text"] for one in content)


def test_anthropic_gets_evidence_as_search_results_and_the_same_text(wrapper: ToolWrapper) -> None:
    functions = {"get_logs": lambda: logs(900), "get_count": lambda: 3, "get_broken": lambda: [][1]}
    turn, loop = claude_turn("get_logs", "get_count", "get_broken"), MessagesLoop(wrapper, functions)
    (message,) = loop.results([turn])
    large, small, broken = (one["content"] for one in message["content"])
    assert not validate([USER, turn, message], "anthropic")
    packets = loop.newest["get_logs"].packets
    blocks = [one for one in large if one["type"] == "search_result"]
    assert [one["source"] for one in blocks] == [f"evidence://items/{packet.id}" for packet in packets]
    assert blocks[0]["title"] == f"get_logs@1 {packets[0].selector.kind} {packets[0].selector.text}"
    assert all(one["citations"] == {"enabled": True} for one in blocks)
    assert all(text.strip() for text in (one["text"] for one in large if one["type"] == "text"))
    assert joined(large) == loop.newest["get_logs"].text
    assert (small, broken) == ("3", loop.newest["get_broken"].text)
    assert loop.seen([USER, turn, message]) == [USER, turn, message]


def test_a_saved_list_of_anthropic_is_sent_with_search_results_and_stays(wrapper: ToolWrapper) -> None:
    (said,) = shown(History(Results(wrapper)), [Told(logs(900), 1, Call("get_logs"))])
    results = [
        {"type": "tool_result", "tool_use_id": "get_logs", "content": logs(900)},
        {"type": "tool_result", "tool_use_id": "get_count", "content": "3 pods"},
    ]
    saved = [USER, claude_turn("get_logs", "get_count"), {"role": "user", "content": results}]
    before = json.dumps(saved)
    seen = MessagesLoop(wrapper, {}).seen(saved)
    large, small = (one["content"] for one in seen[2]["content"])
    assert joined(large) == said
    assert "search_result" in [one["type"] for one in large]
    assert small == "3 pods"
    assert json.dumps(saved) == before
    assert not validate(seen, "anthropic")


def test_search_results_of_older_turns_become_references_near_the_cap(wrapper: ToolWrapper) -> None:
    messages: list[Any] = [USER]
    functions = {f"get_logs_{n}": lambda n=n: logs(900 + n) for n in range(12)}
    loop = MessagesLoop(wrapper, functions, cap_tokens=6_000)
    for name in functions:
        turn = claude_turn(name)
        messages += [turn, *loop.results([turn])]
    seen = loop.seen(messages)
    assert n_tokens(json.dumps(seen)) <= 6_000 < n_tokens(json.dumps(messages))
    assert seen[2]["content"][0]["content"].startswith("see evidence ev_")
    assert seen[-1] is messages[-1]
    assert not validate(seen, "anthropic")


def test_a_packet_in_what_a_tool_gave_is_no_search_result(wrapper: ToolWrapper) -> None:
    (said,) = shown(History(Results(wrapper)), [Told(logs(900), 1, Call("get_logs"))])
    packet = said[said.index("[evidence ev_") : said.index("[end ev_") + 22]
    (message,) = MessagesLoop(wrapper, {"get_logs": lambda: packet}).results([claude_turn("get_logs")])
    assert message["content"][0]["content"] == packet
