"""Excerpts: what is shown within a limit, what is said of the rest, and that nothing is cut in the middle of a value."""

import json
import re
from collections.abc import Sequence
from typing import overload

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence_store.documents.detect import open_document
from evidence_store.documents.json import JsonDocument
from evidence_store.documents.model import Child, Document, Node
from evidence_store.documents.resolve import resolve
from evidence_store.errors import NotContainer, NotFound
from evidence_store.excerpts import Children, NoLimit, Shown, continue_by_lines, cut_text, show_keys, show_node, show_receipt, show_slice
from evidence_store.model import Cut, Format, Span, TextLimit
from tests.fakes import CharacterLimit

ORDERS = json.dumps({f"order{n}": {"id": n, "note": "x" * 20} for n in range(30)}, indent=1).encode()


def document(raw: bytes, format: Format = Format.JSON) -> Document:
    return open_document(raw, format)


def show(raw: bytes, pointer: str, n_chars: int, children: Children | None = None, format: Format = Format.JSON) -> Shown:
    parsed = document(raw, format)
    return show_node(parsed, resolve(parsed, pointer), CharacterLimit(n_chars), children)


def node_of(raw: bytes, pointer: str) -> Node:
    return resolve(document(raw), pointer)


def test_a_node_that_fits_is_its_source_and_its_value() -> None:
    shown = show(b'{"a": {"b":  1.10}}', "/a", 100)
    assert shown == Shown('{"b":  1.10}', value=b'{"b":  1.10}')


def test_a_value_names_what_was_done_to_a_number_that_is_none_of_json() -> None:
    shown = show(b"a: 0x1F\n", "/a", 100, format=Format.YAML)
    assert (shown.text, shown.value, shown.transforms) == ("0x1F", b'"0x1F"', ("number_as_text",))


def test_a_container_that_does_not_fit_is_an_outline_and_no_text() -> None:
    shown = show(ORDERS, "", 300)
    assert (shown.text, shown.value, shown.cut) == ("", None, None)
    assert shown.outline is not None
    assert (shown.outline.type, shown.outline.n_children, shown.outline.first) == ("object", 30, 0)
    assert 0 < len(shown.outline.entries) < 30
    assert shown.next == f"--children {len(shown.outline.entries)}-29"


def test_following_next_shows_every_child_once() -> None:
    seen: list[str] = []
    at: str | None = "--children 0-29"
    while at is not None:
        first, last = (int(n) for n in at.removeprefix("--children ").split("-"))
        shown = show(ORDERS, "", 300, Children(first, last))
        assert shown.outline is not None
        seen += [entry.token for entry in shown.outline.entries]
        at = shown.next
    assert seen == [f"order{n}" for n in range(30)]


def test_an_outline_shows_one_child_even_where_none_fits() -> None:
    """So that whoever follows `next` comes to an end."""
    shown = show(ORDERS, "", 1)
    assert shown.outline is not None
    assert [entry.token for entry in shown.outline.entries] == ["order0"]


def test_children_are_shown_also_of_a_container_that_fits() -> None:
    shown = show(b'{"a": 1, "b": 2, "c": 3}', "", 1000, Children(1, 1))
    assert shown.outline is not None
    assert [entry.token for entry in shown.outline.entries] == ["b"]
    assert shown.next == "--children 2-2"


def test_children_past_the_end_are_not_found() -> None:
    with pytest.raises(NotFound):
        show(b"[1, 2]", "", 1000, Children(2, 5))


def test_a_scalar_has_no_children() -> None:
    with pytest.raises(NotContainer):
        show(b'{"a": 1}', "/a", 1000, Children(0, 9))


def test_an_empty_container_has_an_outline_without_entries() -> None:
    shown = show(b'{"a": {}}', "/a", 1000, Children(0, 9))
    assert shown.outline is not None
    assert (shown.outline.entries, shown.next) == ((), None)


def test_a_long_scalar_is_cut_and_says_where_it_goes_on() -> None:
    raw = b'{"a": "' + b"y" * 100 + b'"}'
    shown = show(raw, "/a", 11)
    assert shown.text == '"' + "y" * 10
    assert shown.cut == Cut(Span(6, 17), 102, 1)
    assert (shown.next, shown.value) == ("--bytes 17-108", None)


def test_a_slice_is_cut_at_the_last_line_end_that_fits() -> None:
    raw = b"one\ntwo\nthree\n"
    shown = show_slice(raw, Span(100, 100 + len(raw)), CharacterLimit(9))
    assert shown.text == "one\ntwo\n"
    assert shown.cut == Cut(Span(100, 108), 14, 3)
    assert shown.next == "--bytes 108-114"


def test_lines_that_were_cut_go_on_by_lines() -> None:
    raw = b"one\ntwo\nthree\n"
    shown = continue_by_lines(show_slice(raw, Span(0, len(raw)), CharacterLimit(9)), 5, 7)
    assert shown.next == "--lines 7-7"


def test_a_line_that_was_cut_within_goes_on_by_bytes() -> None:
    raw = b"a very long line\nanother\n"
    shown = continue_by_lines(show_slice(raw, Span(0, len(raw)), CharacterLimit(6)), 1, 2)
    assert (shown.text, shown.next) == ("a very", "--bytes 6-25")


def test_what_fits_is_not_cut() -> None:
    assert show_slice(b"one\n", Span(0, 4), CharacterLimit(4)) == Shown("one\n")


KEYED = '{"größe": 1, "b": [2], "c": {}}'.encode()


def keys_of(limit: TextLimit, children: Children | None = None, raw: bytes = KEYED) -> Shown:
    document = JsonDocument(raw)
    return show_keys(document, document.root, limit, children)


def test_keys_are_their_own_value() -> None:
    assert keys_of(NoLimit()) == keys_of(CharacterLimit(17)) == keys_of(NoLimit(), Children(0, 9))
    assert keys_of(NoLimit()) == Shown('["größe","b","c"]', ("keys/1",), value='["größe","b","c"]'.encode())
    assert keys_of(NoLimit(), raw=b"{}") == Shown("[]", ("keys/1",), value=b"[]")


def test_keys_that_do_not_fit_are_cut_between_two_and_say_how_to_go_on() -> None:
    """What is shown is an array of its own, and the pages stand one behind the other in the bytes of the container."""
    cut = KEYED.index(b', "c"')
    assert keys_of(CharacterLimit(16)) == Shown('["größe","b"]', ("keys/1",), Cut(Span(0, cut), 17, 1), next="--keys --children 2-2")
    assert keys_of(CharacterLimit(16), Children(2, 2)) == Shown('["c"]', ("keys/1",), Cut(Span(cut, len(KEYED)), None, 1))
    assert keys_of(NoLimit(), Children(0, 1)).next == "--keys --children 2-2"


def test_a_key_that_is_itself_too_long_is_cut_and_those_behind_it_are_reached() -> None:
    shown = keys_of(CharacterLimit(5))
    assert (shown.text, shown.value, shown.next) == ('["grö', None, "--keys --children 1-2")


def test_keys_past_the_end_are_not_found() -> None:
    with pytest.raises(NotFound) as caught:
        keys_of(NoLimit(), Children(3, 5))
    assert caught.value.details == {"n_children": 3}


@given(st.lists(st.text(), unique=True), st.integers(2, 60))
def test_the_pages_of_keys_hold_each_of_them_once(names: list[str], n_chars: int) -> None:
    raw = json.dumps(dict.fromkeys(names)).encode()
    found: list[str] = []
    page: Children | None = None
    at = 0
    while True:
        shown = keys_of(CharacterLimit(n_chars), page, raw)
        assert shown.cut is None or shown.cut.shown.start == at
        if len(shown.text) <= n_chars and shown.text.endswith("]"):
            found += json.loads(shown.text)
        else:
            found.append(names[len(found)])  # too long by itself
        if shown.next is None:
            break
        assert shown.cut is not None
        at = shown.cut.shown.end
        first, last = shown.next.removeprefix("--keys --children ").split("-")
        page = Children(int(first), int(last))
    assert found == names


def test_a_receipt_is_shown_within_every_limit_and_is_no_json() -> None:
    assert show_receipt("search/1 {}") == Shown("0 hits", ("search/1 {}",))


def test_the_transforms_of_the_shown_part_are_named() -> None:
    assert show_slice(b"\x1b[31mred\x1b[0m\n", Span(0, 13), NoLimit()) == Shown("red\n", ("ansi_removed/1",))


@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Cs")), max_size=30), st.integers(0, 30))
def test_a_cut_never_splits_a_character(text: str, n_chars: int) -> None:
    raw = text.encode()
    shown = cut_text(raw, Span(0, len(raw)), CharacterLimit(n_chars))
    assert text.startswith(shown.text)
    assert len(shown.text) == min(max(1, n_chars), len(text))
    assert (shown.cut is None) == (shown.text == text)
    assert shown.cut is None or raw[: shown.cut.shown.end].decode() == shown.text


@given(st.lists(st.sampled_from(["", "a", "wörter", "日志 12", "👩‍👧"]), max_size=8), st.integers(1, 20))
def test_following_the_cuts_gives_all_of_the_text(lines: list[str], n_chars: int) -> None:
    raw = "\n".join(lines).encode()
    seen, start = "", 0
    while start < len(raw):
        shown = show_slice(raw[start:], Span(start, len(raw)), CharacterLimit(n_chars))
        seen += shown.text
        start = len(raw) if shown.cut is None else shown.cut.shown.end
        assert shown.next == (None if shown.cut is None else f"--bytes {start}-{len(raw)}")
    assert seen.encode() == raw


def test_bytes_of_another_encoding_are_cut_where_the_limit_is() -> None:
    raw = bytes([0xBF]) * 20
    shown = cut_text(raw, Span(0, 20), CharacterLimit(7))
    assert shown.cut is not None
    assert (shown.cut.shown, shown.transforms) == (Span(0, 7), ("utf8_replaced/1",))


@pytest.mark.parametrize(
    ("source", "shown", "transforms"),
    [
        (r'"\u4e2d\u6587 \ud83d\ude00"', '"中文 😀"', ("escapes_decoded/1",)),
        (r'"\n\"\\u4e2d"', r'"\n\"\\u4e2d"', ()),
        (r'{"\u4e2d": [1]}', '{"中": [1]}', ("escapes_decoded/1",)),
    ],
)
def test_escapes_of_json_are_shown_decoded_and_the_slice_is_kept(source: str, shown: str, transforms: tuple[str, ...]) -> None:
    parsed = document(source.encode())
    made = show_node(parsed, parsed.root, NoLimit())
    assert (made.text, made.transforms) == (shown, transforms)
    assert parsed.source(parsed.root) == source.encode()


def test_a_cut_never_tears_an_escape() -> None:
    source = r'"x\u4e2d\\\ud83d\ude00\u6587"'
    for n_chars in range(1, 12):
        parsed = document(source.encode())
        made = show_node(parsed, parsed.root, CharacterLimit(n_chars))
        assert not re.search(r"(?<!\\)\\(?:u[0-9a-f]{0,3})?$", made.text), made.text
        assert made.cut is None or source.startswith(source.encode()[: made.cut.shown.end].decode())
        assert "\\ud83d" not in made.text


class Watched(JsonDocument):
    """Counts the children that are asked for one by one."""

    n_asked = 0

    def children(self, node: Node) -> Sequence[Child]:
        return WatchedChildren(self, super().children(node))


class WatchedChildren(Sequence[Child]):
    def __init__(self, document: Watched, children: Sequence[Child]) -> None:
        self._document, self._children = document, children

    def __len__(self) -> int:
        return len(self._children)

    @overload
    def __getitem__(self, index: int) -> Child: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Child]: ...
    def __getitem__(self, index: int | slice) -> Child | Sequence[Child]:
        self._document.n_asked += 1
        return self._children[index]


@pytest.mark.parametrize("first", [0, 50_000])
def test_a_page_of_keys_costs_what_it_shows(first: int) -> None:
    document = Watched(json.dumps({f"key{n:05}": n for n in range(100_000)}).encode())
    shown = show_keys(document, document.root, CharacterLimit(10_000), Children(first, 99_999))
    assert len(json.loads(shown.text)) == 909
    assert document.n_asked <= 1024 + 2, "256, 512, 1 024 keys; and those between which the page stands"
