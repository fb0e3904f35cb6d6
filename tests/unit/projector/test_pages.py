"""Pages of claims: each claim on one, none longer than an answer may be, no more named than a section can afford."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from evidence_store.model import ClaimView, Standing
from projector.pages import MAX_PAGE_TOKENS, MAX_PAGES, PAGE_CLAIMS, Pages, pages_of
from projector.render.claim_pages import ClaimRange, parse_claim_range
from tests.unit.projector.steps import claim

numbers = st.lists(st.integers(1, 500), max_size=60, unique=True)
prices = st.lists(st.integers(1, 3_000), min_size=1, max_size=9)


def claims_of(numbers: Sequence[int]) -> list[ClaimView]:
    return [claim(number, standing=Standing.OPEN) for number in numbers]


def priced(prices: Sequence[int], numbers: Sequence[int], dynamic_tokens: int) -> Pages:
    return pages_of(claims_of(numbers), lambda one: price(prices, int(one.id[1:])), dynamic_tokens)


def price(prices: Sequence[int], number: int) -> int:
    return prices[number % len(prices)]


def ids(found: ClaimRange, numbers: Sequence[int]) -> list[int]:
    return [number for number in sorted(numbers) if found.first <= number <= found.last]


@given(numbers, prices, st.integers(1, 60_000))
def test_each_claim_is_on_one_page_and_a_page_of_several_fits(numbers: list[int], prices: list[int], dynamic_tokens: int) -> None:
    pages = priced(prices, numbers, dynamic_tokens)
    on = [ids(found, numbers) for found in pages.ranges]
    assert [number for page in on for number in page] == sorted(numbers)
    assert all(found.last - found.first < PAGE_CLAIMS for found in pages.ranges)
    limit = min(dynamic_tokens // 2, MAX_PAGE_TOKENS)
    assert all(len(page) == 1 or sum(price(prices, number) for number in page) <= limit for page in on)


@given(numbers, prices, st.integers(1, 60_000), st.data())
def test_the_pages_named_hold_the_claims_asked_for_and_count_them(
    numbers: list[int], prices: list[int], dynamic_tokens: int, data: st.DataObject
) -> None:
    pages = priced(prices, numbers, dynamic_tokens)
    asked = data.draw(st.lists(st.sampled_from(numbers), unique=True)) if numbers else []
    named = pages.named(f"C{number}" for number in asked)
    assert len(named) <= MAX_PAGES
    on = [ids(parse_claim_range(text), asked) for text, _ in named]
    assert [n for _, n in named] == list(map(len, on))
    assert sorted(number for page in on for number in page) == sorted(asked)


@given(numbers, prices, st.integers(1, 6_000), st.data())
def test_fewer_claims_never_take_more_words(numbers: list[int], prices: list[int], dynamic_tokens: int, data: st.DataObject) -> None:
    pages = priced(prices, numbers, dynamic_tokens)
    some = data.draw(st.lists(st.sampled_from(numbers), unique=True)) if numbers else []
    every, fewer = (dict(pages.named(f"C{number}" for number in asked)) for asked in (numbers, some))
    assert fewer.keys() <= every.keys()
    assert all(n <= every[name] for name, n in fewer.items())


@given(numbers, prices, st.integers(1, 60_000))
def test_a_new_claim_leaves_the_pages_before_it_as_they_were(numbers: list[int], prices: list[int], dynamic_tokens: int) -> None:
    before, after = priced(prices, numbers, dynamic_tokens), priced(prices, [*numbers, 501], dynamic_tokens)
    assert before.ranges[:-1] == after.ranges[: len(before.ranges)][:-1]


def test_thousands_of_claims_have_a_page_each_call_answers() -> None:
    every = claims_of(range(1, 4_001))
    named = pages_of(every, lambda _: 110, 23_648).named(one.id for one in every)
    assert named[:2] == (("C1-C100", 100), ("C101-C200", 100))
    assert (len(named), sum(n for _, n in named)) == (40, 4_000)


def test_where_there_are_more_pages_than_a_section_names_neighbours_are_joined() -> None:
    every = claims_of(range(1, 9_001))
    named = pages_of(every, lambda _: 110, 23_648).named(one.id for one in every)
    assert named[0] == ("C1-C300", 300)
    assert sum(n for _, n in named) == 9_000
    assert len(pages_of(every, lambda _: 110, 2_000).named(one.id for one in every)) <= 5


def test_claims_without_a_number_of_the_store_are_on_no_page() -> None:
    pages = pages_of([replace(claim(1, standing=Standing.OPEN), id="limit"), *claims_of([2])], lambda _: 1, 10_000)
    assert pages.named(("limit", "C2", "C3")) == (("C2", 1),)
    assert Pages().named(("C1",)) == ()
