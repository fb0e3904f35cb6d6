"""Values beside excerpts: JSON text with numbers as written, and plain data without floats."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_store.documents.detect import open_document
from evidence_store.documents.model import Document, Number
from evidence_store.documents.resolve import resolve
from evidence_store.documents.text import column_of
from evidence_store.documents.values import ValueText, parse_excerpt, plain_value, value_json
from evidence_store.errors import InvalidInput, LimitExceeded, RefusedDocument
from evidence_store.model import Format

YAML = """
base: &b {k: 'it''s', n: 1.10}
use:
  <<: *b
  odd: [0x1F, +1, .inf, 0777]
  list: [*b, true, ~, "é"]
deep:
    - first: |
        text
      second: 2
    - plain
"""


def yaml_document(text: str = YAML) -> Document:
    return open_document(text.encode(), Format.YAML)


def value_of(document: Document, pointer: str) -> ValueText | None:
    return value_json(document, resolve(document, pointer))


def test_a_json_value_is_the_slice_itself() -> None:
    raw = b'{"a": [1.10,  1e400 , "\\u0041"]}'
    assert value_of(open_document(raw, Format.JSON), "/a") == ValueText(b'[1.10,  1e400 , "\\u0041"]')


def test_a_yaml_value_is_json_with_aliases_and_merges_in_place() -> None:
    found = value_of(yaml_document(), "/use/list")
    assert found == ValueText('[{"k":"it\'s","n":1.10},true,null,"é"]'.encode())
    whole = value_of(yaml_document(), "")
    assert whole is not None
    assert json.loads(whole.json)["use"]["k"] == "it's"


def test_a_number_that_json_cannot_spell_is_a_string_and_says_so() -> None:
    found = value_of(yaml_document(), "/use/odd")
    assert found == ValueText(b'["0x1F","+1",".inf","0777"]', ("number_as_text",))
    assert value_of(yaml_document(), "/base/n") == ValueText(b"1.10")


@pytest.mark.parametrize(("raw", "format"), [(b'{"a":{"x":1,"x":1},"b":2}', Format.JSON), (b"a: {x: 1, x: 1}\nb: 2\n", Format.YAML)])
def test_there_is_no_value_where_a_member_is_repeated(raw: bytes, format: Format) -> None:
    document = open_document(raw, format)
    assert value_of(document, "") is None
    assert value_of(document, "/a") is None
    assert value_of(document, "/b") == ValueText(b"2")
    with pytest.raises(RefusedDocument):
        plain_value(document, document.root)


def test_a_document_without_repeats_is_not_looked_through() -> None:
    document = open_document(b'{"a": [1]}', Format.JSON, ())
    assert value_of(document, "") == ValueText(b'{"a": [1]}')


def test_a_value_that_aliases_make_too_large_is_none() -> None:
    text = "a: &a [x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a]\nc: [*b, *b, *b, *b]\n"
    document = yaml_document(text)
    assert value_json(document, resolve(document, "/c"), max_bytes=100) is None
    assert value_json(document, resolve(document, "/c")) is not None
    with pytest.raises(LimitExceeded):
        plain_value(document, resolve(document, "/c"), max_nodes=20)
    assert value_json(open_document(b'"0123456789"', Format.JSON), open_document(b'"0123456789"', Format.JSON).root, max_bytes=5) is None


# YAML's own limits on what may stand in a text, and not those of JSON, leave out control characters and unassigned ones.
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\ufeff", exclude_categories=("Cc", "Cn", "Co", "Zl", "Zp")), max_size=5)
SCALARS = st.none() | st.booleans() | st.integers() | NAMES
TREES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=10)


@settings(max_examples=100, deadline=None, database=None)
@given(TREES)
def test_json_read_as_json_and_as_yaml_is_the_same_value(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    numbered = json.loads(text, parse_int=Number)
    as_json, as_yaml = open_document(text.encode(), Format.JSON), open_document(text.encode(), Format.YAML)
    assert plain_value(as_json, as_json.root) == numbered == plain_value(as_yaml, as_yaml.root)
    written = value_json(as_yaml, as_yaml.root)
    assert written is not None
    assert json.loads(written.json, parse_int=Number) == numbered


@pytest.mark.parametrize("pointer", ["/base", "/deep", "/deep/0", "/deep/0/first", "/deep/1", "/use/odd"])
def test_an_excerpt_with_its_column_is_read_as_the_node_was(pointer: str) -> None:
    document = yaml_document()
    node = resolve(document, pointer)
    excerpt, column = document.source(node).decode(), column_of(YAML.encode(), node.span.start)
    assert parse_excerpt(excerpt, Format.YAML, column) == plain_value(document, node)


def test_numbers_of_an_excerpt_are_no_floats() -> None:
    found = parse_excerpt('{"a": [1.10, 12345678901234567890], "b": true}', Format.JSON)
    assert found == {"a": ["1.10", "12345678901234567890"], "b": True}
    assert isinstance(found, dict)
    assert all(isinstance(item, Number) for item in found["a"])


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("[*elsewhere]", Format.YAML),
        ("{<<: *elsewhere}", Format.YAML),
        ("|2-\n      a", Format.YAML),
        (">+1\n a", Format.YAML),
        ("[1", Format.JSON),
        ("NaN", Format.JSON),
        ('{"a":1,"a":2}', Format.JSON),
        ("", Format.JSON),
    ],
)
def test_an_excerpt_that_is_no_value_of_its_own_is_refused(text: str, format: Format) -> None:
    with pytest.raises(RefusedDocument):
        parse_excerpt(text, format)


def test_an_excerpt_of_lines_has_no_value_and_a_deep_one_is_refused() -> None:
    with pytest.raises(InvalidInput):
        parse_excerpt("1", Format.TEXT)
    with pytest.raises(LimitExceeded):
        parse_excerpt("[" * 100_000, Format.JSON)


def test_a_number_shows_that_it_is_one() -> None:
    assert repr(Number("1.10")) == "Number('1.10')"
    assert Number("1.10") != Number("1.1")
