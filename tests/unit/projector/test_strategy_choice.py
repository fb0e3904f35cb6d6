"""The rule that chooses a strategy: what it takes for which step, and that it tells nothing of what is hidden."""

from dataclasses import replace
from itertools import chain

import pytest

from evidence_store.model import Packet, ProgressState, Standing
from projector import (
    NAMED_STRATEGIES,
    Need,
    Principal,
    Segment,
    compare_strategies,
    compared_json,
    compared_text,
    counter_for,
    strategy_for,
)
from projector.given import GivenEvidence
from projector.model import JsonObject, Step
from projector.strategy_choice import LOOKED_BACK
from tests.unit.projector.steps import claim, exchange, item, packet, projection, step, user

ONE, TWO = packet(1), replace(packet(2), revision=2)
CONFLICT = claim(1, ONE.id, standing=Standing.CONFLICTING)


def calls(n: int, first: int = 0) -> tuple[JsonObject, ...]:
    return tuple(chain.from_iterable(exchange(f"c{number}") for number in range(first, first + n)))


def turns(n: int) -> tuple[JsonObject, ...]:
    return tuple(chain.from_iterable((user(f"u{number}"), {"role": "assistant", "content": "yes"}) for number in range(n)))


NEEDS_CLAIM, NEEDS_BOTH = (Need("claim", "C1"),), (Need("resource", "api/v2.json"),)
SHORT = "no more than 24 messages, and nothing recorded yet"
CASES: list[tuple[Step, str, str]] = [
    (step(), "short-chat", SHORT),
    (step(messages=turns(11)), "short-chat", SHORT),
    (step(messages=turns(12)), "long-dialogue", "12 turns of the user"),
    (step(messages=(user("go"), *calls(7))), "default", "nothing stands out"),
    (step(messages=(user("go"), *calls(8))), "tool-heavy", "8 tool results to 1 turn of the user"),
    (step(messages=(*turns(3), *calls(11))), "default", "nothing stands out"),
    (step(messages=(*turns(3), *calls(12))), "tool-heavy", "12 tool results to 3 turns of the user"),
    (step(messages=(*turns(13), *calls(12))), "long-dialogue", "13 turns of the user"),
    (step(progress=(item("x", ProgressState.DOING),)), "default", "nothing stands out"),
    (step(messages=()), "default", "nothing stands out"),
    (step(evidence=(ONE, TWO)), "document-comparison", "there is evidence of two revisions of one resource"),
    (step(evidence=(ONE, packet(3))), "default", "nothing stands out"),
    (step(evidence=(ONE, replace(TWO, resource=packet(1, resource="b").resource))), "default", "nothing stands out"),
    (step(messages=(user("go"), *calls(9)), results={"c7": (ONE,), "c8": (TWO,)}), "document-comparison", "there is evidence of"),
    (step(claims=(CONFLICT,)), "root-cause", "a claim is in conflict"),
    (step(claims=(CONFLICT, replace(CONFLICT, id="C2"))), "root-cause", "2 claims are in conflict"),
    (step(claims=(claim(1, ONE.id),)), "default", "nothing stands out"),
    (step(claims=(CONFLICT,), evidence=(ONE, TWO)), "root-cause", "a claim is in conflict"),
    (step(claims=(CONFLICT,), evidence=(ONE, TWO), needs=NEEDS_BOTH), "document-comparison", "two revisions of one resource are needed"),
    (step(claims=(CONFLICT,), evidence=(ONE, TWO), needs=(*NEEDS_BOTH, *NEEDS_CLAIM)), "root-cause", "a claim that is needed is in"),
]


@pytest.mark.parametrize(("made", "name", "reason"), CASES)
def test_the_rule_chooses(made: Step, name: str, reason: str) -> None:
    chosen = strategy_for(made)
    assert chosen.strategy == NAMED_STRATEGIES[name]
    assert chosen.reason.startswith(reason)


def test_every_named_strategy_is_chosen_for_some_step() -> None:
    assert {name for _, name, _ in CASES} == set(NAMED_STRATEGIES)


@pytest.mark.parametrize(("made", "name", "reason"), CASES)
def test_auto_uses_it_and_the_receipt_says_why(made: Step, name: str, reason: str) -> None:
    used = projection(replace(made, strategy="auto"), ONE, TWO).receipt.strategy
    assert used is not None
    assert (used.name, used.reason[: len(reason)], used.changed) == (name, reason, {})


def test_a_named_one_and_auto_give_the_same_input_where_auto_takes_it() -> None:
    made = step(messages=(user("go"), *calls(8)))
    assert projection(replace(made, strategy="auto")).messages == projection(replace(made, strategy="tool-heavy")).messages


def test_only_the_newest_messages_are_looked_at() -> None:
    made = step(messages=(*turns(300), *calls(100)))
    assert strategy_for(made).reason == f"100 tool results to 0 turns of the user among the newest {LOOKED_BACK} messages"


def test_what_another_provider_was_at_work_on_counts() -> None:
    segment = Segment("openai", (user("go"), *calls(8)), "another")
    assert strategy_for(step(earlier=(segment,), messages=(user("on"),))).strategy.name == "tool-heavy"


def test_a_turn_beside_results_counts_as_one_of_the_user() -> None:
    content = [{"type": "tool_result", "tool_use_id": "a", "content": "x"}, {"type": "text", "text": "and now?"}]
    asked = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "read_spec", "input": {}}]}
    messages = (user("go"), asked, {"role": "user", "content": content}) * 6
    made = step(messages=messages, profile=replace(step().profile, provider="anthropic"))
    assert strategy_for(made).reason == "12 turns of the user"


def hidden(packet_: Packet) -> Packet:
    return replace(packet_, labels=("secret",))


@pytest.mark.parametrize(
    "changes",
    [
        {"evidence": (ONE, hidden(TWO))},
        {"evidence": (packet(3),), "claims": (claim(1, TWO.id, standing=Standing.CONFLICTING),), "results": {"x": (hidden(TWO),)}},
        {"messages": (user("go"), *calls(2)), "results": {"c0": (ONE,), "c1": (hidden(TWO),)}, "evidence": (packet(3),)},
    ],
)
def test_what_a_principal_may_not_see_does_not_choose(changes: dict[str, object]) -> None:
    made = replace(step(strategy="auto"), **changes)  # type: ignore[arg-type]
    cleared = projection(replace(made, principal=Principal(("secret",)))).receipt.strategy
    other = projection(replace(made, principal=Principal())).receipt.strategy
    assert cleared is not None
    assert other is not None
    assert cleared.name in ("document-comparison", "root-cause")
    assert other.name == "default"


def test_all_strategies_are_compared_with_the_one_that_a_step_brings_and_what_auto_takes() -> None:
    own = replace(NAMED_STRATEGIES["tool-heavy"], result_rounds=1)
    made = step(messages=(user("go"), *calls(8)), strategy=own)
    world = GivenEvidence(())
    found = compare_strategies(made, world, counter_for("o200k_base"), world)
    named = ["", "externalise", *NAMED_STRATEGIES]
    named.remove("default")
    rows = compared_json(found)
    assert [row["strategy"] for row in rows] == [*named, {"name": "tool-heavy", "result_rounds": 1}, "auto"]
    assert rows[-1]["used"] == {"name": "tool-heavy", "reason": "8 tool results to 1 turn of the user"}
    text = compared_text(found)
    assert text.splitlines()[0].split("  ")[-1].strip() == "tool-heavy (own)"
    assert text.endswith("\nauto takes tool-heavy: 8 tool results to 1 turn of the user\n")
