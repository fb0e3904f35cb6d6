"""Outlines and `keys/1`: what is shown of a container without its content."""

import json

import pytest

from evidence_store.documents.detect import open_document
from evidence_store.documents.outline import keys_text, outline
from evidence_store.documents.resolve import resolve
from evidence_store.errors import NotContainer, NotFound
from evidence_store.model import Format, OutlineEntry

RAW = json.dumps(
    {
        "get": {f"k{n}": n for n in range(12)},
        "list": [1, 2],
        "short": "é",
        "long": "x" * 200,
        "number": 1,
    },
    ensure_ascii=False,
).encode()


def test_an_entry_has_its_size_and_the_first_keys() -> None:
    document = open_document(RAW, Format.JSON)
    shown = outline(document, document.root)
    assert (shown.type, shown.n_children, shown.complete) == ("object", 5, True)
    first = shown.entries[0]
    assert (first.token, first.type, first.n_children) == ("get", "object", 12)
    assert first.keys == tuple(f"k{n}" for n in range(8))
    assert first.size == len(document.source(resolve(document, "/get")))
    assert shown.entries[1] == OutlineEntry("list", "array", 6, 2, (), None)
    assert shown.entries[2] == OutlineEntry("short", "string", 4, None, (), '"é"')
    assert shown.entries[3].scalar is None
    assert shown.entries[4].scalar == "1"


def test_a_page_begins_where_it_is_asked_to() -> None:
    document = open_document(RAW, Format.JSON)
    shown = outline(document, document.root, 3, 10)
    assert ([entry.token for entry in shown.entries], shown.first, shown.complete) == (["long", "number"], 3, False)
    assert [entry.token for entry in outline(document, document.root, 0, 2).entries] == ["get", "list"]
    with pytest.raises(NotFound):
        outline(document, document.root, 5)


def test_a_scalar_of_many_bytes_and_few_characters_is_shown() -> None:
    raw = f'["{"é" * 70}", "{"é" * 90}", "{"x" * 400}"]'.encode()
    entries = outline(open_document(raw, Format.JSON), open_document(raw, Format.JSON).root).entries
    assert [entry.scalar for entry in entries] == [f'"{"é" * 70}"', None, None]


def test_an_empty_container_has_a_complete_outline() -> None:
    document = open_document(b"[]", Format.JSON)
    assert outline(document, document.root).complete
    assert keys_text(document, document.root) == "[]"


def test_a_scalar_has_neither() -> None:
    document = open_document(b"1", Format.JSON)
    with pytest.raises(NotContainer):
        outline(document, document.root)
    with pytest.raises(NotContainer):
        keys_text(document, document.root)


@pytest.mark.parametrize(
    ("raw", "keys"),
    [
        (b'{ "b": 1, "a": {"c": 2} }', '["b","a"]'),
        ('{"日": 1, "q\\"": 2}'.encode(), '["日","q\\""]'),
        (
            b'[{"name": "limit", "in": "query"}, {"$ref": "#/p"}, {"name": "n"}, {"id": 7}, {"x": 1}, []]',
            '["query limit","#/p","n","7","4","5"]',
        ),
        (b'["a", 1.10, true, null]', '["\\"a\\"","1.10","true","null"]'),
        (b'[{"name": {"x": 1}, "in": "query"}]', '["0"]'),
        (b'[{"name": "a", "name": "b"}]', '["0"]'),
        (b'[1, {"name": "a"}, {"id": "b"}, {"id": 2}]', '["1","a","b","2"]'),
        (b'{"a": 1, "a": 2}', '["a","a"]'),
    ],
)
def test_keys_are_member_names_or_labels_in_source_order(raw: bytes, keys: str) -> None:
    document = open_document(raw, Format.JSON)
    assert keys_text(document, document.root) == keys


def test_yaml_keys_are_the_names_that_pointers_use() -> None:
    document = open_document(b"b: &b {200: x}\nu: {<<: *b, '1.5': y}\n", Format.YAML)
    assert keys_text(document, resolve(document, "/u")) == '["1.5","200"]'
