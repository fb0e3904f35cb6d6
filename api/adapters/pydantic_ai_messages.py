"""pydantic-ai's messages as the adapter sees them, and with other texts; a message that is given is never changed itself."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart, is_multi_modal_content
from pydantic_ai.models import ModelRequestContext

from api.adapters.history import Told
from api.adapters.lists import arguments_of
from api.adapters.results import Call


def told_in(messages: Sequence[ModelMessage]) -> list[Told]:
    """The texts of a history, part by part; results that failed, or hold files, are no text to replace."""
    told: list[Told] = []
    calls: dict[str, Call] = {}
    turn = 0
    for message in messages:
        if isinstance(message, ModelResponse):
            turn, n_calls = turn + 1, len(message.tool_calls)
            calls = {
                one.tool_call_id: Call(one.tool_name, arguments_of(one.args) or {}, one.tool_call_id, n_calls) for one in message.tool_calls
            }
        for part in message.parts:
            is_result = isinstance(part, ToolReturnPart) and part.outcome == "success" and not part.files
            if is_result:
                call = calls.get(part.tool_call_id, Call(part.tool_name, {}, part.tool_call_id))
                told.append(Told(part.model_response_str(), turn, call))
            else:
                told.append(Told(_text(part), turn))
    return told


def beside_of(request: ModelRequestContext) -> list[str]:
    """What a request has beside its messages: instructions, and the definitions of its tools."""
    told = [one.instructions or "" for one in request.messages[-1:] if isinstance(one, ModelRequest)]
    tools = request.model_request_parameters.function_tools
    return [*told, *(json.dumps([one.name, one.description, one.parameters_json_schema]) for one in tools)]


def with_texts(messages: Sequence[ModelMessage], texts: Mapping[int, str]) -> list[ModelMessage]:
    """The messages with other texts in the parts at these places, counted as `told_in` does."""
    places = iter(range(sum(len(one.parts) for one in messages)))
    made = []
    for message in messages:
        at = [next(places) for _ in message.parts]
        parts: Any = [replace(part, content=texts[n]) if n in texts else part for n, part in zip(at, message.parts, strict=True)]
        made.append(replace(message, parts=parts) if texts.keys() & set(at) else message)
    return made


def _text(part: Any) -> str:
    found = getattr(part, "args" if isinstance(part, ToolCallPart) else "content", None)
    return found if isinstance(found, str) else "" if found is None else str(found)


def has_files(value: Any) -> bool:
    """Whether a result is an image, a document or the like, or a list with one."""
    return any(map(is_multi_modal_content, value if isinstance(value, list | tuple) else [value]))
