"""Rules 1 to 4 at the head of `projector/project.py`, each under its number: what stands in an input, and what to do instead."""

import random
from collections import Counter
from dataclasses import replace

import orjson
import pytest

from evidence_store.model import ProgressState, Standing
from projector import (
    MustExternalise,
    MustSplit,
    MustWait,
    Paused,
    counter_for,
    parse_sections,
    validate,
)
from projector.compact import externalise, is_reference
from projector.model import Candidate, JsonObject, Need
from projector.render.packets import format_packet
from projector.render.sections import parse_task
from tests.unit.projector.histories import PROVIDERS, Said, written
from tests.unit.projector.steps import (
    PROFILE,
    TASK,
    TOOLS,
    calling,
    claim,
    content,
    encoding,
    evidence_id,
    exchange,
    full_step,
    item,
    outcome,
    packet,
    projection,
    recount,
    result,
    step,
    tiny,
    user,
    wild_history,
    words,
)

# 1. used ≤ cap


@pytest.mark.parametrize("seed", range(12))
def test_rule_1_what_is_used_is_within_the_cap_by_a_plain_recount(seed: int) -> None:
    rng = random.Random(seed)
    made = projection(replace(full_step(rng), profile=replace(PROFILE, window=rng.choice((12_000, 20_000, 32_768)))))
    assert recount(made) == made.tokens == made.receipt.used <= made.receipt.budget.input_cap


@pytest.mark.parametrize("counter", ["cl100k_base", "bytes", "estimate:claude", "estimate:qwen-3"])
def test_rule_1_holds_for_every_counter(counter: str) -> None:
    made = projection(replace(full_step(random.Random(5)), profile=replace(PROFILE, counter=counter)))
    text = orjson.dumps(made.messages).decode()
    tools = counter_for(counter).count(orjson.dumps(made.tools).decode())
    assert counter_for(counter).count(text) + tools + 12 == made.tokens <= made.receipt.budget.input_cap
    assert made.receipt.counter == counter_for(counter).id


def test_rule_1_tool_definitions_are_counted() -> None:
    bare, tooled = projection(step()), projection(step(tools=TOOLS))
    assert tooled.tokens - bare.tokens == len(encoding().encode_ordinary(orjson.dumps(TOOLS).decode()))


@pytest.mark.parametrize("seed", range(4))
def test_rule_1_the_budget_is_used_when_more_would_fit(seed: int) -> None:
    made = projection(full_step(random.Random(seed), 400))
    assert made.receipt.dynamic_used >= 0.9 * made.receipt.budget.dynamic


def test_rule_1_a_small_turn_far_behind_large_ones_fits_while_much_is_free() -> None:
    rng = random.Random(3)
    large = [one for number in range(60) for one in exchange(f"large{number}", text=words(rng, 2_000))]
    made = projection(step(messages=(user("go"), *exchange("small"), *large, *exchange("new")), profile=tiny(2_500)))
    assert [one["tool_call_id"] for one in made.messages if one["role"] == "tool"] == ["small", "new"]
    assert all(line.tokens is None or line.tokens > 1_500 for line in made.omitted if line.section == "dialogue")


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("seed", range(6))
def test_rule_1_nothing_that_would_fit_is_left_out_while_a_tenth_is_free(provider: str, seed: int) -> None:
    """Neither a result that stands by reference only, nor a turn."""
    rng = random.Random(seed)
    history, texts = _uneven_history(rng, provider)
    answered = {call: (packet(number),) for number, call in enumerate(texts)}
    profile = replace(PROFILE, provider=provider, window=rng.randint(2_500, 12_000), output=0, slack=0, reserve=0)
    made = projection(step(messages=history, results=answered, profile=profile, strategy="externalise"))
    free = made.receipt.budget.dynamic - made.receipt.dynamic_used
    if free * 10 > made.receipt.budget.dynamic:
        sent = orjson.dumps(made.messages).decode()
        short = [quoted for text in texts.values() if (quoted := orjson.dumps(text).decode()) not in sent]
        assert all(len(encoding().encode_ordinary(quoted)) > free for quoted in short)
        assert not any(line.tokens is not None and line.tokens <= free for line in made.omitted if line.reason == "no room")


def _uneven_history(rng: random.Random, provider: str) -> tuple[tuple[JsonObject, ...], dict[str, str]]:
    """Exchanges of several calls, some results of them larger than all others together; and the results by call."""
    texts: dict[str, str] = {}
    turns = [Said("user", "go")]
    for number in range(8):
        found = {f"c{number}x{at}": words(rng, rng.choice((5, 60, 400, 4_000))) for at in range(rng.randint(1, 4))}
        texts |= found
        turns += [Said("assistant", "Reading.", tuple(found)), Said("results", results=tuple(found.items())), Said("user", "go on")]
    return written(turns, provider), texts


# 2. exchanges


@pytest.mark.parametrize("seed", range(12))
def test_rule_2_no_history_gives_a_broken_input(seed: int) -> None:
    rng = random.Random(seed)
    made = projection(step(messages=(*wild_history(rng, 30), user("and now?"))))
    assert validate(made.messages, "openai") == ()


def test_rule_2_a_kept_exchange_is_byte_for_byte_what_it_was() -> None:
    history = (user("go"), calling("a", "b", reasoning_content="opaque"), result("b", "two"), result("a", "one"))
    assert projection(step(messages=history)).messages[1:4] == history[1:]


def test_rule_2_an_open_exchange_stands_at_the_end_for_its_results_to_follow() -> None:
    made = projection(step(messages=(user("go"), *exchange("x"), calling("a", "b"), result("a"))))
    assert made.open_calls == ("b",)
    assert made.messages[-2:] == (calling("a", "b"), result("a"))
    assert made.messages[-3]["role"] == "user"
    assert validate((*made.messages, result("b")), "openai") == ()


def test_rule_2_what_cannot_be_sent_is_named_and_its_packets_stand_as_evidence() -> None:
    made = projection(
        step(messages=(user("go"), result("call_7", "limit is 50"), *exchange("call_8")), results={"call_7": (packet(7, "limit is 50"),)})
    )
    assert [one.get("tool_call_id") for one in made.messages if one["role"] == "tool"] == ["call_8"]
    assert made.evidence == (evidence_id(7),)
    assert any("call_7" in line.reason for line in made.omitted)


def test_rule_2_older_results_that_do_not_fit_stand_by_reference() -> None:
    rng = random.Random(1)
    old = exchange("old", text=words(rng, 3_000))
    made = projection(step(messages=(user("go"), *old, *exchange("new")), results={"old": (packet(1),)}, profile=tiny(2_500)))
    bodies = {one["tool_call_id"]: one["content"] for one in made.messages if one["role"] == "tool"}
    assert bodies == {"old": "see evidence ev_000000000001", "new": "result text"}
    assert [line.note for line in made.receipt.kept if line.section == "dialogue"] == ["", "results by reference"]


def test_rule_2_of_an_exchange_by_reference_as_many_results_as_fit_stand_in_full() -> None:
    rng = random.Random(2)
    texts = {call: words(rng, n) for call, n in (("a", 400), ("b", 2_000), ("c", 400))}
    old = (calling(*texts), *(result(call, text) for call, text in texts.items()))
    packets = {call: (packet(number),) for number, call in enumerate(texts)}
    made = projection(step(messages=(user("go"), *old, *exchange("new")), results=packets, profile=tiny(2_500)))
    bodies = {one["tool_call_id"]: one["content"] for one in made.messages if one["role"] == "tool"}
    assert bodies == {**texts, "b": "see evidence ev_000000000001", "new": "result text"}


def test_rule_2_so_do_those_of_the_newest_exchange() -> None:
    rng = random.Random(2)
    texts = {call: words(rng, n) for call, n in (("a", 400), ("b", 2_000))}
    messages = (user("go"), calling(*texts), *(result(call, text) for call, text in texts.items()))
    packets = {call: (packet(number),) for number, call in enumerate(texts)}
    made = projection(step(messages=messages, results=packets, profile=tiny(2_500), strategy="externalise"))
    bodies = {one["tool_call_id"]: one["content"] for one in made.messages if one["role"] == "tool"}
    assert bodies == {**texts, "b": "see evidence ev_000000000001"}


def test_rule_2_evidence_shown_in_full_in_the_newest_exchange_is_not_shown_twice() -> None:
    one = packet(1, "a passage\nof two lines")
    made = projection(
        step(messages=(user("go"), *exchange("a", text=format_packet(one))), results={"a": (one,)}, evidence=(one, packet(2)))
    )
    assert made.evidence == (evidence_id(2),)
    assert sum(str(message["content"]).count("[evidence ev_000000000001]") for message in made.messages) == 1
    assert evidence_id(1) in made.cited
    assert made.in_exchanges == (evidence_id(1),)


# 3. order of claim


def test_rule_3_the_task_and_its_proposed_constraints_always_stand() -> None:
    made = projection(full_step(random.Random(3)))
    assert parse_task(str(made.messages[0]["content"])) == TASK


def test_rule_3_what_is_needed_comes_before_what_is_wanted() -> None:
    rng = random.Random(2)
    packets = tuple(packet(number, words(rng, 200)) for number in range(8))
    made = projection(step(evidence=packets, needs=(Need("pointer", "/paths/x7"),), profile=tiny(1_500)))
    assert made.evidence[0] == evidence_id(7)
    assert 1 <= len(made.evidence) < 8
    assert any(line.section == "evidence" and line.reason == "no room" for line in made.omitted)


@pytest.mark.parametrize("need", [Need("resource", "other"), Need("pointer", "/none"), Need("claim", "C9"), Need("claim", "C1")])
def test_rule_3_an_unmet_need_is_said(need: Need) -> None:
    made = projection(step(evidence=(packet(1),), claims=(claim(1, evidence_id(55)),), needs=(need,)))
    assert [(one.kind, one.name) for one in made.unmet] == [(need.kind, need.name)]
    assert parse_sections(content(made)).needs == made.unmet


@pytest.mark.parametrize("need", [Need("resource", "api/v2.json"), Need("pointer", "/paths/x1"), Need("claim", "C1")])
def test_rule_3_a_met_need_is_shown(need: Need) -> None:
    made = projection(step(evidence=(packet(1),), claims=(claim(1, evidence_id(1)),), needs=(need,)))
    assert (made.unmet, made.evidence) == ((), (evidence_id(1),))


def test_rule_3_a_need_met_by_earlier_results_shows_the_newest_alone() -> None:
    results = {"a": (packet(1), packet(2)), "b": (packet(3), packet(4, resource="other"))}
    assert projection(step(results=results, needs=(Need("resource", "api/v2.json"),))).evidence == (evidence_id(3),)


def test_rule_3_much_evidence_does_not_crowd_out_the_facts_in_use() -> None:
    rng = random.Random(4)
    packets = tuple(packet(number, words(rng, 100)) for number in range(60))
    made = projection(step(evidence=packets, claims=(claim(1, evidence_id(59)),), profile=tiny(4_000)))
    facts = parse_sections(content(made)).facts
    assert facts is not None
    assert [line.id for line in facts.lines] == ["C1"]


def test_rule_3_evidence_of_what_is_being_done_is_read_through_the_port() -> None:
    made = projection(
        step(progress=(item("get /a", ProgressState.DOING, evidence_id(1)), item("get /b", ProgressState.TODO, evidence_id(2)))),
        packet(1),
        packet(2),
    )
    assert made.evidence == (evidence_id(1),)


def test_rule_3_evidence_that_is_nowhere_is_named() -> None:
    made = projection(step(evidence=(evidence_id(9),)))
    assert [(line.section, line.names, line.reason) for line in made.omitted] == [("evidence", (evidence_id(9),), "not available")]


def test_rule_3_recent_dialogue_comes_newest_first_and_is_named_where_it_ends() -> None:
    rng = random.Random(6)
    history = [user("go")]
    for number in range(50):
        history += exchange(f"c{number}", text=words(rng, 60))
    made = projection(step(messages=tuple(history), profile=tiny(3_000)))
    kept = [str(one["tool_call_id"]) for one in made.messages if one["role"] == "tool"]
    assert kept == [f"c{number}" for number in range(50 - len(kept), 50)]
    assert 5 < len(kept) < 50
    assert [line.reason for line in made.omitted if line.section == "dialogue"][-1] == "not reached"


def test_rule_3_background_comes_by_rank_once_and_within_a_cap_per_piece() -> None:
    rng = random.Random(7)
    found = (
        Candidate("low", scorer="a", score="0.5"),
        Candidate("lowest", scorer="a", score="0.1"),
        Candidate("high", scorer="a", score="0.9"),
        Candidate("HIGH ", scorer="b", score="70"),
        Candidate(words(rng, 4_000), "huge", scorer="b", score="99"),
    )
    made = projection(step(candidates=found))
    assert [line.text for line in parse_sections(content(made)).background] == ["high", "low"]
    left = {line.names: line.reason for line in made.omitted if line.section == "background"}
    assert set(left) == {("huge",), ("lowest",), ("HIGH ",)}
    assert left["huge",] == "larger than one piece may be"


def test_rule_3_both_sides_of_a_conflict_stand_together_or_not_at_all() -> None:
    sides = [claim(n, evidence_id(n), standing=Standing.CONFLICTING, pointer="/limit") for n in (1, 2)]
    opened = parse_sections(content(projection(step(claims=(sides[0], claim(3, standing=Standing.OPEN), sides[1]))))).open
    assert opened is not None
    assert [line.id for line in opened.lines] == ["C1", "C2", "C3"]


@pytest.mark.parametrize("n_texts", [2, 3, 7, 500])
@pytest.mark.parametrize("room", [900, 5_000])
def test_rule_3_of_a_conflict_that_fits_in_no_input_both_sides_stand_as_far_as_there_is_room(n_texts: int, room: int) -> None:
    claims = tuple(claim(n, standing=Standing.CONFLICTING, text=f"the limit is {n % n_texts}") for n in range(1, 501))
    made = projection(step(claims=claims, profile=tiny(room)))
    opened = parse_sections(content(made)).open
    assert opened is not None
    texts = Counter(line.text for line in opened.lines)
    assert max(texts.values()) - min(texts.values()) <= 1 or n_texts == 500
    assert len(texts) > 1
    assert made.tokens >= 0.9 * made.receipt.budget.input_cap
    (left,) = [line for line in made.omitted if line.section == "open"]
    listed = [line.id for line in opened.lines]
    assert sorted((*listed, *", ".join(left.names).split(", "))) == sorted(one.id for one in claims)


def test_rule_3_a_small_side_of_a_large_conflict_stands_before_more_of_the_large_one() -> None:
    claims = tuple(claim(n, standing=Standing.CONFLICTING, text=f"the limit is {n == 400}") for n in range(1, 501))
    opened = parse_sections(content(projection(step(claims=claims, profile=tiny(1_000))))).open
    assert opened is not None
    assert [line.id for line in opened.lines[:3]] == ["C1", "C400", "C2"]


# 4. what must fit and does not


def test_rule_4_five_hundred_tokens_left_and_a_group_of_eight_hundred() -> None:
    group = exchange("a", "b", text=" word" * 380)
    made = step(messages=(user("go"), *group), results={"a": (packet(1),), "b": (packet(2),)}, profile=tiny(850))
    found = outcome(made)
    assert isinstance(found, MustExternalise)
    assert (found.calls, found.to_store, found.step) == (("a",), (), made)
    assert found.must_tokens > found.room_tokens
    again = projection(replace(made, messages=externalise(made.messages, made.results, found.calls)))
    assert [is_reference(one["content"]) for one in again.messages if one["role"] == "tool"] == [True, False]


def test_rule_4_results_without_packets_are_to_be_stored_first() -> None:
    found = outcome(step(messages=(user("go"), *exchange("a", text=" word" * 2_000)), profile=tiny(1_000)))
    assert isinstance(found, MustExternalise)
    assert (found.calls, found.to_store) == (("a",), ("a",))


@pytest.mark.parametrize(
    ("room", "words", "calls", "to_store"),
    [
        (700, (380, 400), ("c1",), ()),  # what has packets is enough, also where the other is larger
        (600, (380, 400), ("c2", "c1"), ("c2",)),
        (700, (60, 700), ("c2",), ("c2",)),
    ],
)
def test_rule_4_what_has_packets_is_externalised_before_anything_is_stored(
    room: int, words: tuple[int, int], calls: tuple[str, ...], to_store: tuple[str, ...]
) -> None:
    results = [result(call, " word" * n) for call, n in zip(("c1", "c2"), words, strict=True)]
    history = (user("go"), calling("c1", "c2"), *results)
    found = outcome(step(messages=history, results={"c1": (packet(1),)}, profile=tiny(room)))
    assert isinstance(found, MustExternalise)
    assert (found.calls, found.to_store) == (calls, to_store)


def test_rule_4_the_projector_externalises_by_itself_when_told_to() -> None:
    made = step(
        messages=(user("go"), *exchange("a", text=" word" * 2_000)),
        results={"a": (packet(1),)},
        profile=tiny(1_000),
        strategy="externalise",
    )
    assert [one["content"] for one in projection(made).messages if one["role"] == "tool"] == ["see evidence ev_000000000001"]


def test_rule_4_needs_that_do_not_fit_together_are_split() -> None:
    packets = tuple(packet(number, " word" * 300, resource="log") for number in range(4))
    made = step(evidence=packets, needs=(Need("resource", "log"),), profile=tiny(1_300))
    found = outcome(made)
    assert isinstance(found, MustSplit)
    assert (*found.first, *found.rest) == tuple(one.id for one in packets)
    first = projection(replace(made, evidence=tuple(one for one in packets if one.id in found.first)))
    assert first.evidence == found.first


def test_rule_4_an_open_exchange_that_does_not_fit_is_waited_for() -> None:
    made = step(messages=(user("go"), calling("a", "b"), result("a", " word" * 2_000)), profile=tiny(1_000))
    found = outcome(made)
    assert isinstance(found, MustWait)
    assert found.calls == ("b",)


def test_rule_4_what_nothing_can_help_pauses_with_the_figures() -> None:
    found = outcome(step(messages=(user(" word" * 2_000),), profile=tiny(1_000)))
    assert isinstance(found, Paused)
    assert str(found.must_tokens) in found.text
    assert str(found.room_tokens) in found.text
    assert "request" in found.reasons[0]


def test_rule_4_a_fixed_part_beyond_the_cap_pauses_naming_its_parts() -> None:
    found = outcome(step(system=" word" * 2_000, profile=tiny(1_000)))
    assert isinstance(found, Paused)
    assert found.room_tokens < 0
    assert "system text and task" in found.text
