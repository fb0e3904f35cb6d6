"""Google ADK's contents, declarations and answers as the adapter sees them, and with other texts; what is given is never changed itself."""

from collections.abc import Mapping, Sequence
from typing import Any

from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from api.adapters.history import Told
from api.adapters.results import Call
from api.adapters.tools import is_own
from api.wrap import ToolWrapper, encode, taken_names, with_filters


def value_of(result: Any) -> Any:
    """What a tool gave: the framework wraps all that is no dict as `{"result": …}`."""
    return result["result"] if isinstance(result, dict) and result.keys() == {"result"} else result


def text_of(result: Any) -> str:
    return encode(value_of(result)).raw.decode("utf-8", "replace")


def told_in(contents: Sequence[types.Content]) -> list[Told]:
    """The texts of a request, part by part. Where calls have no ids, an answer belongs to the first open call of its tool."""
    told: list[Told] = []
    calls: list[types.FunctionCall] = []
    turn, n_calls = 0, 0
    for content in contents:
        parts = content.parts or []
        if content.role == "model":
            turn, calls = turn + 1, [part.function_call for part in parts if part.function_call]
            n_calls = len(calls)
        for part in parts:
            if (answer := part.function_response) is not None and not answer.parts:
                found = next(
                    (one for one in calls if one.id == answer.id and one.name == answer.name), types.FunctionCall(name=answer.name)
                )
                calls = [one for one in calls if one is not found]
                told.append(Told(text_of(answer.response), turn, Call(answer.name or "tool", found.args or {}, answer.id, max(1, n_calls))))
            else:
                told.append(Told(part.text or (str(part.function_call.args) if part.function_call else ""), turn))
    return told


def beside_of(config: types.GenerateContentConfig) -> list[str]:
    """What a request has beside its contents: instructions, and the definitions of its tools."""
    tools = [one for one in config.tools or () if isinstance(one, types.Tool)]
    return [str(config.system_instruction or ""), *(one.model_dump_json(exclude_none=True) for one in tools)]


def with_texts(contents: Sequence[types.Content], texts: Mapping[int, str]) -> list[types.Content]:
    """The contents with other texts in the answers at these places, counted as `told_in` does."""
    made, at = [], 0
    for content in contents:
        parts = [_with_text(part, texts.get(n)) for n, part in enumerate(content.parts or (), at)]
        is_changed = any(new is not old for new, old in zip(parts, content.parts or (), strict=True))
        made.append(content.model_copy(update={"parts": parts}) if is_changed else content)
        at += len(parts)
    return made


def _with_text(part: types.Part, text: str | None) -> types.Part:
    if text is None or part.function_response is None:
        return part
    answer = part.function_response.model_copy(update={"response": {"result": text}})
    return part.model_copy(update={"function_response": answer})


def n_calls_of(context: ToolContext) -> int:
    """How many calls the turn made that this one is of."""
    for event in reversed(context.session.events):
        ids = [one.id for one in event.get_function_calls()]
        if context.function_call_id in ids:
            return len(ids)
    return 1


def own_names(tool: BaseTool) -> tuple[str, ...]:
    """The arguments of a tool."""
    declared = tool._get_declaration()
    return () if declared is None else tuple(_schema(declared).get("properties") or ())


def _schema(declared: types.FunctionDeclaration) -> dict[str, Any]:
    if declared.parameters is not None:
        return {"properties": dict(declared.parameters.properties or {})}
    return dict(declared.parameters_json_schema or {})


def with_filters_in(wrapper: ToolWrapper, tool: Any) -> Any:
    """Declarations with our filters beside their own arguments; what is no declaration of a function stays."""
    if not isinstance(tool, types.Tool) or not tool.function_declarations:
        return tool
    return tool.model_copy(update={"function_declarations": [_offered(wrapper, one) for one in tool.function_declarations]})


def _offered(wrapper: ToolWrapper, declared: types.FunctionDeclaration) -> types.FunctionDeclaration:
    if is_own(wrapper, declared.name or ""):
        return declared
    own = _schema(declared)
    offered = with_filters(wrapper.rules, declared.name or "", own)
    if declared.parameters is None:
        return declared.model_copy(update={"parameters_json_schema": offered})
    properties: Any = offered["properties"]
    more = {name: types.Schema.model_validate(properties[name]) for name in properties if name not in taken_names(own)}
    parameters = declared.parameters.model_copy(update={"properties": {**(declared.parameters.properties or {}), **more}})
    return declared.model_copy(update={"parameters": parameters})
