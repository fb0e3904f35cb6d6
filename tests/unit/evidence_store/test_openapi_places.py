"""Places in an OpenAPI document by the words that people use."""

import pytest

from evidence_store.documents.detect import open_document
from evidence_store.documents.model import Document
from evidence_store.documents.openapi import Place, find_operation, find_parameter, find_schema, openapi_version, shape_of
from evidence_store.errors import Ambiguous, InvalidInput, NotFound
from evidence_store.model import Format, Pointer

SPEC = """
openapi: 3.0.3
paths:
  /orders:
    parameters:
    - {name: region, in: query}
    - {name: limit, in: header}
    - {name: trace, in: header, description: of the path}
    get:
      parameters:
      - {name: limit, in: query}
      - {name: trace, in: header, description: own}
      - $ref: '#/components/parameters/Page'
      - $ref: '#/components/parameters/Gone'
  /users/{id}:
    get: {}
  /a/{x}/b:
    get: {}
  /a/{y}/b:
    get: {}
    put: {}
components:
  parameters:
    Page: {name: page, in: query}
  schemas:
    Order: {type: object}
"""


@pytest.fixture
def spec() -> Document:
    return open_document(SPEC.encode(), Format.YAML)


@pytest.mark.parametrize(
    ("words", "pointer", "exact"),
    [
        ("get /orders", "/paths/~1orders/get", True),
        ("  GET   /orders ", "/paths/~1orders/get", True),
        ("get /users/{id}", "/paths/~1users~1{id}/get", True),
        ("get /users/{userId}", "/paths/~1users~1{id}/get", False),
        ("put /a/{z}/b", "/paths/~1a~1{y}~1b/put", False),
        ("get /a/{y}/b", "/paths/~1a~1{y}~1b/get", True),
    ],
)
def test_an_operation_is_found_as_written_or_by_shape(spec: Document, words: str, pointer: str, exact: bool) -> None:
    assert find_operation(spec, words) == Place(Pointer(pointer), exact)


def test_several_paths_of_one_shape_are_ambiguous(spec: Document) -> None:
    with pytest.raises(Ambiguous) as caught:
        find_operation(spec, "get /a/{z}/b")
    assert caught.value.details["places"] == ["/paths/~1a~1{x}~1b/get", "/paths/~1a~1{y}~1b/get"]


@pytest.mark.parametrize(
    ("words", "container"), [("get /none", "/paths"), ("delete /orders", "/paths/~1orders"), ("post /users/{u}", "/paths/~1users~1{id}")]
)
def test_the_error_names_the_container_that_shows_the_absence(spec: Document, words: str, container: str) -> None:
    with pytest.raises(NotFound) as caught:
        find_operation(spec, words)
    assert caught.value.details["container"] == caught.value.details["nearest"] == container
    assert caught.value.details["keys"]


@pytest.mark.parametrize("words", ["", "/orders", "get", "fetch /orders", "get /a b"])
def test_words_that_name_no_operation_are_refused(spec: Document, words: str) -> None:
    with pytest.raises(InvalidInput):
        find_operation(spec, words)


def test_a_document_without_paths_has_no_operation() -> None:
    for raw in (b'{"info": {}}', b"[1]", b'{"paths": 1}'):
        with pytest.raises(NotFound):
            find_operation(open_document(raw, Format.JSON), "get /orders")


def test_schemas_stand_in_components_or_definitions(spec: Document) -> None:
    assert find_schema(spec, "Order").pointer == "/components/schemas/Order"
    assert find_schema(open_document(b'{"definitions":{"a/b":{}}}', Format.JSON), "a/b").pointer == "/definitions/a~1b"
    with pytest.raises(NotFound) as caught:
        find_schema(spec, "Gone")
    assert caught.value.details["container"] == "/components/schemas"
    with pytest.raises(NotFound):
        find_schema(open_document(b"{}", Format.JSON), "Order")


@pytest.mark.parametrize(
    ("name", "location", "pointer"),
    [
        ("region", None, "/paths/~1orders/parameters/0"),
        ("limit", "query", "/paths/~1orders/get/parameters/0"),
        ("limit", "header", "/paths/~1orders/parameters/1"),
        ("trace", None, "/paths/~1orders/get/parameters/1"),
        ("page", None, "/components/parameters/Page"),
    ],
)
def test_a_parameter_is_the_operations_own_or_its_paths(spec: Document, name: str, location: str | None, pointer: str) -> None:
    assert find_parameter(spec, find_operation(spec, "get /orders"), name, location).pointer == pointer


def test_a_parameter_in_two_locations_is_ambiguous_and_an_absent_one_is_not_found(spec: Document) -> None:
    operation = find_operation(spec, "get /orders")
    with pytest.raises(Ambiguous):
        find_parameter(spec, operation, "limit")
    with pytest.raises(NotFound) as caught:
        find_parameter(spec, operation, "none")
    assert caught.value.details["container"] == "/paths/~1orders/get/parameters"
    with pytest.raises(NotFound) as caught:
        find_parameter(spec, find_operation(spec, "get /users/{id}"), "none")
    assert caught.value.details["container"] == "/paths/~1users~1{id}/get"


def test_the_version_is_the_one_that_is_spelled(spec: Document) -> None:
    assert openapi_version(spec) == "3.0.3"
    assert openapi_version(open_document(b'{"swagger":"2.0"}', Format.JSON)) == "2.0"
    assert openapi_version(open_document(b'{"swagger":{}}', Format.JSON)) is None
    assert openapi_version(open_document(b"[]", Format.JSON)) is None


def test_a_shape_forgets_the_names_in_braces() -> None:
    assert shape_of("/a/{x}/b/{y}.json") == "/a/{}/b/{}.json"


def test_the_operations_of_a_path_that_is_a_reference_are_found_where_they_stand() -> None:
    raw = b'{"paths": {"/a": {"$ref": "#/x/a"}, "/b": {"$ref": "b.json#/b", "put": {}}}, "x": {"a": {"get": {}}}}'
    parsed = open_document(raw, Format.JSON)
    assert find_operation(parsed, "get /a").pointer == "/x/a/get"
    assert find_operation(parsed, "put /b").pointer == "/paths/~1b/put"
    with pytest.raises(NotFound, match="stand elsewhere") as caught:
        find_operation(parsed, "get /b")
    assert caught.value.details == {"reference": "b.json#/b"}
