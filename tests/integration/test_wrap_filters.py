"""Filters over a stored result: what they show, that the rest is not lost, and what they say when nothing matches."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.tools import call_tool
from api.wrap import Treatment
from evidence_store.errors import JsonValue
from evidence_store.model import Outcome, ResourceName
from evidence_store.store import EvidenceStore
from projector import parse_errors, parse_packets
from tests.factories import make_store
from tests.integration.wrapping import ROOM, call_in, logs, n_tokens, read_on, rules_of, wrapper_of

PODS: JsonValue = {
    "kind": "List",
    "items": [{"metadata": {"name": f"pod-{n}"}, "status": {"phase": "Running"}, "spec": "x" * 600} for n in range(300)],
}


def test_grep_shows_the_lines_that_match_each_as_evidence(store: EvidenceStore) -> None:
    text = logs(2_000) + "the pump FAILED at 12\n" + logs(500)
    result = wrapper_of(store).call("get_logs", lambda: text, {"grep": "FAILED at [0-9]+"})
    assert result.treatment is Treatment.FILTERED
    assert result.text.startswith(f"[filtered get_logs: 1 line that matches; of {len(text):,} bytes, stored whole]\n")
    (packet,) = parse_packets(result.text)
    assert (packet.excerpt, packet.lines.first) == ("the pump FAILED at 12\n", 2001)
    assert store.sources.get_bytes(ResourceName("get_logs"), 1) == text.encode()


def test_grep_of_many_lines_shows_those_that_fit_and_how_to_go_on(store: EvidenceStore) -> None:
    result = wrapper_of(store).call("get_logs", lambda: logs(2_000), {"grep": "took"})
    assert n_tokens(result.text) <= ROOM
    n_shown = len(parse_packets(result.text))
    assert n_shown >= 10
    assert f"the first {n_shown} lines that match, and there are more" in result.text
    assert call_in(result.text, "find")[1]["pattern"] == "took"


def test_many_short_lines_are_a_list_and_no_packets(store: EvidenceStore) -> None:
    text = "".join("bad\n" if n % 10 == 0 else f"line {n} of no interest\n" for n in range(2_000))
    result = wrapper_of(store, rules_of(200_000)).call("get_logs", lambda: text, {"grep": "^bad$"})
    assert result.packets == ()
    assert result.text.startswith("[filtered get_logs: 200 lines that match; of ")
    assert result.text.endswith('- 1981 "bad"\n- 1991 "bad"\n')
    assert len(result.text) < 4 * 200 * len("bad\n")
    assert call_in(result.text)[1]["lines"] == "LINE-LINE"


@pytest.mark.parametrize("line", ["bad", "2026-11-30T10:00:00 bad request of no consequence whatever"])
def test_a_search_goes_on_behind_the_hits_that_a_filter_shows(store: EvidenceStore, line: str) -> None:
    wrapper = wrapper_of(store)
    text = "".join(f"{line} {n}\n" if n % 3 == 0 else "\n" for n in range(3_000))
    result = wrapper.call("get_logs", lambda: text, {"grep": "bad"})
    assert n_tokens(result.text) <= ROOM
    seen = [one.lines.first for one in parse_packets(result.text)] or [int(one) for one in re.findall(r'^- ([0-9]+) "', result.text, re.M)]
    (tool, arguments) = call_in(result.text, "find")
    while arguments:
        answer = call_tool(wrapper.context.tools, tool, {**arguments, "limit": 200}, recording=False)  # type: ignore[dict-item]
        seen += [one.lines.first for one in answer.packets]
        following = answer.facts["next"]
        arguments = {**arguments, **following} if isinstance(following, dict) else {}
    assert seen == [n + 1 for n in range(0, 3_000, 3)]


def test_a_grep_without_a_hit_says_so_and_how_large_the_whole_is(store: EvidenceStore) -> None:
    text = logs(10)
    result = wrapper_of(store).call("get_logs", lambda: text, {"grep": "PANIC"})
    assert result.text.startswith(f"[filtered get_logs: no line of 10 matches; of {len(text):,} bytes, stored whole]\n")
    (receipt,) = parse_packets(result.text)
    assert receipt.excerpt == "0 hits"
    assert result.outcome is Outcome.OK


def test_the_last_lines(store: EvidenceStore) -> None:
    text = logs(2_000)
    result = wrapper_of(store).call("get_logs", lambda: text, {"tail_n": 3})
    (packet,) = parse_packets(result.text)
    assert packet.excerpt == "".join(text.splitlines(keepends=True)[-3:])


def test_of_more_last_lines_than_fit_the_very_last_are_shown(store: EvidenceStore) -> None:
    text = logs(2_000)
    wrapper = wrapper_of(store)
    result = wrapper.call("get_logs", lambda: text, {"tail_n": 1_000})
    assert ROOM // 2 < n_tokens(result.text) <= ROOM
    (packet,) = parse_packets(result.text)
    tool, arguments = call_in(result.text)
    wanted = "".join(text.splitlines(keepends=True)[-1_000:])
    assert read_on(wrapper.context.tools, tool, arguments) + (packet.excerpt or "") == wanted


def test_a_pointer_shows_a_place(store: EvidenceStore) -> None:
    result = wrapper_of(store).call("get_pods", lambda: PODS, {"pointer": "/items/7/metadata"})
    (packet,) = parse_packets(result.text)
    assert (packet.selector.text, packet.excerpt) == ("/items/7/metadata", '{"name":"pod-7"}')


def test_a_place_that_is_too_large_is_an_outline(store: EvidenceStore) -> None:
    result = wrapper_of(store).call("get_pods", lambda: PODS, {"pointer": "/items"})
    (packet,) = parse_packets(result.text)
    assert packet.outline is not None
    assert n_tokens(result.text) <= ROOM


def test_a_place_that_is_not_there_helps_to_find_one_and_names_the_whole(store: EvidenceStore) -> None:
    result = wrapper_of(store).call("get_pods", lambda: PODS, {"pointer": "/itens/7"})
    (error,) = parse_errors(result.text)
    assert (error.code, error.retry, dict(error.details)["keys"]) == ("not_found", True, ["kind", "items"])
    assert call_in(result.text)[0] == "get_evidence"
    assert "stored whole" in result.text


def test_a_pointer_into_a_text_says_that_there_is_none(store: EvidenceStore) -> None:
    result = wrapper_of(store).call("get_logs", lambda: logs(500), {"pointer": "/a"})
    assert parse_errors(result.text)[0].code == "no_structure"
    assert "stored whole" in result.text


def test_a_small_result_is_shown_whole_beside_what_was_wrong_with_a_filter(store: EvidenceStore) -> None:
    result = wrapper_of(store).call("whoami", lambda: "root\n", {"pointer": "/x"})
    assert parse_errors(result.text)[0].code == "no_structure"
    (packet,) = parse_packets(result.text)
    assert packet.excerpt == "root\n"
    assert [one.id for one in result.packets] == [packet.id]
    assert "\n[whole: 5 bytes]\n" in result.text


def test_fields_of_an_object_are_evidence_and_absent_ones_are_named(store: EvidenceStore) -> None:
    result = wrapper_of(store).call("get_pods", lambda: PODS, {"pointer": "/items/0", "fields": ["/metadata/name", "status", "node"]})
    assert [packet.selector.text for packet in parse_packets(result.text)] == ["/items/0/metadata/name", "/items/0/status"]
    assert 'absent: ["node"]\n' in result.text


def test_fields_of_a_list_are_one_line_for_each_item(store: EvidenceStore) -> None:
    result = wrapper_of(store).call("get_pods", lambda: PODS, {"pointer": "/items", "fields": ["/metadata/name", "spec"]})
    assert '\n- {"at":"/items/0","/metadata/name":"pod-0","spec":"[string, 602 bytes]"}\n' in result.text
    assert n_tokens(result.text) <= ROOM
    tool, arguments = call_in(result.text)
    assert (tool, arguments["pointer"]) == ("read_spec", "/items")


def test_fields_that_no_object_has_are_an_error_with_the_keys(store: EvidenceStore) -> None:
    result = wrapper_of(store).call("get_pods", lambda: PODS, {"fields": ["name"]})
    (error,) = parse_errors(result.text)
    assert dict(error.details)["keys"] == ["kind", "items"]


def test_secrets_are_masked_in_fields(store: EvidenceStore) -> None:
    token = "ghp_" + "a1B2" * 9
    rows: JsonValue = [{"name": "a", "token": token}]
    result = wrapper_of(store).call("rows", lambda: rows, {"fields": ["token"]})
    assert token not in result.text
    assert "[masked github-token]" in result.text


def test_a_wrong_filter_does_not_call_the_tool(store: EvidenceStore) -> None:
    def never() -> str:
        raise AssertionError("called")

    result = wrapper_of(store).call("get_logs", never, {"grep": "("})
    assert (result.outcome, parse_errors(result.text)[0].retry) == (Outcome.ERROR, True)


def test_a_filter_of_the_tool_itself_is_its_own(store: EvidenceStore) -> None:
    def get_logs(grep: str) -> str:
        return f"grepped {grep}"

    assert wrapper_of(store).call("get_logs", get_logs, {"grep": "("}).value == "grepped ("


Lines = st.lists(st.text(st.characters(codec="utf-8"), max_size=40), max_size=60).map("\n".join)


@settings(max_examples=50)
@given(text=Lines, n_lines=st.integers(1, 80), room=st.integers(160, 600), pattern=st.sampled_from(("a", "^$", "[0-9]+", ".")))
def test_no_filter_shows_more_than_its_room_and_the_whole_is_kept(
    tmp_path_factory: pytest.TempPathFactory, text: str, n_lines: int, room: int, pattern: str
) -> None:
    with make_store(tmp_path_factory.mktemp("store")) as store:
        wrapper = wrapper_of(store, rules_of(tokens=room))
        for filters in ({"tail_n": n_lines}, {"grep": pattern}, {"pointer": "/a/0"}, {"fields": ["a"]}):
            result = wrapper.call("tool", lambda: text, filters)
            assert n_tokens(result.text) <= room
            if text:
                assert store.sources.get_bytes(ResourceName("tool"), 1) == text.encode()


def test_grep_of_one_long_line_tells_of_places_in_it(store: EvidenceStore) -> None:
    body = "[" + ",".join(f'{{"name":"test_{n}","status":"passed"}}' for n in range(2_000)) + "]"
    result = wrapper_of(store).call("list_builds", lambda: body, {"grep": "passed"})
    n_shown = len(parse_packets(result.text))
    assert n_shown > 1
    assert f"the first {n_shown} places that match, and there are more" in result.text
