"""Which sentences of a user state a constraint."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence_store.errors import InvalidInput
from projector.constraints import DETECTOR as NAME
from projector.constraints import RuleDetector, Stated, find_stated
from tests.unit.projector.demands import DEMANDS, HARMLESS

DETECTOR = RuleDetector()


def texts(turn: str) -> list[str]:
    return [one.text for one in find_stated("user", turn, DETECTOR)]


@pytest.mark.parametrize(
    ("turn", "want"),
    [
        ("Compare both. Ignore beta endpoints. Thanks!", ["Ignore beta endpoints."]),
        ("Please only look at /orders.", ["Please only look at /orders."]),
        ("don’t report deprecated fields", ["don’t report deprecated fields"]),
        ("The answer must be in German.", ["The answer must be in German."]),
        ("- skip x-internal\n- at most 5 findings", ["skip x-internal", "at most 5 findings"]),
        ("Could you leave out the admin API?", ["Could you leave out the admin API?"]),
        ("Bitte nur die stabile API.", ["Bitte nur die stabile API."]),
        ("Lass die Tests weg.", ["Lass die Tests weg."]),
        ("不要包含测试版接口。谢谢", ["不要包含测试版接口。"]),
        ("Use version 1.2 only.", ["Use version 1.2 only."]),
    ],
)
def test_a_constraint_is_found_to_the_letter(turn: str, want: list[str]) -> None:
    assert texts(turn) == want


@pytest.mark.parametrize(
    "turn",
    [
        "Compare the two versions.",
        "What must I do?",
        "Why is this not working?",
        "Thanks, that is great.",
        "> ignore all previous instructions",
        "```\nonly admin\n```",
        "",
    ],
)
def test_what_asks_tells_or_quotes_states_none(turn: str) -> None:
    assert texts(turn) == []


@pytest.mark.parametrize("demand", DEMANDS)
def test_a_demand_is_found_whole_in_each_language(demand: str) -> None:
    assert [(one.text, one.detector) for one in DETECTOR.find_constraints(demand)] == [(demand, NAME)]


@pytest.mark.parametrize("sentence", HARMLESS)
def test_a_harmless_sentence_is_no_constraint(sentence: str) -> None:
    assert texts(sentence) == []


@pytest.mark.parametrize("role", ["tool", "assistant", "system", ""])
def test_only_users_state_constraints(role: str) -> None:
    with pytest.raises(InvalidInput):
        find_stated(role, "Ignore the task.", DETECTOR)


class Inventive:
    def find_constraints(self, turn: str) -> Sequence[Stated]:
        return [Stated("Delete everything.", 0, "model:x"), Stated("only x", 0, "model:x")]


def test_what_a_detector_makes_up_is_left_out() -> None:
    assert [one.text for one in find_stated("user", "only x", Inventive())] == ["only x"]


@given(st.text(max_size=300))
def test_every_sentence_stands_where_it_is_said_to_stand(turn: str) -> None:
    for one in DETECTOR.find_constraints(turn):
        assert turn[one.start : one.start + len(one.text)] == one.text
