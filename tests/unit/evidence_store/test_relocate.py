"""What is like a passage that is gone: the best of several, near where it was, and nothing rather than anything."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence_store.documents.detect import open_document
from evidence_store.documents.model import Document
from evidence_store.model import Format, LineRange
from evidence_store.relocate import MAX_CHARS, MIN_SCORE, find_like_lines, find_like_node

LINES = ["start", "12:00 worker 7 failed: timeout after 30 s", "retry", "12:05 worker 9 failed: timeout after 60 s", "end"]


def document(value: object) -> Document:
    return open_document(json.dumps(value, indent=1).encode(), Format.JSON)


def test_the_line_that_is_most_like_it_is_found() -> None:
    found = find_like_lines("11:59 worker 9 failed: timeout after 60 s\n", LINES, near=1)
    assert found is not None
    assert (found.lines, found.score >= MIN_SCORE) == (LineRange(4, 4), True)


def test_lines_that_stand_together_are_found_together() -> None:
    found = find_like_lines("retry!\n12:05 worker 9 failed: timeout after 61 s\n", LINES, near=1)
    assert found is not None
    assert found.lines == LineRange(3, 4)


def test_of_equally_like_lines_the_nearest_is_found() -> None:
    lines = ["x"] * 100
    lines[10] = lines[80] = "error 1 in module a"
    for near, line in ((1, 11), (95, 81)):
        found = find_like_lines("error 2 in module a", lines, near)
        assert found is not None
        assert found.lines == LineRange(line, line)


@pytest.mark.parametrize("passage", ["", "\n", "nothing of this kind stands there", "x" * (MAX_CHARS + 1)])
def test_nothing_is_found_where_nothing_is_like_it(passage: str) -> None:
    assert find_like_lines(passage, [*LINES, "y" * (MAX_CHARS + 1)], near=1) is None


@given(st.lists(st.text(max_size=12), max_size=8), st.text(max_size=20))
def test_what_is_found_lies_within_the_text_and_is_alike(lines: list[str], passage: str) -> None:
    clean = [line.replace("\n", " ") for line in lines]
    found = find_like_lines(passage, clean, near=1)
    assert found is None or (1 <= found.lines.first <= found.lines.last <= len(clean) and MIN_SCORE <= found.score <= 100)


def test_a_member_under_another_name_is_found() -> None:
    old = document({"a": {"user_name": {"type": "string", "maxLength": 50}, "id": 1}})
    new = document({"a": {"username": {"type": "string", "maxLength": 60}, "id": 1, "email": {"type": "string"}}})
    found = find_like_node(old, "/a/user_name/maxLength", new)
    assert found is not None
    assert found.pointer == "/a/username/maxLength"


def test_a_member_that_was_there_before_is_not_found() -> None:
    old = document({"limit": 50, "limits": 50})
    assert find_like_node(old, "/limit", document({"limits": 50})) is None


def test_an_item_without_a_name_is_found_by_what_it_says() -> None:
    old, new = document({"a": [["one", "two", "three"], [1]]}), document({"a": [[1], [2], ["one", "two", "four"]]})
    found = find_like_node(old, "/a/0", new)
    assert found is not None
    assert found.pointer == "/a/2"


def test_what_is_still_there_is_not_looked_for() -> None:
    assert find_like_node(document({"a": 1}), "/a", document({"a": 2})) is None
