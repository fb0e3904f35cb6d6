"""OpenAPI 3.2: what it has in common with 3.1, `query`, operations of other methods, streams, shared media types."""

import json
from typing import Any

import pytest

from api.compat_report.affected import Conclusion
from api.compat_report.outcome import RecordedClaim
from api.compat_report.report import find_group
from tests.unit.api.compat_report.harness import Run, breaking, places, run

Json = Any
ANSWER: Json = {"responses": {"200": {"description": "ok"}}}


def limit(maximum: int) -> Json:
    return {**ANSWER, "parameters": [{"name": "a", "in": "query", "schema": {"type": "integer", "maximum": maximum}}]}


def document(item: Json, *, version: str = "3.2.0", **components: Any) -> str:
    return json.dumps({"openapi": version, "info": {}, "paths": {"/x": item}, "components": components}, indent=1)


def rules(done: Run) -> list[str]:
    assert done.refusal is None
    return [str(claim["about"]["aspect"]) for claim in breaking(done)]


@pytest.mark.parametrize(("old", "new"), [("3.2.0", "3.2.0"), ("3.1.1", "3.2.0"), ("3.0.3", "3.2.1")])
def test_what_is_common_is_compared(old: str, new: str) -> None:
    assert rules(run(document({"get": limit(9)}, version=old), document({"get": limit(5)}, version=new))) == ["request-bound-narrowed"]


def test_query_is_a_method_from_3_2_on() -> None:
    assert rules(run(document({"query": limit(9)}), document({"query": limit(5)}))) == ["request-bound-narrowed"]
    assert rules(run(document({"query": ANSWER}), document({"get": ANSWER}))) == ["operation-removed"]
    assert rules(run(document({"query": ANSWER}, version="3.1.0"), document({"get": ANSWER}, version="3.1.0"))) == []


def test_an_operation_of_another_method_is_compared() -> None:
    def spell(maximum: int, kind: str) -> str:
        answer = {"responses": {"200": {"content": {"application/json": {"schema": {"type": kind}}}}}}
        return document({"additionalOperations": {"COPY": {**limit(maximum), **answer}}})

    done = run(spell(9, "string"), spell(5, "integer"))
    assert [claim["text"] for claim in breaking(done)] == [
        "`maximum` of query parameter `a` lowered from 9 to 5",
        "type of response body `200` of `COPY /x` changed from `string` to `integer`",
    ]
    assert done.progress["COPY /x"].state == "done"
    gone = run(spell(9, "string"), document({"get": ANSWER}))
    assert [claim["text"] for claim in breaking(gone)] == ["operation `COPY /x` removed"]
    assert places(gone, breaking(gone)[0]) == {"old": ["/paths/~1x/additionalOperations/COPY"], "absent": ["/paths/~1x"]}


def test_another_method_stands_under_its_own_name_in_the_report() -> None:
    claim = RecordedClaim("C1", "verified", "x", "r", "/paths/~1x/additionalOperations/COPY/responses/200", "response-removed", ())
    assert find_group(Conclusion(claim, ("get /x", "COPY /x"))) == "COPY /x"


def test_a_method_of_another_spelling_is_an_open_question() -> None:
    done = run(document({"additionalOperations": {"copy": ANSWER}}), document({}))
    assert [(claim["standing"], claim["about"]["aspect"]) for claim in done.claims] == [("open", "operation-part-not-compared")]


def test_the_items_of_a_stream_are_compared() -> None:
    def spell(kind: str) -> str:
        return document({"get": {"responses": {"200": {"content": {"application/jsonl": {"itemSchema": {"type": kind}}}}}}})

    assert rules(run(spell("string"), spell("integer"))) == ["response-type-widened"]


def test_a_shared_media_type_is_followed() -> None:
    answer = {"responses": {"200": {"content": {"application/json": {"$ref": "#/components/mediaTypes/J"}}}}}
    old, new = (document({"get": answer}, mediaTypes={"J": {"schema": {"type": kind}}}) for kind in ("string", "integer"))
    assert rules(run(old, new)) == ["response-type-widened"]
    gone = run(old, document({"get": answer}))
    assert [claim["about"]["aspect"] for claim in gone.claims] == ["reference-not-followed"]
