"""Grounding: what of a sentence must stand in its sources, and what standing there means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence_store.grounding import Needle, find_needles, find_ungrounded, stands_quoted


def texts(sentence: str) -> list[str]:
    return [needle.text for needle in find_needles(sentence)]


def ungrounded(sentence: str, *sources: str) -> list[str]:
    return [needle.text for needle in find_ungrounded(sentence, sources)]


@pytest.mark.parametrize(
    ("sentence", "kind", "text"),
    [
        ("it says `maximum: 50`", "code", "maximum: 50"),
        ('it says "at most"', "quoted", "at most"),
        ("it says “at most”", "quoted", "at most"),
        ("it says «au plus»", "quoted", "au plus"),
        ("it says 「最大」", "quoted", "最大"),
        ("went to 50", "number", "50"),
        ("went to -1.5e10", "number", "-1.5e10"),
        ("of page_size", "identifier", "page_size"),
        ("of pageSize", "identifier", "pageSize"),
        ("of /orders/{id}", "identifier", "/orders/{id}"),
    ],
)
def test_quotes_code_numbers_and_identifiers_are_looked_for(sentence: str, kind: str, text: str) -> None:
    assert [(needle.kind, needle.text) for needle in find_needles(sentence)] == [(kind, text)]


def test_ordinary_words_need_no_source() -> None:
    assert texts("The limit of a request got lower, and clients may break.") == []


def test_each_needle_is_looked_for_once_and_in_order() -> None:
    assert find_needles("from 100 to 50, not 100") == (Needle("number", "100"), Needle("number", "50"))


@pytest.mark.parametrize("sentence", ["went to 50.", "went to 50, and", "(50)", "50: the limit"])
def test_the_punctuation_of_the_sentence_is_no_part_of_a_number(sentence: str) -> None:
    assert texts(sentence) == ["50"]


@pytest.mark.parametrize("sentence", ["/orders/{id} went.", "It was /orders/{id}.", "gone: /orders/{id}, again"])
def test_the_punctuation_of_the_sentence_is_no_part_of_a_path(sentence: str) -> None:
    assert texts(sentence) == ["/orders/{id}"]


@pytest.mark.parametrize("source", ["500", "150", "50.5", "0.50", "v50", "50th", "-50", "x: -50", "5 0"])
def test_a_number_within_another_one_is_not_that_number(source: str) -> None:
    assert ungrounded("at most 50", source) == ["50"]


@pytest.mark.parametrize("source", ["50", '{"maximum": 50}', "maximum: 50.", "[10,50]", "50%", "10-50", "=50"])
def test_a_number_stands_wherever_it_is_a_number_of_its_own(source: str) -> None:
    assert ungrounded("at most 50", source) == []


def test_the_spelling_of_a_number_counts() -> None:
    assert ungrounded("version 1.10", "1.1") == ["1.10"]
    assert ungrounded("version 1.1", "1.10") == ["1.1"]
    assert ungrounded("at most 100", "1e2") == ["100"]


def test_a_range_in_the_sentence_is_two_numbers_and_no_sign() -> None:
    assert texts("lines 5-10") == ["5", "10"]


def test_an_identifier_within_a_longer_one_is_not_that_one() -> None:
    assert ungrounded("page_size went", "max_page_size", "page_sizes") == ["page_size"]
    assert ungrounded("page_size went", '"page_size"') == []


def test_a_quote_stands_to_the_letter_and_over_words() -> None:
    assert ungrounded('it says "at most  50"', "at most 50") == ["at most  50"]
    assert ungrounded('it says "Most"', "at most") == ["Most"]
    assert ungrounded('it says "most 5"', "at most 50") == []


def test_code_of_several_words_may_be_put_together_from_the_sources() -> None:
    """`get /orders` names a method and a path that stand in two tokens of one pointer."""
    assert ungrounded("`get /orders` was removed", "get", "/orders") == []
    assert ungrounded("`get /orders` was removed", "get", "/order") == ["get /orders"]


def test_each_side_of_a_change_may_bring_its_own_number() -> None:
    assert ungrounded("from 100 to 50", "100", "50") == []
    assert ungrounded("from 100 to 50", "100") == ["50"]


def test_without_a_source_nothing_stands() -> None:
    assert ungrounded('`a` is "b" or 5') == ["a", "b", "5"]


@given(st.text(max_size=40))
def test_what_is_in_a_sentence_stands_in_that_sentence_when_it_is_quoted(sentence: str) -> None:
    for needle in find_needles(sentence):
        assert needle.text in sentence
        assert needle.kind != "quoted" or ungrounded(sentence, sentence).count(needle.text) == 0


def test_a_report_may_quote_a_part_of_a_passage() -> None:
    assert stands_quoted("orders per page", ["at most 50 orders per page"])
    assert not stands_quoted("orders per day", ["at most 50 orders per page"])


def test_a_quoted_number_is_the_whole_number() -> None:
    """Otherwise `"5"` would be found in 50, and `"10"` in 100."""
    assert stands_quoted("50", ['"maximum": 50'])
    assert not stands_quoted("5", ['"maximum": 50'])
    assert not stands_quoted("10", ["100"])


def test_an_empty_quote_stands_nowhere() -> None:
    assert not stands_quoted("", ["at most 50"])
