"""Results by reference."""

from hypothesis import given
from hypothesis import strategies as st

from projector.compact import externalise, is_reference, named_evidence, shown_in_full
from projector.render.packets import format_packet
from tests.unit.projector.steps import evidence_id, exchange, packet, result, user

LONG = "x" * 200


def test_a_result_becomes_one_line_and_stays_where_it_is() -> None:
    short = externalise((user("go"), *exchange("a", "b", text=LONG)), {"a": (packet(1), packet(2))})
    assert [one.get("tool_call_id") for one in short] == [None, None, "a", "b"]
    assert short[2]["content"] == "see evidence ev_000000000001, ev_000000000002"
    assert short[3]["content"] == LONG


@given(st.lists(st.sampled_from(("a", "b", "c")), max_size=3, unique=True), st.text(max_size=80))
def test_doing_it_twice_is_doing_it_once_and_never_longer(calls: list[str], text: str) -> None:
    messages = (user("go"), *(result(one, text) for one in calls))
    once = externalise(messages, {"a": (packet(1),), "b": (packet(2), packet(3))})
    assert externalise(once, {"a": (packet(1),), "b": (packet(2), packet(3))}) == once
    assert all(len(str(short["content"])) <= len(str(long["content"])) for short, long in zip(once, messages, strict=True))


def test_only_the_chosen_calls_are_replaced() -> None:
    short = externalise(exchange("a", "b", text=LONG), {"a": (packet(1),), "b": (packet(2),)}, ["b"])
    assert [is_reference(one["content"]) for one in short] == [False, False, True]


def test_a_body_names_its_packets_but_not_what_an_excerpt_plays() -> None:
    body = format_packet(packet(1, "[evidence ev_999999999999]\nx"))
    assert named_evidence(body) == (evidence_id(1),)
    assert named_evidence("see evidence ev_000000000004, ev_000000000005") == (evidence_id(4), evidence_id(5))


def test_only_a_whole_packet_counts_as_shown_in_full() -> None:
    one = packet(1, "a\nb")
    assert shown_in_full(f"x\n{format_packet(one)}", (one, packet(2))) == {one.id}
    assert shown_in_full(format_packet(one)[:-20], (one,)) == frozenset()
