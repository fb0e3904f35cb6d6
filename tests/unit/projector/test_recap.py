"""The recap's text form, and how it grows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projector.errors import MalformedText
from projector.recap import Recap, RecapDraft, RecapLine, format_recap, joined, parse_recap, recap_labels
from tests.unit.projector.recap_cases import load
from tests.unit.projector.steps import evidence_id

LINES = st.builds(
    RecapLine,
    id=st.just(""),
    kind=st.just("said"),
    text=st.text(st.characters(codec="utf-8"), max_size=40),
    evidence=st.sampled_from(((), (evidence_id(1),))),
    by=st.sampled_from(("user", "assistant")),
)
LABELS = st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=6), max_size=3).map(tuple)


@given(
    st.builds(
        Recap, lines=st.lists(LINES, max_size=4).map(tuple), labels=LABELS, n_turns=st.integers(0, 10**6), n_left_out=st.integers(0, 9)
    )
)
def test_what_is_written_is_read_again(recap: Recap) -> None:
    assert parse_recap(format_recap(recap)) == recap


def test_what_was_left_out_adds_up() -> None:
    draft = RecapDraft((RecapLine("3", "said", "go on", by="user"),))
    recap = joined(joined(None, draft, 2, 1), draft, 1, 4)
    assert format_recap(recap) == '[recap]\n- {"said":"user","text":"go on"}\nuser sentences left out: 5\nturns: 3\n[end recap]\n'
    assert parse_recap(format_recap(recap)) == recap
    assert parse_recap("[recap]\nturns: 3\n[end recap]\n") == Recap((), (), 3)


def test_another_text_is_none_and_one_that_breaks_off_is_refused() -> None:
    assert parse_recap("read on\n[recap]\nturns: 0\n[end recap]\n") is None
    for text in (
        "[recap]\n",
        "[recap]\nturns: 1\n",
        "[recap]\nturns: 1\n[end recap]",
        '[recap]\n- {"said":"tool","text":""}\nturns: 1\n[end recap]\n',
        '[recap]\n- {"said":"user","text":"","evidence":[1]}\nturns: 1\n[end recap]\n',
        "[recap]\nx\nturns: 1\n[end recap]\n",
    ):
        with pytest.raises(MalformedText):
            parse_recap(text)


@given(LABELS)
def test_labels_are_read_without_the_rest(labels: tuple[str, ...]) -> None:
    assert recap_labels(format_recap(Recap((), labels, 1))) == labels
    assert recap_labels(f"x\n{format_recap(Recap((), labels, 1))}") == ()


def test_labels_that_cannot_be_read_are_such_as_nobody_has() -> None:
    assert recap_labels('[recap]\nlabels: "x') == ('"x',)
    assert recap_labels("[recap]") == ()


def test_b04_rounds_add_their_own_lines_and_nothing_else() -> None:
    rounds = load("b04", "rounds.json")
    (expect,) = (check["expect"] for check in load("b04", "expected.json")["checks"])
    recap, sizes = None, []
    for one in rounds:
        facts = RecapLine(str(one["round"]), "said", f"{one['fact']}, {', '.join(one['cites'])}", by="assistant")
        asked = RecapLine(f"q{one['round']}", "said", f"{one['question']}?", by="user")
        # every round hears again what the rounds before said
        recap = joined(recap, RecapDraft((*(recap.lines if recap else ()), facts, asked)), 2)
        sizes.append(len(format_recap(recap)))
    assert recap is not None
    text = format_recap(recap)
    assert len([line for line in recap.lines if line.text.startswith("fact")]) == expect["facts"]
    assert all(text.count(one["fact"]) == expect["each_fact_times"] for one in rounds)
    assert all(text.count(one["question"]) == expect["each_question_times"] for one in rounds)
    assert sizes[-1] <= expect["size_ratio_round5_to_round1_at_most"] * sizes[0]
    assert parse_recap(text) == recap
