"""How much text fits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence_store.model import TextLimit
from projector.ports import Exactness, TokenCounter
from projector.tokens import TokenLimit, counter_for


class WordCounter:
    """Counts words; knows nothing of cutting."""

    id = "words"
    exactness: Exactness = "exact"

    def count(self, text: str) -> int:
        return len(text.split())


def untouched() -> TokenCounter:
    raise AssertionError("no counter is needed for this")


def test_a_text_of_no_more_bytes_than_the_limit_needs_no_tokenizer() -> None:
    limit: TextLimit = TokenLimit(untouched, 12)
    assert limit.fits("twelve bytes")
    assert limit.prefix("twelve bytes") == 12
    assert limit.fits("日志日志")
    with pytest.raises(AssertionError):
        limit.fits("日志日志日")


def test_nothing_fits_in_nothing_but_nothing() -> None:
    limit = TokenLimit(lambda: counter_for("o200k_base"), 0)
    assert limit.fits("")
    assert not limit.fits("x")
    assert limit.prefix("x") == 0


@given(st.text(alphabet="ab 日\n", max_size=200), st.integers(0, 30))
def test_fits_agrees_with_the_count(text: str, n_tokens: int) -> None:
    for counter in (counter_for("o200k_base"), counter_for("bytes"), WordCounter()):
        limit = TokenLimit(lambda counter=counter: counter, n_tokens)  # type: ignore[misc]
        expected = counter.count(text) <= n_tokens or len(text.encode()) <= n_tokens
        assert limit.fits(text) == expected
        assert limit.fits(text[: limit.prefix(text)])


def test_a_counter_that_cannot_cut_is_asked_by_halving() -> None:
    limit = TokenLimit(WordCounter, 3)
    text = "one two three four five"
    assert text[: limit.prefix(text)].split() == ["one", "two", "three"]


def test_the_factory_is_called_once() -> None:
    made: list[int] = []

    def factory() -> TokenCounter:
        made.append(1)
        return WordCounter()

    limit = TokenLimit(factory, 1)
    limit.fits("two words")
    limit.prefix("two words")
    assert limit.count("three words here") == 3
    assert made == [1]
