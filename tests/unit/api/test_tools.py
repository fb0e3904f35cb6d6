"""Tools as a model calls them: by name, with the arguments it wrote, answered with text in the documented grammar."""

from collections.abc import Mapping
from pathlib import Path

import orjson
import pytest

from api.tools import ToolContext, call_tool, definitions, value_of
from evidence_store.errors import JsonValue
from evidence_store.model import Outcome
from evidence_store.store import EvidenceStore
from projector import parse_packets
from tests.factories import API, put, put_all, tampering
from tests.unit.api.tool_calls import SPEC, call, details, error, excerpt, json_lines, limit_of

READING = ["diff", "get_evidence", "get_progress", "list_claims", "list_resources", "read_log", "read_spec", "search", "summary"]
RECORDING = ["record_claim", "record_progress"]


# -- definitions


def test_reading_tools_are_offered_and_recording_ones_only_where_granted() -> None:
    assert [one["function"]["name"] for one in map(plain, definitions(recording=False))] == READING
    assert [one["function"]["name"] for one in map(plain, definitions(recording=True))] == READING + RECORDING


def plain(definition: Mapping[str, JsonValue]) -> dict[str, dict[str, JsonValue]]:
    decoded: dict[str, dict[str, JsonValue]] = orjson.loads(orjson.dumps(definition))
    return decoded


def test_definitions_are_the_same_every_time() -> None:
    """They stand first in every input; a byte that differs would cost the provider's cache."""
    assert orjson.dumps(definitions(recording=True)) == orjson.dumps(definitions(recording=True))


def test_every_argument_is_described_and_others_are_refused(context: ToolContext) -> None:
    for definition in map(plain, definitions(recording=True)):
        parameters = definition["function"]["parameters"]
        assert isinstance(parameters, dict)
        assert parameters["additionalProperties"] is False
        assert set(parameters["required"]) <= set(parameters["properties"])
        name = str(definition["function"]["name"])
        assert call_tool(context, name, {"no such argument": 1}, recording=True).outcome is Outcome.ERROR


def test_a_recording_tool_that_is_not_granted_does_not_exist(context: ToolContext) -> None:
    answer = call_tool(context, "record_progress", {"items": []}, recording=False)
    assert error(answer) == ("unknown_tool", True)
    assert details(answer)["known"] == READING


def test_an_unknown_tool_says_which_there_are(context: ToolContext) -> None:
    answer = call(context, "delete_everything")
    assert error(answer) == ("unknown_tool", True)
    assert details(answer)["known"] == READING + RECORDING


# -- reading


def test_a_place_is_read_by_pointer_operation_parameter_or_schema(context: ToolContext) -> None:
    asked: list[tuple[dict[str, JsonValue], str]] = [
        ({"pointer": "/paths/~1orders~1{id}/get/x-stability-level"}, "/paths/~1orders~1{id}/get/x-stability-level"),
        ({"pointer": "#/paths/~1orders~1%7Bid%7D/get/x-stability-level"}, "/paths/~1orders~1{id}/get/x-stability-level"),
        ({"operation": "get /orders/{id}"}, "/paths/~1orders~1{id}/get"),
        ({"operation": "GET /orders/{id}", "parameter": "limit"}, "/paths/~1orders~1{id}/get/parameters/0"),
        ({"schema": "Order"}, "/components/schemas/Order"),
        ({"pointer": ""}, ""),
    ]
    for arguments, pointer in asked:
        (packet,) = call_tool(context, "read_spec", {"resource": API, **arguments}, recording=False).packets
        assert packet.pointer == pointer


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"pointer": "", "operation": "get /orders/{id}"},
        {"schema": "Order", "pointer": ""},
        {"parameter": "limit"},
        {"schema": "Order", "parameter": "limit"},
    ],
)
def test_a_place_is_named_in_one_way(context: ToolContext, arguments: dict[str, JsonValue]) -> None:
    assert error(call_tool(context, "read_spec", {"resource": API, **arguments}, recording=False)) == ("bad_argument", True)


def test_fields_are_evidence_of_their_own(context: ToolContext) -> None:
    answer = call(context, "read_spec", resource=API, operation="get /orders/{id}", fields=["x-stability-level", "parameters"])
    assert [packet.pointer for packet in answer.packets] == [
        "/paths/~1orders~1{id}/get/x-stability-level",
        "/paths/~1orders~1{id}/get/parameters",
    ]


def test_keys_are_evidence_of_what_is_absent(context: ToolContext) -> None:
    answer = call(context, "read_spec", resource=API, pointer="/paths/~1orders~1{id}", view="keys")
    assert excerpt(answer) == '["get"]'
    assert answer.packets[0].status == "derived"


def test_what_is_larger_than_the_limit_comes_as_an_outline(context: ToolContext) -> None:
    answer = call(context, "read_spec", resource=API, pointer="/paths", max_tokens=100)
    (packet,) = parse_packets(answer.text)
    assert (packet.excerpt, packet.outline is not None) == (None, True)
    with pytest.raises(ValueError, match="not shown whole"):
        value_of(packet)


def test_the_value_of_a_shown_node_keeps_its_numbers_as_written(context: ToolContext) -> None:
    (packet,) = parse_packets(call(context, "read_spec", resource=API, operation="get /orders/{id}", parameter="limit").text)
    assert value_of(packet) == {"name": "limit", "in": "query", "schema": {"maximum": "50"}}


def test_the_text_of_an_answer_shows_its_packets(context: ToolContext) -> None:
    answer = call(context, "read_spec", resource=API, schema="Order")
    assert [one.id for one in parse_packets(answer.text)] == [one.id for one in answer.packets]
    assert excerpt(answer) == '{"type": "object"}'


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"resource": "nowhere", "pointer": ""}, "not_found"),
        ({"resource": API, "revision": 9, "pointer": ""}, "not_found"),
        ({"resource": API, "pointer": "/paths/x"}, "not_found"),
        ({"resource": API, "pointer": "/paths~2"}, "malformed_pointer"),
        ({"resource": API, "operation": "get /gone"}, "not_found"),
        ({"resource": API, "operation": "get /orders/{id}", "parameter": "gone"}, "not_found"),
        ({"resource": API, "schema": "Gone"}, "not_found"),
        ({"resource": API, "pointer": "/openapi/x"}, "not_container"),
    ],
)
def test_an_error_has_its_code_and_says_that_another_input_can_succeed(
    context: ToolContext, arguments: dict[str, JsonValue], code: str
) -> None:
    assert error(call_tool(context, "read_spec", arguments, recording=False)) == (code, True)


def test_an_error_helps_to_repair_the_call(context: ToolContext) -> None:
    answer = call(context, "read_spec", resource=API, pointer="/paths/~1orders~1{id}/post")
    assert details(answer)["nearest"] == "/paths/~1orders~1{id}"
    assert details(answer)["keys"] == ["get"]
    assert details(call(context, "read_spec", resource="nowhere", pointer=""))["known"] == [API]


def test_a_fault_of_the_store_is_final(context: ToolContext, tmp_path: Path) -> None:
    with tampering(tmp_path) as database:
        database.execute("UPDATE blobs SET inline = zeroblob(length(inline))")
    assert error(call(context, "read_spec", resource=API, pointer="/openapi")) == ("integrity_mismatch", False)


@pytest.mark.parametrize(
    ("name", "arguments", "argument"),
    [
        ("read_spec", {"pointer": ""}, "resource"),
        ("read_spec", {"resource": 5, "pointer": ""}, "resource"),
        ("read_spec", {"resource": None, "pointer": ""}, "resource"),
        ("read_spec", {"resource": API, "pointer": ["a"]}, "pointer"),
        ("read_spec", {"resource": API, "pointer": "", "revision": "1"}, "revision"),
        ("read_spec", {"resource": API, "pointer": "", "revision": True}, "revision"),
        ("read_spec", {"resource": API, "pointer": "", "revision": 0}, "revision"),
        ("read_spec", {"resource": API, "pointer": "", "revision": 1.0}, "revision"),
        ("read_spec", {"resource": API, "pointer": "", "max_tokens": 100_001}, "max_tokens"),
        ("read_spec", {"resource": API, "pointer": "", "fields": "a"}, "fields"),
        ("read_spec", {"resource": API, "pointer": "", "fields": [1]}, "fields"),
        ("search", {"resource": API, "pattern": "a", "regex": "yes"}, "regex"),
        ("search", {"resource": API, "pattern": "a", "limit": 201}, "limit"),
        ("record_progress", {"items": "a"}, "items"),
        ("record_progress", {"items": ["a"]}, "items"),
        ("record_progress", {}, "items"),
        ("record_claim", {"about": "a", "text": "b", "citations": []}, "about"),
    ],
)
def test_an_argument_of_the_wrong_type_is_named(context: ToolContext, name: str, arguments: dict[str, JsonValue], argument: str) -> None:
    answer = call_tool(context, name, arguments, recording=True)
    assert error(answer) == ("bad_argument", True)
    assert details(answer)["argument"] == argument


def test_resources_are_listed_one_a_line(context: ToolContext, store: EvidenceStore) -> None:
    put_all(store, b"one\n", b"two\n", name="日志/run.log")
    assert json_lines(call(context, "list_resources")) == [
        {"resource": API, "kind": "observation", "newest": 1, "format": "json", "bytes": len(SPEC)},
        {"resource": "日志/run.log", "kind": "observation", "newest": 2, "format": "text", "bytes": 4},
    ]
    assert [one["resource"] for one in json_lines(call(context, "list_resources", after=API))] == ["日志/run.log"]


def test_lines_and_bytes_of_a_log_are_read(context: ToolContext, store: EvidenceStore) -> None:
    put(store, b"one\ntwo\nthree\n", "run.log")
    assert excerpt(call(context, "read_log", resource="run.log", lines="2-3")) == "two\nthree\n"
    assert excerpt(call(context, "read_log", resource="run.log", bytes="4-7")) == "two"
    assert excerpt(call(context, "read_log", resource="run.log", lines="tail:1")) == "three\n"
    assert excerpt(call(context, "read_log", resource="run.log", lines="around:2:0")) == "two\n"
    assert error(call(context, "read_log", resource="run.log")) == ("bad_argument", True)
    assert error(call(context, "read_log", resource="run.log", lines="1-1", bytes="0-1")) == ("bad_argument", True)


def test_a_quoted_text_and_a_test_case_are_read(context: ToolContext, store: EvidenceStore) -> None:
    put(store, b"a: exit 1\nb: exit 1\n", "run.log")
    found = call(context, "read_log", resource="run.log", quote="exit 1", prefix="b: ").packets[0]
    assert (found.excerpt, found.lines.first, found.transforms) == ("exit 1", 2, ())
    assert error(call(context, "read_log", resource="run.log", quote="exit 1")) == ("ambiguous", True)
    assert error(call(context, "read_log", resource="run.log", lines="1-1", prefix="b: ")) == ("bad_argument", True)
    put(store, b'<testsuite name="s"><testcase name="t"><failure>boom</failure></testcase></testsuite>', "junit.xml")
    assert "boom" in (excerpt(call(context, "read_log", resource="junit.xml", case="s/t")) or "")
    assert error(call(context, "read_log", resource="run.log", case="s/t")) == ("no_structure", True)
    assert "--" not in call(context, "read_log", resource="run.log", case="s/t").text, "a model has no options"


def test_a_search_answers_with_hits_or_with_a_receipt(context: ToolContext, store: EvidenceStore) -> None:
    put(store, b"one\ntwo\none more\n", "run.log")
    hits = call(context, "search", resource="run.log", pattern="one")
    assert [packet.lines.first for packet in hits.packets] == [1, 3]
    assert hits.text.endswith("more: no\n")
    none = call(context, "search", resource="run.log", pattern="four")
    assert (none.packets[0].status, excerpt(none)) == ("derived", "0 hits")


def test_no_hit_in_an_incomplete_revision_proves_nothing(context: ToolContext, store: EvidenceStore) -> None:
    put(store, b"one\n", "run.log", complete=False)
    answer = call(context, "search", resource="run.log", pattern="four")
    assert (answer.packets, answer.outcome) == ((), Outcome.OK)
    assert "proves no absence" in answer.text


def test_a_diff_gives_both_sides_or_the_absence(context: ToolContext, store: EvidenceStore) -> None:
    put(store, SPEC.replace(b"50", b"20").replace(b'"type": "object"', b""))
    lines = json_lines(call(context, "diff", resource=API, old_revision=1, new_revision=2))
    assert [(line["change"], sorted(line.keys() - {"change"})) for line in lines] == [
        ("changed", ["new", "old"]),
        ("removed", ["absent", "old"]),
    ]


def test_a_stored_evidence_is_shown_again_also_by_a_folded_id(context: ToolContext) -> None:
    (packet,) = call(context, "read_spec", resource=API, schema="Order").packets
    again = call(context, "get_evidence", id=packet.id)
    assert again.packets == (packet,)
    assert "folded" not in again.text
    folded = call(context, "get_evidence", id=packet.id.upper())
    assert folded.packets == (packet,)
    assert "folded" in folded.text


def test_what_stands_around_an_evidence_is_shown(context: ToolContext) -> None:
    (packet,) = call(context, "read_spec", resource=API, schema="Order").packets
    assert call(context, "get_evidence", id=packet.id, expand="parent").packets[0].pointer == "/components/schemas"
    assert error(call(context, "get_evidence", id=packet.id, expand="child")) == ("unknown_expansion", True)


@pytest.mark.parametrize(("id_", "code"), [("ev_000000000000", "unknown_id"), ("ev_", "malformed_id"), ("C1", "malformed_id")])
def test_an_unknown_and_a_malformed_id_are_told_apart(context: ToolContext, id_: str, code: str) -> None:
    assert error(call(context, "get_evidence", id=id_)) == (code, True)


def test_a_run_goes_on_reading_the_revision_that_it_began_with(context: ToolContext, store: EvidenceStore) -> None:
    first = call(context, "read_spec", resource=API, pointer="/openapi").packets[0]
    put(store, b'{"openapi": "3.1.0"}')
    assert call(context, "read_spec", resource=API, pointer="/openapi").packets == (first,)
    outside = ToolContext(store, limit_of)
    assert call(outside, "read_spec", resource=API, pointer="/openapi").packets[0].revision == 2
