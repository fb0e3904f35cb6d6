"""Which counter a name stands for."""

import pytest

from projector import UnknownCounter
from projector.tokens.table import KNOWN_COUNTERS, counter_for, counter_name_for_model

TEXTS = ("", "hello world", "日志 Größe 12345678901234567890", '{"a":[1,2,3]}' * 30, "0123456789abcdef" * 20, "\ud800")


@pytest.mark.parametrize("name", KNOWN_COUNTERS)
def test_every_known_counter_counts(name: str) -> None:
    counter = counter_for(name)
    assert [counter.count(text) for text in TEXTS] == [counter.count(text) for text in TEXTS]
    assert counter.count("") == 0
    assert all(counter.count(text) > 0 for text in TEXTS[1:])
    assert counter.exactness in ("exact", "upper_bound", "estimate")


@pytest.mark.parametrize("name", [name for name in KNOWN_COUNTERS if name.startswith("estimate:")])
def test_an_estimate_is_never_below_a_known_count_and_never_above_the_bytes(name: str) -> None:
    for text in TEXTS[:-1]:
        assert counter_for("o200k_base").count(text) <= counter_for(name).count(text) <= len(text.encode())


def test_a_family_that_spends_a_token_a_digit_pays_for_digits() -> None:
    digits = "1234567890" * 10
    assert counter_for("estimate:qwen-3").count(digits) == 100


def test_bytes_are_an_upper_bound_and_say_so() -> None:
    assert (counter_for("bytes").count("日志"), counter_for("bytes").exactness) == (6, "upper_bound")


def test_encodings_that_differ_in_special_tokens_alone_count_the_same() -> None:
    assert counter_for("o200k_harmony").id == counter_for("o200k_base").id


@pytest.mark.parametrize("name", ["", "gpt2", "estimate:", "estimate:nobody", "O200K_BASE"])
def test_an_unknown_name_is_an_error_that_lists_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownCounter) as caught:
        counter_for(name)
    assert caught.value.details["known"] == KNOWN_COUNTERS
    assert "o200k_base" in str(caught.value)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-4o-mini", "o200k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("gpt-5.5", "o200k_base"),
        ("gpt-oss-120b", "o200k_harmony"),
        ("claude-sonnet-4-5", "estimate:claude"),
        ("claude-3-opus", "estimate:claude-3"),
        ("gemini-2.5-pro", "estimate:gemma"),
    ],
)
def test_a_model_has_its_counter(model: str, name: str) -> None:
    assert counter_name_for_model(model) == name
    assert counter_for(name).count("word") in (1, 2)


def test_an_unknown_model_is_an_error_and_no_default() -> None:
    with pytest.raises(UnknownCounter, match="nobody-1"):
        counter_name_for_model("nobody-1")
