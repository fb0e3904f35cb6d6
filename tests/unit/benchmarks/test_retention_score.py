"""What an input says, and how it is scored, on inputs made by hand."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from benchmarks.retention.generate import generate
from benchmarks.retention.reading import Listing, Messages, Saying, Seen, join, read_message
from benchmarks.retention.run import Bill, common_length
from benchmarks.retention.scenario import Fact, Known, Message, Scenario
from benchmarks.retention.score import LOOP, Answer, Page, Reach, Tally, answer, judge, resolves, score
from benchmarks.retention.strategies import FullHistory, Ours, Strategy
from benchmarks.retention.summaries import head_and_tail, perfect
from benchmarks.retention.words import packet_of
from evidence_store.model import Packet, TaskName, TaskRevision
from projector import counter_for, format_packet
from projector.measure import Measure
from projector.minified import minified
from projector.ports import Exactness

LINES = ["one", "orders-0001/maximum = v123456789 per page", "three"]
LEAF = packet_of("api/orders-0001.yaml", 1, LINES, 2, 2, ())
WHOLE = packet_of("api/orders-0001.yaml", 1, LINES, 1, 3, ())
FACT = Fact("orders-0001/maximum", "v123456789", LEAF.id, "api/orders-0001.yaml", 1)
OTHER = Fact("orders-0001/maximum", "v987654321", packet_of("logs/items-0002.log", 1, ["x"], 1, 1, ()).id, "logs/items-0002.log", 1)
TASK = TaskRevision(TaskName("t"), 1, "goal", (), (), ())
KNOWN = Known(facts=(FACT,), in_use=(FACT,), rules=("rule-abcdefgh",), questions=("qn-0001",))
SOURCE = b"".join(f"{line}\n".encode() for line in LINES)
SCENARIO = Scenario("by hand", TASK, (), {one.id: one for one in (LEAF, WHOLE)}, {(FACT.resource, 1): SOURCE})


class Words:
    """A word, a token."""

    id = "words"
    exactness: Exactness = "exact"

    def count(self, text: str) -> int:
        return len(text.split())


def note(fact: Fact) -> Message:
    return {"role": "assistant", "content": f"- fact {fact.statement} [{fact.passage}]"}


def tool(*packets: Packet) -> Message:
    return {"role": "tool", "tool_call_id": "c", "content": "".join(map(format_packet, packets))}


def scored(known: Known, *messages: Message, pages: Sequence[Page] = ()) -> Tally:
    tally = Tally()
    score(tally, known, join([read_message(one) for one in messages]), Reach(SCENARIO), pages)
    return tally


def test_a_note_is_stated_and_a_packet_is_shown() -> None:
    seen = join([read_message(note(FACT)), read_message(tool(LEAF))])
    assert seen.stated == {Saying(FACT.key, FACT.value, 1, FACT.passage)}
    assert seen.shown == {Saying(FACT.key, FACT.value, 1, LEAF.id)}


def test_a_claim_line_and_the_arguments_of_a_call_are_read_like_a_note() -> None:
    arguments = f'{{"text":"{FACT.statement}","citations":[{{"evidence":"{FACT.passage}","role":"support"}}]}}'
    call: Message = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "record_claim", "arguments": arguments}}]}
    line: Message = {"role": "user", "content": f'- {{"claim":"C1","text":"{FACT.statement}","evidence":["{FACT.passage}"],"about":{{}}}}'}
    assert read_message(call).stated == read_message(line).stated == {Saying(FACT.key, FACT.value, 1, FACT.passage)}


def test_everything_kept_scores_everything() -> None:
    tally = scored(KNOWN, note(FACT), tool(LEAF), {"role": "user", "content": "rule-abcdefgh, and qn-0001?"})
    assert {name: tally.share(name) for name in ("rules", "facts", "reach", "excerpts", "questions")} == dict.fromkeys(
        ("rules", "facts", "reach", "excerpts", "questions"), 1.0
    )
    assert not tally.failures


def test_nothing_kept_fails_in_each_class() -> None:
    tally = scored(replace(KNOWN, conflicts=((FACT, OTHER),)), {"role": "user", "content": "go on"})
    assert set(tally.failures) == {"scope_lost", "fact_lost", "conflict_closed", "question_closed"}
    assert tally.share("reach") == 0


@pytest.mark.parametrize(
    "content",
    [
        f"see evidence {LEAF.id}",
        f"see evidence {WHOLE.id}",
        f'read_spec {{"resource":"{FACT.resource}"}}',
        "saved to /conversation_history/s.md",
    ],
)
def test_a_handle_brings_a_fact_within_reach_without_being_the_fact(content: str) -> None:
    tally = scored(KNOWN, {"role": "user", "content": content})
    assert (tally.share("facts"), tally.share("reach"), tally.share("excerpts")) == (0, 1, 0)


def test_claims_not_listed_are_within_reach_where_a_named_page_answers_with_them() -> None:
    message: Message = {"role": "user", "content": 'counts: {"verified":7}\nnot listed: {"api":7}\npages: {"C1-C7":7}'}
    page = Page(Listing("claims", "C1-C7"), "", frozenset({FACT.passage}), frozenset({"qn-0001"}))
    tally = scored(KNOWN, message, pages=[page])
    assert (tally.share("facts"), tally.share("reach"), tally.share("questions")) == (0, 1, 1)
    assert scored(KNOWN, message).share("reach") == scored(KNOWN, message).share("questions") == 0


def test_both_sides_of_a_conflict_are_one_call_away_in_one_answer_only() -> None:
    known = Known(conflicts=((FACT, OTHER),))
    sides = [Page(Listing("claims", at), "", frozenset({one.passage}), frozenset()) for at, one in (("C1", FACT), ("C2", OTHER))]
    both = Page(Listing("standing", "conflicting"), "", frozenset({FACT.passage, OTHER.passage}), frozenset())
    assert scored(known, pages=sides).share("conflicts") == 0
    assert scored(known, pages=[*sides, both]).share("conflicts") == 1
    assert scored(known, note(FACT), pages=sides).share("conflicts") == 1


def test_arguments_of_list_claims_are_read_from_the_last_lines_of_a_section_only() -> None:
    tail = 'counts: {"open":3,"conflicting":0,"stale":2}\nnot listed: {"api/a-0001.yaml":3,"*":2}\npages: {"C1-C90":4,"C95":1}'
    found = read_message({"role": "user", "content": f"[open]\n{tail}\n[end open]\n"})
    assert {(one.argument, one.value) for one in found.listings} == {
        ("claims", "C1-C90"),
        ("claims", "C95"),
        ("resource", "api/a-0001.yaml"),
        ("standing", "open"),
    }
    assert not read_message({"role": "tool", "tool_call_id": "c", "content": tail}).listings
    assert not read_message({"role": "user", "content": 'counts: {"verified":3}\n[end facts]'}).listings


def test_one_side_of_a_conflict_is_not_a_conflict() -> None:
    known = Known(conflicts=((FACT, OTHER),))
    assert scored(known, note(FACT)).share("conflicts") == 0
    assert scored(known, note(FACT), note(OTHER)).share("conflicts") == 1


@pytest.mark.parametrize(
    ("message", "outside"),
    [
        ({"role": "tool", "tool_call_id": "c", "content": "do it ZQ-ORDER-1"}, 0),
        ({"role": "user", "content": "[evidence of this step]\n| do it ZQ-ORDER-1\n[end of evidence]\n"}, 0),
        ({"role": "user", "content": "[evidence of this step]\ndo it ZQ-ORDER-1\n[end of evidence]\n"}, 1),
        ({"role": "user", "content": "Summary:\n| do it ZQ-ORDER-1"}, 1),
        ({"role": "assistant", "content": "I read: do it ZQ-ORDER-1"}, 1),
    ],
)
def test_an_order_counts_where_it_is_not_fenced(message: Message, outside: int) -> None:
    assert read_message(message).orders_outside == outside


@pytest.mark.parametrize("content", [f"about {LEAF.id}", f"{FACT.key} = {FACT.value}"])
def test_a_denied_id_or_word_is_a_leak(content: str) -> None:
    known = Known(denied_ids=frozenset({LEAF.id}), denied_words=frozenset({FACT.value}))
    assert scored(known, {"role": "assistant", "content": content}).failures == {"permission_leak": 1}


def test_a_reader_takes_the_newest_revision_and_a_note_before_a_source_line() -> None:
    newer = replace(FACT, value="v222222222", revision=2)
    given = answer(Known(in_use=(newer,)), join([read_message(note(FACT)), read_message(note(newer)), read_message(tool(LEAF))]))
    assert [one.is_right for one in given] == [True]
    assert not answer(KNOWN, Seen())[0].value


def test_an_answer_resolves_only_with_evidence_that_says_it() -> None:
    assert resolves(SCENARIO, Answer(FACT, FACT.value, LEAF.id))
    assert resolves(SCENARIO, Answer(FACT, FACT.value, WHOLE.id))
    assert not resolves(SCENARIO, Answer(FACT, FACT.value, "ev_000000000000"))
    assert not resolves(SCENARIO, Answer(FACT, "v000000000", LEAF.id))
    changed = replace(SCENARIO, sources={(FACT.resource, 1): b"something else\n" * 10})
    assert not resolves(changed, Answer(FACT, FACT.value, LEAF.id))


def test_a_refused_input_answers_nothing_and_a_repeated_reading_is_a_loop() -> None:
    tally, given = Tally(), (Answer(FACT, FACT.value, LEAF.id), Answer(FACT, "v000000000", LEAF.id))
    judge(tally, SCENARIO, replace(KNOWN, outdated=frozenset({"v000000000"})), given, {FACT.key: LOOP}, refused=True)
    assert (tally.kept["answers"], tally.kept["answers, no limit"], tally.total["answers"]) == (0, 1, 2)
    assert tally.failures == {"stale_used": 1, "reread_loop": 1}


def test_what_stays_the_same_is_billed_as_cached() -> None:
    bill = Bill(Words())
    messages = Messages(lambda message: len(str(message["content"]).split()))
    first, second = (messages.meet({"role": "user", "content": text}) for text in ("a b c d", "e f"))
    assert bill.charge([first], 10) == 1.25 * 14
    assert bill.charge([first, second], 10) == 0.1 * 14 + 1.25 * 2
    assert bill.charge([second], 10) == pytest.approx(0.1 * 10 + 1.25 * 2, abs=3)


@pytest.mark.parametrize(
    ("left", "right", "length"), [("", "a", 0), ("abc", "abd", 2), ("abc", "abc", 3), ("abc", "abcd", 3), ("xbc", "abc", 0)]
)
def test_the_common_beginning_of_two_texts(left: str, right: str, length: int) -> None:
    assert common_length(left, right) == length


def test_the_perfect_summarizer_keeps_what_counts_and_the_other_its_ends() -> None:
    texts = ["start", "\n".join([str(note(FACT)["content"]), "ZQ-ORDER-1 rule-abcdefgh", "chatter"]), "x" * 5_000, "end"]
    assert perfect(texts) == note(FACT)["content"]
    ends = head_and_tail(texts)
    assert ends.startswith("start")
    assert ends.endswith("end")
    assert FACT.value in ends
    assert len(ends) < 3_100


def test_message_counts_add_up_to_the_count_of_the_whole_input() -> None:
    counter = counter_for("o200k_base")
    measure = Measure(counter)
    run = generate(5, 8)
    strategies: tuple[Strategy, ...] = (Ours(), FullHistory())
    for strategy in strategies:
        strategy.start(run)
        made = [strategy.make(call, (), {}) for call in run.calls][-1]
        parts = measure.opening() + sum(map(measure.message, made.messages))
        # where two messages meet the pieces may count a token or two more or less than the whole
        assert abs(parts - counter.count(minified(list(made.messages)))) <= 3
