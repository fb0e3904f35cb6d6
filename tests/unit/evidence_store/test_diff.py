"""Diff: the smallest places that changed, and where the absence of a side shows."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_store.diff import Diff, Pair, diff
from evidence_store.diff_lines import MAX_LINES, LinePair, diff_lines
from evidence_store.documents.detect import open_document
from evidence_store.documents.equality import same_value
from evidence_store.documents.model import Document, NodeType
from evidence_store.documents.resolve import resolve
from evidence_store.errors import LimitExceeded, NotFound
from evidence_store.model import Format, LineRange, Pointer


def document(value: object) -> Document:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return open_document(raw, Format.JSON)


def yaml_document(text: str) -> Document:
    return open_document(text.encode(), Format.YAML)


def changes(found: Diff) -> list[tuple[str, str | None, str | None]]:
    return [(pair.change, pair.old, pair.new) for pair in found.pairs]


def test_each_kind_of_change_names_both_sides() -> None:
    found = diff(document({"a": {"x/y": 1, "k": 1}, "t": 1}), document({"a": {"k": 2, "new~": [1]}, "t": "1"}))
    assert found.pairs == (
        Pair("removed", Pointer("/a/x~1y"), None, Pointer("/a")),
        Pair("changed", Pointer("/a/k"), Pointer("/a/k")),
        Pair("added", None, Pointer("/a/new~0"), Pointer("/a")),
        Pair("changed", Pointer("/t"), Pointer("/t")),
    )
    assert not found.more


def test_numbers_are_compared_by_their_digits() -> None:
    assert changes(diff(document(b"[9007199254740993, 1.10]"), document(b"[9007199254740992, 1.1]"))) == [
        ("removed", "/0", None),
        ("removed", "/1", None),
        ("added", None, "/0"),
        ("added", None, "/1"),
    ]
    assert changes(diff(document(b'{"a":1.10}'), document(b'{"a":1.1}'))) == [("changed", "/a", "/a")]


def test_items_are_recognised_by_what_names_them() -> None:
    old = [{"name": "limit", "in": "query", "max": 100}, {"name": "sort", "in": "query"}, {"name": "old", "in": "query"}]
    new = [{"name": "region", "in": "query"}, {"name": "limit", "in": "query", "max": 50}, {"name": "sort", "in": "query"}]
    assert changes(diff(document(old), document(new))) == [
        ("changed", "/0/max", "/1/max"),
        ("removed", "/2", None),
        ("added", None, "/0"),
    ]


def test_an_item_that_changed_its_order_is_moved() -> None:
    assert changes(diff(document(["a", "b", "c"]), document(["c", "a", "b"]))) == [("moved", "/2", "/0")]
    assert changes(diff(document(["a", "b"]), document(["x", "a", "b"]))) == [("added", None, "/0")]


def test_items_without_names_are_compared_between_the_equal_ends() -> None:
    old, new = [[1], [2], [3]], [[1], [9], [2], [3]]
    assert changes(diff(document(old), document(new))) == [("added", None, "/1")]
    assert changes(diff(document(new), document(old))) == [("removed", "/1", None)]
    assert changes(diff(document([[1], [2], [2]]), document([[1], [5], [2]]))) == [("removed", "/1/0", None), ("added", None, "/1/0")]
    assert changes(diff(document([[1], [1]]), document([[1]]))) == [("removed", "/1", None)]


def test_a_list_of_scalars_and_containers_is_compared_by_index() -> None:
    assert changes(diff(document([1, {"id": 1}]), document([2, {"id": 1}]))) == [("changed", "/0", "/0")]


def test_layout_is_no_change() -> None:
    assert diff(document(b"[ ]"), document(b"[]")).pairs == ()
    assert diff(document(b'{"a":1,"b":2}'), document(b'{ "b": 2, "a": 1 }')).pairs == ()


def test_a_changed_type_is_one_change_at_that_node() -> None:
    assert changes(diff(document({"a": {"b": 1}}), document({"a": [1]}))) == [("changed", "/a", "/a")]
    assert changes(diff(document([]), document({}))) == [("changed", "", "")]


def test_yaml_and_json_of_one_value_do_not_differ() -> None:
    text = "a: {b: 'x', c: [1, NO]}\nd: |\n  t\n"
    same = {"a": {"c": [1, "NO"], "b": "x"}, "d": "t\n"}
    assert diff(yaml_document(text), document(same)).pairs == ()
    assert diff(yaml_document("a:\n    b: 1\n"), yaml_document("a: {b: 1}\n")).pairs == ()


def test_a_change_behind_an_alias_is_seen_although_the_slices_are_equal() -> None:
    old, new = "b: &b {x: 1}\nu: {r: *b}\nm: {<<: *b}\n", "b: &b {x: 2}\nu: {r: *b}\nm: {<<: *b}\n"
    assert changes(diff(yaml_document(old), yaml_document(new))) == [("changed", p, p) for p in ("/b/x", "/u/r/x", "/m/x")]


def test_an_object_that_repeats_a_member_is_named_as_a_whole() -> None:
    assert changes(diff(document(b'{"a":{"x":1,"x":2}}'), document(b'{"a":{"x":1}}'))) == [("changed", "/a", "/a")]
    assert diff(document(b'{"a":{"x":1,"x":2}}'), document(b'{"a":{"x":1,"x":2}}')).pairs == ()


def test_only_what_stands_below_the_pointers_is_compared() -> None:
    old, new = document({"a": {"k": 1}, "z": 1}), document({"b": {"k": 2}, "z": 2})
    assert changes(diff(old, new, "/a", "/b")) == [("changed", "/a/k", "/b/k")]
    assert changes(diff(old, new, "#/z")) == [("changed", "/z", "/z")]
    with pytest.raises(NotFound):
        diff(old, new, "/a")


def test_the_limit_is_said() -> None:
    old, new = document({str(n): 1 for n in range(5)}), document({str(n): 2 for n in range(5)})
    assert (len(diff(old, new, limit=5).pairs), diff(old, new, limit=5).more) == (5, False)
    assert (len(diff(old, new, limit=4).pairs), diff(old, new, limit=4).more) == (4, True)


SCALARS = st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["", "a", "~/"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["name", "in", "a/b", "~"]), inner, max_size=3),
    max_leaves=15,
)


@settings(max_examples=250, deadline=None, database=None)
@given(VALUES, VALUES)
def test_pairs_are_empty_exactly_for_equal_values_and_every_side_stands_where_it_says(old: Any, new: Any) -> None:
    left, right = document(old), open_document(json.dumps(new, indent=1).encode(), Format.JSON)
    found = diff(left, right)
    is_equal = json.dumps(old, sort_keys=True) == json.dumps(new, sort_keys=True)
    assert (not found.pairs) is is_equal is same_value(left, left.root, right, right.root)
    for pair in found.pairs:
        assert (pair.old is None) == (pair.change == "added")
        assert (pair.new is None) == (pair.change == "removed")
        for side, pointer in ((left, pair.old), (right, pair.new)):
            if pointer is not None:
                resolve(side, pointer)
        if pair.absent is not None:
            container: NodeType = resolve(right if pair.new is None else left, pair.absent).type
            assert container in ("object", "array")


SCHEMAS = {
    "x": {"$ref": "#/s/Old"},
    "y": {"$ref": "#/s/Same"},
    "z": {"type": "string"},
    "s": {"Old": {"type": "object", "p": {"$ref": "#/s/Same"}}, "New": {"type": "array", "p": {"$ref": "#/s/Same"}}, "Same": {"a": 1}},
}


def test_what_a_changed_reference_leads_to_is_compared_on_request() -> None:
    new = SCHEMAS | {"x": {"$ref": "#/s/New"}, "z": {"$ref": "#/s/New"}}
    beside = [("changed", "/x/$ref", "/x/$ref"), ("removed", "/z/type", None), ("added", None, "/z/$ref")]
    assert changes(diff(document(SCHEMAS), document(new))) == beside
    found = diff(document(SCHEMAS), document(new), follow=True)
    assert changes(found) == [
        ("changed", "/x/$ref", "/x/$ref"),
        ("changed", "/s/Old/type", "/s/New/type"),
        ("removed", "/z/type", None),
        ("added", None, "/z/$ref"),
        ("changed", "/z/type", "/s/New/type"),
        ("added", None, "/s/New/p"),
    ]
    assert found.pairs[-1].absent == "/z"


def test_references_in_a_circle_to_nowhere_and_elsewhere_end() -> None:
    old = {"a": {"$ref": "#/b"}, "b": {"$ref": "#/a"}, "c": {"$ref": "#/none"}, "d": {"$ref": "other.json"}, "e": {"$ref": [1]}}
    new = {"a": {"$ref": "#/a"}, "b": {"$ref": "#/b"}, "c": {"$ref": "#/less"}, "d": {"$ref": "one.json"}, "e": {"$ref": {}}}
    found = diff(document(old), document(new), follow=True, limit=50)
    assert not found.more
    assert {pair.old for pair in found.pairs} >= {f"/{name}/$ref" for name in "abcde"}


def test_a_text_that_did_not_change_has_no_pairs_whatever_stands_in_it() -> None:
    text = "a: &x {k: 0}\nb: *x\nc: 1\nc: 2\n"
    assert diff(yaml_document(text), yaml_document(text)).pairs == ()


def test_lines_that_differ_only_in_noise_are_counted_by_rule() -> None:
    old = b"2031-02-03T04:05:06Z [pid 4121] start\n<Depot at 0x7f3a10>\ntest PASSED in 0.41s\nrun-4121/0\nend\n"
    new = b"2031-02-03T09:15:26Z [pid 977] start\n<Depot at 0x55d0c8>\ntest PASSED in 0.39s\nrun-977/0\nnew\nend\n"
    found = diff_lines(old, new)
    assert found.pairs == (LinePair("added", None, LineRange(5, 5)),)
    assert found.noise == {"address": 1, "duration": 1, "process": 2, "time": 1}


def test_line_pairs_name_their_lines() -> None:
    found = diff_lines(b"a\nb\nc\nd\n", b"a\nB\nd\ne\n")
    assert found.pairs == (LinePair("changed", LineRange(2, 3), LineRange(2, 2)), LinePair("added", None, LineRange(4, 4)))
    assert diff_lines(b"a\nb\n", b"a\n").pairs == (LinePair("removed", LineRange(2, 2), None),)
    assert diff_lines(b"", b"").pairs == ()
    limited = diff_lines(b"a\nb\nc\n", b"x\nb\ny\n", limit=1)
    assert (len(limited.pairs), limited.more) == (1, True)


def test_logs_that_differ_too_much_are_refused_and_equal_ends_cost_nothing() -> None:
    many = b"".join(b"%d\n" % n for n in range(MAX_LINES + 10))
    assert diff_lines(many + b"x\n" + many, many + b"y\n" + many).pairs == (
        LinePair("changed", *[LineRange(MAX_LINES + 11, MAX_LINES + 11)] * 2),
    )
    with pytest.raises(LimitExceeded):
        diff_lines(many, b"other\n")
    assert diff_lines(many, b"").pairs == (LinePair("removed", LineRange(1, MAX_LINES + 10), None),)


def test_order_says_nothing_where_the_format_says_so() -> None:
    def schema(lists: bytes) -> Document:
        return open_document(b'{"openapi": "3.1.0", ' + lists + b"}", Format.JSON)

    old = schema(b'"required": ["a", "b", "c"], "type": ["string", "null"], "list": ["a", "b", "c"]')
    new = schema(b'"required": ["c", "b", "d"], "type": ["null", "string"], "list": ["c", "b", "d"]')
    found = [(pair.change, str(pair.old or pair.new)) for pair in diff(old, new).pairs]
    assert [one for one in found if one[1].startswith(("/required", "/type"))] == [("removed", "/required/0"), ("added", "/required/2")]
    assert ("moved", "/list/2") in found or ("moved", "/list/1") in found
