"""The figures of a budget."""

import pytest

from projector.budget import Profile, budget_for

PROFILE = Profile("openai", "gpt-4o", 32_768, 4_096, 1_024, "o200k_base")


def test_the_worked_example() -> None:
    budget = budget_for(PROFILE, 900)
    assert (budget.fixed, budget.input_cap, budget.dynamic) == (4_000, 27_648, 23_648)


def test_a_fixed_part_beyond_the_reserve_is_taken_as_counted() -> None:
    assert budget_for(PROFILE, 8_700).dynamic == 18_948


def test_a_fixed_part_beyond_the_cap_leaves_less_than_nothing() -> None:
    assert budget_for(PROFILE, 30_000).dynamic == -2_352


def test_a_small_window_sets_half_of_its_cap_aside() -> None:
    assert budget_for(Profile("openai", "m", 4_096, 1_000, 96, "bytes"), 10).dynamic == 1_500


@pytest.mark.parametrize(("window", "output", "slack"), [(1000, 900, 100), (-1, 0, 0), (1000, -1, 0)])
def test_a_window_without_room_for_input_is_refused(window: int, output: int, slack: int) -> None:
    with pytest.raises(ValueError, match="no room"):
        Profile("openai", "m", window, output, slack, "bytes")
