"""Locate: same, moved, changed or gone, decided by the passage."""

import json

import pytest

from evidence_store.documents.detect import open_document
from evidence_store.documents.model import Document
from evidence_store.errors import NotFound
from evidence_store.locate import locate, locate_bytes
from evidence_store.model import Currency, Format, Span

OLD = {
    "info": {"title": "Depot"},
    "list": [{"name": "limit", "maximum": 100}, {"name": "sort"}],
    "gone": {"x": 1},
    "kept": {"y": 2},
    "bare": [[1], [2]],
    "grown": [[1, 1], [2, 2]],
    "twice": [[0], [7]],
    "tags": ["a", "b"],
    "paths": {"/u/{id}": {"get": 1}, "/v/{id}": 1},
    "kind": {"a": 1},
}
NEW = {
    "info": {"title": "Depot 2"},
    "list": [{"name": "region"}, {"name": "limit", "maximum": 100}, {"name": "sort", "x": 1}],
    "kept": {"y": 2},
    "bare": [[1], [9]],
    "grown": [[0], [0], [1, 1], [2, 3]],
    "twice": [[7], [7], [0]],
    "tags": ["b"],
    "paths": {"/u/{userId}": {"get": 1}, "/v/{a}": 1, "/v/{b}": 1},
    "kind": [1],
}


def document(value: object) -> Document:
    return open_document((json.dumps(value, indent=1) + "\n").encode(), Format.JSON)


@pytest.mark.parametrize(
    ("pointer", "verdict", "found"),
    [
        ("/kept/y", "same", "/kept/y"),
        ("#/kept", "same", "/kept"),
        ("/info/title", "changed", "/info/title"),
        ("", "changed", ""),
        ("/gone/x", "gone", None),
        ("/list/0", "moved", "/list/1"),
        ("/list/0/maximum", "moved", "/list/1/maximum"),
        ("/list/1", "changed", "/list/2"),
        ("/bare/0", "same", "/bare/0"),
        ("/bare/1", "changed", "/bare/1"),
        ("/grown/0", "moved", "/grown/2"),
        ("/grown/1", "gone", None),
        ("/twice/1", "same", "/twice/1"),
        ("/twice/0", "moved", "/twice/2"),
        ("/tags/1", "moved", "/tags/0"),
        ("/tags/0", "gone", None),
        ("/paths/~1u~1{id}/get", "moved", "/paths/~1u~1{userId}/get"),
        ("/paths/~1v~1{id}", "gone", None),
        ("/kind/a", "gone", None),
        ("/kind", "changed", "/kind"),
    ],
)
def test_a_passage_is_followed_by_what_it_is(pointer: str, verdict: str, found: str | None) -> None:
    located = locate(document(OLD), pointer, document(NEW))
    assert (located.verdict, located.pointer) == (Currency(verdict), found)


def test_several_equal_items_elsewhere_are_no_answer() -> None:
    located = locate(document([[1, 1], [5]]), "/1", document([[5], [1, 1], [5]]))
    assert (located.verdict, located.pointer) == (Currency.GONE, None)


def test_another_layout_is_the_same_passage() -> None:
    old = open_document(b"a:\n    b: 'x'\n", Format.YAML)
    new = open_document(b"c: 1\na: {b: x}\n", Format.YAML)
    assert locate(old, "/a", new).verdict is Currency.SAME
    assert locate(old, "/a", open_document(b'{"a": {"b": "x"}}', Format.JSON)).verdict is Currency.SAME


def test_a_change_behind_an_alias_is_a_change() -> None:
    old = open_document(b"b: &b {x: 1}\nu: [*b]\n", Format.YAML)
    new = open_document(b"b: &b {x: 2}\nu: [*b]\n", Format.YAML)
    assert locate(old, "/u", new).verdict is Currency.CHANGED


def test_a_member_that_is_repeated_by_now_is_gone() -> None:
    assert locate(open_document(b'{"a":1}', Format.JSON), "/a", open_document(b'{"a":1,"a":1}', Format.JSON)).verdict is Currency.GONE


def test_a_pointer_that_leads_nowhere_in_the_old_document_is_an_error() -> None:
    with pytest.raises(NotFound):
        locate(document(OLD), "/none", document(NEW))


@pytest.mark.parametrize(("new", "verdict"), [(b"abc\n", "same"), (b"abc", "moved"), (b"", "moved")])
def test_no_bytes_stand_where_there_are_any(new: bytes, verdict: str) -> None:
    """A slice past the end is empty, too, and no place that could be read."""
    found = locate_bytes(b"abcd\n", Span(3, 3), new)
    assert found.verdict is Currency(verdict)
    assert found.span is None or found.span.end <= len(new)


def test_bytes_are_followed_where_they_stand_once() -> None:
    old = b"one\nFAILED x\n"
    span = Span(4, 12)
    assert locate_bytes(old, span, old + b"more\n").verdict is Currency.SAME
    moved = locate_bytes(old, span, b"zero\none\nFAILED x\n")
    assert (moved.verdict, moved.span, moved.n_places) == (Currency.MOVED, Span(9, 17), 1)
    assert locate_bytes(old, span, b"nothing\n").verdict is Currency.GONE
    several = locate_bytes(old, span, b"FAILED x\nFAILED x\n")
    assert (several.verdict, several.span, several.n_places) == (Currency.MOVED, None, 2)


API = {"openapi": "3.1.0"}


def test_a_list_that_is_a_set_is_the_same_in_any_order() -> None:
    old, new = document(API | {"required": ["a", "b"], "list": ["a", "b"]}), document(API | {"required": ["b", "a"], "list": ["b", "a"]})
    assert locate(old, "/required", new).verdict is Currency.SAME
    assert locate(old, "/list", new).verdict is Currency.CHANGED
    one, other, twice = (document(API | {"a": {"enum": listed}}) for listed in ([1, "1"], ["1", 1], [1, 1]))
    assert locate(one, "/a", other).verdict is Currency.SAME
    assert locate(twice, "/a", one).verdict is Currency.CHANGED


def test_a_list_of_that_name_in_other_documents_is_a_list() -> None:
    assert locate(document({"tags": ["a", "b"]}), "/tags", document({"tags": ["b", "a"]})).verdict is Currency.CHANGED


def test_of_several_places_the_one_with_the_same_neighbours_is_taken() -> None:
    old = b"a\nretry\nb\nretry\nc\n"
    new = b"new\n" + old
    at = old.index(b"retry", 5)
    found = locate_bytes(old, Span(at, at + 6), new)
    assert (found.verdict, found.span, found.n_places) == (Currency.MOVED, Span(at + 4, at + 10), 2)


def test_bytes_of_wide_characters_are_found_at_their_borders_only() -> None:
    old, new = "l12".encode("utf-16le"), b"A" + "l12".encode("utf-16le") + b"A"
    assert locate_bytes(old, Span(0, 6), new, 2).verdict is Currency.GONE
