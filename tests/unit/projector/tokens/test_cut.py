"""Cuts: never over the limit, never through a character, the marker always whole, JSON still JSON."""

import json
import random
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projector import RefusedCut, counter_for
from projector.ports import Exactness, TokenCounter
from projector.tokens.clusters import is_boundary
from projector.tokens.cut import CutText, Omission, cut_json, cut_text, format_marker
from projector.tokens.hostile import MAX_SPACES
from tests.unit.projector.tokens.hard_texts import HARD_TEXTS


class WordCounter:
    """Counts words; knows nothing of cutting."""

    id = "words"
    exactness: Exactness = "exact"

    def count(self, text: str) -> int:
        return len(text.split())


COUNTERS: tuple[TokenCounter, ...] = (
    *map(counter_for, ("o200k_base", "cl100k_base", "bytes", "estimate:claude", "bound:gemini")),
    WordCounter(),
)
O200K = COUNTERS[0]
MATTER = st.lists(
    st.one_of(
        st.sampled_from(
            (
                "e\u0301",
                "👩\u200d👩\u200d👧",
                "👍🏽",
                "🇩🇪🇫🇷",
                "\r\n",
                "日志",
                "\x1b[0m",
                "   ",
                "word ",
                "x" * 30,
                "\ud83d",
                "\ufffd",
                "क्षि",
            )
        ),
        st.text(max_size=6),
    ),
    max_size=60,
).map("".join)
MARKER = re.compile(r"\n\[cut: [\d,]+ of [\d,]+ characters(, [\d,]+ of [\d,]+ line ends)?\]\n")


def check(text: str, n_tokens: int, counter: TokenCounter, made: CutText) -> None:
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert counter.count(made.text) == made.figure.tokens <= max(n_tokens, 0)
    made.text.encode()  # or raises
    omitted = made.omitted
    if omitted is None:
        assert made.text == whole
        return
    if made.text == "":
        assert (omitted.start, omitted.end) == (0, len(whole))
        return
    assert made.text == whole[: omitted.start] + format_marker(omitted) + whole[omitted.end :]
    assert MARKER.search(made.text)
    assert is_boundary(whole, omitted.start)
    assert is_boundary(whole, omitted.end)
    assert omitted.n_lines == whole[omitted.start : omitted.end].count("\n")


@pytest.mark.parametrize("counter", COUNTERS, ids=lambda counter: counter.id)
@given(text=MATTER.filter(bool), n_tokens=st.integers(0, 90), head_percent=st.sampled_from((0, 1, 60, 100)))
def test_a_cut_keeps_the_rules(counter: TokenCounter, text: str, n_tokens: int, head_percent: int) -> None:
    check(text, n_tokens, counter, cut_text(text, n_tokens, counter, head_percent=head_percent))


@pytest.mark.parametrize("kind", HARD_TEXTS)
def test_hard_texts_are_cut_within_the_limit(kind: str) -> None:
    for n_tokens in (0, 1, 20, 33, 77, 250):
        check(HARD_TEXTS[kind], n_tokens, O200K, cut_text(HARD_TEXTS[kind], n_tokens, O200K))


def test_the_room_is_used_sixty_to_forty() -> None:
    rng = random.Random(1)
    text = "".join(f"{n} {rng.choice(('limit', 'order', 'Größe'))} {rng.random():.5f} of the log\n" for n in range(5_000))
    for n_tokens in (100, 512, 2_000):
        made = cut_text(text, n_tokens, O200K)
        assert made.omitted is not None
        assert 0.97 * n_tokens <= made.figure.tokens <= n_tokens
        head = O200K.count(text[: made.omitted.start])
        tail = O200K.count(text[made.omitted.end :])
        assert 0.5 < head / (head + tail) < 0.7


def test_a_text_that_fits_comes_back_as_it_is() -> None:
    for counter in COUNTERS:
        text = "a line\nand another\n"
        n_tokens = counter.count(text)
        assert cut_text(text, n_tokens, counter) == CutText(text, cut_text(text, 100, counter).figure)
        assert cut_text(text, n_tokens - 1, counter).omitted is not None
    assert cut_text("", 0, O200K).text == ""


def test_one_end_alone() -> None:
    text = "".join(f"line {n}\n" for n in range(1_000))
    assert cut_text(text, 60, O200K, head_percent=100).text.endswith("line ends]\n")
    assert cut_text(text, 60, O200K, head_percent=0).text.startswith("\n[cut: ")
    assert cut_text(text, 60, O200K, head_percent=0).text.endswith("line 999\n")


def test_the_marker_says_how_much_of_how_much() -> None:
    text = "".join(f"line {n}\n" for n in range(1_000))
    made = cut_text(text, 60, O200K)
    assert made.omitted is not None
    said = f"{made.omitted.end - made.omitted.start:,} of 8,890 characters, {made.omitted.n_lines:,} of 1,000 line ends"
    assert f"[cut: {said}]" in made.text
    assert cut_text("x" * 100, 8, counter_for("bytes")).text == ""
    assert "line" not in cut_text("日" * 1_000, 30, O200K).text


def test_where_only_the_marker_fits_it_stands_alone() -> None:
    text = "a\n" * 10_000
    alone = format_marker(Omission(0, 20_000, 20_000, 10_000, 10_000))
    assert cut_text(text, O200K.count(alone), O200K).text == alone
    assert cut_text(text, O200K.count(alone) - 1, O200K).text == ""


def test_a_marker_of_ones_own_is_counted_in() -> None:
    made = cut_text("word " * 1_000, 50, O200K, marker=lambda omitted: f" <<{omitted.end - omitted.start}>> ")
    assert made.omitted is not None
    assert f" <<{made.omitted.end - made.omitted.start}>> " in made.text
    assert made.figure.tokens <= 50


def test_hostile_texts_are_cut_too() -> None:
    for text in (" " * (2 * MAX_SPACES), "a" + "\u0301" * 30_000, "🇩🇪" * 20_000, "👩\u200d" * 20_000):
        check(text, 100, O200K, cut_text(text, 100, O200K))


@pytest.mark.parametrize("percent", [-1, 101])
def test_a_percentage_that_is_none_is_refused(percent: int) -> None:
    with pytest.raises(ValueError, match="percentage"):
        cut_text("x", 1, O200K, head_percent=percent)


@pytest.mark.parametrize(("start", "end"), [(0, 0), (3, 2), (0, 11), (-1, 3)])
def test_nothing_left_out_is_no_omission(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="left out"):
        Omission(start, end, 10, 0, 0)


# -- JSON

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=5) | st.just("[cut]"), inner, max_size=6),
    max_leaves=40,
).filter(lambda value: isinstance(value, list | dict))


def is_beginning(part: Any, whole: Any) -> bool:
    """Whether a cut value holds what the whole begins with, in its order, but for the markers."""
    if isinstance(whole, dict):
        kept = [(name, value) for name, value in part.items() if name in whole]
        more = [name for name in part if name not in whole]
        same = [name for name, _ in kept] == list(whole)[: len(kept)]
        marked = bool(more) == (len(kept) < len(whole)) and len(more) <= 1 and (not more or more[0].strip("[]") == "cut")
        return same and marked and all(is_beginning(value, whole[name]) for name, value in kept)
    if isinstance(whole, list):
        n_kept = len(part) if len(part) == len(whole) and not _is_marker(part, whole) else len(part) - 1
        return all(is_beginning(one, other) for one, other in zip(part[:n_kept], whole, strict=False))
    return bool(part == whole)


def _is_marker(part: list[Any], whole: list[Any]) -> bool:
    last = part[-1] if part else None
    return isinstance(last, str) and last.startswith("[cut] ") and last != whole[-1]


@given(VALUES, st.integers(0, 80), st.sampled_from((None, 2)))
def test_a_cut_json_text_is_json_of_the_same_beginning(value: Any, n_tokens: int, indent: int | None) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    try:
        made = cut_json(text, n_tokens, O200K)
    except RefusedCut:
        assert O200K.count(text) > n_tokens
        return
    assert O200K.count(made.text) == made.figure.tokens <= n_tokens
    if made.omitted is None:
        assert made.text == text
    else:
        assert made.text.startswith(text[: made.omitted.start])
        assert is_beginning(json.loads(made.text), json.loads(text))


def test_the_markers_say_how_many_are_missing() -> None:
    text = json.dumps({"openapi": "3.1.0", "paths": [{"id": n, "name": f"order {n}"} for n in range(200)], "info": {}})
    made = cut_json(text, 100, O200K)
    found = json.loads(made.text)
    assert list(found) == ["openapi", "paths", "[cut]"]
    assert found["[cut]"] == "1 of 3 members"
    assert made.omitted is not None
    n_kept = len(found["paths"]) - 1
    missing = rf"\[cut\] {200 - n_kept} of 200 items, {len(text) - made.omitted.start} of {len(text)} characters of the text"
    assert re.fullmatch(missing, found["paths"][-1]) or "members" in str(found["paths"][-2])
    assert 70 <= made.figure.tokens <= 100


def test_numbers_and_strings_keep_their_characters() -> None:
    text = '{"a": 1.50, "b": 1E400, "c": "\\u00e9\\ud800", "a": 12345678901234567890123, "d": ' + json.dumps(["x"] * 500) + "}"
    made = cut_json(text, 80, O200K)
    assert made.text.startswith('{"a": 1.50, "b": 1E400, "c": "\\u00e9\\ud800", "a": 12345678901234567890123, "d": ["x"')


def test_a_member_that_is_named_like_the_marker_is_not_repeated() -> None:
    text = json.dumps({"[cut]": 1, "[[cut]]": 2, "long": "x y " * 500})
    assert list(json.loads(cut_json(text, 60, O200K).text)) == ["[cut]", "[[cut]]", "[[[cut]]]"]


def test_a_json_text_that_fits_comes_back_as_it_is() -> None:
    assert cut_json(' {"a" : [1 ] }\n', 100, O200K).text == ' {"a" : [1 ] }\n'


@pytest.mark.parametrize(
    "text", ["", "no json", '{"a":1', '"a string ' + "x " * 500 + '"', "NaN", "[NaN]", "[" * 100_000, "[1] 2", "\ufeff[1]", "1" * 500]
)
def test_what_is_no_object_or_array_is_refused(text: str) -> None:
    with pytest.raises(RefusedCut):
        cut_json(text, 50, O200K)


def test_too_few_tokens_are_refused_by_their_number() -> None:
    with pytest.raises(RefusedCut, match="5 tokens") as caught:
        cut_json(json.dumps(list(range(1_000))), 5, O200K)
    assert caught.value.details["limit"] == 5


def test_a_text_too_large_to_look_through_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("projector.tokens.json_cut.MAX_CHARS", 1_000)
    with pytest.raises(RefusedCut, match="at most 1000"):
        cut_json(json.dumps(list(range(1_000))), 100, O200K)


@pytest.mark.parametrize("counter", COUNTERS, ids=lambda counter: counter.id)
def test_every_counter_can_cut_json(counter: TokenCounter) -> None:
    text = json.dumps([{"id": n, "name": "an order of five words"} for n in range(300)])
    made = cut_json(text, 300, counter)
    assert counter.count(made.text) <= 300
    assert json.loads(made.text)
