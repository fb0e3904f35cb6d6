"""For every provider: whatever a run left behind, the input keeps its rules and its cap, and exchanges stay as they were."""

import random
import re
from dataclasses import replace

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_store.errors import JsonValue
from projector import Projected, Projection, Segment, counter_for, repair, validate
from projector.dialects.table import dialect_for
from projector.measure import Measure
from projector.minified import minified
from projector.model import JsonObject, Step
from projector.strategy import StrategyName
from tests.unit.projector.generated import recount
from tests.unit.projector.histories import PROVIDERS, broken_turns, mutated, whole_turns, written
from tests.unit.projector.steps import PROFILE, full_step, outcome, packet, projection, step

providers = st.sampled_from(PROVIDERS)
externalising: st.SearchStrategy[StrategyName] = st.sampled_from(("externalise", "tool-heavy", "document-comparison"))


def made_for(base: Step, provider: str, cap: int, history: tuple[JsonObject, ...]) -> Step:
    profile = replace(PROFILE, provider=provider, window=cap, output=0, slack=0, reserve=0)
    return replace(base, profile=profile, messages=history)


def check_rules(found: Projection, provider: str, cap: int) -> None:
    assert recount(found) == found.tokens <= cap
    assert validate(found.messages, provider, allow_open=bool(found.open_calls)) == ()
    assert sum(line.tokens for line in found.receipt.kept) == found.tokens
    assert all(line.tokens >= 0 for line in found.receipt.kept if line.section != "framing")


@settings(max_examples=150, deadline=None)
@given(providers, st.integers(0, 2**32), st.integers(0, 30), st.integers(1_500, 12_000), st.booleans(), externalising)
def test_exchanges_are_byte_identical_or_by_reference(
    provider: str, seed: int, n_exchanges: int, cap: int, ids: bool, strategy: StrategyName
) -> None:
    rng = random.Random(seed)
    turns = whole_turns(rng, n_exchanges)
    history = written(turns, provider, ids=ids)
    assert validate(history, provider) == ()
    answered = {call: (packet(n),) for n, call in enumerate(call for turn in turns for call in turn.calls) if rng.random() < 0.5}
    found = outcome(replace(made_for(step(), provider, cap, history), results=answered, strategy=strategy))
    assert isinstance(found, Projected)
    check_rules(found.projection, provider, cap)
    sent = orjson.dumps(found.projection.messages)
    kept = [line for line in found.projection.receipt.kept if re.match("messages? [0-9]", line.name)]
    for line in kept:
        places = [int(number) for number in re.findall("[0-9]+", line.name)]
        for message in history[places[0] : places[-1] + 1]:
            if line.note == "":
                assert orjson.dumps(message) in sent
            else:
                assert line.note.partition(",")[0] == "results by reference"
                assert orjson.dumps(message) in sent or "see evidence" in sent.decode()
                assert is_result(message) or orjson.dumps(message) in sent


def is_result(message: JsonObject) -> bool:
    return any(word in orjson.dumps(message) for word in (b'"role":"tool"', b"call_output", b"tool_result", b"functionResponse"))


@settings(max_examples=60, deadline=None)
@given(providers, providers, st.integers(0, 2**32), st.integers(0, 12), st.integers(0, 6), st.integers(2_000, 20_000), st.booleans())
def test_a_change_of_provider_or_model_keeps_the_rules(
    before: str, after: str, seed: int, n_earlier: int, n_later: int, cap: int, ids: bool
) -> None:
    rng = random.Random(seed)
    earlier = Segment(before, written(broken_turns(rng, n_earlier), before, ids=ids), "another-model")
    later = written(broken_turns(rng, n_later), after, ids=ids) if n_later else ()
    made = replace(made_for(full_step(rng, 0), after, cap, later), earlier=(earlier,))
    found = outcome(made)
    if not isinstance(found, Projected):
        assert found.text
        return
    check_rules(found.projection, after, cap)
    converted = [line.note for line in found.projection.receipt.kept if "converted from another-model" in line.note]
    n_places = len(earlier.messages)
    for line in found.projection.receipt.kept:
        if line.section == "dialogue" and re.match("messages? [0-9]", line.name) and before != after:
            assert (line.note in converted) == (int(re.findall("[0-9]+", line.name)[0]) < n_places)


@settings(max_examples=150, deadline=None)
@given(providers, st.integers(0, 2**32), st.integers(0, 12), st.booleans())
def test_a_repaired_list_has_no_fault_and_a_whole_one_stays(provider: str, seed: int, n_exchanges: int, ids: bool) -> None:
    rng = random.Random(seed)
    whole = written(whole_turns(rng, n_exchanges), provider, ids=ids)
    assert repair(whole, provider).messages == whole
    broken = written(broken_turns(rng, n_exchanges), provider, ids=ids)
    found = repair(broken, provider)
    assert not found.messages or validate(found.messages, provider) == ()
    assert repair(found.messages, provider).messages == found.messages


@settings(max_examples=200, deadline=None)
@given(providers, providers, st.integers(0, 2**32), st.integers(0, 6), st.booleans())
def test_whatever_the_messages_hold_what_comes_out_keeps_the_rules(before: str, after: str, seed: int, n_exchanges: int, ids: bool) -> None:
    rng = random.Random(seed)
    turns = (whole_turns if rng.random() < 0.5 else broken_turns)(rng, n_exchanges)
    history = mutated(rng, written(turns, before, ids=ids))
    for made in (
        made_for(step(), before, 8_000, history),
        replace(made_for(step(), before, 8_000, history), closing=True),
        replace(made_for(step(), after, 8_000, ()), earlier=(Segment(before, history, "other"),)),
    ):
        found = outcome(made)
        if isinstance(found, Projected):
            check_rules(found.projection, made.profile.provider, 8_000)
    repaired = repair(history, before).messages
    assert not repaired or validate(repaired, before) == ()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_cost_does_not_grow_with_the_history(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = type(dialect_for(provider))
    read, n_reads = kind.read, [0]

    def counted(self: object, item: JsonValue, place: int) -> object:
        n_reads[0] += 1
        return read(self, item, place)  # type: ignore[arg-type]

    monkeypatch.setattr(kind, "read", counted)
    figures = []
    for n_exchanges in (400, 3_300):
        history = written(whole_turns(random.Random(3), n_exchanges), provider)
        n_reads[0] = 0
        made = projection(made_for(step(), provider, 20_000, history))
        check_rules(made, provider, 20_000)
        figures.append(n_reads[0])
    # the last look reads the finished input, not the history
    assert figures[1] < figures[0] * 1.5


@given(providers, st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_the_prices_of_messages_add_up_to_the_whole(provider: str, seed: int) -> None:
    history = written(whole_turns(random.Random(seed), 6), provider)
    measure = Measure(counter_for("o200k_base"))
    total = measure.opening() + sum(map(measure.message, history)) + 12
    assert abs(total - measure.whole(minified(history), history, {}, ()).tokens) <= 2
