"""Where a text may be cut for people."""

import pytest
import regex  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from projector.tokens.clusters import cluster_end, cluster_start, is_boundary

MATTER = st.lists(
    st.one_of(
        st.sampled_from(
            "a\r\n\u0301\u200d\u200c👩👧🏽❤\ufe0f🇩🇪🇫क\u094d\u093cष\u0600각가각กำ\u0903\U000e0067\U000e007f🏴\u0e33\u0d4e\u17d2\u1780\u0bbf\u115f\ua960\ud7b0"
        ),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=24,
).map("".join)


def by_unicode(text: str) -> set[int]:
    return {0} | {found.end() for found in regex.finditer(r"\X", text)}


@given(MATTER)
def test_every_boundary_is_one_of_unicode_text_segmentation(text: str) -> None:
    assert {at for at in range(len(text) + 1) if is_boundary(text, at)} <= by_unicode(text)


@given(MATTER, st.integers(0, 24))
def test_start_and_end_are_the_nearest_boundaries(text: str, at: int) -> None:
    at = min(at, len(text))
    start, end = cluster_start(text, at), cluster_end(text, at)
    assert start <= at <= end
    assert is_boundary(text, start)
    assert is_boundary(text, end)
    assert not any(is_boundary(text, place) for place in (*range(start + 1, at), *range(at + 1, end)))


@pytest.mark.parametrize(
    "whole",
    [
        "e\u0301",
        "👩\u200d👩\u200d👧",
        "👍🏽",
        "🇩🇪",
        "❤\ufe0f",
        "1\ufe0f\u20e3",
        "\r\n",
        "क्षि",
        "각",
        "한",
        "\U0001f3f4\U000e0067\U000e0062\U000e007f",
        "กำ",
    ],
)
def test_what_is_read_as_one_character_is_not_parted(whole: str) -> None:
    text = f"a{whole}b"
    assert [at for at in range(len(text) + 1) if is_boundary(text, at)] == [0, 1, len(text) - 1, len(text)]


def test_plain_text_may_be_cut_everywhere() -> None:
    text = "limit: 50, Größe 日志\n\n"
    assert all(is_boundary(text, at) for at in range(len(text) + 1))


def test_flags_are_counted_from_the_start_of_their_row() -> None:
    text = "🇩🇪" * 3
    assert [at for at in range(7) if is_boundary(text, at)] == [0, 2, 4, 6]


def test_a_million_marks_are_one_character_and_cost_no_more_than_their_number() -> None:
    text = "a" + "\u0301" * 200_000 + "b"
    assert cluster_start(text, 200_001 - 1) == 0
    assert cluster_end(text, 1) == 200_001
    assert cluster_start(text, 5_000, 1_024) == 5_000
    assert cluster_end(text, 5_000, 1_024) == 5_000


def test_a_long_row_of_flags_is_no_trap() -> None:
    assert cluster_start("🇩🇪" * 100_000, 99_999) == 99_998
