"""Runs that a tokenizer must not be asked about."""

import pytest

from projector.tokens.hostile import MAX_SPACES, MAX_UNBROKEN_CHARS, Run, long_runs

SPACES, LETTERS = MAX_SPACES, MAX_UNBROKEN_CHARS


@pytest.mark.parametrize("before", [0, 1, SPACES // 2 - 1, SPACES // 2, SPACES // 2 + 1, SPACES, 3 * SPACES + 7])
@pytest.mark.parametrize("n", [SPACES, SPACES + 1, 2 * SPACES + 3])
def test_a_run_of_the_bound_or_more_is_found_wherever_it_stands(before: int, n: int) -> None:
    text = "ab 1" * (before // 4) + "x" * (before % 4) + "x" * 3 + " \n" * (n // 2) + "\t" * (n % 2) + "end of it 1"
    start = before // 4 * 4 + before % 4 + 3
    assert long_runs(text) == (Run(start, start + n),)


@pytest.mark.parametrize("before", [0, 1, SPACES // 2, SPACES, 777_777])
def test_a_shorter_run_is_none(before: int) -> None:
    assert long_runs("ab 1" * (before // 4) + " " * (SPACES - 1) + "x" * 900_000) == ()


@pytest.mark.parametrize("char", ["a", "-", "\u0301", "😀", "日"])
def test_runs_without_white_space_and_digits_have_a_bound_of_their_own(char: str) -> None:
    assert long_runs(char * (LETTERS - 1)) == ()
    assert long_runs(" " + char * LETTERS + " ") == (Run(1, LETTERS + 1),)


def test_digits_are_no_run_since_the_tokenizer_takes_three_at_a_time() -> None:
    assert long_runs("7" * (2 * LETTERS)) == ()


def test_several_runs_stand_in_their_order() -> None:
    text = "1" + " " * SPACES + "a" * LETTERS + "\n" * SPACES + "1"
    assert long_runs(text) == (
        Run(1, SPACES + 1),
        Run(SPACES + 1, SPACES + LETTERS + 1),
        Run(SPACES + LETTERS + 1, 2 * SPACES + LETTERS + 1),
    )


def test_runs_that_touch_are_found_apart() -> None:
    assert long_runs((" " * SPACES + "x") * 3) == tuple(Run(n * (SPACES + 1), n * (SPACES + 1) + SPACES) for n in range(3))
