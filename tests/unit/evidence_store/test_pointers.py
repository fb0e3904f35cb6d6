"""Pointers: RFC 6901 in both forms, told apart from what only looks like one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_store.errors import BadIndex, MalformedPointer, NotFound
from evidence_store.model import Pointer
from evidence_store.pointers import (
    ROOT,
    array_index,
    format_pointer,
    is_prefix,
    join,
    last_token,
    parent,
    parse_pointer,
    plain_form,
)

TOKENS = st.lists(st.text(st.characters(codec="utf-8") | st.sampled_from("~/01%#"), max_size=8), max_size=6).map(tuple)


@settings(max_examples=200, deadline=None, database=None)
@given(TOKENS)
def test_formatting_and_parsing_are_inverses(tokens: tuple[str, ...]) -> None:
    assert parse_pointer(format_pointer(tokens)) == tokens


@settings(max_examples=100, deadline=None, database=None)
@given(TOKENS)
def test_the_fragment_form_of_a_pointer_gives_its_plain_form(tokens: tuple[str, ...]) -> None:
    plain = format_pointer(tokens)
    fragment = "#" + "".join(f"%{byte:02x}" for byte in plain.encode())
    assert plain_form(fragment) == plain


@settings(max_examples=100, deadline=None, database=None)
@given(TOKENS, st.text(st.characters(codec="utf-8"), max_size=8))
def test_the_parent_of_a_child_is_the_container(tokens: tuple[str, ...], token: str) -> None:
    container = format_pointer(tokens)
    child = join(container, token)
    assert parent(child) == container
    assert last_token(child) == token
    assert is_prefix(container, child)
    assert not is_prefix(child, container)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", ()),
        ("#", ()),
        ("/", ("",)),
        ("//", ("", "")),
        ("/a~1b", ("a/b",)),
        ("/~01", ("~1",)),
        ("/~001", ("~01",)),
        ("/a%25b", ("a%25b",)),
        ("#/a%25b", ("a%b",)),
        ("#/a%2525b", ("a%25b",)),
        ("#/caf%C3%A9", ("café",)),
        ("#/x%7E1y", ("x/y",)),
        ("#/x%2Fy", ("x", "y")),
    ],
)
def test_escapes_are_undone_once_and_percent_signs_in_fragments_only(text: str, tokens: tuple[str, ...]) -> None:
    assert parse_pointer(text) == tokens


@pytest.mark.parametrize("text", ["x", "/x~", "/x~2", "/~", "#x", "#/a%zz", "#/a%4", "#/caf%E9", "/\ud83d"])
def test_a_malformed_pointer_is_refused(text: str) -> None:
    with pytest.raises(MalformedPointer):
        parse_pointer(text)


def test_the_error_names_the_token_and_no_more_than_a_part_of_it() -> None:
    with pytest.raises(MalformedPointer, match="x~2") as caught:
        parse_pointer("/fine/x~2/later")
    assert "later" not in caught.value.message
    with pytest.raises(MalformedPointer) as caught:
        parse_pointer("/" + "y" * 100_000 + "~")
    assert len(caught.value.message) < 400


@pytest.mark.parametrize("token", ["01", "00", "-1", "+1", "1 ", " 1", "", "1_0", "1e0", "1.0", "0x1", "\u0661"])
def test_what_is_no_index_is_told_apart_from_what_is_past_the_end(token: str) -> None:
    with pytest.raises(BadIndex):
        array_index(token, 3)


@pytest.mark.parametrize("token", ["3", "-", "99999999999999999999", "9" * 10_000])
def test_an_index_past_the_end_is_not_found(token: str) -> None:
    with pytest.raises(NotFound) as caught:
        array_index(token, 3)
    assert len(caught.value.message) < 400


def test_an_index_inside_is_a_number() -> None:
    assert [array_index(token, 11) for token in ("0", "2", "10")] == [0, 2, 10]


def test_the_root_is_its_own_parent() -> None:
    assert parent(ROOT) == ROOT
    assert last_token(ROOT) is None
    assert is_prefix(ROOT, Pointer("/a"))
    assert not is_prefix(Pointer("/a"), Pointer("/ab"))
