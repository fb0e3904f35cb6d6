"""Whatever a client sends as arguments, a tool answers: with a result, or with an error that says what to do."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from mcp import Client

from api.mcp.calls import tool_type
from api.mcp.server import build_server
from api.tools.definitions import TOOLS
from api.tools.outputs import ERROR
from api.wiring import Services
from tests.factories import API, put
from tests.integration.mcp.clients import RECORDING
from tests.unit.api.tool_calls import SPEC

EXAMPLES = 250
ALL_EXAMPLES = 10_000
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3), max_leaves=6
)
LIKELY = {
    "resource": [API, "run.log", "*", "absent", ""],
    "pointer": ["", "/paths", "/paths/~1orders~1{id}/get", "#/components", "/~2", "x", "/paths/-"],
    "operation": ["get /orders/{id}", "GET", "get /absent"],
    "lines": ["1-2", "head:3", "tail:1", "around:2:1", "2-1", "0", "1-999999999999999999999"],
    "bytes": ["0-10", "10-0", "5", "-"],
    "quote": ["orders", "line 1", "e"],
    "children": ["0-1", "9-9", "x"],
    "expand": ["parent", "full", "lines:3", "lines:x", "refs"],
    "pattern": ["line", "(", "^", "zzz", "\x00"],
    "kind": ["log", "records", "x"],
    "claims": ["C1-C3", "C0", "x"],
    "after": ["", "C1", "run.log", "zzz"],
    "run": ["new", "mcp/1", "mcp/999", "mcp", ""],
    "id": ["ev_000000000000", "EV_OOOOOOOOOOOO", "ev_", ""],
    "state": ["todo", "done", "x"],
    "standing": ["open", "verified", "excluded", "x"],
}


def value_of(name: str, schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """What a model may write there: something likely, something of the type, or anything at all."""
    likely = LIKELY.get(name, schema.get("enum", []))
    typed: st.SearchStrategy[Any]
    match schema.get("type"):
        case "integer":
            typed = st.integers(-5, 300) | st.integers()
        case "boolean":
            typed = st.booleans()
        case "array":
            typed = st.lists(value_of("", schema["items"]), max_size=3)
        case "object":
            typed = st.fixed_dictionaries({}, optional={one: value_of(one, inner) for one, inner in schema["properties"].items()})
        case _:
            typed = st.text(max_size=30)
    return st.one_of(*([st.sampled_from(likely)] * 3 if likely else []), typed, JSON)


def arguments_of(schema: Mapping[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    members = {name: value_of(name, inner) for name, inner in schema["properties"].items()}
    required = {name: members.pop(name) for name in schema["required"]}
    whole = st.fixed_dictionaries(required, optional=members)
    return st.one_of(whole, whole, st.dictionaries(st.text(max_size=8), JSON, max_size=3))


CALLS = st.one_of(*(st.tuples(st.just(tool.name), arguments_of(tool_type(tool).input_schema)) for tool in TOOLS))
OUTPUTS = {tool.name: Draft202012Validator(tool_type(tool).output_schema) for tool in TOOLS}
INPUTS = {tool.name: Draft202012Validator(tool_type(tool).input_schema) for tool in TOOLS}
ERRORS = Draft202012Validator(ERROR)


@pytest.fixture
def calls(services: Services) -> Iterator[Any]:
    """Calls of one connection, each to its end."""
    put(services.store, SPEC)
    put(services.store, b"".join(b"line %d\n" % n for n in range(50)), "run.log")
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(build_server(services, RECORDING))) as client:
        yield lambda name, arguments: portal.call(client.call_tool, name, arguments)


def hold(calls: Any, name: str, arguments: dict[str, Any]) -> None:
    result = calls(name, arguments)
    assert "Traceback" not in result.content[0].text
    if not result.is_error:
        assert [fault.message for fault in OUTPUTS[name].iter_errors(result.structured_content)] == []
        # What the schema refuses, the tool refuses, but for null in place of what is left out.
        given_ = {one: value for one, value in arguments.items() if value is not None}
        assert [fault.message for fault in INPUTS[name].iter_errors(given_) if not _is_null(fault)] == []
        return
    assert [fault.message for fault in ERRORS.iter_errors(result.structured_content)] == []
    assert result.structured_content["code"] != "internal_error", result


def _is_null(fault: Any) -> bool:
    return fault.validator in ("type", "enum") and fault.instance is None


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(call=CALLS)
def test_every_call_is_answered(calls: Any, call: tuple[str, dict[str, Any]]) -> None:
    hold(calls, *call)


@pytest.mark.large
@settings(max_examples=ALL_EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(call=CALLS)
def test_ten_thousand_calls_are_answered(large: None, calls: Any, call: tuple[str, dict[str, Any]]) -> None:
    hold(calls, *call)
