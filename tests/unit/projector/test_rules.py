"""The nine rules at the head of `projector/project.py` as properties, each under its number, over generated steps of all four providers.

What a rule means in a single case stands in `test_project.py` and `test_project_guarantees.py`.
"""

import re
from dataclasses import replace

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_store.model import EvidenceId, Packet, Standing
from projector import (
    MustExternalise,
    MustSplit,
    MustWait,
    Outcome,
    Paused,
    Projected,
    Projection,
    Segment,
    externalise,
    outcome_json,
    validate,
)
from projector.layout import CLOSING_REQUEST
from projector.model import JsonObject, Need, Step
from projector.render.sections import parse_task
from tests.unit.projector.generated import (
    LABEL,
    OPAQUE,
    SECRET,
    SECRET_IDS,
    Drawn,
    asked_and_answered,
    in_default_order,
    long_steps,
    place_of_sections,
    recount,
    sections,
    steps,
    told,
)
from tests.unit.projector.histories import Said, written
from tests.unit.projector.steps import TASK, evidence_id, outcome, packet

EVERY = tuple(packet(n, f"passage {n}") for n in range(8)) + tuple(packet(900 + n, f"{SECRET} {n}", labels=(LABEL,)) for n in range(2))


def made_from(step: Step) -> Outcome:
    """The outcome, over what the step holds and what can be read."""
    given_ = {one.id for one in step.evidence if isinstance(one, Packet)} | {one.id for found in step.results.values() for one in found}
    return outcome(step, *(one for one in EVERY if one.id not in given_))


def projected(step: Step) -> Projection | None:
    found = made_from(step)
    return found.projection if isinstance(found, Projected) else None


def places(name: str) -> range:
    """The places that a line of a receipt names; none where it names no messages."""
    numbers = [int(one) for one in re.findall("[0-9]+", name)] if re.fullmatch(r"messages? [0-9]+(?:-[0-9]+)?", name) else []
    return range(numbers[0], numbers[-1] + 1) if numbers else range(0)


# 1. used ≤ cap


@settings(max_examples=120, deadline=None)
@given(steps())
def test_rule_1_what_is_used_is_what_a_plain_recount_gives_and_within_the_cap(drawn: Drawn) -> None:
    step = drawn.step
    made = projected(step)
    if made is not None:
        assert recount(made) == made.tokens == made.receipt.used <= step.profile.input_cap


@settings(max_examples=6, deadline=None)
@given(long_steps(st.sampled_from((1, 2, 3, 1_000, 10_000))))
def test_rules_1_2_and_8_hold_for_one_item_and_for_ten_thousand(drawn: Drawn) -> None:
    step = drawn.step
    made = projected(step)
    assert made is not None
    assert recount(made) == made.tokens <= step.profile.input_cap
    require_whole_exchanges(made)
    require_account(made, step)


# 2. exchanges


def is_by_assistant(message: JsonObject) -> bool:
    return message.get("role") in ("assistant", "model") or message.get("type") == "reasoning"


def require_whole_exchanges(made: Projection) -> None:
    """No call without its result but the open ones, no result without its call, and nothing between them."""
    waiting: list[str] = []
    for message in made.messages:
        asked, answered = asked_and_answered(message)
        for one in answered:
            waiting.remove(one)
        if not (answered or asked or is_by_assistant(message)):
            assert waiting == []
        waiting += asked
    assert len(waiting) == len(made.open_calls)


@settings(max_examples=120, deadline=None)
@given(steps())
def test_rule_2_exchanges_are_whole_whatever_a_run_left_behind(drawn: Drawn) -> None:
    step = drawn.step
    made = projected(step)
    if made is not None:
        require_whole_exchanges(made)
        assert validate(made.messages, step.profile.provider, allow_open=bool(made.open_calls)) == ()


@settings(max_examples=60, deadline=None)
@given(steps(whole=True, least_cap=2_000))
def test_rule_2_what_is_opaque_stays_with_the_model_that_made_it(drawn: Drawn) -> None:
    step = drawn.step
    segments = (*step.earlier, Segment(step.profile.provider, step.messages))
    handed_over = replace(step, messages=(), earlier=tuple(replace(one, model="another") for one in segments))
    made = projected(handed_over)
    if made is not None:
        assert [name for name in OPAQUE if f'"{name}"' in told(made)] == []


# 3. order of claim


@settings(max_examples=100, deadline=None)
@given(steps(n_exchanges=14, whole=True, least_cap=1_500, most_cap=6_000, under=in_default_order))
def test_rule_3_what_comes_first_stands_before_what_comes_later(drawn: Drawn) -> None:
    step = drawn.step
    made = projected(step)
    if made is None:
        return
    opening = "".join(_texts([made.outside, made.messages[0]]))
    assert parse_task(opening) == TASK
    kept = {line.name: line for line in made.receipt.kept}
    exchanges = [line for line in kept.values() if line.section == "dialogue" and len(places(line.name)) > 1]
    if step.messages and any(any(asked_and_answered(one)) for one in step.messages):
        # the newest exchange, and what it needs
        newest = max(at for at, one in enumerate(step.messages) if asked_and_answered(one)[1]) + step.n_messages - len(step.messages)
        assert any(newest in places(line.name) for line in exchanges)
    shown = {*made.evidence, *made.in_exchanges}
    unmet = {(one.kind, one.name) for one in made.unmet}
    for need in step.needs:
        met = [one for one in EVERY if need.kind == "pointer" and one.pointer == need.name]
        assert (need.kind, need.name) in unmet or shown.issuperset(one.id for one in met)
    # what the step asked for had its turn before recent dialogue and background: they took less room than it wanted
    asked = {one.id if isinstance(one, Packet) else one for one in step.evidence}
    left = [line for line in made.omitted if line.section == "evidence" and line.reason == "no room"]
    if left and all(line.tokens is not None and asked.issuperset(line.names) for line in left):
        later = sum(line.tokens for line in made.receipt.kept if line.section == "background")
        later += sum(line.tokens for line in sorted(exchanges, key=lambda line: places(line.name)[0])[:-1])
        assert later <= sum(line.tokens or 0 for line in left)


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [text for one in inner for text in _texts(one)]


@settings(max_examples=60, deadline=None)
@given(steps(least_cap=600, most_cap=4_000), st.integers(1, 4_000))
def test_rule_3_what_fits_a_room_fits_a_larger_one(drawn: Drawn, more: int) -> None:
    step = drawn.step
    if projected(step) is not None:
        assert projected(replace(step, profile=replace(step.profile, window=step.profile.window + more))) is not None


# 4. what must fit and does not


def externalised(step: Step, calls: tuple[str, ...]) -> Step:
    """The step with these results by reference, wherever in the history they stand."""
    place, earlier = 0, []
    for segment in step.earlier:
        short = externalise(segment.messages, step.results, calls, provider=segment.provider, first_place=place)
        earlier.append(replace(segment, messages=short))
        place += len(segment.messages)
    messages = externalise(step.messages, step.results, calls, provider=step.profile.provider, first_place=place)
    return replace(step, messages=messages, earlier=tuple(earlier))


def gone_on(step: Step, found: Outcome) -> Step:
    """The step after what the outcome asks for was done."""
    provider = step.profile.provider
    match found:
        case Projected():
            return step
        case MustExternalise():
            stored = {call: (packet(700 + n, "stored"),) for n, call in enumerate(found.to_store)}
            return externalised(replace(step, results={**step.results, **stored}), found.calls)
        case MustSplit():
            wanted = frozenset(found.first)
            return replace(step, needs=tuple(Need("pointer", one.pointer) for one in EVERY if one.id in wanted and one.pointer))
        case MustWait():
            answers = [Said("results", results=tuple((call, "it is 5") for call in found.calls))]
            if step.messages:
                return replace(step, messages=(*step.messages, *written(answers, provider)))
            last = step.earlier[-1]
            return replace(step, earlier=(*step.earlier[:-1], replace(last, messages=(*last.messages, *written(answers, last.provider)))))
        case Paused():
            window = step.profile.window + max(found.must_tokens - found.room_tokens, 0) + 2_000
            return replace(step, profile=replace(step.profile, window=window))


@settings(max_examples=150, deadline=None)
@given(steps(least_cap=300, most_cap=3_000))
def test_rule_4_nothing_is_cut_and_doing_what_is_asked_leads_to_an_input(drawn: Drawn) -> None:
    step = drawn.step
    before: Outcome | None = None
    for _ in range(8):
        found = made_from(step)
        if isinstance(found, Projected):
            return
        assert found.step == step
        assert found.text
        assert orjson.dumps(outcome_json(found))
        if isinstance(found, Paused):
            if "not available to this principal" in found.text:
                return
            # whoever was told what to do instead was not told in vain
            assert before is None or isinstance(before, Paused) or (isinstance(before, MustWait) and "another provider" in before.text)
        before, step = found, gone_on(step, found)
    pytest.fail(f"still no input: {found}")


# 5. three lists


@settings(max_examples=100, deadline=None)
@given(steps(least_cap=1_500))
def test_rule_5_facts_open_questions_and_excluded_scope_stay_three_lists(drawn: Drawn) -> None:
    step = drawn.step
    made = projected(step)
    if made is None:
        return
    found = sections(made)
    lists = [{line.id for line in one.lines} if one is not None else set() for one in (found.facts, found.open, found.excluded)]
    assert sum(map(len, lists)) == len(set().union(*lists))
    claims = {one.id: one for one in step.claims}
    for line in found.facts.lines if found.facts is not None else ():
        of = claims[line.id]
        assert (of.standing, of.task_revision) == (Standing.VERIFIED, step.task.number)
        assert line.evidence == tuple(one.evidence for one in of.citations) != ()
        assert line.text == of.text
    current = {one for one in claims if claims[one].task_revision == step.task.number}
    assert all(claims[one].standing is Standing.EXCLUDED and one in current for one in lists[2])
    assert all(claims[one].standing in (Standing.OPEN, Standing.CONFLICTING) or one not in current for one in lists[1])


# 6. the same bytes


@settings(max_examples=60, deadline=None)
@given(steps(least_cap=1_500), steps(least_cap=1_500))
def test_rule_6_what_does_not_change_is_byte_stable_and_the_request_stands_last(drawn: Drawn, other: Drawn) -> None:
    step = drawn.step
    made = projected(step)
    if made is None:
        return
    again = projected(step)
    assert again == made
    assert orjson.dumps([again.outside, again.messages, again.tools]) == orjson.dumps([made.outside, made.messages, made.tools])
    behind = made.messages[place_of_sections(made) + 1 :]
    assert bool(behind) == bool(made.open_calls)
    assert all(any(asked_and_answered(one)) or is_by_assistant(one) for one in behind)
    profile = replace(step.profile, window=20_000)
    next_one = projected(replace(other.step, profile=profile, messages=step.messages, tools=step.tools, closing=step.closing))
    if next_one is not None:
        assert (next_one.outside, next_one.tools) == (made.outside, made.tools)
        assert next_one.messages[0] == made.messages[0] or made.outside


# 7. permission


@settings(max_examples=150, deadline=None)
@given(steps())
def test_rule_7_what_the_principal_may_not_see_stands_nowhere(drawn: Drawn) -> None:
    step = drawn.step
    made = projected(step)
    if made is None:
        return
    if LABEL in step.principal.clearances:
        assert made.receipt.withheld.claims == 0
        return
    assert SECRET not in told(made)
    assert [one for one in SECRET_IDS if one in told(made) or one in made.cited] == []
    named = {EvidenceId(one) for one in re.findall(r"ev_[0-9a-z]{12}", "".join(_texts(made.messages[place_of_sections(made)])))}
    assert named <= {*made.cited, *made.evidence}


# 8. the receipt


def require_account(made: Projection, step: Step) -> None:
    """The tokens add up; every message and every piece of evidence is kept, asked as the request, or left out with a reason."""
    assert sum(line.tokens for line in made.receipt.kept) == made.tokens
    assert all(line.tokens >= 0 for line in made.receipt.kept if line.section != "framing")
    assert all(line.reason and line.names for line in made.omitted)
    named = [line.name for line in made.receipt.kept] + [name for line in made.omitted for name in line.names]
    missing = set(range(step.n_messages)).difference(*map(places, named))
    assert len(missing) <= 1, missing
    asked = {one.id if isinstance(one, Packet) else one for one in step.evidence}
    assert asked <= {*made.evidence, *named}


@settings(max_examples=120, deadline=None)
@given(steps())
def test_rule_8_the_receipt_accounts_for_everything(drawn: Drawn) -> None:
    step = drawn.step
    made = projected(step)
    if made is not None:
        require_account(made, step)
        assert outcome_json(made_from(step)) == outcome_json(Projected(made))


# 9. closing


@settings(max_examples=80, deadline=None)
@given(steps(closing=True, least_cap=1_500))
def test_rule_9_a_closing_step_calls_nothing_and_asks_for_conclusions(drawn: Drawn) -> None:
    step = drawn.step
    made = projected(step)
    if made is None:
        return
    assert made.open_calls == ()
    assert made.tools == () or made.outside["tool_choice"] == {"type": "none"}
    request = sections(made).request
    assert request is not None
    assert request.startswith(CLOSING_REQUEST)
    assert validate(made.messages, step.profile.provider) == ()


def test_the_ids_of_these_tests_are_those_of_the_generated_steps() -> None:
    assert {one.id for one in EVERY if one.labels} == set(SECRET_IDS)
    assert evidence_id(0) in {one.id for one in EVERY}
