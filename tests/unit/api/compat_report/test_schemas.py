"""The rules on schemas, one edit at a time, in both directions: a request breaks by taking less, a response by holding more."""

from typing import Any

import pytest

from tests.unit.api.compat_report.documents import Json, document, open_rules, rules
from tests.unit.api.compat_report.harness import breaking, run

EDITS: list[Any] = [
    # old, new, what breaks a request, what breaks a response; the way back is tried as well
    ({"type": "number"}, {"type": "integer"}, "request-type-narrowed", None),
    ({"type": ["string", "integer"]}, {"type": "string"}, "request-type-narrowed", None),
    ({}, {"type": "string"}, "request-type-narrowed", None),
    ({"type": ["string", "null"]}, {"type": "string"}, "request-null-removed", None),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "string"}, "request-null-removed", None),
    ({"type": "integer", "maximum": 100}, {"type": "integer", "maximum": 50}, "request-bound-narrowed", None),
    ({"type": "integer"}, {"type": "integer", "minimum": 1}, "request-bound-narrowed", None),
    ({"type": "integer", "minimum": 1}, {"type": "integer", "exclusiveMinimum": 1}, "request-bound-narrowed", None),
    ({"type": "string"}, {"type": "string", "maxLength": 5}, "request-bound-narrowed", None),
    ({"type": "array", "minItems": 1}, {"type": "array", "minItems": 2}, "request-bound-narrowed", None),
    ({"type": "string", "enum": ["a", "b"]}, {"type": "string", "enum": ["a"]}, "request-enum-value-removed", None),
    ({"type": "string"}, {"type": "string", "enum": ["a"]}, "request-enum-set", None),
    ({"type": "string", "enum": ["a", "b"]}, {"type": "string", "const": "a"}, "request-const-set", None),
    ({"type": "integer", "multipleOf": 2}, {"type": "integer", "multipleOf": 4}, "request-multiple-narrowed", None),
    ({"type": "array", "items": {}}, {"type": "array", "items": {"type": "string"}}, "request-items-set", None),
    ({"type": "array"}, {"type": "array", "uniqueItems": True}, "request-unique-items-set", None),
    ({"type": "object"}, {"type": "object", "additionalProperties": False}, "request-further-properties-narrowed", None),
    ({"type": "string", "format": "int64"}, {"type": "string", "format": "int32"}, "request-format-narrowed", None),
    ({"type": "string"}, {"type": "string", "pattern": "^a$"}, "request-pattern-changed", None),
    ({"oneOf": [{"type": "string"}, {"type": "boolean"}]}, {"type": "string"}, "request-branch-removed", None),
]
BACK = {
    "request-type-narrowed": "response-type-widened",
    "request-null-removed": "response-null-added",
    "request-bound-narrowed": "response-bound-widened",
    "request-enum-value-removed": "response-enum-value-added",
    "request-enum-set": "response-enum-removed",
    "request-const-set": "response-enum-value-added",
    "request-multiple-narrowed": "response-multiple-widened",
    "request-items-set": "response-items-lifted",
    "request-unique-items-set": "response-unique-items-lifted",
    "request-further-properties-narrowed": "response-further-properties-widened",
    "request-format-narrowed": "response-format-widened",
    "request-pattern-changed": "response-pattern-changed",
    "request-branch-removed": "response-branch-added",
}


@pytest.mark.parametrize(("wide", "narrow", "rule", "_"), EDITS)
def test_a_narrowing_breaks_the_request_only(wide: Json, narrow: Json, rule: str, _: None) -> None:
    assert rules("request", wide, narrow) == [rule]
    assert rules("response", wide, narrow) == []


@pytest.mark.parametrize(("wide", "narrow", "rule", "_"), EDITS)
def test_a_widening_breaks_the_response_only(wide: Json, narrow: Json, rule: str, _: None) -> None:
    assert rules("response", narrow, wide) == [BACK[rule]]
    assert rules("request", narrow, wide) == []


@pytest.mark.parametrize("direction", ["request", "response"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"type": "object", "properties": {"a": {}, "b": {}}}, {"type": "object", "properties": {"b": {}, "a": {}}}),
        ({"type": "string"}, {"allOf": [{"type": "string"}]}),
        ({"oneOf": [{"type": "string"}]}, {"type": "string", "description": "new words"}),
        ({"type": "array", "minItems": 0}, {"type": "array"}),
        ({"oneOf": [{"type": "string"}, {"type": "boolean"}]}, {"oneOf": [{"type": "boolean"}, {"type": "string"}]}),
        ({"type": "number", "maximum": 10}, {"type": "number", "maximum": 1e1}),
        ({"type": "object", "additionalProperties": True}, {"type": "object", "additionalProperties": {}}),
        ({"properties": {"a": {"type": "string"}}}, {"type": "object", "properties": {"a": {"type": "string"}}}),
        ({"type": "string", "default": "a"}, {"type": "string", "default": "b"}),
    ],
)
def test_another_spelling_of_the_same_is_no_change(direction: str, old: Json, new: Json) -> None:
    assert rules(direction, old, new) == []


def test_a_pattern_that_is_replaced_counts_in_both_directions() -> None:
    old, new = {"type": "string", "pattern": "^a"}, {"type": "string", "pattern": "^b"}
    assert rules("request", old, new) == ["request-pattern-changed"]
    assert rules("response", old, new) == ["response-pattern-changed"]


def test_a_property_gone_from_a_request_is_open_unless_the_schema_is_closed() -> None:
    old: Json = {"type": "object", "properties": {"a": {}, "b": {}}}
    new: Json = {"type": "object", "properties": {"a": {}}}
    assert rules("request", old, new) == []
    assert open_rules("request", old, new) == ["request-property-undescribed"]
    closed = {"additionalProperties": False}
    assert rules("request", old | closed, new | closed) == ["request-property-removed"]


def test_a_property_gone_from_a_response_is_told_once_though_it_was_required() -> None:
    old = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}
    assert rules("response", old, {"type": "object", "properties": {}}) == ["response-property-removed"]


def test_required_counts_by_direction() -> None:
    free: Json = {"type": "object", "properties": {"a": {"type": "string"}}}
    bound = {**free, "required": ["a"]}
    assert rules("request", free, bound) == ["request-property-required"]
    assert rules("response", free, bound) == []
    assert rules("response", bound, free) == ["response-property-optional"]
    assert rules("request", bound, free) == []


def test_what_only_a_server_writes_is_not_required_of_a_request() -> None:
    old: Json = {"type": "object", "properties": {"id": {"type": "string", "readOnly": True}}}
    assert rules("request", old, {**old, "required": ["id"]}) == []


def test_an_exclusive_bound_of_3_0_is_understood() -> None:
    old: Json = {"type": "integer", "maximum": 10}
    assert rules("request", old, {**old, "exclusiveMaximum": True}, version="3.0.3") == ["request-bound-narrowed"]


def test_a_keyword_that_is_not_judged_is_asked_about() -> None:
    assert open_rules("request", {"type": "string"}, {"type": "string", "not": {"const": "a"}}) == ["request-keyword-not-compared"]


@pytest.mark.parametrize("ref", ["other.yaml#/x", "#/components/schemas/Gone", "#anchor"])
def test_a_reference_that_leads_nowhere_is_an_open_question(ref: str) -> None:
    done = run(document("response", {"$ref": ref}), document("response", {"$ref": ref}))
    assert breaking(done) == []
    assert [claim["about"]["aspect"] for claim in done.claims] == ["reference-not-followed"]


def test_null_beside_a_reference_is_told_where_it_stands_and_the_schema_behind_is_compared() -> None:
    """`X or null` becomes an inline schema that takes null: no change, and no false alarm about the schema behind the reference."""
    old = document("response", {"anyOf": [{"$ref": "#/components/schemas/X"}, {"type": "null"}]}, schemas={"X": {"type": "object"}})
    assert breaking(run(old, document("response", {"type": ["object", "null"]}))) == []
    lost = run(
        old.replace('"post"', '"put"'),
        document("response", {"$ref": "#/components/schemas/X"}, schemas={"X": {"type": "object"}}).replace('"post"', '"put"'),
    )
    assert breaking(lost) == []


def test_a_property_that_moves_into_a_part_of_allof_is_no_change() -> None:
    part = {"type": "object", "properties": {"b": {"type": "string"}}}
    old = document(
        "response", {"$ref": "#/components/schemas/A"}, schemas={"A": {"allOf": [{"$ref": "#/components/schemas/B"}]}, "B": part}
    )
    moved = {"A": {"allOf": [{"$ref": "#/components/schemas/B"}, part]}, "B": {"type": "object"}}
    assert breaking(run(old, document("response", {"$ref": "#/components/schemas/A"}, schemas=moved))) == []


@pytest.mark.parametrize(("direction", "mark"), [("response", "writeOnly"), ("request", "readOnly")])
def test_a_property_that_becomes_one_of_the_other_direction_is_gone_from_this_one(direction: str, mark: str) -> None:
    old: Json = {"type": "object", "properties": {"a": {"type": "string"}}}
    new: Json = {"type": "object", "properties": {"a": {"type": "string", mark: True}}}
    told = [*rules(direction, old, new), *open_rules(direction, old, new)]
    assert told == ["response-property-removed" if direction == "response" else "request-property-undescribed"]
    assert [*rules(direction, new, old), *open_rules(direction, new, old)] == []


def test_a_required_property_that_is_no_longer_described_is_not_asked_about() -> None:
    old: Json = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    assert open_rules("request", old, {"type": "object", "required": ["a"]}) == []
    assert open_rules("request", old, {"type": "object"}) == ["request-property-undescribed"]


@pytest.mark.parametrize("keyword", ["oneOf", "anyOf"])
def test_alternatives_beside_what_stays_are_no_widening(keyword: str) -> None:
    """All that bound a response still binds it; a request may leave alternatives behind."""
    base: Json = {"type": "object", "properties": {"a": {"type": "string"}}}
    chosen = {**base, keyword: [{"required": ["a"]}, {"required": ["b"]}]}
    assert rules("response", base, chosen) == []
    assert rules("request", chosen, base) == []
    moved = {keyword: [base, {"type": "string"}]}
    assert rules("response", base, moved) == ["response-branch-added"]
    assert rules("request", moved, base) == ["request-branch-removed"]
