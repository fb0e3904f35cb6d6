"""Swagger 2.0 against Swagger 2.0: what it spells otherwise than OpenAPI 3 falls under the same rules."""

import json
from typing import Any

import pytest

from tests.unit.api.compat_report.harness import breaking, places, run

Json = Any
BODY: Json = {"name": "body", "in": "body", "schema": {"type": "object", "properties": {"a": {"type": "string"}}}}
LIMIT: Json = {"name": "limit", "in": "query", "type": "integer", "maximum": 100}
IDS: Json = {"name": "ids", "in": "query", "type": "array", "items": {"type": "string"}}
FILE: Json = {"name": "photo", "in": "formData", "type": "file"}


def document(operation: Json, **top: Any) -> str:
    paths = {"/x": {"post": {"responses": {"200": {"description": "ok"}}, **operation}}}
    return json.dumps({"swagger": "2.0", "info": {}, "paths": paths, **top}, indent=1)


def answer(schema: Json, **more: Any) -> Json:
    return {"responses": {"200": {"description": "ok", "schema": schema, **more}}}


def told(old: str, new: str) -> list[str]:
    done = run(old, new)
    assert done.refusal is None
    return sorted(claim["about"]["aspect"] for claim in breaking(done))


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ({"parameters": [LIMIT]}, {}, "request-parameter-removed"),
        ({"parameters": [LIMIT]}, {"parameters": [{**LIMIT, "maximum": 50}]}, "request-bound-narrowed"),
        ({"parameters": [LIMIT]}, {"parameters": [{**LIMIT, "exclusiveMaximum": True}]}, "request-bound-narrowed"),
        ({"parameters": [LIMIT]}, {"parameters": [{**LIMIT, "required": True}]}, "request-parameter-required"),
        ({"parameters": [LIMIT]}, {"parameters": [{**LIMIT, "type": "string"}]}, "request-type-narrowed"),
        ({"parameters": [LIMIT]}, {"parameters": [{**LIMIT, "enum": [1]}]}, "request-enum-set"),
        ({"parameters": [IDS]}, {"parameters": [{**IDS, "collectionFormat": "multi"}]}, "request-parameter-serialization-changed"),
        ({"parameters": [IDS]}, {"parameters": [{**IDS, "items": {"type": "string", "format": "uuid"}}]}, "request-format-narrowed"),
        ({"parameters": [FILE]}, {}, "request-parameter-removed"),
        ({}, {"parameters": [{**FILE, "required": True}]}, "request-parameter-required-added"),
        ({"parameters": [BODY]}, {}, "request-body-removed"),
        ({}, {"parameters": [{**BODY, "required": True}]}, "request-body-required-added"),
        ({"parameters": [BODY]}, {"parameters": [{**BODY, "required": True}]}, "request-body-required"),
        (
            {"parameters": [BODY]},
            {"parameters": [{**BODY, "schema": {**BODY["schema"], "required": ["a"]}}]},
            "request-property-required",
        ),
        (answer({"type": "string"}), {"responses": {"200": {"description": "ok"}}}, "response-body-removed"),
        (answer({"type": "integer"}), answer({"type": "string"}), "response-type-widened"),
        (answer({"type": "string"}), answer({"type": "string", "x-nullable": True}), "response-null-added"),
        (
            answer({}, headers={"ETag": {"type": "integer"}}),
            answer({}, headers={"ETag": {"type": "string"}}),
            "response-type-widened",
        ),
        ({"produces": ["text/csv", "application/json"]}, {"produces": ["application/json"]}, "response-media-type-removed"),
        (
            {"consumes": ["text/csv", "application/json"], "parameters": [BODY]},
            {"consumes": ["application/json"], "parameters": [BODY]},
            "request-media-type-removed",
        ),
        (
            answer({"type": "object", "discriminator": "a", "properties": {"a": {}, "b": {}}}),
            answer({"type": "object", "discriminator": "b", "properties": {"a": {}, "b": {}}}),
            "response-discriminator-changed",
        ),
    ],
)
def test_an_edit_breaks_by_its_rule(old: Json, new: Json, rule: str) -> None:
    assert told(document(old), document(new)) == [rule]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"parameters": [IDS]}, {"parameters": [{**IDS, "collectionFormat": "csv"}]}),
        ({"parameters": [LIMIT]}, {"parameters": [{**LIMIT, "collectionFormat": "multi"}]}),
        ({"parameters": [{**BODY, "name": "order"}]}, {"parameters": [{**BODY, "name": "payload"}]}),
        ({"consumes": ["text/csv"]}, {"consumes": ["application/json"]}),
        ({"produces": ["text/csv"]}, {}),
        ({}, answer({"type": "string"})),
    ],
)
def test_what_stays_on_the_wire_is_no_change(old: Json, new: Json) -> None:
    assert told(document(old), document(new)) == []


def test_what_is_shared_at_the_root_is_told_once_where_it_stands() -> None:
    operation: Json = {
        "parameters": [{"$ref": "#/parameters/Limit"}, {"name": "b", "in": "body", "schema": {"$ref": "#/definitions/Order"}}],
        "responses": {"200": {"$ref": "#/responses/Ok"}},
    }
    order: Json = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "note": {"type": "string"}}}

    def spell(maximum: int, schema: Json) -> str:
        shared = {"responses": {"Ok": {"description": "ok", "schema": {"$ref": "#/definitions/Order"}}}}
        paths = {path: {"post": operation} for path in ("/x", "/y")}
        top = {"parameters": {"Limit": {**LIMIT, "maximum": maximum}}, "definitions": {"Order": schema}, **shared}
        return json.dumps({"swagger": "2.0", "info": {}, "paths": paths, **top}, indent=1)

    done = run(spell(100, order), spell(50, {**order, "properties": {"id": {"type": "string"}}}))
    assert sorted((claim["about"]["aspect"], claim["about"]["pointer"]) for claim in breaking(done)) == [
        ("request-bound-narrowed", "/parameters/Limit/maximum"),
        ("response-property-removed", "/definitions/Order/properties/note"),
    ]


def test_media_types_of_the_document_are_told_once_and_cite_both_lists() -> None:
    operation: Json = {"responses": {"200": {"description": "ok"}}}
    old, new = (
        json.dumps({"swagger": "2.0", "produces": listed, "paths": {"/x": {"get": operation}, "/y": {"get": operation}}}, indent=1)
        for listed in (["text/csv", "application/json"], ["application/json"])
    )
    done = run(old, new)
    assert {claim["text"] for claim in breaking(done)} == {"media type `text/csv` removed from `produces`"}
    assert places(done, breaking(done)[0]) == {"old": ["/produces/0"], "new": ["/produces"]}


def test_a_security_scheme_is_found_at_the_root() -> None:
    old, new = (
        document({"security": [{"key": []}]}, securityDefinitions={"key": {"type": "apiKey", "name": "k", "in": place}})
        for place in ("query", "header")
    )
    assert told(old, new) == ["security-scheme-changed"]


OAUTH: Json = {
    "type": "oauth2",
    "flow": "accessCode",
    "authorizationUrl": "https://a.example/in",
    "tokenUrl": "https://a.example/token",
    "scopes": {"read": "to read", "write": "to write"},
}


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"flow": "implicit"}, "/flow"),
        ({"authorizationUrl": "https://b.example/in"}, "/authorizationUrl"),
        ({"tokenUrl": "https://b.example/token"}, "/tokenUrl"),
        ({"scopes": {"read": "other words"}}, "/scopes/write"),
        ({"scopes": {**OAUTH["scopes"], "more": ""}}, None),
    ],
)
def test_how_a_token_is_had_is_part_of_a_security_scheme(change: Json, place: str | None) -> None:
    old, new = (document({"security": [{"o": ["read"]}]}, securityDefinitions={"o": scheme}) for scheme in (OAUTH, {**OAUTH, **change}))
    found = [(claim["about"]["aspect"], claim["about"]["pointer"]) for claim in breaking(run(old, new))]
    assert found == ([] if place is None else [("security-scheme-changed", f"/securityDefinitions/o{place}")])


def test_flows_and_scopes_of_openapi_3_fall_under_the_same_rule() -> None:
    def spell(flows: Json) -> str:
        paths = {"/x": {"get": {"security": [{"o": ["r"]}], "responses": {"200": {"description": "ok"}}}}}
        schemes = {"o": {"type": "oauth2", "flows": flows}}
        return json.dumps({"openapi": "3.0.3", "paths": paths, "components": {"securitySchemes": schemes}}, indent=1)

    implicit = {"authorizationUrl": "u", "scopes": {"r": "", "w": ""}}
    done = run(
        spell({"implicit": implicit, "password": {"tokenUrl": "t", "scopes": {}}}), spell({"implicit": {**implicit, "scopes": {"r": ""}}})
    )
    assert sorted(claim["text"] for claim in breaking(done)) == [
        "flow `password` of security scheme `o` removed",
        "scope `w` of `implicit` of security scheme `o` removed",
    ]


@pytest.mark.parametrize("at_root", [True, False])
@pytest.mark.parametrize(("keyword", "direction"), [("consumes", "request"), ("produces", "response")])
def test_a_list_of_media_types_may_grow_and_breaks_where_it_shrinks(keyword: str, direction: str, at_root: bool) -> None:
    def spell(listed: Json) -> str:
        said = {} if listed is None else {keyword: listed}
        return document({"parameters": [BODY]}, **said) if at_root else document({"parameters": [BODY], **said})

    both, one = ["text/csv", "application/json"], ["application/json"]
    assert told(spell(both), spell(one)) == [f"{direction}-media-type-removed"]
    assert told(spell(one), spell(both)) == told(spell(None), spell(one)) == []
    done = run(spell(both), spell(None))
    assert [(claim["standing"], claim["about"]["aspect"]) for claim in done.claims] == [("open", f"{direction}-keyword-not-compared")]


@pytest.mark.parametrize(("keyword", "direction"), [("consumes", "request"), ("produces", "response")])
def test_a_list_of_the_operation_stands_in_for_that_of_the_document(keyword: str, direction: str) -> None:
    shared = {keyword: ["text/csv"]}
    old, own = document({"parameters": [BODY]}, **shared), document({"parameters": [BODY], keyword: ["text/plain"]}, **shared)
    assert told(old, own) == told(own, old) == [f"{direction}-media-type-removed"]
    emptied = run(old, document({"parameters": [BODY], keyword: []}, **shared))
    assert [claim["standing"] for claim in emptied.claims] == ["open"]


def test_nullable_has_no_meaning_and_members_beside_a_reference_have_none() -> None:
    definitions = {"A": {"type": "string"}}
    old = document(answer({"$ref": "#/definitions/A"}), definitions=definitions)
    new = document(answer({"$ref": "#/definitions/A", "x-nullable": True, "maxLength": 3}), definitions=definitions)
    assert told(old, new) == []
    assert told(document(answer({"type": "string"})), document(answer({"type": "string", "nullable": True}))) == []


@pytest.mark.parametrize("version", ["'1.2'", "3.0"])
def test_another_version_of_swagger_is_refused(version: str) -> None:
    done = run(f"swagger: {version}\npaths: {{}}\n", document({}))
    assert done.refusal is not None
    assert done.refusal.code == "unsupported_openapi"
    assert "'old' is Swagger" in done.refusal.message


def test_two_kinds_of_document_are_refused_with_both_named() -> None:
    done = run(document({}), "openapi: 3.0.3\npaths: {}\n")
    assert done.refusal is not None
    assert done.refusal.code == "unsupported_openapi"
    assert "'old' is Swagger and 'new' is OpenAPI" in done.refusal.message
