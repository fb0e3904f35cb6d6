"""The rules of OpenAI Chat for calls and results."""

import pytest

from projector import UnknownProvider, validate
from tests.unit.projector.steps import calling, exchange, result, user

GO = user("go")


@pytest.mark.parametrize(
    "messages",
    [
        [GO],
        [GO, *exchange("a", "b", "c"), GO],
        [GO, calling("a", "b"), result("b"), result("a"), {"role": "assistant", "content": "done"}],
        [GO, *exchange("a"), *exchange("b")],
        [GO, calling("a"), result("a", "")],
    ],
)
def test_a_whole_history_has_no_fault(messages: list[object]) -> None:
    assert validate(messages, "openai") == ()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        ([], [("empty", None, None)]),
        ([GO, calling("a")], [("call_without_result", 1, "a")]),
        ([GO, calling("a", "b"), result("a")], [("call_without_result", 1, "b")]),
        ([GO, calling("a", "b"), result("a"), GO], [("call_without_result", 1, "b")]),
        ([GO, result("a")], [("result_without_call", 1, "a")]),
        ([GO, calling("a"), GO, result("a")], [("call_without_result", 1, "a"), ("misplaced_result", 3, "a")]),
        ([result("a"), calling("a")], [("result_without_call", 0, "a"), ("call_without_result", 1, "a")]),
        ([GO, calling("a"), result("a"), result("a")], [("duplicate_result", 3, "a")]),
        ([GO, calling("a"), result("ax")], [("result_without_call", 2, "ax"), ("call_without_result", 1, "a")]),
        ([GO, calling("a", "a"), result("a")], [("duplicate_call_id", 1, "a")]),
        ([GO, *exchange("a"), *exchange("a")], [("duplicate_call_id", 3, "a")]),
        ([GO, {"role": "assistant", "content": " \u200b"}], [("empty_content", 1, None)]),
        ([GO, {"role": "user", "content": []}], [("empty_content", 1, None)]),
        ([GO, {"role": "robot", "content": "x"}], [("unknown_role", 1, None)]),
        ([GO, "text"], [("unknown_role", 1, None)]),
    ],
)
def test_each_fault_is_named_with_its_place_and_call(messages: list[object], found: list[object]) -> None:
    faults = validate(messages, "openai")  # type: ignore[arg-type]
    assert [(one.code, one.message, one.call_id) for one in faults] == found
    assert all(one.text for one in faults)


def test_calls_at_the_very_end_may_be_open_when_allowed() -> None:
    assert validate([GO, *exchange("x"), calling("a", "b"), result("b")], "openai", allow_open=True) == ()
    assert [one.call_id for one in validate([calling("a"), GO], "openai", allow_open=True)] == ["a"]


def test_an_unknown_provider_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownProvider) as caught:
        validate([GO], "nobody")
    assert "openai" in str(caught.value)
    assert caught.value.details["known"] == ("openai", "openai-responses", "anthropic", "gemini")
