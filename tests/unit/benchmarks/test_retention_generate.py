"""Generated runs: the same from the same seed, and what they promise to hold."""

import hashlib
from collections.abc import Iterable

import pytest

from benchmarks.retention.generate import generate
from benchmarks.retention.reading import join, read_message
from benchmarks.retention.scenario import Message, Scenario
from projector import validate


@pytest.fixture(scope="module")
def run() -> Scenario:
    return generate(7, 40)


def test_the_same_seed_gives_the_same_bytes_and_another_does_not() -> None:
    first, again, other = (repr(generate(seed, 12).calls).encode() for seed in (3, 3, 4))
    assert hashlib.sha256(first).digest() == hashlib.sha256(again).digest()
    assert first != other


def test_a_fact_stands_in_its_source_where_its_passage_says(run: Scenario) -> None:
    for fact in run.calls[-1].known.facts:
        packet = run.packets[fact.passage]
        source = run.sources[packet.resource, packet.revision]
        assert source[packet.span.start : packet.span.end].decode() == packet.excerpt
        assert packet.excerpt.startswith(f"{fact.key} = {fact.value} ")


def test_the_whole_history_says_all_that_a_run_knows(run: Scenario) -> None:
    seen = join([read_message(message) for call in run.calls for message in call.fresh])
    known = run.calls[-1].known
    stated = {(one.key, one.value, one.evidence) for one in seen.stated}
    assert {(fact.key, fact.value, fact.passage) for fact in known.facts} <= stated
    assert {(fact.key, fact.value, fact.passage) for pair in known.conflicts for fact in pair} <= stated
    assert set(known.questions) <= seen.questions
    assert seen.orders_outside == 0


def test_a_run_holds_every_kind_of_trouble() -> None:
    notes = generate(7, 80).notes
    assert {name for name, n in notes.items() if n == 0} == set()


def test_histories_are_whole_but_for_calls_that_were_never_answered(run: Scenario) -> None:
    messages = [message for call in run.calls for message in call.fresh]
    faults = validate(messages, "openai")
    assert {fault.code for fault in faults} == {"call_without_result"}
    assert len(faults) == run.notes["unanswered calls"]


def names(fresh: Iterable[Message]) -> set[str]:
    return {call["function"]["name"] for message in fresh for call in message.get("tool_calls", ())}


def test_a_strategy_without_a_store_is_not_charged_for_recording(run: Scenario) -> None:
    plain = names(message for call in run.calls for message in call.fresh)
    recorded = names(message for call in run.calls for message in call.fresh_recorded)
    assert recorded - plain == {"record_claim", "record_progress"}


def test_what_was_denied_is_known_to_be(run: Scenario) -> None:
    known = run.calls[-1].known
    assert run.calls[0].clearances
    assert not run.calls[-1].clearances
    assert len(known.denied_ids) > len(run.calls[0].known.denied_ids) == 1
    assert not known.denied_ids & {fact.passage for fact in known.facts}


def test_a_dense_run_knows_more_than_an_input_holds() -> None:
    assert len(generate(7, 56, dense=True).calls[-1].known.facts) >= 450
