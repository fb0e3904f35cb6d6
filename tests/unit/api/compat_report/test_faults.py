"""References that lead nowhere and parts that are not what the format asks for: open questions that name the place, never conclusions."""

import json
from typing import Any

import pytest

from tests.unit.api.compat_report.harness import Run, breaking, places, run

Json = Any
QUERY: Json = {"name": "a", "in": "query", "schema": {"type": "string"}}
ANSWER: Json = {"responses": {"200": {"description": "ok"}}}


def document(operation: Json, *, version: str = "3.1.0", **top: Any) -> str:
    return json.dumps({"openapi": version, "info": {}, "paths": {"/x": {"get": operation}}, **top}, indent=1)


def asked(done: Run) -> list[tuple[str, str]]:
    """Rule and reason of each open question; there is nothing else."""
    assert breaking(done) == []
    assert {item.state for item in done.progress.values()} == {"done"}
    return [(str(claim["about"]["aspect"]), str(claim["reason"])) for claim in done.claims]


REFERENCES: list[Any] = [
    ({**ANSWER, "parameters": [{"$ref": "#/components/parameters/Gone"}]}, "/parameters/0/$ref", "#/components/parameters/Gone"),
    ({**ANSWER, "requestBody": {"$ref": "#/components/requestBodies/Gone"}}, "/requestBody/$ref", "#/components/requestBodies/Gone"),
    ({"responses": {"200": {"$ref": "#/components/responses/Gone"}}}, "/responses/200/$ref", "#/components/responses/Gone"),
    (
        {"responses": {"200": {"headers": {"A": {"$ref": "#/components/headers/Gone"}}}}},
        "/responses/200/headers/A/$ref",
        "#/components/headers/Gone",
    ),
]


@pytest.mark.parametrize(("operation", "pointer", "target"), REFERENCES)
@pytest.mark.parametrize("components", [{}, {"components": {"schemas": {}}}, {"components": {"responses": {"B": {}}, "requestBodies": {}}}])
def test_a_reference_to_nothing_is_asked_about_with_its_place_and_its_target(
    operation: Json, pointer: str, target: str, components: Json
) -> None:
    text = document(operation, **components)
    questions = asked(run(text, text))
    assert ("reference-not-followed", f"the reference leads to nothing: `/paths/~1x/get{pointer}` says `{target}`") in questions


@pytest.mark.parametrize("side", ["old", "new"])
def test_a_parameter_that_cannot_be_read_may_be_the_one_that_seems_to_be_missing(side: str) -> None:
    """Neither removed nor new: the reference may lead to it."""
    known, unknown = ({**ANSWER, "parameters": [one]} for one in ({**QUERY, "required": True}, {"$ref": "other.yaml#/a"}))
    old, new = (known, unknown) if side == "new" else (unknown, known)
    assert [rule for rule, _ in asked(run(document(old), document(new)))] == ["reference-not-followed"]


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0"])
def test_a_path_item_behind_a_reference_is_followed(version: str) -> None:
    def spell(status: str, **more: Json) -> str:
        item = {"get": {"responses": {status: {"description": "ok"}}}, **more}
        return json.dumps({"openapi": version, "paths": {"/x": {"$ref": "#/x-items/X"}}, "x-items": {"X": item}}, indent=1)

    done = run(spell("200", put=ANSWER), spell("201"))
    assert [(claim["about"]["aspect"], claim["text"]) for claim in breaking(done)] == [
        ("response-removed", "response `200` of `get /x` removed"),
        ("operation-removed", "operation `put /x` removed"),
    ]
    assert places(done, breaking(done)[0])["context"] == ["/paths/~1x"]
    assert places(done, breaking(done)[0])["old"] == ["/x-items/X/get/responses/200"]


def test_an_operation_beside_the_reference_of_its_path_item_is_there() -> None:
    def spell(beside: Json) -> str:
        return json.dumps({"openapi": "3.1.0", "paths": {"/x": {"$ref": "#/x-items/X", **beside}}, "x-items": {"X": {"get": ANSWER}}})

    own = {"post": {"responses": {"201": {"description": "ok"}}}}
    assert run(spell(own), spell(own)).claims == []
    assert [claim["text"] for claim in breaking(run(spell(own), spell({})))] == ["operation `post /x` removed"]


@pytest.mark.parametrize("target", ["#/x-items/Gone", "gone.yaml", "https://example.org/x.yaml"])
def test_a_path_item_behind_a_reference_to_nothing_is_asked_about(target: str) -> None:
    text = json.dumps({"openapi": "3.1.0", "paths": {"/x": {"$ref": target}}}, indent=1)
    for old, new in ((text, text), (document(ANSWER), text), (text, document(ANSWER))):
        ((rule, reason),) = asked(run(old, new))
        assert rule == "reference-not-followed"
        assert reason.endswith(f"`/paths/~1x/$ref` says `{target}`")


OPERATIONS: list[Any] = [
    ([], "`/paths/~1x/get` holds an array where the format asks for an object"),
    (None, "`/paths/~1x/get` holds null where the format asks for an object"),
    ("words", "`/paths/~1x/get` holds a string where the format asks for an object"),
    ({**ANSWER, "parameters": {"a": 1}}, "`/paths/~1x/get/parameters` holds an object where the format asks for an array"),
    ({**ANSWER, "parameters": None}, "`/paths/~1x/get/parameters` holds null where the format asks for an array"),
    ({**ANSWER, "parameters": [1]}, "`/paths/~1x/get/parameters/0` holds a number where the format asks for an object"),
    (
        {**ANSWER, "parameters": [{"name": "a"}]},
        "`/paths/~1x/get/parameters/0` holds an object where the format asks for a parameter with `name` and `in`",
    ),
    ({"responses": []}, "`/paths/~1x/get/responses` holds an array where the format asks for an object"),
    ({"responses": {"200": True}}, "`/paths/~1x/get/responses/200` holds a boolean where the format asks for an object"),
    ({**ANSWER, "security": {"a": []}}, "`/paths/~1x/get/security` holds an object where the format asks for an array"),
    (
        {**ANSWER, "parameters": [{**QUERY, "schema": "string"}]},
        "`/paths/~1x/get/parameters/0/schema` holds a string where the format asks for a schema",
    ),
    (
        {**ANSWER, "parameters": [{**QUERY, "schema": {"type": {}}}]},
        "`/paths/~1x/get/parameters/0/schema/type` holds an object where the format asks for a type or a list of types",
    ),
]


@pytest.mark.parametrize(("operation", "reason"), OPERATIONS)
@pytest.mark.parametrize("side", ["old", "new"])
def test_what_is_not_what_the_format_asks_for_is_asked_about_with_its_place(operation: Json, reason: str, side: str) -> None:
    wrong, right = document(operation), document({**ANSWER, "parameters": [QUERY]} if "parameters" in reason else ANSWER)
    done = run(wrong, right) if side == "old" else run(right, wrong)
    assert asked(done) == [("malformed", reason)]


@pytest.mark.parametrize("item", [[], None, "words"])
def test_a_path_item_that_is_no_object_is_asked_about(item: Json) -> None:
    wrong = json.dumps({"openapi": "3.1.0", "paths": {"/x": item}}, indent=1)
    for old, new in ((wrong, document(ANSWER)), (document(ANSWER), wrong)):
        ((rule, reason),) = asked(run(old, new))
        assert rule == "malformed"
        assert reason.startswith("`/paths/~1x` holds ")


def test_a_null_that_is_spelled_by_no_character_is_one() -> None:
    old = "openapi: 3.1.0\npaths:\n  /x:\n    get:\n      parameters:\n      responses: {}\n"
    ((rule, reason),) = asked(run(old, document({"responses": {}})))
    assert (rule, reason) == ("malformed", "`/paths/~1x/get/parameters` holds null where the format asks for an array")


def test_responses_that_only_one_version_has_are_asked_about_where_the_format_asks_for_them() -> None:
    bare, full = ({"description": "a"}, ANSWER)
    for old, new in ((bare, full), (full, bare)):
        ((rule, reason),) = asked(run(document(old, version="3.0.3"), document(new, version="3.0.3")))
        assert (rule, reason) == ("malformed", "`/paths/~1x/get` lacks the object `responses` that the format asks for")
    assert run(document(bare, version="3.0.3"), document(bare, version="3.0.3")).claims == []
    assert [claim["about"]["aspect"] for claim in breaking(run(document(full), document(bare)))] == ["response-removed"]


def test_words_of_a_document_stand_in_a_reason_on_one_line() -> None:
    text = document({**ANSWER, "parameters": [{"$ref": "#/components/a`b\n" + "d" * 300}]})
    reason = asked(run(text, document(ANSWER)))[0][1]
    assert "says `#/components/a'b\\nd" in reason
    assert "\n" not in reason
    assert len(reason) < 400
