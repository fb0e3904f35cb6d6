"""Answers of models are read as turns, in each form in which they come; what is none is named."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.loop.faults import FaultKind, ProviderError
from api.loop.replies import read_reply

CALL = {"id": "1", "type": "function", "function": {"name": "search", "arguments": '{"pattern": "x"}'}}


class Completion:
    """As SDKs give it."""

    def model_dump(self) -> Mapping[str, Any]:
        return {"choices": [{"message": {"content": "Done.", "tool_calls": None}}], "usage": {"prompt_tokens": 7}}


def test_a_message_a_completion_and_an_object_are_read() -> None:
    assert read_reply({"role": "assistant", "content": "Done."}).text == "Done."
    found = read_reply(Completion())
    assert (found.text, found.requests, found.usage) == ("Done.", (), {"prompt_tokens": 7})
    parts = read_reply({"content": [{"type": "text", "text": "Do"}, {"type": "text", "text": "ne."}]})
    assert parts.text == "Done."
    assert read_reply({"content": None, "refusal": "I will not."}).text == "I will not."


def test_calls_are_read_with_their_arguments_as_text_or_as_an_object() -> None:
    as_object = {"function": {"name": "search", "arguments": {"pattern": "x"}}}
    none = {"function": {"name": "list_claims", "arguments": ""}}
    found = read_reply({"content": None, "tool_calls": [CALL, as_object, none]}).requests
    assert [(one.name, dict(one.arguments), one.fault) for one in found] == [
        ("search", {"pattern": "x"}, ""),
        ("search", {"pattern": "x"}, ""),
        ("list_claims", {}, ""),
    ]


@pytest.mark.parametrize(("arguments", "why"), [('{"pattern": "x', "no JSON:"), ("[1]", "no JSON object"), ("[" * 100_000, "no JSON:")])
def test_arguments_that_cannot_be_read_are_kept_and_told(arguments: str, why: str) -> None:
    (request,) = read_reply({"tool_calls": [{"function": {"name": "search", "arguments": arguments}}]}).requests
    assert why in request.fault
    assert request.arguments == {"unreadable": arguments[:2_000]}


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "Done.",
        {},
        {"content": " \n"},
        {"choices": []},
        {"choices": [{"delta": {}}]},
        {"content": 7},
        {"content": "x", "tool_calls": "search"},
        {"content": "x", "tool_calls": ["search"]},
        {"content": None, "tool_calls": []},
    ],
)
def test_what_is_no_answer_is_a_bad_reply(answer: object) -> None:
    with pytest.raises(ProviderError) as caught:
        read_reply(answer)
    assert caught.value.fault.kind is FaultKind.BAD_REPLY


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(["choices", "message", "content", "tool_calls", "function", "name", "arguments", "usage", "refusal"])


@given(st.recursive(JSON, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=12))
def test_no_answer_at_all_raises_anything_else(answer: object) -> None:
    try:
        reply = read_reply(answer)
    except ProviderError:
        return
    assert reply.text.strip() or reply.requests
