"""The rules on operations, parameters, bodies, responses and security."""

import json
from typing import Any

import pytest

from tests.unit.api.compat_report.harness import breaking, places, run

Json = Any


def document(operation: Json, *, path: str = "/x", item: Json = None, components: Json = None, **top: Any) -> str:
    paths = {path: {**(item or {}), "get": {"responses": {"200": {"description": "ok"}}, **operation}}}
    return json.dumps({"openapi": "3.1.0", "info": {}, "paths": paths, "components": components or {}, **top}, indent=1)


def rules(old: str, new: str, *excluded: str) -> list[str]:
    return sorted(claim["about"]["aspect"] for claim in breaking(run(old, new, excluded)))


QUERY: Json = {"name": "a", "in": "query", "schema": {"type": "string"}}
LIST: Json = {"name": "a", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}}
JSON: Json = {"application/json": {"schema": {"type": "string"}}}


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ({"parameters": [QUERY]}, {}, "request-parameter-removed"),
        ({}, {"parameters": [{**QUERY, "required": True}]}, "request-parameter-required-added"),
        ({"parameters": [QUERY]}, {"parameters": [{**QUERY, "required": True}]}, "request-parameter-required"),
        ({"parameters": [LIST]}, {"parameters": [{**LIST, "explode": False}]}, "request-parameter-serialization-changed"),
        ({"requestBody": {"content": JSON}}, {}, "request-body-removed"),
        ({}, {"requestBody": {"required": True, "content": JSON}}, "request-body-required-added"),
        ({"requestBody": {"content": JSON}}, {"requestBody": {"required": True, "content": JSON}}, "request-body-required"),
        ({"requestBody": {"content": {**JSON, "text/csv": {}}}}, {"requestBody": {"content": JSON}}, "request-media-type-removed"),
        ({"responses": {"200": {}, "404": {}}}, {"responses": {"200": {}}}, "response-removed"),
        ({"responses": {"200": {"content": JSON}}}, {"responses": {"200": {}}}, "response-media-type-removed"),
        ({"responses": {"200": {"headers": {"ETag": {}}}}}, {"responses": {"200": {}}}, "response-header-removed"),
        ({}, {"security": [{"key": []}]}, "security-added"),
        ({"security": [{"key": []}, {"token": []}]}, {"security": [{"key": []}]}, "security-changed"),
        ({"security": [{"key": ["read"]}]}, {"security": [{"key": ["read", "write"]}]}, "security-changed"),
    ],
)
def test_an_edit_breaks_by_its_rule(old: Json, new: Json, rule: str) -> None:
    assert rules(document(old), document(new)) == [rule]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({}, {"parameters": [QUERY]}),
        ({"parameters": [{**QUERY, "required": True}]}, {"parameters": [QUERY]}),
        ({"parameters": [QUERY]}, {"parameters": [{**QUERY, "explode": False}]}),
        ({"parameters": [{**QUERY, "in": "header", "name": "X-A"}]}, {"parameters": [{**QUERY, "in": "header", "name": "x-a"}]}),
        ({"requestBody": {"content": JSON}}, {"requestBody": {"content": {"application/*": JSON["application/json"]}}}),
        ({"responses": {"201": {}}}, {"responses": {"2XX": {}}}),
        ({"security": [{"key": []}]}, {"security": [{"key": []}, {"token": []}]}),
        ({"security": [{"key": []}]}, {"security": [{}]}),
        ({"operationId": "a", "tags": ["a"], "deprecated": False}, {"operationId": "b", "tags": [], "deprecated": True}),
    ],
)
def test_an_edit_that_takes_nothing_away_is_no_change(old: Json, new: Json) -> None:
    assert rules(document(old), document(new)) == []


def test_a_parameter_behind_a_reference_is_the_same_parameter() -> None:
    """Moved to the components, and tightened there: found once, at the place where it now stands."""
    old = document({"parameters": [{**QUERY, "schema": {"type": "integer", "maximum": 9}}]})
    limit = {**QUERY, "schema": {"type": "integer", "maximum": 5}}
    new = document({"parameters": [{"$ref": "#/components/parameters/A"}]}, components={"parameters": {"A": limit}})
    done = run(old, new)
    (claim,) = breaking(done)
    assert places(done, claim)["new"] == ["/components/parameters/A/schema/maximum"]


def test_a_shared_schema_is_told_once_and_each_operation_rests_on_it() -> None:
    def shared(kind: str) -> str:
        answer = {"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S"}}}}}}
        paths = {"/a": {"get": answer}, "/b": {"get": answer, "put": answer}}
        return json.dumps({"openapi": "3.1.0", "info": {}, "paths": paths, "components": {"schemas": {"S": {"type": kind}}}}, indent=1)

    done = run(shared("string"), shared("integer"))
    assert len(breaking(done)) == 1
    uses = "response /components/schemas/S -> /components/schemas/S"
    assert [name for name, item in done.progress.items() if uses in item.uses] == ["get /a", "get /b", "put /b"]


def test_a_large_operation_is_compared_piece_by_piece() -> None:
    """Neither its parameter list nor its schema fits: labels, outlines and pairs of their own take their place."""

    def large(kind: str, n: int) -> str:
        words = "x" * 300
        parameters = [{"name": f"p{at}", "in": "query", "description": words, "schema": {"type": "string"}} for at in range(n)]
        properties = {f"m{at}": {"type": kind if at == 50 else "string", "description": words} for at in range(60)}
        schema = {"type": "object", "properties": properties}
        return document({"parameters": parameters, "responses": {"200": {"content": {"application/json": {"schema": schema}}}}})

    done = run(large("string", 60), large("integer", 59), max_steps=300)
    told = {claim["about"]["aspect"]: claim["text"] for claim in done.claims}
    assert told == {
        "request-parameter-removed": "query parameter `p59` removed",
        "response-type-widened": "type of response property `m50` of body `200` of `get /x` changed from `string` to `integer`",
    }
    assert max(map(len, done.inputs)) < 27_648 * 3


@pytest.mark.parametrize("rule", ["tag=inner", "glob:/in/**", "glob:/in/*", "x-level/now=true", "/x-level/now=true"])
def test_a_scope_rule_leaves_the_operation_out(rule: str) -> None:
    operation = {"tags": ["a", "inner"], "x-level": {"now": True}, "parameters": [QUERY]}
    done = run(document(operation, path="/in/a"), document({}, path="/in/a"), (rule,))
    (claim,) = done.claims
    assert (claim["standing"], claim["scope_rule"]) == ("excluded", rule)
    assert done.progress["get /in/a"].state == "excluded"


@pytest.mark.parametrize("rule", ["tag=in", "glob:/in", "glob:/*", "x-level=true", "words of a person"])
def test_a_scope_rule_that_does_not_match_leaves_nothing_out(rule: str) -> None:
    operation = {"tags": ["inner"], "x-level": {"now": True}, "parameters": [QUERY]}
    assert rules(document(operation, path="/in/a"), document({}, path="/in/a"), rule) == ["request-parameter-removed"]


def test_of_several_paths_of_one_shape_each_has_its_namesake_and_the_renamed_one_is_left() -> None:
    """Not allowed by the format, and met all the same."""

    def spell(*paths: str, status: str = "200") -> str:
        items = {path: {"get": {"responses": {"200" if at else status: {"description": "ok"}}}} for at, path in enumerate(paths)}
        return json.dumps({"openapi": "3.1.0", "info": {}, "paths": items}, indent=1)

    done = run(spell("/a/{x}", "/a/{y}", "/a/{z}"), spell("/a/{w}", "/a/{y}", "/a/{z}", status="201"))
    assert [claim["about"]["pointer"] for claim in breaking(done)] == ["/paths/~1a~1{x}/get/responses/200"]
    assert breaking(run(spell("/a/{x}", "/a/{y}"), spell("/a/{y}"))) == []
