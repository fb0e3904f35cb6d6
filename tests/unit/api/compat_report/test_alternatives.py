"""Alternatives: beside a list of types, paired by place, behind references; and references that close a circle or change their target."""

from typing import Any

import pytest

from tests.unit.api.compat_report.documents import Json, document, rules
from tests.unit.api.compat_report.harness import breaking, run

STRING, INTEGER, NULL = {"type": "string"}, {"type": "integer"}, {"type": "null"}
SAME_TYPES: list[Any] = [
    ({"anyOf": [STRING, INTEGER]}, {"type": ["string", "integer"]}),
    ({"oneOf": [INTEGER, STRING]}, {"type": ["string", "integer"]}),
    ({"anyOf": [STRING, INTEGER, NULL]}, {"type": ["null", "string", "integer"]}),
    ({"anyOf": [{"type": ["string", "integer"]}, NULL]}, {"type": ["null", "string", "integer"]}),
    ({"anyOf": [{**STRING, "maxLength": 3}, {**INTEGER, "minimum": 1}]}, {"type": ["string", "integer"], "maxLength": 3, "minimum": 1}),
    ({"anyOf": [{"type": "array", "items": STRING}, STRING]}, {"type": ["array", "string"], "items": STRING}),
    ({"anyOf": [STRING, INTEGER], "maxLength": 3}, {"type": ["string", "integer"], "maxLength": 3}),
    ({"anyOf": [{"type": "object", "required": ["a"]}, STRING]}, {"type": ["object", "string"], "required": ["a"]}),
]


@pytest.mark.parametrize("direction", ["request", "response"])
@pytest.mark.parametrize(("alternatives", "listed"), SAME_TYPES)
def test_alternatives_of_single_types_say_what_a_list_of_types_says(direction: str, alternatives: Json, listed: Json) -> None:
    assert rules(direction, alternatives, listed) == []
    assert rules(direction, listed, alternatives) == []


def test_alternatives_against_a_list_of_types_are_told_as_types_and_keywords() -> None:
    both: Json = {"anyOf": [STRING, INTEGER]}
    assert rules("request", both, {"type": ["string", "boolean"]}) == ["request-type-narrowed"]
    assert rules("response", {"type": ["string", "boolean"]}, both) == ["response-type-widened"]
    assert rules("request", both, {"type": ["string", "integer"], "maxLength": 3}) == ["request-bound-narrowed"]
    assert rules("request", {"anyOf": [STRING, {"enum": [1]}]}, {"type": ["string", "integer"]}) == []
    assert rules("response", {"anyOf": [STRING, {"enum": [1]}]}, {"type": ["string", "integer"]}) == ["response-enum-removed"]
    split: Json = {"anyOf": [{**STRING, "enum": ["a"]}, {**INTEGER, "enum": [1]}]}
    assert rules("request", {"type": ["string", "integer"], "enum": ["a", 1]}, split) == []


def test_null_beside_alternatives_and_in_a_list_of_types_is_one() -> None:
    both: Json = {"anyOf": [STRING, INTEGER]}
    listed: Json = {"type": ["string", "integer", "null"]}
    assert rules("response", both, listed) == ["response-null-added"]
    assert rules("request", listed, both) == ["request-null-removed"]
    assert rules("response", both, {"anyOf": [STRING, INTEGER, NULL]}) == ["response-null-added"]


def test_an_alternative_that_takes_null_behind_a_reference_takes_null() -> None:
    schemas = {"A": {"type": ["string", "null"]}, "B": INTEGER}
    old: Json = {"oneOf": [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/B"}]}
    assert rules("response", old, {"oneOf": [*old["oneOf"], NULL]}, schemas=schemas) == []
    strict = {**schemas, "A": STRING}
    assert rules("response", old, {"oneOf": [*old["oneOf"], NULL]}, schemas=strict) == ["response-null-added"]


A, B = {"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/B"}


@pytest.mark.parametrize("direction", ["request", "response"])
@pytest.mark.parametrize(
    "schemas", [{"A": B, "B": A}, {"A": A}, {"A": {"allOf": [B]}, "B": {"anyOf": [A]}}, {"A": {"allOf": [B, {"type": "object"}]}, "B": B}]
)
def test_a_circle_of_references_with_no_schema_in_it_is_an_open_question(direction: str, schemas: Json) -> None:
    text = document(direction, A, schemas=schemas)
    done = run(text, document(direction, A, schemas={"A": STRING}))
    assert breaking(done) == []
    assert [claim["about"]["aspect"] for claim in done.claims] == ["reference-not-followed"]
    assert done.claims[0]["reason"].startswith("the reference closes a circle: `/components/schemas/")
    assert [claim["about"]["aspect"] for claim in run(text, text).claims] == ["reference-not-followed"]


def test_a_circle_through_a_schema_is_compared() -> None:
    tree = {"A": {"type": "object", "properties": {"a": A, "b": {"allOf": [A]}}}}
    assert run(document("response", A, schemas=tree), document("response", A, schemas=tree)).claims == []


def test_what_stands_beside_a_reference_is_asked_about_where_it_changes() -> None:
    schemas = {"A": STRING}
    old, new = {**A, "maxLength": 3, "title": "a"}, {**A, "maxLength": 2, "title": "b"}
    done = run(document("request", old, schemas=schemas), document("request", new, schemas=schemas))
    assert [(claim["standing"], claim["text"]) for claim in done.claims] == [
        ("open", "`maxLength` beside `$ref` of request body of `post /x` changed")
    ]
    for before, after, version in ((old, old, "3.1.0"), (old, new, "3.0.3"), (A, {**A, "description": "c"}, "3.1.0")):
        assert rules("request", before, after, schemas=schemas, version=version) == []


def test_a_reference_that_leads_to_nothing_is_asked_about_by_name() -> None:
    done = run(document("response", A), document("response", A, schemas={"A": STRING}))
    assert [claim["reason"] for claim in done.claims] == ["`/components/schemas/A` is not there in the old version"]


OBJECTS: Json = [{"type": "object", "properties": {"a": STRING}}, {"type": "object", "properties": {"b": STRING}}]


@pytest.mark.parametrize(
    ("old", "new", "pointer"),
    [
        ([{"minLength": 2}, {"maximum": 4}], [{"minLength": 1}, {"maximum": 5}], "/minLength /maximum"),
        (OBJECTS, [OBJECTS[0], {"type": "object", "properties": {"b": INTEGER}}], "/properties/b/type"),
        (OBJECTS, [{"type": "object", "properties": {"a": INTEGER}}, {"type": "object", "properties": {"b": INTEGER}}], "a b"),
    ],
)
def test_alternatives_of_one_length_that_nothing_tells_apart_go_together_by_place(old: Json, new: Json, pointer: str) -> None:
    found = run(document("response", {"oneOf": old}), document("response", {"oneOf": new}))
    told = [claim["about"] for claim in breaking(found)]
    assert len(told) == len(pointer.split())
    assert all("branch" not in one["aspect"] for one in told)
    assert all(part in one["pointer"] for part, one in zip(pointer.split(), told, strict=True))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ([A, B], [{"$ref": "#/components/schemas/C"}, {"$ref": "#/components/schemas/D"}]),
        ([{"const": "a"}, {"const": "b"}], [{"const": "c"}, {"const": "d"}]),
        ([STRING, INTEGER], [{"type": "boolean"}, {"type": "object"}]),
    ],
)
def test_alternatives_that_tell_themselves_apart_do_not_go_together_by_place(old: Json, new: Json) -> None:
    schemas = dict.fromkeys("ABCD", STRING)
    assert rules("response", {"oneOf": old}, {"oneOf": new}, schemas=schemas) == ["response-branch-added"] * 2


def sentences(direction: str, old: Json, new: Json, schemas: Json) -> list[str]:
    return [
        str(claim["text"]) for claim in run(document(direction, old, schemas=schemas), document(direction, new, schemas=schemas)).claims
    ]


def test_a_reference_to_another_schema_is_told_with_the_names_of_both() -> None:
    schemas = {
        "A": {"type": "object", "properties": {"n": STRING, "m": STRING}},
        "B": {"type": "object", "properties": {"n": INTEGER}, "required": ["k"]},
    }
    assert sentences("response", A, B, schemas) == [
        "type of response property `n` of schema `A` (schema `B` in the new version) changed from `string` to `integer`",
        "response property `m` of schema `A` (schema `B` in the new version) removed",
    ]
    assert "new request property `k` of schema `A` (schema `B` in the new version) is required" in sentences("request", A, B, schemas)
    assert "property `m` of schema `A` (body `200` of `post /x` in" in sentences("response", A, {"type": "object"}, schemas)[1]
    assert sentences("response", schemas["A"], A, schemas) == []
