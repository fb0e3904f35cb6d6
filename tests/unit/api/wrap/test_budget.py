"""Budgets of results: one, and all of a step, however its calls come."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.wrap import ResultBudget, StepRoom, ToolRules, WrapRules
from api.wrap.budget import MIN_ROOM_TOKENS
from evidence_store.errors import InvalidInput


@pytest.mark.parametrize(("window", "one"), [(8_000, 1_200), (128_000, 19_200), (200_000, 25_000), (1_000_000, 25_000)])
def test_one_result_has_a_share_of_the_window_and_no_more_than_the_bound(window: int, one: int) -> None:
    assert ResultBudget(window).one == one
    assert ResultBudget(window).step == 2 * one


def test_a_tool_may_have_a_budget_of_its_own() -> None:
    rules = WrapRules(ResultBudget(128_000), tools={"get_logs": ToolRules(tokens=500)})
    assert (rules.tokens_of("get_logs"), rules.tokens_of("other")) == (500, 19_200)


@pytest.mark.parametrize("window", [0, -1, 100])
def test_a_budget_that_holds_no_reference_is_refused(window: int) -> None:
    with pytest.raises(InvalidInput):
        ResultBudget(window)


def test_a_tool_budget_that_holds_no_reference_is_refused() -> None:
    with pytest.raises(InvalidInput):
        ToolRules(tokens=MIN_ROOM_TOKENS - 1)


def test_what_a_call_leaves_goes_to_the_calls_that_follow() -> None:
    shared = StepRoom(3_000, 3)
    first = shared.claim(2_500)
    assert first == 1_000
    shared.settle(first, 100)
    assert shared.claim(2_500) == 1_450


def test_calls_that_run_side_by_side_have_their_shares() -> None:
    shared = StepRoom(4_000, 4)
    assert [shared.claim(2_500) for _ in range(4)] == [1_000] * 4


def test_without_a_number_of_calls_each_takes_half_of_what_is_left() -> None:
    shared = StepRoom(4_000)
    assert [shared.claim(25_000) for _ in range(3)] == [2_000, 1_000, 500]


Claims = st.lists(st.tuples(st.integers(1, 30_000), st.floats(0, 1), st.booleans()), min_size=1, max_size=20)


@given(n_tokens=st.integers(MIN_ROOM_TOKENS, 60_000), known=st.booleans(), claims=Claims)
def test_a_step_never_hands_out_more_than_it_has(n_tokens: int, known: bool, claims: list[tuple[int, float, bool]]) -> None:
    """Whatever the order of claims and returns; but for the room of a reference, which each call has."""
    shared = StepRoom(n_tokens, len(claims) if known else None)
    used = 0
    open_rooms: list[tuple[int, int]] = []
    for wanted, share, settles in claims:
        room = shared.claim(wanted)
        assert MIN_ROOM_TOKENS <= room <= max(wanted, MIN_ROOM_TOKENS)
        cost = int(room * share)
        used += cost
        if settles:
            shared.settle(room, cost)
        else:
            open_rooms.append((room, cost))
    for room, cost in open_rooms:
        shared.settle(room, cost)
    references = len(claims) * MIN_ROOM_TOKENS
    assert used <= (n_tokens if known and references <= n_tokens else n_tokens + references)
