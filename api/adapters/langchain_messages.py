"""LangChain's messages as the adapter sees them, and with other texts; a message that is given is never changed itself."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolCall, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from api.adapters.history import Told
from api.adapters.results import Call, evidence_json
from api.wrap import Treatment, WrappedResult
from evidence_store.model import Outcome

EVIDENCE = "evidence"


def called_in(tool_call: ToolCall, state: Any) -> Call:
    """A call, and how many its turn made."""
    messages = state.get("messages", ()) if isinstance(state, Mapping) else getattr(state, "messages", ())
    turn = next((one for one in reversed(messages) if isinstance(one, AIMessage)), None)
    n_calls = len(turn.tool_calls) if turn is not None and any(one["id"] == tool_call["id"] for one in turn.tool_calls) else 1
    return Call(tool_call["name"], tool_call["args"], tool_call["id"], n_calls)


def told_in(messages: Sequence[AnyMessage]) -> list[Told]:
    """The texts of a history with the turns that they belong to; of a call its arguments, too."""
    told: list[Told] = []
    calls: dict[str | None, Call] = {}
    turn = 0
    for message in messages:
        if isinstance(message, AIMessage):
            turn += 1
            n_calls = len(message.tool_calls)
            calls = {one["id"]: Call(one["name"], one["args"], one["id"], n_calls) for one in message.tool_calls}
            told.append(Told(message.text + "".join(str(one["args"]) for one in message.tool_calls), turn))
        elif isinstance(message, ToolMessage):
            call = calls.get(message.tool_call_id, Call(message.name or "tool", {}, message.tool_call_id))
            told.append(Told(text_of(message), turn, call))
        else:
            told.append(Told(text_of(message), turn))
    return told


def beside_of(system: AnyMessage | None, tools: Sequence[Any]) -> list[str]:
    """What a request has beside its messages: the system text, and the definitions of its tools."""
    return [
        text_of(system) if system else "",
        *(json.dumps(one if isinstance(one, dict) else convert_to_openai_tool(one)) for one in tools),
    ]


def text_of(message: AnyMessage) -> str:
    """The texts of a message; its images and files stay where they are (`with_text`)."""
    return "\n".join(_texts(message))


def _texts(message: AnyMessage) -> Iterable[str]:
    content = message.content
    if isinstance(content, str):
        return [content]
    return [one if isinstance(one, str) else str(one["text"]) for one in content if _is_text(one)]


def with_text(message: Any, text: str) -> Any:
    """The message with another text where its first text stood, and with all that is no text."""
    content = message.content
    if isinstance(content, str):
        return message.model_copy(update={"content": text})
    at = next((n for n, one in enumerate(content) if _is_text(one)), 0)
    before, after = ([one for one in part if not _is_text(one)] for part in (content[:at], content[at:]))
    return message.model_copy(update={"content": [*before, {"type": "text", "text": text}, *after] if before or after else text})


def _is_text(block: Any) -> bool:
    return isinstance(block, str) or block.get("type") == "text"


def is_changed(result: WrappedResult) -> bool:
    """Whether a message has to be another; an empty one stays empty, as its tool left it."""
    return result.treatment not in (Treatment.UNCHANGED, Treatment.EMPTY) or result.revision is not None


def with_evidence(message: ToolMessage, result: WrappedResult) -> ToolMessage:
    """The message with what the model gets, and with where it comes from beside it."""
    beside = {EVIDENCE: evidence_json(result)}
    failed = result.outcome is not Outcome.OK
    changed = message if result.treatment is Treatment.UNCHANGED else with_text(message, result.text)
    more: dict[str, Any] = {"status": "error" if failed else message.status}
    if message.artifact is None:
        return changed.model_copy(update={**more, "artifact": beside})
    return changed.model_copy(update={**more, "additional_kwargs": {**message.additional_kwargs, **beside}})


def own_answer(message: ToolMessage) -> ToolMessage:
    """The answer of one of our tools; an error of theirs is one of the framework, too."""
    return message.model_copy(update={"status": "error"}) if text_of(message).startswith("[error ") else message


def refusal(tool_call: ToolCall, result: WrappedResult) -> ToolMessage:
    """The answer to a call whose filters are wrong; its tool was not called."""
    return ToolMessage(result.text, tool_call_id=tool_call["id"], name=tool_call["name"], status="error")
