"""JSON documents: spans of the value alone, repeated members, and what is refused on the way in."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_store.documents.depth import measure
from evidence_store.documents.json import JsonDocument
from evidence_store.documents.json_check import LARGE_BYTES, check_json, iter_large
from evidence_store.documents.json_faults import scan
from evidence_store.documents.model import Limits, Node, Number
from evidence_store.documents.resolve import MAX_KEYS, resolve
from evidence_store.errors import Ambiguous, BadIndex, LimitExceeded, NotContainer, NotFound, RefusedDocument
from evidence_store.pointers import ROOT, join

REPEATED = b'{"a/b":{"get":1,\n "get":2, "put": 3},"c":{"d":4}}'

SCALARS = st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=6)
NAMES = st.text(st.characters(codec="utf-8") | st.sampled_from('"\\/~{}[],:'), max_size=5)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=20)
LAYOUTS = st.sampled_from([None, 1, "\t"])


def containers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    items = st.lists(inner, max_size=3)
    objects = items.map(lambda texts: "{" + ",".join(f'"{n}[":{text}' for n, text in enumerate(texts)) + "}")
    return objects | items.map(lambda texts: "[" + ",".join(texts) + "]")


def numbered(raw: bytes) -> Any:
    return json.loads(raw, parse_int=Number, parse_float=Number)


def walk(document: JsonDocument, node: Node, pointer: str = ROOT) -> list[tuple[str, Node]]:
    found = [(pointer, node)]
    for child in document.children(node):
        found += walk(document, child.node, pointer + join(ROOT, child.token))
    return found


@settings(max_examples=120, deadline=None, database=None)
@given(VALUES, LAYOUTS, st.booleans(), st.booleans())
def test_every_node_is_found_by_its_pointer_and_its_slice_is_its_value(
    value: Any, indent: int | str | None, ascii_: bool, mark: bool
) -> None:
    raw = b"\xef\xbb\xbf" * mark + b" " + json.dumps(value, indent=indent, ensure_ascii=ascii_).encode() + b"\r\n"
    assert [note.code for note in check_json(raw)] == ["bom"] * mark
    for may_repeat in (True, False):
        document = JsonDocument(raw, may_repeat=may_repeat)
        for pointer, node in walk(document, document.root):
            assert resolve(document, pointer) == node
            source = raw[node.span.start : node.span.end]
            assert document.source(node) == source == source.strip()
            assert numbered(source) == (document.scalar(node) if not node.is_container else numbered(source))


@settings(max_examples=150, deadline=None, database=None)
@given(st.recursive(st.sampled_from(["0", '"["', '"}\\""', '"\\\\"', '"a\\\\\\"]"', '""']), containers, max_leaves=12))
def test_depth_counts_brackets_outside_strings_only(text: str) -> None:
    def depth(value: object) -> int:
        inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
        return 0 if inside is None else 1 + max((depth(item) for item in inside), default=0)

    assert measure(text.encode()).depth == depth(json.loads(text))


@settings(max_examples=200, deadline=None, database=None)
@given(st.text(st.sampled_from('{}[]",:\\ntrue01.eE+-u"a \n'), max_size=12))
def test_what_the_standard_parser_refuses_is_refused(text: str) -> None:
    try:
        json.loads(text, parse_constant=lambda word: 1 / 0)
    except (ValueError, ZeroDivisionError):
        with pytest.raises(RefusedDocument):
            check_json(text.encode())
    else:
        check_json(text.encode())


def test_numbers_keep_every_digit_and_their_spelling() -> None:
    spelled = ["9007199254740993", "18446744073709551617", "1.10", "1E2", "-0", "-0.0", "1e400", "1" * 5000]
    raw = ("[" + ",".join(spelled) + "]").encode()
    assert check_json(raw) == ()
    document = JsonDocument(raw)
    assert [document.scalar(child.node) for child in document.children(document.root)] == spelled
    assert all(isinstance(document.scalar(child.node), Number) for child in document.children(document.root))


def test_scalars_have_their_types() -> None:
    document = JsonDocument('["é\\n\\ud83d\\ude9a", true, false, null, 1]'.encode())
    assert [document.scalar(child.node) for child in document.children(document.root)] == ["é\n🚚", True, False, None, "1"]
    assert [child.node.type for child in document.children(document.root)] == ["string", "boolean", "boolean", "null", "number"]
    with pytest.raises(TypeError):
        document.scalar(document.root)


def test_a_slice_of_a_text_keeps_the_offsets_of_the_whole() -> None:
    whole = b'{"a": [1, {"b": 2}]}'
    part = JsonDocument(whole[6:-1], base=6)
    node = resolve(part, "/1/b")
    assert whole[node.span.start : node.span.end] == b"2" == part.source(node)


@pytest.mark.parametrize(
    ("pointer", "error", "nearest"),
    [
        ("/list/01", BadIndex, "/list"),
        ("/list/-", NotFound, "/list"),
        ("/list/2", NotFound, "/list"),
        ("/list/-/x", NotFound, "/list"),
        ("/none", NotFound, ""),
        ("/text/0", NotContainer, "/text"),
        ("/nothing/x", NotContainer, "/nothing"),
    ],
)
def test_an_error_names_the_nearest_existing_parent(pointer: str, error: type[Exception], nearest: str) -> None:
    document = JsonDocument(b'{"list":[1,2],"text":"abc","nothing":null}')
    with pytest.raises(error) as caught:
        resolve(document, pointer)
    assert caught.type is error
    details = getattr(caught.value, "details")  # noqa: B009 (the class varies)
    assert details["nearest"] == nearest
    assert details["n_children"] == {"": 3, "/list": 2}.get(nearest, 0)


def test_the_keys_that_an_error_offers_are_bounded() -> None:
    document = JsonDocument(json.dumps({f"{n:03}" + "k" * 200: n for n in range(100)}).encode())
    with pytest.raises(NotFound) as caught:
        resolve(document, "/none")
    keys = caught.value.details["keys"]
    assert isinstance(keys, list)
    assert len(keys) == MAX_KEYS
    assert all(len(key) == 80 for key in keys)


def test_a_pointer_of_thousands_of_tokens_ends_in_a_bounded_error() -> None:
    with pytest.raises(NotFound) as caught:
        resolve(JsonDocument(b'{"a":1}'), "/x" * 50_000)
    assert len(str(caught.value.details)) < 400


def test_a_repeated_member_is_noted_with_its_parent_and_lines() -> None:
    (note,) = check_json(REPEATED)
    assert (note.code, note.pointer, note.line, note.lines) == ("duplicate_key", "/a~1b", 2, (1, 2))
    assert "'get'" in note.text


def test_no_pointer_at_or_below_a_repeated_member_is_answered() -> None:
    document = JsonDocument(REPEATED)
    for pointer in ("/a~1b/get", "/a~1b/get/x"):
        with pytest.raises(Ambiguous) as caught:
            resolve(document, pointer)
        assert caught.value.details["lines"] == [1, 2]
    assert document.scalar(resolve(document, "/a~1b/put")) == "3"
    assert document.scalar(resolve(document, "/c/d")) == "4"
    inner = resolve(document, "/a~1b")
    assert [child.token for child in document.children(inner)] == ["get", "get", "put"]
    assert document.repeated(inner) == {"get"}


@pytest.mark.parametrize("raw", [b'{"a":1,"\\u0061":2}', b'{"a":{},"b":1,"a":{}}', b'[{"x":1,"x":1}]', b'{"a":[{"":1,"":2}]}'])
def test_repeats_are_seen_whatever_their_spelling_and_place(raw: bytes) -> None:
    assert [note.code for note in check_json(raw)] == ["duplicate_key"]


def test_repeats_are_seen_in_containers_of_every_size() -> None:
    filler = ",".join(f'"k{n}":"{"v" * 50}"' for n in range(2000))
    for raw in (
        f'{{"same":1,{filler},"same":2}}',
        f'{{"outer":{{{filler},"inner":{{"same":1,"same":2}}}}}}',
        f'{{"outer":{{"same":[{filler.split(",")[0].split(":")[1]}],{filler},"same":2}}}}',
    ):
        assert len(raw) > LARGE_BYTES
        (note,) = check_json(raw.encode())
        assert "'same'" in note.text


def test_a_repeat_in_a_slice_names_no_line_of_the_whole() -> None:
    with pytest.raises(Ambiguous) as caught:
        resolve(JsonDocument(b'{"a":1,"a":2}', base=10), "/a")
    assert "lines" not in caught.value.details


def test_too_many_repeats_are_refused() -> None:
    raw = "[" + ",".join('{"a":1,"a":2}' for _ in range(5)) + "]"
    assert len(check_json(raw.encode(), Limits(max_repeats=5))) == 5
    with pytest.raises(RefusedDocument, match="repeated"):
        check_json(raw.encode(), Limits(max_repeats=4))


@pytest.mark.parametrize(
    ("raw", "code", "line", "column", "named"),
    [
        (b"", "empty", 1, 1, "empty"),
        (b" \n ", "empty", 2, 2, "empty"),
        (b'{"a":\n NaN}', "not_json_number", 2, 2, "NaN"),
        (b'{"a":-Infinity}', "not_json_number", 1, 6, "-Infinity"),
        (b'{"a":1} x', "trailing_data", 1, 9, "more text"),
        (b'{"a":1}{"a":2}', "trailing_data", 1, 8, "more text"),
        (b'["\\ud83d"]', "lone_surrogate", 1, 3, "surrogate"),
        (b'["\\ude00\\ud83d"]', "lone_surrogate", 1, 3, "surrogate"),
        (b'["\\ud83dx"]', "lone_surrogate", 1, 3, "surrogate"),
        ('["é", 01]'.encode(), "syntax", 1, 7, "value"),
        (b"[1,]", "syntax", 1, 4, "a value"),
        (b'{"a":1,}', "syntax", 1, 8, "name"),
        (b'{"a" 1}', "syntax", 1, 6, "':'"),
        (b"[1 2]", "syntax", 1, 4, "','"),
        (b'["a\nb"]', "syntax", 1, 2, "value"),
        (b"[1", "syntax", 1, 3, "ends"),
        (b"[}", "syntax", 1, 2, "value"),
        (b"]", "syntax", 1, 1, "value"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(raw: bytes, code: str, line: int, column: int, named: str) -> None:
    with pytest.raises(RefusedDocument, match=named) as caught:
        check_json(raw)
    assert caught.value.error_code == code
    assert (caught.value.details["line"], caught.value.details["column"]) == (line, column)


@pytest.mark.parametrize("half", ["\\udc00", "\\uDBFF", "\\ud800\\ud800", "\\ud83d\\n1234", "\\ud83dabcdef", "x\\udfff", "\\\\\\udc00"])
def test_half_a_surrogate_pair_is_refused_in_names_and_values(half: str) -> None:
    for raw in (f'"{half}"', f'[[["{half}"]]]', f'{{"{half}": 1}}'):
        with pytest.raises(RefusedDocument) as caught:
            check_json(raw.encode())
        assert caught.value.error_code == "lone_surrogate"
    check_json(b'["\\ud83d\\ude9a", "\\\\ud83d"]')


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
def test_another_encoding_is_named(codec: str) -> None:
    with pytest.raises(RefusedDocument, match=r"encoding is UTF-(16|32)") as caught:
        check_json('{"a":1}'.encode(codec))
    assert caught.value.error_code == "not_utf8"


@pytest.mark.parametrize("at", [3, 65_534, 65_535, 65_536, 200_000])
def test_the_first_byte_that_is_not_utf8_is_named_wherever_it_stands(at: int) -> None:
    raw = b'["' + b"x" * (at - 2) + b"\xe9" + b'"]'
    with pytest.raises(RefusedDocument, match=f"byte {at}") as caught:
        check_json(raw)
    assert caught.value.details["byte"] == at


def test_a_torn_character_at_the_end_of_a_chunk_is_named_by_its_first_byte() -> None:
    raw = b'"' + b"x" * 65_533 + "📦".encode()[:3] + b'"'
    with pytest.raises(RefusedDocument) as caught:
        check_json(raw)
    assert caught.value.details["byte"] == 65_534


@pytest.mark.parametrize("raw", [b"[" * 501 + b"]" * 501, b'{"a":' * 200_000, b"[" * 200_000 + b"]" * 200_000])
def test_depth_past_the_limit_is_refused_before_a_parser_runs(raw: bytes) -> None:
    with pytest.raises(LimitExceeded, match="depth") as caught:
        check_json(raw)
    assert caught.value.details["limit"] == 500


def test_depth_within_the_limit_works_to_the_end() -> None:
    raw = b'{"inner":' * 499 + b'{"leaf":"found"}' + b"}" * 499
    assert check_json(raw) == ()
    document = JsonDocument(raw)
    assert document.scalar(resolve(document, "/inner" * 499 + "/leaf")) == "found"


def test_a_depth_limit_above_what_the_interpreter_takes_ends_in_an_error_of_ours() -> None:
    with pytest.raises(LimitExceeded, match="depth"):
        check_json(b"[" * 50_000 + b"]" * 50_000, Limits(max_depth=100_000))


def test_size_past_the_limit_is_refused() -> None:
    with pytest.raises(LimitExceeded) as caught:
        check_json(b"[1, 2]", Limits(max_bytes=5))
    assert caught.value.details["limit"] == 5


def test_large_containers_are_listed_outer_before_inner() -> None:
    inner = {f"k{n}": "v" * 40 for n in range(2000)}
    raw = json.dumps({"small": [1], "large": {"inner": inner, "other": 1}}).encode()
    found = list(iter_large(JsonDocument(raw)))
    assert [container.tokens for container in found] == [(), ("large",), ("large", "inner")]
    assert [child.token for child in found[1].children()] == ["inner", "other"]


def test_the_exact_scanner_agrees_with_the_fast_reader_on_children() -> None:
    raw = b' {"a" : [1, {"b":2}],\n"c":"\\"x" } '
    document = JsonDocument(raw)
    members = scan(raw, 0, len(raw)).members
    fast = [(child.token, child.node.span.start, child.node.span.end) for child in document.children(document.root)]
    assert [(member.name, member.start, member.end) for member in members] == fast


def test_children_are_a_sequence() -> None:
    document = JsonDocument(b"[10, 20, 30]")
    children = document.children(document.root)
    assert [child.token for child in children[1:]] == ["1", "2"]
    assert children[-1].node.span.start == 9
    with pytest.raises(IndexError):
        children[3]
    assert document.children(children[0].node) == ()


_NAMES = st.sampled_from(["a", "b", "\\u0061", '\\"', "\\\\", ":", '\\":', "\u00e9", "\\ud83d\\ude00", ""])


@st.composite
def _texts(draw: st.DrawFn, depth: int = 3) -> str:
    if depth == 0 or draw(st.booleans()):
        return draw(
            st.sampled_from(["1", "-0.5e+3", "123456789012345678901234567890", "1e999", '"x:y"', '"\\"{"', "true", "null", "[]", "{}"])
        )
    inside = [draw(_texts(depth - 1)) for _ in range(draw(st.integers(0, 3)))]
    space = draw(st.sampled_from(["", " ", "\n\t"]))
    if draw(st.booleans()):
        return f"[{space}{f'{space},'.join(inside)}{space}]"
    return "{" + ",".join(f'{space}"{draw(_NAMES)}"{space}:{space}{value}' for value in inside) + space + "}"


@given(_texts())
def test_repeats_are_found_by_count_just_where_a_plain_reader_meets_one(text: str) -> None:
    met = []

    def look(pairs: list[tuple[str, object]]) -> None:
        met.append(len(dict(pairs)) != len(pairs))

    json.loads(text, object_pairs_hook=look)
    found = any(note.code == "duplicate_key" for note in check_json(text.encode()))
    assert found is any(met)


@pytest.mark.parametrize(
    ("raw", "n_counted"),
    [
        (b"[1, [2, 3], {}]", 7),
        (b'{"a,[{": "}],,\\"[[", "b": {"c": null}}', 4),
        (b'["\\\\", ",", "[,{"]', 4),
        (b'""', 1),
    ],
)
def test_more_values_than_the_limit_are_refused_before_they_are_read(raw: bytes, n_counted: int) -> None:
    """Commas and brackets outside strings: of a nested container the bracket, of an empty one as if something stood in it."""
    assert check_json(raw, Limits(max_nodes=n_counted)) == ()
    if n_counted > 1:
        with pytest.raises(LimitExceeded) as caught:
            check_json(raw, Limits(max_nodes=n_counted - 1))
        assert (caught.value.error_code, caught.value.details) == ("too_many_nodes", {"limit": n_counted - 1})


def test_values_are_counted_before_a_text_is_seen_not_to_be_json() -> None:
    with pytest.raises(LimitExceeded):
        check_json(b"[" + b"1," * 100 + b"x", Limits(max_nodes=50))
