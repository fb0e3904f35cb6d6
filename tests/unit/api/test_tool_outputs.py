"""Answers as JSON: each is of the schema of its tool, and `next` is a call that continues."""

from collections.abc import Mapping
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from api.tools import ToolAnswer, ToolContext, call_tool
from api.tools.definitions import TOOLS
from api.tools.outputs import ERROR, OUTPUTS, next_arguments, structured
from evidence_store.errors import JsonValue
from evidence_store.model import Outcome
from evidence_store.store import EvidenceStore
from tests.factories import API, put
from tests.unit.api.tool_calls import call

LOG = b"".join(b"line %d of a log\n" % n for n in range(400))
CALLS: tuple[tuple[str, dict[str, JsonValue]], ...] = (
    ("list_resources", {}),
    ("read_spec", {"resource": API, "operation": "get /orders/{id}"}),
    ("read_spec", {"resource": API, "pointer": "", "max_tokens": 60}),
    ("read_spec", {"resource": API, "pointer": "/paths", "view": "keys"}),
    ("read_log", {"resource": "run.log", "lines": "head:2"}),
    ("summary", {"resource": "run.log"}),
    ("search", {"resource": "run.log", "pattern": "line 39", "limit": 2}),
    ("search", {"resource": "run.log", "pattern": "no such words"}),
    ("diff", {"resource": "run.log", "old_revision": 1, "new_revision": 1}),
    ("get_progress", {}),
    ("list_claims", {}),
    ("record_progress", {"items": [{"subject": "a", "state": "doing", "next": "b", "uses": []}]}),
    ("record_claim", {"about": {"resource": API}, "text": "It is so.", "citations": []}),
    ("list_claims", {}),
    ("get_progress", {}),
)


@pytest.fixture(autouse=True)
def _a_log(store: EvidenceStore) -> None:
    put(store, LOG, "run.log")


def faults(schema: Mapping[str, JsonValue], value: object) -> list[str]:
    return [error.message for error in Draft202012Validator(schema).iter_errors(value)]


def test_every_tool_has_a_schema_and_no_other() -> None:
    assert OUTPUTS.keys() == {tool.name for tool in TOOLS}
    for schema in (*OUTPUTS.values(), ERROR):
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"


def test_answers_are_of_their_schemas(context: ToolContext) -> None:
    asked = [*CALLS]
    (packet,) = call(context, "read_log", resource="run.log", lines="head:2").packets
    asked.append(("get_evidence", {"id": packet.id.upper()}))
    answers = [(name, structured(name, call_tool(context, name, words, recording=True))) for name, words in asked]
    assert [(name, said) for name, value in answers if (said := faults(OUTPUTS[name], value))] == []
    assert {name for name, _ in answers} == OUTPUTS.keys()


def test_what_the_lines_say_stands_in_the_value(context: ToolContext) -> None:
    hits = structured("search", call(context, "search", resource="run.log", pattern="line 39", limit=2))
    assert (hits["hits"], hits["absent"], hits["more"]) == (2, False, True)
    none = structured("search", call(context, "search", resource="run.log", pattern="no such words"))
    assert (none["hits"], none["absent"], len(packets(none))) == (0, True, 1)
    listed = structured("list_resources", call(context, "list_resources"))
    assert listed["next"] is None
    assert isinstance(listed["resources"], list)
    assert [one["resource"] for one in listed["resources"]] == ["run.log", API]


def packets(value: Mapping[str, JsonValue]) -> list[Any]:
    found = value["packets"]
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        ("read_log", {"resource": "run.log", "lines": "1-400", "max_tokens": 50}),
        ("read_log", {"resource": "run.log", "bytes": "0-1000", "max_tokens": 50}),
        ("read_spec", {"resource": API, "pointer": "", "max_tokens": 60}),
        ("read_spec", {"resource": API, "pointer": "", "view": "keys", "max_tokens": 20}),
    ],
)
def test_next_is_a_call_that_continues(context: ToolContext, tool: str, words: dict[str, JsonValue]) -> None:
    """As far as it leads, each call goes on behind the one before."""
    seen = 0
    while words:
        answer = call_tool(context, tool, words, recording=False)
        assert answer.outcome is Outcome.OK, answer.text
        (packet,) = answer.packets
        following: Any = next_arguments(packet)
        assert packets(structured(tool, answer))[0]["next"] == following
        words = following | {"max_tokens": words["max_tokens"]} if following else {}
        seen += 1
    assert seen > 1


def test_an_error_says_whether_to_try_again_and_with_what(context: ToolContext) -> None:
    value = structured("read_spec", call(context, "read_spec", resource=API, pointer="/path"))
    assert faults(ERROR, value) == []
    assert (value["code"], value["retry"], value["advice"]) == ("not_found", True, "retry_with")
    assert isinstance(value["details"], Mapping)
    assert value["details"]["nearest"] == ""
    outside = ToolContext(context.store, context.limit)
    assert structured("get_progress", call(outside, "get_progress"))["advice"] == "final"


def test_half_a_surrogate_pair_is_no_character_of_an_answer() -> None:
    answer = ToolAnswer("text", outcome=Outcome.ERROR, facts={"code": "a", "message": "\ud800", "retry": True, "details": {}})
    assert structured("search", answer)["message"] == "\ufffd"


def test_next_of_a_summary_that_is_cut_shows_all_of_it(context: ToolContext, store: EvidenceStore) -> None:
    put(store, b"".join(b"ERROR %d of it went wrong\n" % n for n in range(50)), "long.log")
    cut = call_tool(context, "summary", {"resource": "long.log", "max_tokens": 10}, recording=False)
    following: Any = next_arguments(cut.packets[0])
    whole = call_tool(context, "summary", following, recording=False)
    assert (cut.packets[0].id, following["kind"], whole.packets[0].cut) == (whole.packets[0].id, "log", None)
