"""Answers of models in the form of OpenAI Chat, read as turns of an agent. What cannot be read is told to the model, not guessed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from api.loop.faults import FaultKind, ProviderError
from api.sessions import ToolRequest
from evidence_store.errors import JsonValue

MAX_UNREADABLE_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    requests: tuple[ToolRequest, ...]
    usage: Mapping[str, JsonValue] | None
    """The provider's usage object, where the answer came with one."""


def read_reply(answer: object) -> Reply:
    """The turn that an answer is. Raises ProviderError (`bad_reply`) for what is none, and for one with neither words nor calls."""
    plain = _plain(answer)
    usage = plain.get("usage")
    message = _plain(_first_choice(plain)) if "choices" in plain else plain
    text = _text(message)
    requests = tuple(map(_request, _calls(message)))
    if not text.strip() and not requests:
        raise _bad("an answer with neither words nor calls")
    return Reply(text, requests, usage if isinstance(usage, Mapping) else None)


def _bad(text: str) -> ProviderError:
    return ProviderError(FaultKind.BAD_REPLY, text)


def _plain(answer: object) -> Mapping[str, Any]:
    dump = getattr(answer, "model_dump", None)
    found = dump() if callable(dump) else answer
    if not isinstance(found, Mapping):
        raise _bad(f"an answer of type {type(found).__name__}")
    return found


def _first_choice(completion: Mapping[str, Any]) -> object:
    choices = completion["choices"]
    first = choices[0] if isinstance(choices, Sequence) and not isinstance(choices, str) and choices else None
    if not isinstance(first, Mapping) or "message" not in first:
        raise _bad("a completion without a choice")
    return first["message"]


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or message.get("refusal") or ""
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence):
        raise _bad(f"content of type {type(content).__name__}")
    return "".join(str(part.get("text") or "") for part in content if isinstance(part, Mapping))


def _calls(message: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    calls = message.get("tool_calls") or ()
    if isinstance(calls, str) or not isinstance(calls, Sequence) or not all(isinstance(one, Mapping) for one in calls):
        raise _bad("tool_calls that are no list of objects")
    return calls


def _request(call: Mapping[str, Any]) -> ToolRequest:
    function = call.get("function")
    asked: Mapping[str, Any] = function if isinstance(function, Mapping) else {}
    name, given = str(asked.get("name") or ""), asked.get("arguments")
    if isinstance(given, Mapping):
        return ToolRequest(name, given)
    text = str(given or "")
    try:
        arguments = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as why:
        return _unreadable(name, text, f"the arguments are no JSON: {why}")
    if not isinstance(arguments, dict):
        return _unreadable(name, text, "the arguments are no JSON object")
    return ToolRequest(name, arguments)


def _unreadable(name: str, text: str, fault: str) -> ToolRequest:
    return ToolRequest(name, {"unreadable": text[:MAX_UNREADABLE_CHARS]}, fault)
