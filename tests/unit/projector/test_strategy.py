"""Each named strategy does what its line says, on a step made for it, and what a step changes of one is checked."""

import random
from collections import Counter
from dataclasses import replace
from itertools import chain

import pytest

from evidence_store.errors import JsonValue
from evidence_store.model import EvidenceId, ProgressState, Standing
from projector import (
    NAMED_STRATEGIES,
    Compacted,
    MustExternalise,
    NotDue,
    Projected,
    Projection,
    RefusedStep,
    Strategy,
    compact_step,
    counter_for,
    explain_receipt_text,
    receipt_from_json,
    receipt_json,
    step_from_json,
)
from projector.explain import why
from projector.model import Candidate, JsonObject, Step
from projector.strategy import StrategyName
from tests.unit.projector.steps import claim, evidence_id, exchange, item, outcome, packet, projection, step, tiny, user, words

BEHIND = "results by reference, behind the newest 3 exchanges"


def under(name: StrategyName | Strategy, made: Step) -> Projection:
    return projection(replace(made, strategy=name))


def text_of(seed: int, n_words: int) -> str:
    return words(random.Random(seed), n_words)


def tool_run(n: int, n_words: int = 150) -> Step:
    """One turn of the user, and then calls whose results can all be had again."""
    texts = [text_of(number, n_words) for number in range(n)]
    messages = chain.from_iterable(exchange(f"c{number}", text=text) for number, text in enumerate(texts))
    packets = {f"c{number}": (packet(number, text),) for number, text in enumerate(texts)}
    return step(messages=(user("compare the versions"), *messages), results=packets)


def talk(n_turns: int, n_words: int = 30) -> tuple[JsonObject, ...]:
    said = [({"role": "assistant", "content": text_of(number, n_words)}, user(text_of(-1 - number, n_words))) for number in range(n_turns)]
    return (user("compare the versions"), *chain.from_iterable(said))


def n_turns_kept(made: Projection) -> int:
    return sum(line.section == "dialogue" and line.name.startswith("message") for line in made.receipt.kept)


def notes(made: Projection) -> list[str]:
    return [line.note for line in made.receipt.kept if line.section == "dialogue" and line.name.startswith("messages")]


def test_tool_heavy_keeps_results_behind_its_window_by_reference() -> None:
    run = replace(tool_run(60), profile=tiny(6_000))
    assert Counter(notes(under("tool-heavy", run)))[BEHIND] > 20
    assert BEHIND not in notes(under("default", run))
    wider = replace(NAMED_STRATEGIES["tool-heavy"], result_rounds=5)
    assert Counter(notes(under(wider, run)))[BEHIND.replace("3", "5")] > 10


def test_results_behind_the_window_come_back_where_room_is_left() -> None:
    assert Counter(notes(under("tool-heavy", tool_run(10)))) == {"": 10}
    partly = under("tool-heavy", replace(tool_run(10), profile=tiny(2_000)))
    assert Counter(notes(partly)).keys() == {"", BEHIND}
    assert partly.tokens > 0.9 * partly.receipt.budget.input_cap


def test_tool_heavy_shows_more_of_a_run_that_does_not_fit() -> None:
    run = replace(tool_run(60), profile=tiny(6_000))
    assert n_turns_kept(under("tool-heavy", run)) > n_turns_kept(under("default", run))


def test_results_without_packets_and_an_open_exchange_stay_whole_behind_the_window() -> None:
    strict = replace(NAMED_STRATEGIES["tool-heavy"], result_rounds=0)
    run = replace(tool_run(10), profile=tiny(1_000))
    assert set(notes(under(strict, replace(run, results={})))) == {""}
    open_run = replace(run, messages=run.messages[:-1])
    found = under(strict, open_run)
    assert found.open_calls == ("c9",)
    assert Counter(notes(found)) == {"results by reference, behind the newest 0 exchanges": 9}


@pytest.mark.parametrize("name", [name for name, one in NAMED_STRATEGIES.items() if not one.may_externalise])
def test_only_some_externalise_by_themselves(name: StrategyName) -> None:
    run = replace(tool_run(1, 900), profile=tiny(1_000))
    assert isinstance(outcome(replace(run, strategy=name)), MustExternalise)
    for other, strategy in NAMED_STRATEGIES.items():
        if strategy.may_externalise:
            assert isinstance(outcome(replace(run, strategy=strategy)), Projected), other


def crowded(**changes: object) -> Step:
    """More evidence and more turns than fit, and facts that use the evidence."""
    packets = tuple(packet(number, text_of(number, 60)) for number in range(40))
    claims = tuple(claim(number, packets[number].id, text=text_of(number, 20)) for number in range(20))
    return replace(step(messages=talk(30), evidence=packets, claims=claims, profile=tiny(4_000)), **changes)  # type: ignore[arg-type]


def test_long_dialogue_keeps_more_turns_beside_much_evidence() -> None:
    default, long = under("default", crowded()), under("long-dialogue", crowded())
    assert n_turns_kept(default) < 3 < n_turns_kept(long)
    assert long.receipt.dynamic_used >= 0.9 * long.receipt.budget.dynamic


def test_what_dialogue_does_not_use_of_its_floor_flows_on_to_evidence() -> None:
    quiet = crowded(messages=(user("compare the versions"),), claims=())
    assert under("long-dialogue", quiet).evidence == under("default", quiet).evidence


def test_long_dialogue_leaves_more_messages_to_compaction_as_they_are() -> None:
    long_talk = step(messages=talk(60, 100), profile=tiny(20_000))
    kept = {}
    for name in ("default", "long-dialogue"):
        found = compact_step(replace(long_talk, strategy=name), counter_for("o200k_base"))
        assert isinstance(found, Compacted)
        kept[name] = sum(message in long_talk.messages for message in found.step.messages)
    assert kept["long-dialogue"] > kept["default"]


def test_a_strategy_says_from_where_on_compaction_is_due() -> None:
    made = step(messages=talk(20))
    assert isinstance(compact_step(made, counter_for("o200k_base")), NotDue)
    early = replace(NAMED_STRATEGIES["default"], compact_at=1)
    assert isinstance(compact_step(replace(made, strategy=early), counter_for("o200k_base")), Compacted)


def test_short_chat_keeps_what_was_said_before_evidence() -> None:
    default, short = under("default", crowded()), under("short-chat", crowded())
    assert n_turns_kept(short) > n_turns_kept(default)
    evidence = sum(line.tokens for line in short.receipt.kept if line.section == "evidence")
    assert evidence >= 0.15 * short.receipt.budget.dynamic, "its floor, but for what a packet more would take"


def of_two_revisions(made: Projection) -> Counter[int]:
    return Counter(int(one[3:]) // 100 for one in made.evidence)


def test_document_comparison_gives_both_revisions_their_floor() -> None:
    old = tuple(packet(100 + number, text_of(number, 60)) for number in range(40))
    new = tuple(replace(packet(200 + number, text_of(number, 60)), revision=2) for number in range(40))
    other = tuple(packet(300 + number, text_of(number, 60), resource="b.json") for number in range(40))
    made = step(evidence=(*other, *old, *new), profile=tiny(6_000))
    assert of_two_revisions(under("default", made)).keys() == {3}
    found = under("document-comparison", made)
    tokens: Counter[int] = Counter()
    for line in found.receipt.kept:
        if line.name.startswith("ev_"):
            tokens[int(line.name[3:]) // 100] += line.tokens
    quarter = found.receipt.budget.dynamic // 4
    largest = max(line.tokens for line in found.receipt.kept if line.name.startswith("ev_"))
    assert quarter - largest < tokens[1] <= quarter
    assert quarter - largest < tokens[2] <= quarter
    assert tokens[3] > 0


def test_what_is_needed_of_a_revision_counts_towards_its_floor() -> None:
    old = packet(100, text_of(1, 700), pointer="/needed")
    more = tuple(packet(101 + number, text_of(number, 60)) for number in range(5))
    new = tuple(replace(packet(200 + number, text_of(number, 60)), revision=2) for number in range(30))
    made = step_from_json({"needs": [{"pointer": "/needed"}]})
    found = under("document-comparison", step(evidence=(*more, old, *new), needs=made.needs, profile=tiny(4_000)))
    counted = of_two_revisions(found)
    assert old.id in found.evidence
    assert counted[2] > counted[1]


def test_root_cause_puts_what_is_open_before_evidence() -> None:
    packets = tuple(packet(number, text_of(number, 60)) for number in range(60))
    claims = tuple(claim(number, packets[number].id, standing=Standing.CONFLICTING, text=text_of(number, 40)) for number in range(30))
    claims = tuple(replace(one, about=replace(one.about, aspect=f"a{number // 2}")) for number, one in enumerate(claims))
    made = step(evidence=packets, claims=claims, profile=tiny(5_000))
    default, found = under("default", made), under("root-cause", made)

    def conflicts(of: Projection) -> int:
        return sum(line.section == "open" and line.name.startswith("C") for line in of.receipt.kept)

    assert conflicts(found) > conflicts(default)
    assert found.evidence, "its floor"
    assert all("," in line.name for line in found.receipt.kept if line.section == "open" and line.name != "section"), "both sides"


def test_turns_behind_the_window_of_messages_wait_for_all_else() -> None:
    base = NAMED_STRATEGIES["default"]
    narrow = replace(base, dialogue_messages=4)
    items = tuple(item(f"get /x{number}", ProgressState.BLOCKED) for number in range(400))
    made = step(messages=talk(20), progress=items, profile=tiny(4_000))
    assert n_turns_kept(under(narrow, made)) < n_turns_kept(under(base, made))
    roomy = replace(made, progress=())
    assert n_turns_kept(under(narrow, roomy)) == n_turns_kept(under(base, roomy))


def test_the_order_and_the_floors_of_a_strategy_decide() -> None:
    evidence_last = replace(
        NAMED_STRATEGIES["default"],
        order=("facts", "dialogue", "open", "excluded", "progress", "background", "evidence"),
        dialogue_share=90,
    )
    assert len(under(evidence_last, crowded()).evidence) < len(under("default", crowded()).evidence)
    with_floor = replace(evidence_last, evidence_floor=40)
    assert len(under(with_floor, crowded()).evidence) > len(under(evidence_last, crowded()).evidence)


@pytest.mark.parametrize(
    ("changes", "faults"),
    [
        ({"facts_floor": 101}, ("facts_floor is 101, not within 0 to 100",)),
        ({"facts_floor": 60, "open_floor": 60}, ("the floors make 130, more than 100",)),
        ({"dialogue_floor": 30}, ("dialogue_floor is 30, more than dialogue_share 25",)),
        ({"rebuild_to": 90}, ("rebuild_to is 90, more than rebuild_at 80",)),
        ({"result_rounds": -1}, ("result_rounds is below 0",)),
        ({"order": ("evidence",)}, ("order is to name each of evidence, facts",)),
        ({"compact_at": 101, "doing_share": -1}, ("compact_at is 101", "doing_share is -1")),
    ],
)
def test_bounds_are_checked_and_all_faults_named_at_once(changes: dict[str, object], faults: tuple[str, ...]) -> None:
    with pytest.raises(RefusedStep) as caught:
        replace(NAMED_STRATEGIES["default"], **changes)  # type: ignore[arg-type]
    assert [fault for fault in faults if fault not in str(caught.value)] == []


def test_every_named_strategy_has_a_reason_of_one_line() -> None:
    assert [one.name for one in NAMED_STRATEGIES.values()] == list(NAMED_STRATEGIES)
    assert all(one.why and "\n" not in one.why for one in NAMED_STRATEGIES.values())


def read(value: JsonValue) -> StrategyName | Strategy:
    return step_from_json({"strategy": value}).strategy


@pytest.mark.parametrize("name", ["", "externalise", "auto", *NAMED_STRATEGIES])
def test_a_step_names_a_strategy(name: str) -> None:
    assert read(name) == name


def test_a_step_changes_fields_of_a_named_one() -> None:
    order: list[JsonValue] = ["facts", "evidence", "open", "excluded", "progress", "dialogue", "background"]
    assert read({"name": "tool-heavy", "result_rounds": 1, "may_externalise": False, "order": order}) == replace(
        NAMED_STRATEGIES["tool-heavy"],
        result_rounds=1,
        may_externalise=False,
        order=("facts", "evidence", "open", "excluded", "progress", "dialogue", "background"),
    )
    assert read({"name": "tool-heavy", "result_rounds": None}) == replace(NAMED_STRATEGIES["tool-heavy"], result_rounds=None)
    assert read({}) == NAMED_STRATEGIES["default"]


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (7, "/strategy"),
        ("fast", "'tool-heavy'"),
        ({"name": "auto"}, "/strategy/name: one of 'default'"),
        ({"why": "x"}, "unknown members in /strategy: why"),
        ({"dialogue_share": -1}, "/strategy/dialogue_share: a whole number of at least 0"),
        ({"dialogue_share": 2.5}, "/strategy/dialogue_share"),
        ({"dialogue_share": 110}, "dialogue_share is 110, not within 0 to 100"),
        ({"keep_messages": None}, "/strategy/keep_messages"),
        ({"may_externalise": 1}, "/strategy/may_externalise: true or false"),
        ({"order": ["facts"]}, "/strategy/order: each of evidence, facts"),
    ],
)
def test_a_strategy_that_is_none_is_named(value: JsonValue, named: str) -> None:
    with pytest.raises(RefusedStep) as caught:
        read(value)
    assert named in str(caught.value)


def test_a_name_that_there_is_not_is_refused_where_an_input_is_made() -> None:
    with pytest.raises(RefusedStep, match="no strategy 'fast'"):
        outcome(step(strategy="fast"))


def test_the_receipt_names_the_strategy_and_why() -> None:
    assert receipt_json(projection(step()).receipt)["strategy"] == {"name": "default", "reason": "the step names none"}
    named = projection(step(strategy="root-cause")).receipt
    assert receipt_json(named)["strategy"] == {"name": "root-cause", "reason": "the step names it"}
    assert "\nstrategy root-cause: the step names it\n" in explain_receipt_text(named)
    old = projection(step(strategy="externalise")).receipt
    assert receipt_json(old)["strategy"] == {
        "name": "default",
        "reason": "the step names externalise",
        "changed": {"may_externalise": True},
    }


def test_a_stored_receipt_is_read_with_its_strategy_and_without_one() -> None:
    own = replace(NAMED_STRATEGIES["tool-heavy"], result_rounds=9)
    written = receipt_json(projection(step(strategy=own)).receipt)
    assert receipt_json(receipt_from_json(written)) == written
    before = {name: value for name, value in written.items() if name != "strategy"}
    assert receipt_json(receipt_from_json(before)) == before
    later = written | {"strategy": {"name": "of a later version", "reason": "r", "changed": {"what": 1}}}
    assert receipt_json(receipt_from_json(later)) == later


def test_a_strategy_does_not_change_what_is_needed_or_the_request() -> None:
    needed = evidence_id(3)
    for name in NAMED_STRATEGIES:
        made = crowded(needs=step_from_json({"needs": [{"pointer": "/paths/x3"}]}).needs)
        found = under(NAMED_STRATEGIES[name], made)
        assert EvidenceId(needed) in found.evidence, name
        assert [line.note for line in found.receipt.kept if line.name == needed] == ["needed"]


def test_a_strategy_says_what_is_left_free_for_appending() -> None:
    growing = replace(NAMED_STRATEGIES["short-chat"], rebuild_to=40)
    made = crowded(messages=talk(80))
    low, full = under(growing, made), under("short-chat", made)
    assert low.told is not None
    assert full.told is None
    assert set(low.evidence) >= set(full.evidence), "what stands before turns is not left out for it"
    assert n_turns_kept(low) < n_turns_kept(full)
    assert under(growing, replace(made, rebuild_to=100)).messages == full.messages, "the caller's own goes before"


def test_what_would_have_fitted_into_the_room_that_stays_free_says_so() -> None:
    turns = tuple(user(f"{n} " + "word " * 100) for n in range(60))
    claims = tuple(claim(n, standing=Standing.OPEN, text="is it so? " * 8) for n in range(20))
    candidates = tuple(Candidate(f"piece {n} " * 20, f"s{n}", "k", "1") for n in range(10))
    made = step(messages=(*turns, user("now")), claims=claims, candidates=candidates, profile=tiny(6_000))
    whole, growing = projection(made), projection(replace(made, rebuild_to=60))
    left = [line for line in growing.omitted if line.reason == "kept free to grow"]
    assert {line.section for line in left} >= {"dialogue"}
    assert all(line.reason != "kept free to grow" for line in whole.omitted)
    counted = [line.tokens for line in left if line.tokens is not None]
    assert 0 < sum(counted) <= 6_000 - growing.tokens
    assert why(left[0].reason)


def test_turns_that_nobody_looked_at_since_room_is_kept_free_are_not_called_out_of_reach() -> None:
    turns = tuple(user(f"{n} " + "word " * 100) for n in range(20))
    made = step(messages=(*turns, user("now")), profile=tiny(6_000), rebuild_to=30)
    assert {line.reason for line in projection(made).omitted} == {"kept free to grow"}
    assert projection(replace(made, rebuild_to=100)).omitted == ()


def test_the_receipt_shows_the_thresholds_of_the_step() -> None:
    changed = []
    for own in ({}, {"rebuild_to": 50}, {"rebuild_to": 100, "rebuild_at": 80}, {"rebuild_to": 90, "rebuild_at": 60}):
        used = projection(step(**own)).receipt.strategy
        assert used is not None
        changed.append(used.changed)
    assert changed == [{}, {"rebuild_to": 50}, {}, {"rebuild_to": 90, "rebuild_at": 60}]
