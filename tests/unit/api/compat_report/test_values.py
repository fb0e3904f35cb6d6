"""Schemas that take anything or nothing, and values that stand without a type."""

from typing import Any

import pytest

from tests.unit.api.compat_report.documents import Json, open_rules, rules


@pytest.mark.parametrize("any_", [{}, True])
@pytest.mark.parametrize("direction", ["request", "response"])
def test_a_schema_that_takes_anything_is_told_against_one_that_binds(direction: str, any_: Json) -> None:
    old, new = (any_, {"type": "string"}) if direction == "request" else ({"type": "string"}, any_)
    assert rules(direction, old, new) == ["request-type-narrowed" if direction == "request" else "response-type-widened"]
    assert rules(direction, new, old) == []
    assert rules(direction, any_, {} if any_ is True else True) == []


def test_a_bound_on_any_type_is_told_though_no_type_is_stated() -> None:
    assert rules("request", {}, {"maxLength": 3}) == ["request-bound-narrowed"]
    assert rules("response", {"maxLength": 3}, True) == ["response-bound-widened"]


@pytest.mark.parametrize("other", [{}, True, {"type": "string"}, {"type": "object", "properties": {"a": {"type": "string"}}}])
def test_false_takes_nothing(other: Json) -> None:
    assert rules("request", other, False) == ["request-type-narrowed"]
    assert rules("request", False, other) == []
    assert rules("response", False, other) == ["response-type-widened"]
    assert rules("response", other, False) == []
    assert open_rules("response", other, False) == ["response-closed"]


def test_false_among_parts_and_alternatives() -> None:
    text: Json = {"type": "string"}
    assert rules("request", text, {"allOf": [text, False]}) == ["request-type-narrowed"]
    assert rules("request", {"anyOf": [text, False]}, text) == []
    assert rules("response", text, {"oneOf": [False, text]}) == []
    assert rules("request", False, False) == []


@pytest.mark.parametrize("direction", ["request", "response"])
def test_a_property_that_is_false_must_not_be_there(direction: str) -> None:
    old: Json = {"type": "object", "properties": {"a": {"type": "string"}}}
    new: Json = {"type": "object", "properties": {"a": False}}
    assert rules(direction, old, new) == [f"{direction}-property-removed"]
    assert [*rules(direction, new, old), *open_rules(direction, new, old)] == []
    assert [*rules(direction, new, {"type": "object"}), *open_rules(direction, new, {"type": "object"})] == []


VALUES: list[Any] = [
    # old, new, what breaks a request, what breaks a response: the same with a type and without
    ({"enum": ["a", "b"]}, {"enum": ["a"]}, ["request-enum-value-removed"], []),
    ({"enum": ["a"]}, {"enum": ["a", "b"]}, [], ["response-enum-value-added"]),
    ({"const": "a"}, {"const": "b"}, ["request-const-set"], ["response-enum-value-added"]),
    ({"enum": ["a", "b"]}, {"const": "a"}, ["request-const-set"], []),
    ({"enum": ["a"]}, {"type": "string"}, [], ["response-enum-removed"]),
    ({"type": "string"}, {"enum": ["a"]}, ["request-enum-set"], []),
    ({"const": "a"}, {"type": "string"}, [], ["response-enum-removed"]),
    ({"type": "string"}, {"const": "a"}, ["request-enum-set"], []),
    ({"enum": ["a"]}, {"type": "integer"}, ["request-type-narrowed"], ["response-type-widened"]),
    ({"type": "integer"}, {"enum": ["a"]}, ["request-type-narrowed"], ["response-type-widened"]),
]


@pytest.mark.parametrize(("old", "new", "request_rules", "response_rules"), VALUES)
def test_values_without_a_type_are_judged_as_with_one(old: Json, new: Json, request_rules: list[str], response_rules: list[str]) -> None:
    typed = tuple(one if "type" in one else {"type": "string", **one} for one in (old, new))
    for before, after in ((old, new), (old, typed[1]), (typed[0], new), typed):
        assert rules("request", before, after) == request_rules
        assert rules("response", before, after) == response_rules


def test_values_on_any_type_are_told_as_values() -> None:
    assert rules("request", {}, {"enum": ["a"]}) == ["request-enum-set"]
    assert rules("response", {"const": 1}, {}) == ["response-enum-removed"]
    assert rules("response", {"enum": ["a"]}, {"enum": ["a", 1]}) == ["response-enum-value-added"]


def test_null_among_values_is_null() -> None:
    assert rules("request", {"enum": ["a", None]}, {"enum": ["a"]}) == ["request-null-removed"]
    assert rules("response", {"const": "a"}, {"const": None}) == ["response-null-added"]
    assert rules("response", {"enum": ["a"]}, {"type": "string", "enum": ["a"]}) == []


def test_the_values_of_an_enumeration_count_and_not_a_wider_type_beside_it() -> None:
    assert rules("request", {"type": "number", "enum": [1, 2.0]}, {"type": "integer", "enum": [1, 2]}) == []
    assert rules("request", {"type": "number", "enum": [1, 2.5]}, {"type": "integer"}) == ["request-type-narrowed"]
