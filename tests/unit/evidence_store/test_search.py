"""Search: one hit a line, or as many as are not seen with one before; literal or RE2, whatever the bytes."""

import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_store.errors import InvalidInput
from evidence_store.model import Span
from evidence_store.search import MAX_PATTERN_BYTES, Hit, search

RAW = (
    "00 ok\r\n01 FAILED test_2\r\n02 café Failed FAILED\n03 \x1b[31mFAI\x1b[0mLED\x1b[0m tail\n04 half\rFAILED".encode()
    + b"\n05 \xff torn test_5"
)


def found(pattern: str, *, regex: bool = False, ignore_case: bool = False, raw: bytes = RAW) -> list[tuple[int, bytes]]:
    hits = search(raw, pattern, regex=regex, ignore_case=ignore_case, limit=1000).hits
    for hit in hits:
        assert hit.line.start <= hit.match.start <= hit.match.end <= hit.line.end
    return [(raw.count(b"\n", 0, hit.line.start), raw[hit.match.start : hit.match.end]) for hit in hits]


def test_a_hit_is_the_first_match_of_its_line() -> None:
    assert found("FAILED") == [(1, b"FAILED"), (2, b"FAILED"), (3, b"FAI\x1b[0mLED"), (4, b"FAILED")]


def test_a_line_is_whole_with_its_end() -> None:
    hit = search(RAW, "test_2").hits[0]
    assert RAW[hit.line.start : hit.line.end] == b"01 FAILED test_2\r\n"
    assert RAW[slice(search(RAW, "test_5").hits[0].line.start, None)] == b"05 \xff torn test_5"


def test_case_is_ignored_when_asked() -> None:
    assert [line for line, _ in found("failed", ignore_case=True)] == [1, 2, 3, 4]
    assert found("CAFÉ", ignore_case=True) == [(2, "café".encode())]
    assert found("failed") == []


def test_literal_patterns_have_no_special_characters() -> None:
    assert found("test_.") == []
    assert found("[31m", ignore_case=True) == [(3, b"[31m")]


def test_expressions_are_by_line_and_end_before_crlf() -> None:
    assert found(r"test_\d$", regex=True) == [(1, b"test_2"), (5, b"test_5")]
    assert found(r"^0[0-2]\s", regex=True) == [(0, b"00 "), (1, b"01 "), (2, b"02 ")]
    assert found(r"ok[\s\S]*FAILED", regex=True) == []
    assert found("(?i)LED tail", regex=True) == [(3, b"LED\x1b[0m tail")]


def test_the_limit_is_said() -> None:
    assert (len(search(RAW, "FAILED", limit=2).hits), search(RAW, "FAILED", limit=2).more) == (2, True)
    assert (len(search(RAW, "FAILED", limit=4).hits), search(RAW, "FAILED", limit=4).more) == (4, False)
    assert search(RAW, "FAILED", limit=0).more
    assert search(b"", "x").hits == ()


@pytest.mark.parametrize(
    ("pattern", "regex"),
    [("", False), ("a\nb", False), ("(", True), (r"(a)\1", True), ("x" * (MAX_PATTERN_BYTES + 1), False), ("\ud83d", False)],
)
def test_a_bad_pattern_is_refused(pattern: str, regex: bool) -> None:
    with pytest.raises(InvalidInput):
        search(RAW, pattern, regex=regex)
    with pytest.raises(InvalidInput):
        search(RAW, "x", limit=-1)


def test_an_expression_that_would_take_exponential_time_elsewhere_ends() -> None:
    assert search(b"a" * 20_000 + b"\n", "(a*)*b", regex=True).hits == ()


PIECES = st.lists(st.sampled_from([b"a", b"b", b"ab", b"\n", b"\r\n", b"\x1b[0m", b"\x1b", b"\xc3\xa9"]), max_size=14).map(b"".join)


@settings(max_examples=200, deadline=None, database=None)
@given(PIECES)
def test_the_literal_search_jumps_over_no_line(raw: bytes) -> None:
    lines = raw.split(b"\n")
    plain = [re.sub(rb"\x1b\[0m", b"", line) for line in lines]
    wanted = [n for n, (line, shown) in enumerate(zip(lines, plain, strict=True)) if b"ab" in line or b"ab" in shown]
    assert [line for line, _ in found("ab", raw=raw)] == wanted
    assert [line for line, _ in found("ab", regex=True, raw=raw)] == wanted


def test_an_empty_match_at_the_end_of_a_line_with_escapes_stands_at_its_end() -> None:
    raw = b"a \x1b[0m\n"
    assert search(raw, r"\B$", regex=True).hits[0].match == Span(6, 6)


def test_the_span_of_a_hit_among_escapes_begins_and_ends_at_its_letters() -> None:
    raw = b"\x1b[1ma\x1b[0mb\x1b[1m\n"
    assert search(raw, "ab").hits[0].match == Span(4, 10)
    assert search(raw, "b").hits[0].match == Span(9, 10)


ESCAPED = b'{"a": "\\u65e5\\u5fd7 error",\n "b": "a\\/b \\\\u65e5", "c": "\\ud83d\\ude00 \xe6\x97\xa5 x"}\n'


@pytest.mark.parametrize(
    ("pattern", "regex", "want"),
    [
        ("日志", False, b"\\u65e5\\u5fd7"),
        ("志 err", False, b"\\u5fd7 err"),
        ("a/b", False, b"a\\/b"),
        ("😀 日", False, "\\ud83d\\ude00 日".encode()),
        ("日.", True, b"\\u65e5\\u5fd7"),
        ("\\u65e5", False, b"\\u65e5"),
    ],
)
def test_json_is_searched_with_its_escapes_undone_too(pattern: str, regex: bool, want: bytes) -> None:
    hit = search(ESCAPED, pattern, regex=regex, escaped=True).hits[0]
    assert ESCAPED[hit.match.start : hit.match.end] == want
    assert ESCAPED[hit.line.start : hit.line.end].endswith(b"\n")


def test_escapes_of_other_texts_are_their_letters() -> None:
    assert search(ESCAPED, "日志").hits == ()
    assert search(b'{"a": "\\\\u65e5"}', "日", escaped=True).hits == ()


@pytest.mark.parametrize("pattern", ["a\\nb", "[x]\\n", "\\\\\\n", "a|b\\n", "a\\x0ab", "\\x{a}", "[\\n]b", "\\012"])
def test_a_pattern_over_a_line_end_is_refused_since_it_could_only_seem_absent(pattern: str) -> None:
    with pytest.raises(InvalidInput, match="line by line"):
        search(b"a\nb\n", pattern, regex=True)


@pytest.mark.parametrize("pattern", ["[^\\n]b", "a\\\\n", "\\d[]\\n]", "\\x0b", "[\\n ]b", "\\\\x0a"])
def test_a_line_feed_that_is_left_out_of_a_class_is_no_line_end(pattern: str) -> None:
    assert search(b"ab\n", pattern, regex=True).more is False


def of_itself(hit: Hit) -> int:
    """The reach of who sees no more of a line than a match."""
    return hit.match.end


@pytest.mark.parametrize(
    ("raw", "pattern", "options"),
    [
        (b"ab ab-ab\nab", "ab", {}),
        (b"ab ab-ab\nab", "a.", {"regex": True}),
        (b"AB ab-aB\nab", "ab", {"ignore_case": True}),
        (b"ab \x1b[1mab\x1b[0m-ab\nab", "ab", {}),
        (b'ab "\\u0061b"-ab\nab', "ab", {"escaped": True}),
        ("ab ab-ab\nab".encode("utf-16le"), "ab", {"encoding": "utf-16le"}),
        ("日b 日b-日b\n日b".encode("cp932"), "日b", {"encoding": "cp932"}),
        (b"ab ab-\xffab\nab", "ab", {"escaped": True}),
    ],
)
def test_who_sees_of_a_line_only_the_match_gets_every_other_one(raw: bytes, pattern: str, options: dict[str, Any]) -> None:
    found = search(raw, pattern, reach=of_itself, **options)
    encoding = options.get("encoding", "utf-8")
    shown = [raw[hit.match.start : hit.match.end].decode(encoding).lower() for hit in found.hits]
    assert [one.replace("\\u0061", "a") for one in shown] == [pattern.replace(".", "b")] * 4
    assert len({hit.line for hit in found.hits}) == 2
    assert not found.more
    assert [hit.match for hit in search(raw, pattern, **options).hits] == [found.hits[0].match, found.hits[3].match]


@pytest.mark.parametrize(("limit", "more"), [(3, True), (4, False)])
def test_places_of_one_line_count_for_the_limit(limit: int, more: bool) -> None:
    found = search(b"ab ab-ab\nab", "ab", limit=limit, reach=of_itself)
    assert (len(found.hits), found.more) == (limit, more)


def test_matches_that_are_seen_with_another_are_no_hits() -> None:
    found = search(b"ab ab ab ab", "ab", reach=lambda hit: hit.match.start + 5)
    assert [hit.match.start for hit in found.hits] == [0, 6]
    assert [hit.match.start for hit in search(b"ab ab ab ab", "ab", reach=lambda hit: hit.match.start + 4).hits] == [0, 3, 6, 9]


def test_an_expression_that_matches_nothing_is_told_once_in_a_place() -> None:
    found = search(b"a\x1b[0mb", "x*", regex=True, reach=of_itself)
    assert len({hit.match for hit in found.hits}) == len(found.hits)


@settings(max_examples=200, deadline=None, database=None)
@given(PIECES, st.booleans())
def test_all_matches_of_all_lines_are_found_in_order_and_apart(raw: bytes, regex: bool) -> None:
    found = [hit.match for hit in search(raw, "ab", regex=regex, limit=1000, escaped=True, reach=of_itself).hits]
    assert all(one.end <= following.start for one, following in pairwise(found))
    assert {match.start() for match in re.finditer(b"ab", raw)} <= {match.start for match in found}
