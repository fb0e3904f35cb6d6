"""YAML documents: the core schema of 1.2, spans to the byte, aliases and merge keys as hops."""

import time
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_store.documents.model import Limits, Number, Scalar
from evidence_store.documents.resolve import resolve
from evidence_store.documents.values import plain_value
from evidence_store.documents.yaml import YamlDocument
from evidence_store.documents.yaml_check import check_yaml
from evidence_store.documents.yaml_schema import is_json_number
from evidence_store.documents.yaml_schema import plain_value as plain_scalar
from evidence_store.errors import Ambiguous, BadIndex, LimitExceeded, NotContainer, NotFound, RefusedDocument
from evidence_store.model import Hop

BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10))

MERGED = """x-common: &common
  '400': {description: bad input}
  '401': {description: who are you}
x-slow: &slow
  '401': {description: from slow}
  '504': {description: too slow}
responses:
  <<: [*common, *slow]
  '400': {description: bad job}
text: {'<<': not a merge}
"""


def sliced(text: str, pointer: str) -> str:
    document = YamlDocument(text.encode())
    return document.source(resolve(document, pointer)).decode()


def scalar(text: str, pointer: str) -> Scalar:
    document = YamlDocument(text.encode())
    return document.scalar(resolve(document, pointer))


def hop_texts(text: str, pointer: str) -> list[tuple[str, str]]:
    hops: tuple[Hop, ...] = resolve(YamlDocument(text.encode()), pointer).hops
    return [(hop.kind, text.encode()[hop.span.start : hop.span.end].decode()) for hop in hops]


@pytest.mark.parametrize(
    "text", ["NO", "no", "on", "off", "yes", "y", "2024-03-10", "12:30:45", "16:9", "1_000", "0o8", "0xG", "1e", "++1", "١"]
)
def test_only_what_the_core_schema_names_is_no_text(text: str) -> None:
    assert plain_scalar(text) == text
    assert not isinstance(plain_scalar(text), Number)


@pytest.mark.parametrize("text", ["0", "-7", "1.10", "1e400", "0777", "+1", ".5", "5.", "0o17", "0x1F", ".inf", "-.INF", ".nan", "12e4567"])
def test_numbers_keep_their_spelling(text: str) -> None:
    value = plain_scalar(text)
    assert isinstance(value, Number)
    assert value == text


@pytest.mark.parametrize(
    ("text", "is_json"), [("1.10", True), ("-0", True), ("1E+2", True), ("+1", False), ("01", False), (".5", False), ("5.", False)]
)
def test_the_spelling_of_a_json_number_is_recognised(text: str, is_json: bool) -> None:
    assert is_json_number(text) is is_json


def test_true_false_and_null_have_three_spellings_each() -> None:
    assert [plain_scalar(text) for text in ("true", "True", "TRUE", "false", "False", "FALSE")] == [True] * 3 + [False] * 3
    assert {plain_scalar(text) for text in ("", "~", "null", "Null", "NULL")} == {None}
    assert plain_scalar("tRUE") == "tRUE"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("!!str 12", "12"),
        ("!!int '12'", "12"),
        ("!!bool true", True),
        ("!!null ''", None),
        ("!!float 1", "1"),
        ("! 12", "12"),
        ("'12'", "12"),
        ("|\n 12", "12"),
    ],
)
def test_an_explicit_tag_decides(text: str, value: Scalar) -> None:
    found = scalar(f"a: {text}", "/a")
    assert found == value
    assert isinstance(found, Number) is text.startswith(("!!int", "!!float"))


@pytest.mark.parametrize("text", ["!!int x", "!!bool yes", "!!null x", "!!float true"])
def test_text_that_does_not_fit_its_tag_is_refused(text: str) -> None:
    with pytest.raises(RefusedDocument, match="tag"):
        check_yaml(f"a: 1\nb: {text}".encode())


def test_an_unknown_tag_is_noted_once_and_read_by_kind() -> None:
    raw = b"a: !point {x: 1}\nb: !point [2]\nc: !other 3\n"
    assert [(note.code, note.line) for note in check_yaml(raw)] == [("unknown_tag", 1), ("unknown_tag", 3)]
    assert scalar(raw.decode(), "/a/x") == "1"


DOCUMENT = """# head
plain: NO   # trailing comment
"é key": 'it''s'
flow: &f  {a: [1, "x"], b: }
folded: >-
  one
  two

literal: |+
    text  

    more

multi: plain
  goes on   # comment
empty:
tagged: !!str
anchored: &e
block: &b
  # a comment inside
  inner: v   # end
  list:
  - 1
  -
  - &deep
    - x
  - {k: v}   # last

seq: &s
- a
- b: 1
  c: 2
dq: "a\\
  b"
last:
  x: 1 # no more
"""


@pytest.mark.parametrize(
    ("pointer", "source"),
    [
        ("/plain", "NO"),
        ("/é key", "'it''s'"),
        ("/flow", '{a: [1, "x"], b: }'),
        ("/flow/a", '[1, "x"]'),
        ("/flow/a/1", '"x"'),
        ("/flow/b", ""),
        ("/folded", ">-\n  one\n  two"),
        ("/literal", "|+\n    text  \n\n    more"),
        ("/multi", "plain\n  goes on"),
        ("/empty", ""),
        ("/tagged", ""),
        ("/anchored", ""),
        ("/block", "inner: v   # end\n  list:\n  - 1\n  -\n  - &deep\n    - x\n  - {k: v}"),
        ("/block/list", "- 1\n  -\n  - &deep\n    - x\n  - {k: v}"),
        ("/block/list/1", ""),
        ("/block/list/2", "- x"),
        ("/seq", "- a\n- b: 1\n  c: 2"),
        ("/seq/1", "b: 1\n  c: 2"),
        ("/dq", '"a\\\n  b"'),
        ("/last", "x: 1"),
    ],
)
@pytest.mark.parametrize("variant", ["lf", "crlf", "bom"])
def test_a_slice_is_the_node_alone(pointer: str, source: str, variant: str) -> None:
    text = DOCUMENT.replace("\n", "\r\n") if variant == "crlf" else DOCUMENT
    raw = b"\xef\xbb\xbf" * (variant == "bom") + text.encode()
    document = YamlDocument(raw)
    node = resolve(document, pointer)
    wanted = source.replace("\n", "\r\n") if variant == "crlf" else source
    assert raw[node.span.start : node.span.end].decode() == wanted


def test_lines_of_blanks_behind_the_indentation_belong_to_a_block_scalar() -> None:
    assert sliced("a: |\n  x\n    \n\n     \n  \n\nb: 1\n", "/a") == "|\n  x\n    \n\n     "
    assert scalar("a: |\n  x\n    \n\n     \n  \n\nb: 1\n", "/a") == "x\n  \n\n   \n"
    assert sliced("a: |\n  x \n \n\nb: 1\n", "/a") == "|\n  x "
    assert sliced("a: >2-\n    \n\nb: 1\n", "/a") == ">2-\n    "
    assert sliced("a: |\n\n \nb: 1\n", "/a") == "|"


def test_the_root_ends_with_its_last_value() -> None:
    document = YamlDocument(DOCUMENT.encode())
    assert document.source(document.root).startswith(b"plain: NO")
    assert document.source(document.root).endswith(b"  x: 1")
    assert sliced("a:\n  - 1\n  -\n# after\n", "/a") == "- 1\n  -"
    assert sliced("a:\n  ? b\n# after\nc: 1\n", "/a") == "? b"


def test_offsets_hold_far_into_text_that_is_not_ascii() -> None:
    text = "".join(f"k{n}: naïve 📦 {n}\n" for n in range(2000))
    document = YamlDocument(text.encode())
    for n in (0, 1, 511, 512, 513, 1999):
        assert document.source(resolve(document, f"/k{n}")).decode() == f"naïve 📦 {n}"


KEYS = st.text(
    st.characters(codec="utf-8", exclude_characters="\ufeff", exclude_categories=("Cc", "Zl", "Zp", "Cn", "Co")), min_size=1, max_size=6
)
LEAVES = KEYS | st.booleans() | st.none() | st.integers()
TREES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=12)


def with_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: with_numbers(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [with_numbers(inner) for inner in value]
    return Number(value) if isinstance(value, int) and not isinstance(value, bool) else value


@settings(max_examples=150, deadline=None, database=None)
@given(TREES, st.booleans())
def test_what_was_written_as_yaml_is_read_as_it_was(value: Any, flow: bool) -> None:
    raw = yaml.safe_dump(value, allow_unicode=True, default_flow_style=flow, width=20, sort_keys=False).encode()
    check_yaml(raw)
    document = YamlDocument(raw)
    assert plain_value(document, document.root) == with_numbers(value)


def test_keys_are_text_as_spelled() -> None:
    text = "200: a\n1.5: b\ntrue: c\nnull: d\n0o17: e\n'~x': f\n[1, 2]: g\n? {k: v}\n: h\n"
    document = YamlDocument(text.encode())
    assert [child.token for child in document.children(document.root)] == ["200", "1.5", "true", "null", "0o17", "~x", "[1, 2]", "{k: v}"]
    assert document.scalar(resolve(document, "/200")) == "a"


@pytest.mark.parametrize(
    ("pointer", "error"),
    [("/seq/01", BadIndex), ("/seq/-", NotFound), ("/seq/9", NotFound), ("/plain/0", NotContainer), ("/none", NotFound)],
)
def test_pointer_errors_are_told_apart(pointer: str, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        resolve(YamlDocument(DOCUMENT.encode()), pointer)
    assert caught.type is error


def test_a_repeated_key_is_noted_and_ambiguous_whatever_its_spelling() -> None:
    raw = b"paths:\n  /ping:\n    200: first\n    '200': second\n    get: fine\n"
    (note,) = check_yaml(raw)
    assert (note.code, note.pointer, note.line, note.lines) == ("duplicate_key", "/paths/~1ping", 4, (3, 4))
    document = YamlDocument(raw)
    with pytest.raises(Ambiguous) as caught:
        resolve(document, "/paths/~1ping/200")
    assert caught.value.details["lines"] == [3, 4]
    assert document.scalar(resolve(document, "/paths/~1ping/get")) == "fine"
    assert document.repeated(resolve(document, "/paths/~1ping")) == {"200"}


def test_the_place_of_a_repeat_inside_lists_is_named() -> None:
    (note,) = check_yaml(b"a:\n- x: 1\n- b:\n    c: {d: 1, d: 2}\n")
    assert note.pointer == "/a/1/b/c"


def test_what_is_noted_of_a_large_document_costs_one_look_at_it() -> None:
    many = "".join(f"k{n}: !t{n} {{a: 1}}\n" for n in range(10_000))
    repeats = "".join(f"r{n}:\n  x: 1\n  x: 2\n" for n in range(900))
    started = time.process_time()
    assert len(check_yaml((many + repeats).encode())) == 900 + 20
    assert time.process_time() - started < 1.5


def test_too_many_repeats_are_refused() -> None:
    raw = b"- {a: 1, a: 2}\n" * 3
    assert len(check_yaml(raw, Limits(max_repeats=3))) == 3
    with pytest.raises(RefusedDocument, match="repeated"):
        check_yaml(raw, Limits(max_repeats=2))


ALIASED = "base: &b [1, {k: v}]\nuse: *b\nlist:\n- *b\n"


def test_a_node_behind_an_alias_stands_where_the_anchor_is() -> None:
    assert sliced(ALIASED, "/use") == "[1, {k: v}]"
    assert hop_texts(ALIASED, "/use") == [("alias", "*b")]
    assert sliced(ALIASED, "/list/0/1/k") == "v"
    assert hop_texts(ALIASED, "/list/0/1/k") == [("alias", "*b")]
    assert hop_texts(ALIASED, "/base/1/k") == []


def test_an_alias_is_seen_in_the_slice_that_holds_it_and_nowhere_else() -> None:
    document = YamlDocument(ALIASED.encode())
    rests = {pointer: document.has_aliases(resolve(document, pointer)) for pointer in ("", "/base", "/use", "/list")}
    assert rests == {"": True, "/base": False, "/use": False, "/list": True}


def test_merge_keys_bring_members_written_ones_win_then_the_earlier_source() -> None:
    document = YamlDocument(MERGED.encode())
    responses = resolve(document, "/responses")
    assert [child.token for child in document.children(responses)] == ["400", "401", "504"]
    assert scalar(MERGED, "/responses/400/description") == "bad job"
    assert scalar(MERGED, "/responses/401/description") == "who are you"
    assert hop_texts(MERGED, "/responses/504/description") == [("merge", "*slow")]
    assert hop_texts(MERGED, "/responses/400/description") == []
    assert check_yaml(MERGED.encode()) == ()


def test_a_merge_key_is_no_member_unless_it_is_quoted() -> None:
    with pytest.raises(NotFound):
        resolve(YamlDocument(MERGED.encode()), "/responses/<<")
    assert scalar(MERGED, "/text/<<") == "not a merge"


def test_merges_of_merges_and_of_mappings_in_place_keep_every_hop() -> None:
    text = "a: &a {x: 1}\nb: &b\n  <<: *a\n  y: 2\nc:\n  <<: *b\nd:\n  <<: {z: 3}\nl: &l [*a, *b]\ne: {<<: *l}\n"
    assert hop_texts(text, "/c/x") == [("merge", "*b"), ("merge", "*a")]
    assert hop_texts(text, "/d/z") == [("merge", "<<")]
    document = YamlDocument(text.encode())
    assert [child.token for child in document.children(resolve(document, "/e"))] == ["x", "y"]


def test_a_chain_of_merges_is_bounded() -> None:
    chain = "m0: &m0 {k0: 0}\n" + "".join(f"m{n}: &m{n} {{<<: *m{n - 1}, k{n}: {n}}}\n" for n in range(1, 40))
    document = YamlDocument(chain.encode(), Limits(max_merge_depth=39))
    node = resolve(document, "/m39/k0")
    assert (document.scalar(node), len(node.hops)) == ("0", 39)
    with pytest.raises(LimitExceeded, match="merge") as caught:
        check_yaml(chain.encode())
    assert caught.value.details["limit"] == 32


@pytest.mark.parametrize("text", ["a: {<<: 1}", "a: &x [1]\nb: {<<: *x}", "a: {<<: [1]}"])
def test_a_merge_of_what_is_no_mapping_is_refused(text: str) -> None:
    with pytest.raises(RefusedDocument, match="<<"):
        check_yaml(text.encode())


def test_an_alias_bomb_is_refused_before_it_grows() -> None:
    with pytest.raises(LimitExceeded, match="alias") as caught:
        check_yaml(BOMB.encode())
    assert caught.value.details["limit"] == Limits().max_alias_nodes


def test_honest_aliases_are_within_the_limit() -> None:
    text = "e: &e {d: wrong}\n" + "".join(f"p{n}: {{a: *e, b: *e}}\n" for n in range(500))
    assert check_yaml(text.encode()) == ()


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("", "empty", 1),
        ("# only a comment\n", "empty", 1),
        ("a: 1\n---\nb: 2\n", "several_documents", 2),
        ("a: *none\n", "unknown_alias", 1),
        ("a:\n- &a [*a]\n", "recursive_alias", 2),
        ("a: 1\nb: [1\n", "syntax", 3),
        ("a: b: c\n", "syntax", 1),
        ("é: 1\na: \x01\n", "syntax", 2),
        ("a: 1\nb: @x\n", "syntax", 2),
    ],
)
def test_what_is_no_document_is_refused_with_its_line(text: str, code: str, line: int) -> None:
    with pytest.raises(RefusedDocument) as caught:
        check_yaml(text.encode())
    assert (caught.value.error_code, caught.value.details["line"]) == (code, line)


def test_a_directive_and_markers_belong_to_no_node() -> None:
    text = "%YAML 1.2\n---\na: 1\n...\n"
    assert sliced(text, "") == "a: 1"
    assert scalar("--- text\n", "") == "text"


def test_children_are_a_sequence() -> None:
    document = YamlDocument(b"[10, 20, 30]")
    children = document.children(document.root)
    assert [child.token for child in children[1:]] == ["1", "2"]
    assert len(children) == 3
    assert document.children(children[0].node) == ()
    assert document.repeated(document.root) == frozenset()
    with pytest.raises(TypeError):
        document.scalar(document.root)
