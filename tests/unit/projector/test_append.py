"""Rule 6: between two rebuilds an input begins with the one before it, byte for byte, and says behind it what is new."""

import random
from collections.abc import Iterator
from dataclasses import replace

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_store.model import Packet, ProgressItem, ProgressState, Standing
from projector import (
    Candidate,
    GivenEvidence,
    Need,
    Outcome,
    Principal,
    Projected,
    Projection,
    SectionsText,
    Segment,
    Step,
    counter_for,
    explain_receipt_text,
    join_sections,
    parse_claim_range,
    parse_sections,
    project,
    receipt_from_json,
    receipt_json,
    validate,
)
from tests.unit.projector.histories import PROVIDERS, broken_turns, whole_turns, written
from tests.unit.projector.steps import PROFILE, TASK, TOOLS, claim, exchange, full_step, item, packet, recount, step, user, words

COUNTER = counter_for("o200k_base")
BASE = step(tools=TOOLS, rebuild_to=30, messages=(user("compare the versions"), *exchange("a")))


def after(before: Projection | None, made: Step, *more: Packet) -> Projection:
    found = outcome(before, made, *more)
    assert isinstance(found, Projected), found
    return found.projection


def outcome(before: Projection | None, made: Step, *more: Packet) -> Outcome:
    given = [one for one in made.evidence if isinstance(one, Packet)]
    given += [one for packets in made.results.values() for one in packets]
    world = GivenEvidence([*given, *more])
    return project(made, world, COUNTER, world, before)


def is_appended(before: Projection, now: Projection) -> bool:
    """Whether the bytes that a provider reads begin with those of the input before."""
    same = (before.outside, before.tools) == (now.outside, now.tools)
    return same and orjson.dumps(now.messages).startswith(orjson.dumps(before.messages)[:-1] + b",")


def said(made: Projection) -> SectionsText:
    """All that the sections of an input say."""
    texts = (str(one["content"]) for one in made.messages if one["role"] == "user")
    return join_sections([parse_sections(text) for text in texts])


def added(before: Projection, now: Projection) -> str:
    return str(now.messages[-1]["content"]) if is_appended(before, now) else ""


def grown(made: Step, call: str, **changes: object) -> Step:
    return replace(made, messages=(*made.messages, *exchange(call)), **changes)  # type: ignore[arg-type]


def test_an_input_begins_with_the_one_before_it_byte_for_byte() -> None:
    first = after(None, BASE)
    second = after(first, grown(BASE, "b"))
    assert is_appended(first, second)
    assert second.receipt.appended_to == first.receipt.input_digest
    assert second.receipt.shared == first.tokens - 12
    assert second.messages[len(first.messages) : -1] == exchange("b")
    assert recount(second) == second.tokens == second.receipt.used
    assert sum(line.tokens for line in second.receipt.kept) == second.tokens


def test_each_claim_stands_in_a_line_or_on_a_page_also_after_more_of_them_came() -> None:
    rng = random.Random(4)
    claims = tuple(claim(number, packet(1).id, text=words(rng, 30)) for number in range(1, 301))
    made = replace(BASE, claims=claims)
    first = after(None, replace(made, claims=claims[:290]))
    second = after(first, grown(made, "b"))
    facts = said(second).facts
    assert is_appended(first, second)
    assert facts is not None
    listed = {line.id for line in facts.lines}
    assert {f"C{number}" for number in range(291, 301)} <= listed
    on_pages = [parse_claim_range(page) for page, _ in facts.pages]
    assert {one.id for one in claims} == listed.union(f"C{number}" for one in on_pages for number in range(one.first, one.last + 1))
    assert len(listed) < 300


def test_nothing_is_said_twice() -> None:
    made = replace(BASE, evidence=(packet(1),), claims=(claim(1, packet(1).id),), progress=(item("get /x", ProgressState.DOING),))
    first = after(None, made)
    text = added(first, after(first, grown(made, "b")))
    assert text == (
        "[update]\nWhat stands above holds, unless a line below says otherwise of the same subject or claim.\n[end update]\n"
        "[request]\ncompare the versions\n[end request]\n"
    )


def test_what_is_new_is_said() -> None:
    first = after(None, BASE)
    new = grown(
        BASE,
        "b",
        evidence=(packet(1, "limit 50"),),
        claims=(claim(1, packet(1).id),),
        progress=(item("get /x", ProgressState.DOING, packet(1).id),),
        candidates=(Candidate("clients page by 100", "notes"),),
        needs=(Need("resource", "api/v9.json"),),
    )
    second = after(first, new)
    assert is_appended(first, second)
    told = parse_sections(added(first, second))
    assert told.progress is not None
    assert told.facts is not None
    assert [one.subject for one in told.progress.items] == ["get /x"]
    assert [line.id for line in told.facts.lines] == ["C1"]
    assert [one.excerpt for one in told.evidence] == ["limit 50"]
    assert [line.text for line in told.background] == ["clients page by 100"]
    assert [need.name for need in told.needs] == ["api/v9.json"]
    third = after(second, grown(new, "c", needs=()))
    assert "[needs]\n[end needs]" in added(second, third)
    assert said(third).needs == ()


def test_a_claim_that_changed_or_went_is_said() -> None:
    ids = packet(1).id, packet(2).id
    made = replace(BASE, evidence=(packet(1), packet(2)), claims=(claim(1, ids[0]), claim(2, ids[1]), claim(3, ids[1])))
    first = after(None, made)
    claims = (claim(1, ids[0], standing=Standing.CONFLICTING), claim(2, ids[1], standing=Standing.WITHDRAWN), claim(3, ids[1]))
    second = after(first, grown(made, "b", claims=claims))
    assert is_appended(first, second)
    told = said(second)
    assert told.facts is not None
    assert told.open is not None
    assert [line.id for line in told.facts.lines] == ["C3"]
    assert [line.id for line in told.open.lines] == ["C1"]
    assert 'no longer: ["C2"]' in added(first, second)
    assert ("C2",) in [one.names for one in second.omitted]


def test_a_subject_that_is_done_is_said_to_be() -> None:
    made = replace(BASE, progress=(item("get /x"), item("get /y", ProgressState.TODO)))
    first = after(None, made)
    second = after(first, grown(made, "b", progress=(item("get /x", ProgressState.DONE), item("get /y", ProgressState.TODO))))
    told = said(second).progress
    assert told is not None
    assert {one.subject: one.state for one in told.items} == {"get /x": ProgressState.DONE, "get /y": ProgressState.TODO}
    assert dict(told.counts) == {"todo": 1, "doing": 0, "done": 1, "excluded": 0, "blocked": 0}


def _rebuilt() -> Iterator[tuple[str, Step, Step]]:
    given = replace(BASE, evidence=(packet(1, labels=("secret",)),), principal=Principal(("secret",)))
    yield "another task revision", BASE, grown(BASE, "b", task=replace(TASK, number=3))
    yield "other instructions or tools", BASE, grown(BASE, "b", tools=())
    yield "other instructions or tools", BASE, grown(BASE, "b", system="Another.")
    yield "another model", BASE, grown(BASE, "b", profile=replace(PROFILE, model="gpt-4.1"))
    yield "another principal", given, grown(given, "b", principal=Principal(()))
    yield "another history", BASE, replace(BASE, messages=(user("another"), *exchange("b"), *exchange("c")))
    yield "another history", BASE, replace(BASE, messages=BASE.messages[:1])
    yield "another history", BASE, replace(BASE, messages=(*BASE.messages, *exchange("a")))
    yield "calls are open", BASE, replace(BASE, messages=(*BASE.messages, *exchange("b")[:1]))
    yield "it would pass the threshold", BASE, replace(BASE, messages=(*BASE.messages, *exchange("b", text="word " * 22_500)))
    yield "the strategy makes each anew", BASE, grown(BASE, "b", rebuild_to=100)


@pytest.mark.parametrize(("why", "old", "new"), list(_rebuilt()))
def test_what_no_longer_holds_is_made_anew(why: str, old: Step, new: Step) -> None:
    first = after(None, old)
    second = after(first, new)
    assert (second.receipt.appended_to, second.receipt.rebuilt) == ("", why)
    assert replace(second, receipt=replace(second.receipt, rebuilt="", shared=0)) == after(None, new)


def test_evidence_that_may_no_longer_be_seen_stands_in_no_later_input() -> None:
    hidden = packet(1, "the secret word", labels=("secret",))
    made = replace(BASE, evidence=(hidden.id,))
    open_world, closed_world = GivenEvidence([replace(hidden, labels=())]), GivenEvidence([hidden])
    first = project(made, open_world, COUNTER, open_world)
    assert isinstance(first, Projected)
    assert "the secret word" in orjson.dumps(first.projection.messages).decode()
    second = project(grown(made, "b"), closed_world, COUNTER, closed_world, first.projection)
    assert isinstance(second, Projected)
    assert second.projection.receipt.rebuilt == "permission changed"
    assert "secret" not in orjson.dumps(second.projection.messages).decode()


def test_what_is_too_old_by_now_is_made_anew() -> None:
    live = replace(packet(1), observed_at=0, max_age_s=10)
    made = replace(BASE, evidence=(live,), now=1_000_000)
    first = after(None, made)
    assert is_appended(first, after(first, grown(made, "b", now=2_000_000)))
    assert after(first, grown(made, "b", now=20_000_000)).receipt.rebuilt == "it shows what is too old by now"


def test_an_input_made_anew_leaves_room_for_what_is_appended() -> None:
    rng = random.Random(1)
    history = [one for n in range(200) for one in exchange(f"call {n}", text=words(rng, 150))]
    made = step(tools=TOOLS, messages=(user("compare"), *history))
    full, low = (after(None, replace(made, rebuild_to=percent)).receipt for percent in (100, 30))
    assert full.dynamic_used > 0.9 * full.budget.dynamic
    target = 0.3 * low.budget.input_cap - low.budget.fixed
    assert 0.9 * target < low.dynamic_used <= target
    needed = tuple(packet(n, words(rng, 1_000)) for n in range(6))
    assert after(None, replace(made, rebuild_to=30, evidence=needed)).evidence == tuple(one.id for one in needed)


def test_a_receipt_says_what_its_input_begins_with_or_why_not() -> None:
    first = after(None, BASE)
    second = after(first, grown(BASE, "b"))
    third = after(second, grown(grown(BASE, "b"), "c", system="Another."))
    for made, words_ in ((second, "begins with the input sha256:"), (third, "made anew: other instructions or tools")):
        receipt = receipt_from_json(orjson.loads(orjson.dumps(receipt_json(made.receipt))))
        assert receipt == replace(made.receipt, profile=receipt.profile)
        assert words_ in explain_receipt_text(made.receipt)
    assert "rebuilt" not in receipt_json(first.receipt)


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(PROVIDERS), st.integers(0, 2**32), st.booleans(), st.integers(3_000, 30_000), st.booleans())
def test_rule_6_over_generated_runs(provider: str, seed: int, broken: bool, cap: int, ids: bool) -> None:
    """Whatever a run leaves behind: within the threshold, valid, and either begins with what was or says why not."""
    rng = random.Random(seed)
    turns = (broken_turns if broken else whole_turns)(rng, 10)
    history = written(turns, provider, ids=ids)
    profile = replace(PROFILE, provider=provider, window=cap, output=0, slack=0, reserve=0)
    whole = replace(full_step(rng, 0), profile=profile, rebuild_to=40, strategy="externalise")
    before: Projection | None = None
    for n in range(1, len(history) + 1, rng.randint(1, 3)):
        made = replace(
            whole,
            messages=history[:n],
            claims=whole.claims[: n * 3],
            progress=tuple(_moved(one, rng) for one in whole.progress[: n * 2]),
            evidence=whole.evidence[: n % 12],
        )
        found = outcome(before, made, *[one for one in whole.evidence if isinstance(one, Packet)])
        if not isinstance(found, Projected):
            before = None
            continue
        now = found.projection
        assert validate(now.messages, provider, allow_open=bool(now.open_calls)) == ()
        assert sum(line.tokens for line in now.receipt.kept) == now.tokens <= cap
        if now.receipt.appended_to:
            assert before is not None
            assert is_appended(before, now)
            assert now.tokens <= cap * 0.8
        else:
            assert (now.receipt.rebuilt == "") == (before is None)
        before = now


def _moved(one: ProgressItem, rng: random.Random) -> ProgressItem:
    return replace(one, state=rng.choice(list(ProgressState))) if rng.random() < 0.1 else one


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32))
def test_what_an_input_says_in_all_is_what_is_so_now(seed: int) -> None:
    """Of each claim and subject that stands in an input, the newest line says what is so now."""
    rng = random.Random(seed)
    packets = tuple(packet(number, words(rng, 20)) for number in range(8))
    before: Projection | None = None
    made = replace(BASE, evidence=packets)
    for n in range(8):
        standings = {number: rng.choice(list(Standing)) for number in range(rng.randint(0, 12))}
        claims = tuple(claim(number, packets[number % 8].id, standing=one) for number, one in standings.items())
        items = tuple(item(f"get /x{number}", rng.choice(list(ProgressState))) for number in range(rng.randint(0, 12)))
        made = grown(made, f"call {n}", claims=claims, progress=items)
        before = after(before, made)
        told = said(before)
        wanted = {Standing.VERIFIED: "facts", Standing.EXCLUDED: "excluded", Standing.OPEN: "open", Standing.CONFLICTING: "open"}
        for name, text in told.claims:
            for line in text.lines if text is not None else ():
                assert wanted[standings[int(line.id[1:])]] == name
        now = {one.subject: one for one in items}
        for one in told.progress.items if told.progress is not None else ():
            assert one == now.get(one.subject, one)
        listed = {line.id for _, text in told.claims if text is not None for line in text.lines}
        assert listed == {f"C{number}" for number, one in standings.items() if one in wanted}


def test_a_run_that_went_over_to_another_provider_is_made_anew_once() -> None:
    earlier = Segment("anthropic", written(whole_turns(random.Random(3), 4), "anthropic"), "another-model")
    made = replace(BASE, earlier=(earlier,))
    first = after(None, made)
    second = after(first, grown(made, "b"))
    assert is_appended(first, second)


def test_the_provider_is_told_to_keep_what_grows() -> None:
    made = replace(BASE, profile=replace(PROFILE, provider="anthropic"), messages=written(whole_turns(random.Random(1), 2), "anthropic"))
    first = after(None, made)
    assert first.outside["cache_control"] == {"type": "ephemeral"}
    assert "cache_control" not in orjson.dumps(first.messages).decode()
    assert recount_outside(first) == first.tokens
    assert "cache_control" not in after(None, replace(made, rebuild_to=100)).outside


def recount_outside(made: Projection) -> int:
    """The count rule, where something stands beside the list."""
    parts = (made.messages, *made.outside.values(), made.tools)
    return sum(COUNTER.count(orjson.dumps(part).decode()) for part in parts) + 12
