"""The rules of OpenAI Responses, Anthropic and Gemini: each fault named with its place and call."""

from collections.abc import Sequence

import pytest

from evidence_store.errors import JsonValue
from projector import validate

# Responses


def item(role: str, text: str) -> JsonValue:
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}


def fc(call: str, **more: JsonValue) -> JsonValue:
    return {"type": "function_call", "call_id": call, "name": "read_spec", "arguments": "{}", **more}


def out(call: str, output: JsonValue = "text") -> JsonValue:
    return {"type": "function_call_output", "call_id": call, "output": output}


RS: JsonValue = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "b3A"}
ASK = item("user", "go")

RESPONSES: list[tuple[Sequence[JsonValue], list[tuple[str, int | None, str | None]]]] = [
    ([ASK, RS, fc("a"), fc("b"), out("b"), out("a"), item("assistant", "done")], []),
    ([{"role": "user", "content": "go"}, fc("a"), ASK, out("a")], []),
    ([ASK, {"type": "custom_tool_call", "call_id": "a", "name": "x", "input": "y"}, {**out("a"), "type": "custom_tool_call_output"}], []),  # type: ignore[dict-item]
    ([ASK, RS, {"type": "web_search_call", "id": "ws_1", "status": "completed"}, item("assistant", "found")], []),
    ([ASK, RS, item("assistant", "")], []),
    ([ASK, fc("a")], [("call_without_result", 1, "a")]),
    ([ASK, fc("a"), fc("b"), out("b")], [("call_without_result", 1, "a")]),
    ([ASK, out("a")], [("result_without_call", 1, "a")]),
    ([ASK, out("a"), fc("a")], [("result_without_call", 1, "a"), ("call_without_result", 2, "a")]),
    ([ASK, fc("a"), out("a"), out("a")], [("duplicate_result", 3, "a")]),
    ([ASK, fc("a"), out("a"), fc("a"), out("a")], [("duplicate_call_id", 3, "a")]),
    ([ASK, {"type": "function_call", "name": "x"}], [("call_without_id", 1, None)]),
    ([ASK, fc("a"), out("a", None)], [("empty_content", 2, "a")]),
    ([ASK, RS, ASK], [("reasoning_alone", 1, None)]),
    ([ASK, RS, out("a")], [("reasoning_alone", 1, None), ("result_without_call", 2, "a")]),
    ([ASK, RS], [("reasoning_alone", 1, None)]),
    ([ASK, item("assistant", " ")], [("empty_content", 1, None)]),
    ([item("user", "")], [("empty_content", 0, None)]),
    ([ASK, item("robot", "x"), "text", {}], [("unknown_role", 1, None), ("unknown_role", 2, None), ("unknown_role", 3, None)]),
]

# Anthropic


def says(role: str, *blocks: JsonValue) -> JsonValue:
    return {"role": role, "content": list(blocks)}


def text(value: str, **more: JsonValue) -> JsonValue:
    return {"type": "text", "text": value, **more}


def use(call: str) -> JsonValue:
    return {"type": "tool_use", "id": call, "name": "read_spec", "input": {}}


def answer(call: str) -> JsonValue:
    return {"type": "tool_result", "tool_use_id": call, "content": "text"}


THINK: JsonValue = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
GO = says("user", text("go"))
MARKED = says("user", text("x", cache_control={"type": "ephemeral"}), text("y", cache_control={"type": "ephemeral"}))

ANTHROPIC: list[tuple[Sequence[JsonValue], list[tuple[str, int | None, str | None]]]] = [
    ([GO, says("assistant", THINK, text("x"), use("a"), use("b")), says("user", answer("b"), answer("a"), text("and?"))], []),
    ([{"role": "user", "content": "go"}, {"role": "assistant", "content": "done"}, GO, GO], []),
    ([GO, says("assistant", {"type": "server_tool_use", "id": "s", "name": "w", "input": {}}, text("x"))], []),
    ([says("user", {"type": "image", "source": {}})], []),
    ([GO, says("assistant", use("a"))], [("call_without_result", 1, "a")]),
    ([GO, says("assistant", use("a"), use("b")), says("user", answer("a")), GO], [("call_without_result", 1, "b")]),
    (
        [GO, says("assistant", use("a"), use("b")), says("user", answer("a")), says("user", answer("b"))],
        [("call_without_result", 1, "b"), ("misplaced_result", 3, "b")],
    ),
    ([GO, says("assistant", use("a")), GO, says("user", answer("a"))], [("call_without_result", 1, "a"), ("misplaced_result", 3, "a")]),
    ([GO, says("user", answer("a"))], [("result_without_call", 1, "a")]),
    ([GO, says("assistant", use("a")), says("user", text("x"), answer("a"))], [("result_not_first", 2, "a")]),
    ([GO, says("assistant", use("a"), use("a")), says("user", answer("a"))], [("duplicate_call_id", 1, "a")]),
    ([GO, says("assistant", use("")), GO], [("call_without_id", 1, None)]),
    ([says("assistant", text("hello")), GO], [("role_order", 0, None)]),
    ([GO, says("assistant")], [("empty_content", 1, None)]),
    ([GO, says("assistant", text(" "), use("a")), says("user", answer("a"))], [("empty_content", 1, None)]),
    ([GO, says("assistant", THINK)], [("empty_content", 1, None)]),
    ([GO, says("assistant", text("x"), THINK)], [("reasoning_alone", 1, None)]),
    ([GO, says("assistant", {"type": "thinking", "thinking": "hm"}, text("x"))], [("signature_missing", 1, None)]),
    ([GO, says("assistant", answer("a"))], [("wrong_side", 1, None)]),
    ([says("user", use("a"))], [("wrong_side", 0, None)]),
    ([says("user", "text")], [("wrong_side", 0, None)]),
    ([says("system", text("x"))], [("unknown_role", 0, None)]),
    ([GO, "text"], [("unknown_role", 1, None)]),
    ([MARKED, MARKED, MARKED], [("too_many_breakpoints", 2, None)]),
]

# Gemini


def content(role: str, *parts: JsonValue) -> JsonValue:
    return {"role": role, "parts": list(parts)}


def call(name: str = "f", **more: JsonValue) -> JsonValue:
    return {"functionCall": {"name": name, "args": {}, **more}}


def response(name: str = "f", **more: JsonValue) -> JsonValue:
    return {"functionResponse": {"name": name, "response": {"result": "text"}, **more}}


USER = content("user", {"text": "go"})

GEMINI: list[tuple[Sequence[JsonValue], list[tuple[str, int | None, str | None]]]] = [
    ([USER, content("model", call(), call()), content("user", response(), response())], []),
    ([USER, content("model", call("f"), call("g")), content("user", response("g"), response("f"))], []),
    ([USER, content("model", call(id="a"), call(id="b")), content("user", response(id="b"), response(id="a"))], []),
    (
        [
            USER,
            {"role": "model", "parts": [{"function_call": {"name": "f"}, "thought_signature": "c2ln"}]},
            content("function", response()),
        ],
        [],
    ),
    ([{"parts": [{"text": "go"}]}, content("model", {"text": "", "thoughtSignature": "c2ln"}, {"text": "done"})], []),
    ([USER, content("model", call())], [("call_without_result", 1, "call_at_1_0")]),
    ([USER, content("model", call(), call()), content("user", response()), USER], [("call_without_result", 1, "call_at_1_1")]),
    ([USER, content("model", call(id="a"), call(id="b")), content("user", response(id="b"))], [("call_without_result", 1, "a")]),
    ([USER, content("model", call()), content("user", response(), response())], [("result_without_call", 2, None)]),
    (
        [USER, content("model", call("f")), content("user", response("g"))],
        [("result_without_call", 2, None), ("call_without_result", 1, "call_at_1_0")],
    ),
    (
        [USER, content("model", call(), call()), content("user", response()), content("user", response())],
        [("call_without_result", 1, "call_at_1_1"), ("result_without_call", 3, None)],
    ),
    (
        [USER, content("model", call(id="a")), USER, content("user", response(id="a"))],
        [("call_without_result", 1, "a"), ("misplaced_result", 3, "a")],
    ),
    ([USER, content("user", response(id="a"))], [("result_without_call", 1, "a")]),
    ([USER, content("model", {"text": "x"}), content("model", call()), content("user", response())], [("role_order", 2, None)]),
    ([content("model", {"text": "x"})], [("role_order", 0, None)]),
    ([USER, content("model")], [("empty_content", 1, None)]),
    ([content("user", {"text": " "})], [("empty_content", 0, None)]),
    ([USER, content("model", response())], [("wrong_side", 1, None)]),
    ([content("user", call())], [("wrong_side", 0, None)]),
    ([content("system", {"text": "x"})], [("unknown_role", 0, None)]),
]

CASES = [
    pytest.param(provider, messages, found, id=f"{provider}-{n}")
    for provider, cases in (("openai-responses", RESPONSES), ("anthropic", ANTHROPIC), ("gemini", GEMINI))
    for n, (messages, found) in enumerate(cases)
]


@pytest.mark.parametrize(("provider", "messages", "found"), CASES)
def test_each_fault_is_named_with_its_place_and_call(
    provider: str, messages: Sequence[JsonValue], found: list[tuple[str, int | None, str | None]]
) -> None:
    faults = validate(messages, provider)
    assert [(one.code, one.message, one.call_id) for one in faults] == found
    assert all(one.text for one in faults)


@pytest.mark.parametrize(
    ("provider", "messages"),
    [
        ("openai-responses", [ASK, fc("x"), out("x"), fc("a"), fc("b"), out("b")]),
        ("anthropic", [GO, says("assistant", use("a"), use("b")), says("user", answer("b"))]),
        ("gemini", [USER, content("model", call(), call()), content("user", response())]),
        ("gemini", [USER, content("model", call(), call())]),
    ],
)
def test_calls_at_the_very_end_may_be_open_when_allowed(provider: str, messages: Sequence[JsonValue]) -> None:
    assert validate(messages, provider, allow_open=True) == ()
    assert {one.code for one in validate(messages, provider)} == {"call_without_result"}


def test_a_call_further_back_is_not_open() -> None:
    assert [one.call_id for one in validate([ASK, fc("a"), ASK, fc("b")], "openai-responses", allow_open=True)] == ["a"]


@pytest.mark.parametrize("provider", ["openai", "openai-responses", "anthropic", "gemini"])
@pytest.mark.parametrize("value", [None, 1, "x", [], {}, {"role": 1}, {"role": "user", "content": 1, "parts": 2}, {"type": 1}])
def test_nothing_that_is_json_makes_it_fail(provider: str, value: JsonValue) -> None:
    assert validate([value], provider)
