"""Canonical bytes: RFC 8785, and nothing that has no such form."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence_store.canonical import canonical_bytes, canonical_digest, digest_of, storable
from evidence_store.errors import InvalidInput, JsonValue

LARGEST = 2**53 - 1
VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers(-LARGEST, LARGEST) | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_canonical_bytes_mean_what_went_in(value: JsonValue) -> None:
    assert json.loads(canonical_bytes(value)) == value


@given(st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=4), st.integers(0, 9), max_size=6))
def test_the_order_in_which_members_were_written_does_not_matter(value: dict[str, int]) -> None:
    assert canonical_bytes(dict(reversed(value.items()))) == canonical_bytes(value)


def test_members_are_sorted_by_utf_16_code_units() -> None:
    """RFC 8785 section 3.2.3: U+1F600 is written with the surrogate D83D, which stands before U+FB33."""
    assert canonical_bytes({"\ufb33": 1, "\U0001f600": 2, "a": 3}) == '{"a":3,"\U0001f600":2,"\ufb33":1}'.encode()


def test_only_control_characters_quote_and_backslash_are_escaped() -> None:
    assert canonical_bytes('Größe/\u2028"\\\n\x01') == '"Größe/\u2028\\"\\\\\\n\\u0001"'.encode()


@pytest.mark.parametrize("value", [LARGEST + 1, -LARGEST - 1, float("nan"), float("inf"), "\ud800", {"\udc00": 1}, [["\ud83d"]]])
def test_what_has_no_canonical_form_is_refused(value: JsonValue) -> None:
    with pytest.raises(InvalidInput):
        canonical_bytes(value)


def test_what_is_nested_too_deeply_is_refused() -> None:
    value: JsonValue = []
    for _ in range(5_000):
        value = [value]
    with pytest.raises(InvalidInput, match="nested too deeply"):
        canonical_bytes(value)


def test_the_bounds_of_integers_are_inclusive() -> None:
    assert canonical_bytes([LARGEST, -LARGEST]) == b"[9007199254740991,-9007199254740991]"


def test_a_digest_names_the_algorithm_and_is_lower_case_hex() -> None:
    """The SHA-256 of no bytes (FIPS 180-4 examples)."""
    assert digest_of(b"") == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_the_digest_of_a_value_is_that_of_its_canonical_bytes() -> None:
    assert canonical_digest({"b": 1, "a": 2}) == digest_of(b'{"a":2,"b":1}')


@given(VALUES)
def test_what_has_a_canonical_form_is_stored_as_it_is(value: JsonValue) -> None:
    assert storable(value) == value


@given(st.recursive(st.none() | st.integers() | st.floats() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_whatever_a_model_writes_can_be_stored(value: JsonValue) -> None:
    canonical_bytes(storable(value))


def test_what_is_stored_as_text_looks_like_what_it_was() -> None:
    odd: JsonValue = {"half \ud800": [10**20, -(10**20), float("inf"), "\udc00"]}
    assert storable(odd) == {"half \ufffd": ["100000000000000000000", "-100000000000000000000", "inf", "\ufffd"]}
    assert storable(10**5000) == hex(10**5000)
    deep: JsonValue = []
    for _ in range(2_000):
        deep = [deep]
    assert "nested too deeply" in canonical_bytes(storable(deep)).decode()
