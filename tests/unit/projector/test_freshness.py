"""Packets of live resources that are too old to tell how things are now."""

from dataclasses import replace

import pytest

from evidence_store.model import Packet
from projector import MustSplit, Need, Projected, parse_packets, step_from_json
from projector.freshness import aged
from projector.model import JsonObject, Step
from projector.render.packets import AgeText, format_packet
from tests.unit.projector.steps import content, evidence_id, exchange, outcome, packet, projection, step, tiny, user

SEEN = 1_700_000_000_000_000
MINUTE = 60_000_000
LONG = "errors 17\n" * 40


def live(number: int, excerpt: str = LONG, *, seen: int = SEEN) -> Packet:
    return replace(packet(number, excerpt), max_age_s=60, observed_at=seen)


@pytest.mark.parametrize(
    ("after", "age_s"), [(0, None), (MINUTE, None), (MINUTE + 1, 61), (MINUTE + 1_000_000, 61), (2 * MINUTE, 120), (-MINUTE, None)]
)
def test_a_live_packet_is_too_old_once_it_is_past_its_greatest_age(after: int, age_s: int | None) -> None:
    assert aged(live(1), SEEN + after).age_s == age_s


def test_without_a_time_or_an_observation_nothing_is_aged() -> None:
    assert aged(live(1), None).age_s is None
    assert aged(packet(1), SEEN + 9 * MINUTE).age_s is None
    assert aged(replace(live(1), observed_at=None), SEEN + 9 * MINUTE).age_s is None


def test_an_age_that_came_along_does_not_count() -> None:
    assert aged(replace(live(1), age_s=999), SEEN).age_s is None


def test_what_is_too_old_says_so_and_what_is_not_does_not() -> None:
    made = projection(step(evidence=(live(1), live(2, seen=SEEN + 9 * MINUTE), evidence_id(3)), now=SEEN + 10 * MINUTE), live(3))
    found = {one.id: one.age for one in parse_packets(content(made))}
    old = AgeText(600, 60)
    assert found == {evidence_id(1): old, evidence_id(2): None, evidence_id(3): old}
    assert "age: 600 s, over its maximum of 60 s\n" in content(made)


def test_without_a_time_the_input_is_that_of_packets_that_are_not_live() -> None:
    still = projection(step(evidence=(packet(1, LONG),)))
    assert projection(step(evidence=(live(1),))).messages == still.messages


def history(*packets: Packet) -> tuple[JsonObject, ...]:
    shown = [exchange(f"c{at}", text=format_packet(one)) for at, one in enumerate(packets)]
    return (user("watch"), *(message for group in shown for message in group))


def watching(result_rounds: int | None, *packets: Packet, now: int | None = SEEN + 10 * MINUTE) -> Step:
    results = {f"c{at}": (one,) for at, one in enumerate(packets)}
    return step(messages=history(*packets), results=results, now=now, result_rounds=result_rounds)


def references(made: Step) -> list[str]:
    bodies = [str(one["content"]) for one in projection(made).messages if one["role"] == "tool"]
    return [body for body in bodies if body.startswith("see evidence")]


@pytest.mark.parametrize(("rounds", "n"), [(None, 0), (0, 3), (1, 2), (2, 1), (3, 0)])
def test_old_results_beyond_the_newest_exchanges_step_down_to_a_reference(rounds: int | None, n: int) -> None:
    made = watching(rounds, live(1), live(2), live(3))
    assert references(made) == [f"see evidence {evidence_id(number)}" for number in range(1, 1 + n)]


def test_what_is_not_too_old_stays_however_far_back() -> None:
    assert references(watching(0, live(1, seen=SEEN + 10 * MINUTE), packet(2, LONG), live(3))) == [f"see evidence {evidence_id(3)}"]
    assert references(watching(0, live(1), now=None)) == []


def test_the_receipt_says_why_a_result_stepped_down() -> None:
    notes = [line.note for line in projection(watching(1, live(1), packet(2, LONG))).receipt.kept if line.section == "dialogue"]
    assert "results by reference, past their greatest age: c0" in notes


def test_a_result_of_an_open_exchange_stays() -> None:
    asked = exchange("a", "b", text=format_packet(live(1)))
    made = step(messages=(user("watch"), *asked[:-1]), results={"a": (live(1),)}, now=SEEN + 10 * MINUTE, result_rounds=0)
    assert references(made) == []


def test_evidence_of_this_step_is_shown_with_its_age_though_an_exchange_shows_it_without() -> None:
    made = projection(replace(watching(None, live(1)), evidence=(live(1),)))
    assert [one.age for one in parse_packets(content(made))] == [AgeText(600, 60)]


def test_the_step_comes_back_as_it_was_given() -> None:
    given = step(
        evidence=(live(1, "a b " * 900), live(2, "c d " * 900)),
        needs=(Need("pointer", "/paths/x1"), Need("pointer", "/paths/x2")),
        profile=tiny(2_800),
        now=SEEN + 10 * MINUTE,
    )
    found = outcome(given)
    assert isinstance(found, MustSplit)
    assert found.step is given


def test_time_and_rounds_are_read_from_json() -> None:
    made = step_from_json({"now": SEEN, "result_rounds": 2})
    assert (made.now, made.result_rounds) == (SEEN, 2)
    assert isinstance(outcome(step_from_json({})), Projected)
