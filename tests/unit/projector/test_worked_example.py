"""The worked example of rule 4: 500 tokens are left, and a group has 800. Each outcome says what to do, and doing it leads to an input."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from projector import (
    MustExternalise,
    MustSplit,
    MustWait,
    Need,
    Paused,
    Projected,
    Projection,
    counter_for,
    externalise,
    step_from_json,
    step_to_json,
)
from projector.compact import is_reference
from projector.measure import Measure
from projector.model import JsonObject, Step
from projector.render.packets import format_packet
from tests.unit.projector.steps import calling, evidence_id, outcome, packet, projection, result, step, tiny, user

LEFT, GROUP = 500, 800
CALLS = ("a", "b")


def weight(messages: tuple[JsonObject, ...]) -> int:
    return sum(map(Measure(counter_for("o200k_base")).message, messages))


def sized(made: Callable[[int], tuple[JsonObject, ...]]) -> tuple[JsonObject, ...]:
    """The group with so many words that it has 800 tokens."""
    return made(GROUP - weight(made(0)))


def answered(n_words: int) -> tuple[JsonObject, ...]:
    return (calling(*CALLS), result("a", "x" + " word" * (n_words // 2)), result("b", "x" + " word" * (n_words - n_words // 2)))


def waiting(n_words: int) -> tuple[JsonObject, ...]:
    return (calling(*CALLS), result("a", "x" + " word" * n_words))


def with_left(made: Step) -> Step:
    """The step in a window that leaves 500 tokens beside all that must stand without the group."""
    without = projection(replace(made, messages=made.messages[:1], evidence=(), needs=())).receipt.kept
    return replace(made, profile=tiny(sum(line.tokens for line in without if line.section != "framing") + LEFT))


def bodies(made: Projection) -> list[bool]:
    return [is_reference(one["content"]) for one in made.messages if one["role"] == "tool"]


@pytest.mark.parametrize("stored", [True, False])
def test_results_of_a_closed_group_are_externalised(stored: bool) -> None:
    packets = {"a": (packet(1),), "b": (packet(2),)}
    made = with_left(step(messages=(user("go"), *sized(answered)), results=packets if stored else {}))
    found = outcome(made)
    assert isinstance(found, MustExternalise)
    assert found.must_tokens - found.room_tokens == GROUP - LEFT
    assert found.to_store == (() if stored else found.calls)
    resumed = replace(found.step, results=packets, messages=externalise(found.step.messages, packets, found.calls))
    assert bodies(projection(resumed)).count(True) == len(found.calls) == 1
    # told to, the projector does it by itself
    itself = outcome(replace(made, strategy="externalise"))
    assert isinstance(itself, Projected if stored else MustExternalise)


def test_what_is_needed_is_split_in_two_steps_and_both_project() -> None:
    halves = tuple(packet(number, "x" + " word" * 350, resource="log") for number in (1, 2))
    made = with_left(step(messages=(user("go"),), evidence=halves, needs=(Need("resource", "log"),)))
    found = outcome(made)
    assert isinstance(found, MustSplit)
    assert (found.first, found.rest) == ((evidence_id(1),), (evidence_id(2),))
    for part in (found.first, found.rest):
        half = replace(found.step, evidence=tuple(one for one in halves if one.id in part))
        assert projection(half).evidence == part


def test_an_open_group_is_waited_for_and_projects_once_it_is_closed() -> None:
    packets = {"a": (packet(1),), "b": (packet(2),)}
    made = with_left(step(messages=(user("go"), *sized(waiting)), results=packets, strategy="externalise"))
    found = outcome(made)
    assert isinstance(found, MustWait)
    assert found.must_tokens - found.room_tokens == GROUP - LEFT
    assert found.calls == ("b",)
    closed = replace(found.step, messages=(*found.step.messages, *(result(call, "it is 5") for call in found.calls)))
    assert bodies(projection(closed)) == [True, False]


@pytest.mark.parametrize("is_open", [True, False])
def test_what_nothing_helps_pauses_and_goes_on_in_a_larger_window(is_open: bool) -> None:
    def words(n_words: int) -> tuple[JsonObject, ...]:
        said = calling("a", text="x" + " word" * n_words)
        return (said,) if is_open else (said, result("a"))

    made = with_left(step(messages=(user("go"), *sized(words))))
    found = outcome(made)
    assert isinstance(found, Paused)
    assert found.must_tokens - found.room_tokens == GROUP - LEFT
    assert any(f"{GROUP} tokens" in reason for reason in found.reasons)
    state = json.loads(json.dumps(step_to_json(found.step)))
    resumed = step_from_json(state)
    assert resumed == made
    larger = replace(resumed, profile=replace(resumed.profile, window=resumed.profile.window + GROUP))
    assert projection(larger).tokens <= larger.profile.input_cap


def test_a_result_that_shows_what_is_needed_saves_nothing_by_reference() -> None:
    one = packet(1, "x" + " word" * 700, resource="log")
    group = (calling("a"), result("a", format_packet(one)))
    made = with_left(step(messages=(user("go"), *group), results={"a": (one,)}, needs=(Need("resource", "log"),)))
    assert isinstance(outcome(made), Paused)
    assert isinstance(outcome(replace(made, needs=())), MustExternalise)
