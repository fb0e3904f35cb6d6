"""Candidates made ready: bars, neighbours, repetitions, contradictions."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from evidence_store.model import LineRange
from projector.candidates import prepare
from projector.model import Candidate


def piece(
    text: str, score: str = "1", *, scorer: str = "a", source: str = "", about: str = "", lines: tuple[int, int] | None = None
) -> Candidate:
    return Candidate(text, source, scorer, score, "", about, None if lines is None else LineRange(*lines))


def texts(*candidates: Candidate) -> list[str]:
    return [one.text for one in prepare(candidates).ready]


def test_each_scorer_has_its_own_bar() -> None:
    found = prepare([piece("one", "10"), piece("two", "4.9"), piece("three", "0.5", scorer="b"), piece("four", "0.1", scorer="b")])
    assert [one.text for one in found.ready] == ["one", "three"]
    assert [one.text for one in found.below] == ["two", "four"]


def test_scores_of_two_scorers_are_taken_in_turn() -> None:
    assert texts(piece("a1", "10"), piece("a2", "9"), piece("b1", "0.2", scorer="b"), piece("b2", "0.15", scorer="b")) == [
        "a1",
        "b1",
        "a2",
        "b2",
    ]


def test_a_scorer_without_a_good_one_sets_no_bar() -> None:
    assert texts(piece("one", "-1"), piece("two", "-5")) == ["one", "two"]


def test_neighbours_become_one_with_the_better_score() -> None:
    first, second = piece("a\nb", "1", source="x@1", lines=(1, 2)), piece("b\nc", "2", source="x@1", lines=(2, 3))
    (joined,) = prepare([second, first, piece("far", "2", source="x@1", lines=(9, 9))]).ready[:1]
    assert (joined.text, joined.lines, joined.score) == ("a\nb\nc", LineRange(1, 3), "2")


def test_lines_that_do_not_fit_the_text_join_nothing() -> None:
    assert len(texts(piece("a", source="x@1", lines=(1, 2)), piece("z", source="x@1", lines=(3, 3)))) == 2
    assert len(texts(piece("a", source="x@1", lines=(1, 1)), piece("z", source="x@2", lines=(2, 2)))) == 2


def test_what_says_nearly_the_same_stands_once() -> None:
    long = "the order service answered with status 500 after three retries in region north"
    found = prepare([piece(long, "2"), piece(long.upper() + " ", "1.5"), piece(f"{long} again", "1.4"), piece("another thing", "1.2")])
    assert [one.text for one in found.ready] == [long, "another thing"]
    assert len(found.repeated) == 2


def test_contradictions_stand_side_by_side() -> None:
    found = prepare([piece("limit is 50", "9", about="limit"), piece("owner is Ann", "8"), piece("limit is 100", "7", about="limit")])
    assert [one.text for one in found.ready] == ["limit is 50", "limit is 100", "owner is Ann"]


@given(
    st.lists(
        st.builds(
            piece,
            st.text("ab \n", max_size=6),
            st.decimals(-5, 5, places=1).map(str),
            scorer=st.sampled_from("xy"),
            source=st.sampled_from(["", "s@1"]),
            about=st.sampled_from(["", "z"]),
            lines=st.none() | st.integers(1, 6).map(lambda n: (n, n)),
        ),
        max_size=12,
    )
)
def test_nothing_is_lost_without_being_named(candidates: list[Candidate]) -> None:
    found = prepare(candidates)
    shown = [*found.ready, *found.below, *found.repeated]
    for one in candidates:
        assert any(one.text in other.text or " ".join(one.text.split()) in " ".join(other.text.split()) for other in shown)
    assert all(Decimal(one.score).is_finite() for one in shown)
