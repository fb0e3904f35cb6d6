"""How our conclusions are paired with those of the tool that we are held against."""

import pytest

from benchmarks.bench_compat import Conclusion, Finding, compare, is_same_place, read_conclusions, unexplained
from benchmarks.redocly import Major, Place, parse_majors

LINES = ["paths:", "  /a:", "    get:", "      enum:", "      # why", "      - x", "      type: array"]
SAME_LINE = Place("/paths/~1a/get/type", 7)
KEY_LINE = Place("/paths/~1a/get/enum", 4)


def test_one_passage_has_one_pointer_and_one_line() -> None:
    assert is_same_place(SAME_LINE, SAME_LINE, LINES)
    assert not is_same_place(SAME_LINE, Place("/paths/~1a/get/enum", 7), LINES)
    assert not is_same_place(SAME_LINE, Place(SAME_LINE.pointer, 6), LINES)
    assert not is_same_place(None, SAME_LINE, LINES)
    assert not is_same_place(SAME_LINE, None, LINES)


def test_the_line_of_the_key_above_a_block_is_the_same_line() -> None:
    assert is_same_place(KEY_LINE, Place(KEY_LINE.pointer, 6), LINES)
    assert not is_same_place(Place(KEY_LINE.pointer, 3), Place(KEY_LINE.pointer, 6), LINES)
    assert not is_same_place(KEY_LINE, Place(KEY_LINE.pointer, 7), LINES)


def test_what_only_one_side_says_is_told_with_its_place() -> None:
    majors = [Major("type", "narrowed", None, SAME_LINE), Major("renamed", "x became y", KEY_LINE, None)]
    ours = [Conclusion("type_narrowed", "…", None, SAME_LINE), Conclusion("security_added", "…", None, Place("/security", 1))]
    result = compare(majors, ours, LINES, LINES)
    assert result.agreed == 1
    assert result.theirs_only == (Finding("renamed", "x became y", "old /paths/~1a/get/enum line 4"),)
    assert result.ours_only == (Finding("security_added", "…", "new /security line 1"),)


def test_two_majors_about_one_conclusion_are_both_agreed() -> None:
    majors = [Major("type", "narrowed", SAME_LINE, None), Major("items", "added", None, SAME_LINE)]
    result = compare(majors, [Conclusion("type_narrowed", "…", SAME_LINE, SAME_LINE)], LINES, LINES)
    assert (result.agreed, result.theirs_only, result.ours_only) == (2, (), ())


FOUND = [Finding("renamed", "a", "old /a line 1"), Finding("renamed", "b", "old /b line 2")]
LISTED = {"rule": "renamed", "count": 2, "example": "old /a line 1", "reason": "guessed by place"}


def test_a_list_that_fits_has_no_faults() -> None:
    assert unexplained(FOUND, [LISTED]) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"count": 1}, "2 found, 1 listed"),
        ({"example": "old /c line 3"}, "not among the findings"),
        ({"reason": " "}, "no reason"),
        ({"rule": "moved"}, "renamed: 2 found, 0 listed"),
    ],
)
def test_each_way_of_not_fitting_is_said(change: dict[str, object], said: str) -> None:
    assert any(said in fault for fault in unexplained(FOUND, [{**LISTED, **change}]))


def test_only_major_verdicts_are_taken_and_pointers_lose_their_hash() -> None:
    side = {"pointer": "#/paths/~1a", "line": 2, "file": "f"}
    verdicts = [{"ruleId": "r", "message": "m", "impact": impact} for impact in ("major", "minor")]
    answer = {"changes": [{"verdicts": verdicts, "base": side}, {"verdicts": [], "revision": side}]}
    assert parse_majors(answer) == (Major("r", "m", Place("/paths/~1a", 2), None),)


def test_only_verified_conclusions_are_compared() -> None:
    packet = {"pointer": "/a", "lines": [3, 4]}
    items = [{"standing": standing, "rule": "r", "text": "t", "old": packet, "new": None} for standing in ("verified", "open")]
    assert read_conclusions({"conclusions": items}) == (Conclusion("r", "t", Place("/a", 3), None),)
