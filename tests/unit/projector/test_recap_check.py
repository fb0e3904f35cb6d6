"""What a summary may not do: each way of it is refused by its code."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projector.recap import BuiltIn, LineKind, RecapDraft, RecapLine
from projector.recap_check import RefusedLine, check_summary, settle, text_faults
from tests.unit.projector.recap_cases import Answering, draft, load
from tests.unit.projector.steps import evidence_id

FACT = RecapLine("C1", "fact", "the limit of /orders is not 50", (evidence_id(1), evidence_id(2)))
PIECES = (
    "the limit", "is", "not", "50", "may", "/orders", "ev_000000000001", "only", "beta", ".", "?", ", ", "\n", '"a, b"', "“x”", "`y z`",
    "(", ")", "1.5", "all", "except", "don't", "没有", "可能", "fine", "so", ";", ": ", "-", "<", "\ud800", "\u2028", " ", "…",
)  # fmt: skip


def test_f01_a_guess_does_not_come_out_as_a_fact() -> None:
    before, reply = draft(load("f01", "before.json")), draft(load("f01", "reply.json"))
    settled = settle(before, Answering(reply))
    (expect,) = (check["expect"] for check in load("f01", "expected.json")["checks"])
    assert [line.id for line in settled.draft.lines if line.kind == "fact"] == expect["verified"]
    assert [line.id for line in settled.draft.lines if line.kind == "open"] == expect["open_questions"]
    assert [one.name for one in settled.refused] == expect["refused"]
    assert settled.refused[1].codes == ("line_added",)
    assert {"standing_changed", "citation_added", "doubt_changed"} <= set(settled.refused[0].codes)


@pytest.mark.parametrize("check", load("f06", "expected.json")["checks"], ids=lambda check: f"reply {check['reply']}")
def test_f06_excluded_scope_and_little_words_survive(check: dict[str, object]) -> None:
    before = draft(load("f06", "before.json"))
    faults = check_summary(before, draft(load("f06", "replies.json")[check["reply"]]))
    expect = check["expect"]
    assert isinstance(expect, dict)
    assert [fault.name for fault in faults] == expect.get("names", [])
    assert bool(faults) == (expect["outcome"] == "refused")


@pytest.mark.parametrize(
    ("code", "after"),
    [
        ("citation_dropped", replace(FACT, evidence=FACT.evidence[:1])),
        ("citation_added", replace(FACT, evidence=(*FACT.evidence, evidence_id(3)))),
        ("negation_changed", replace(FACT, text="the limit of /orders is 50")),
        ("number_added", replace(FACT, text="the limit of /orders is not 500")),
        ("number_dropped", replace(FACT, text="the limit of /orders is not")),
        ("evidence_added", replace(FACT, text=f"{FACT.text} ev_999999999999")),
        ("word_added", replace(FACT, text="the limit of /orders is clearly not 50")),
        ("quote_added", replace(FACT, text='the "limit" of /orders is not 50')),
        ("question_changed", replace(FACT, text="the limit of /orders is not 50?")),
        ("reworded", replace(FACT, text="the limit of is not 50 /orders")),
        ("reworded", replace(FACT, text="of /orders is not 50")),
        ("scope_changed", replace(FACT, kind="excluded")),
        ("standing_changed", replace(FACT, kind="open")),
        ("speaker_changed", replace(FACT, by="user")),
    ],
)
def test_each_change_of_a_line_has_its_code(code: str, after: RecapLine) -> None:
    (fault,) = check_summary(RecapDraft((FACT,)), RecapDraft((after,)))
    assert fault.name == "C1"
    assert code in fault.codes


@pytest.mark.parametrize(
    ("code", "kind", "before", "after"),
    [
        ("doubt_changed", "open", "paging may be slow", "paging is slow"),
        ("doubt_changed", "said", "paging may be slow and labels are", "paging be slow and labels may are"),
        ("reworded", "said", "orders do not page and labels page", "orders do page and labels not page"),
        ("scope_changed", "said", "use v2 except for labels", "use v2 for labels"),
        ("scope_changed", "said", "not all endpoints page", "not endpoints page"),
        ("question_changed", "open", "is it so?", "it so"),
        ("reworded", "said", "orders break and labels hold", "labels hold"),
        ("reworded", "said", "the limit went from x to y", "the limit went to y from x"),
        ("reworded", "said", "in staging: orders page", "orders page"),
        ("reworded", "said", "orders page (as far as Ann knows)", "orders page"),
        ("doubt_changed", "said", "Hopefully, orders page", "orders page"),
        ("negation_changed", "said", "Orders page. That was wrong.", "Orders page."),
        ("word_added", "said", "a < b", "a > b"),
        ("reworded", "excluded", "all endpoints marked beta", "all endpoints"),
        ("negation_changed", "said", "不支持分页", "支持分页"),
        ("reworded", "excluded", "old endpoints except for labels", "labels endpoints except for old"),
    ],
)
def test_each_change_of_meaning_has_its_code(code: str, kind: LineKind, before: str, after: str) -> None:
    assert code in text_faults(before, after, kind)


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("said", "ok then, the limit is not 50.", "ok then, limit not 50"),
        ("said", "Well done! Read ev_000000000001 now.", "Read ev_000000000001 now."),
        ("fact", "the limit of the orders is 50", "limit of orders 50"),
        ("open", "is 404 documented", "404 documented?"),
        ("excluded", "all the beta endpoints", "beta endpoints"),
    ],
)
def test_a_faithful_shortening_is_taken(kind: LineKind, before: str, after: str) -> None:
    assert text_faults(before, after, kind) == []


def test_lines_may_not_be_repeated_moved_or_lost_nor_labels() -> None:
    said = RecapLine("3", "said", "it is 5", by="user")
    idle = RecapLine("4", "said", "thanks", by="user")
    before = RecapDraft((FACT, said, idle), ("secret",))
    assert check_summary(before, RecapDraft((FACT, said), ("secret",))) == ()
    assert check_summary(before, RecapDraft((FACT,), ("secret",))) == (RefusedLine("3", ("line_dropped",)),)
    assert check_summary(before, RecapDraft((said, FACT), ("secret",))) == (RefusedLine("", ("order_changed",)),)
    assert check_summary(before, RecapDraft((FACT, FACT, said), ("secret",))) == (RefusedLine("C1", ("line_repeated",)),)
    assert check_summary(before, RecapDraft((FACT, said))) == (RefusedLine("", ("labels_changed",)),)


@pytest.mark.parametrize(
    ("after", "codes"),
    [
        ("Answer in French, please.\nIt is the orders that matter.", ()),
        ("It is the orders that matter.", ("reworded",)),
        ("Answer in French, please.", ("reworded",)),
        ("Answer in French.\nIt is the orders that matter.", ("reworded",)),
        ("Answer in French, please.\nOrders matter.", ("reworded",)),
    ],
)
def test_what_a_user_said_stays_to_the_letter_but_for_courtesies(after: str, codes: tuple[str, ...]) -> None:
    before = RecapLine("3", "said", "Thanks! Answer in French, please. It is the orders that matter.", by="user")
    found = check_summary(RecapDraft((before,)), RecapDraft((replace(before, text=after),)))
    assert found == ((RefusedLine("3", codes),) if codes else ())
    assert check_summary(RecapDraft((before,)), RecapDraft(())) == (RefusedLine("3", ("line_dropped",)),)


def test_b03_an_answer_that_saves_next_to_nothing_counts_as_failed() -> None:
    told = load("b03", "scenario.json")
    given = RecapDraft((RecapLine("1", "said", _fillers(told["items"][0]["tokens"]), by="assistant"),))
    summariser = Answering(*(RecapDraft((replace(given.lines[0], text=_fillers(one["returns_tokens"])),)) for one in told["compressor"]))
    settled = settle(given, summariser)
    assert summariser.n_asked <= load("b03", "expected.json")["checks"][0]["expect"]["compressor_calls_at_most"]
    assert settled.draft == BuiltIn().summarise(given)
    assert settled.refused == (RefusedLine("", ("saved_too_little",)),)


def _fillers(n: int) -> str:
    """So many words, all but one of which may go."""
    return "not " + "the " * (n - 1)


def test_a_summariser_without_an_answer_is_said() -> None:
    settled = settle(RecapDraft((FACT,)), Answering(None, RecapDraft((FACT,))))
    assert settled.refused == (RefusedLine("", ("no_answer",)), RefusedLine("", ("saved_too_little",)))
    assert settled.draft == RecapDraft((FACT,))
    taken = RecapDraft((replace(FACT, text="limit of /orders not 50"),))
    assert settle(RecapDraft((FACT,)), Answering(None, taken)).draft == taken


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join), max_size=4))
def test_the_built_in_form_passes_its_own_check_and_is_a_fixed_point(texts: list[str]) -> None:
    before = RecapDraft(tuple(RecapLine(str(n), "said", text, by="user") for n, text in enumerate(texts)))
    once = BuiltIn().summarise(before)
    assert check_summary(before, once) == ()
    assert BuiltIn().summarise(once) == once


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=14), st.data())
def test_whatever_is_left_out_a_taken_text_keeps_what_has_to_be_kept(pieces: list[str], data: st.DataObject) -> None:
    before = " ".join(pieces)
    kept = data.draw(st.lists(st.booleans(), min_size=len(pieces), max_size=len(pieces)))
    after = " ".join(piece for piece, keep in zip(pieces, kept, strict=True) if keep)
    if text_faults(before, after, "said") == []:
        for guard in ("not", "50", "may", "ev_000000000001", "only", "except", "don't", "没有", "1.5", "/orders"):
            assert before.count(guard) == after.count(guard)
