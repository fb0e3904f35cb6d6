"""LangChain 1.x, LangGraph and deepagents: a middleware for `create_agent` and `create_deep_agent`.

Results are replaced before they enter the state, so that checkpoints hold packets; what travels beside is in `ToolMessage.artifact`, or,
where the tool has an artifact of its own, in `additional_kwargs`. Results that the state holds already are replaced in the request only.
An exception of a tool goes on to the framework as it came.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest
from langchain_core.messages import AnyMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from api.adapters.history import History
from api.adapters.langchain_messages import (
    beside_of,
    called_in,
    is_changed,
    own_answer,
    refusal,
    text_of,
    told_in,
    with_evidence,
    with_text,
)
from api.adapters.results import Call, Results, evidence_json
from api.adapters.tools import OWN, ReadingTool, is_own, reading_tools
from api.wrap import ToolWrapper, WrappedResult, with_filters
from api.wrap.naming import PREFIX


class EvidenceMiddleware(AgentMiddleware):
    """`cap_tokens`: of one input, from which on results of older turns become references (`history`)."""

    def __init__(self, wrapper: ToolWrapper, *, cap_tokens: int | None = None) -> None:
        super().__init__()
        self._results = Results(wrapper)
        self._history = History(self._results, cap_tokens)
        # Under two names: which of them a model is offered is known once the agent's own tools are.
        self.tools: Sequence[BaseTool] = [_reading(self._results, one, name) for one in reading_tools() for name in _names(one)]

    def wrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], Any]) -> Any:
        return handler(self._seen(request))

    async def awrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[Any]]) -> Any:
        return await handler(await asyncio.to_thread(self._seen, request))

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        call = self._taken(request)
        if isinstance(call, WrappedResult):
            return refusal(request.tool_call, call)
        with self._results.wrapper.calls(call.n_calls):
            answer = handler(_request(request, call))
        return self._kept(call, answer)

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]) -> Any:
        call = self._taken(request)
        if isinstance(call, WrappedResult):
            return refusal(request.tool_call, call)
        with self._results.wrapper.calls(call.n_calls):
            answer = await handler(_request(request, call))
        return await asyncio.to_thread(self._kept, call, answer)

    def _seen(self, request: ModelRequest) -> ModelRequest:
        names = self._own_names(request.tools)
        tools = [self._offered(one) for one in request.tools if not isinstance(one, _Reading) or one.name in names]
        changed = self._history.seen(told_in(request.messages), beside_of(request.system_message, tools))
        messages: list[AnyMessage] = [with_text(one, changed[at]) if at in changed else one for at, one in enumerate(request.messages)]
        return request.override(messages=messages, tools=tools)

    def _own_names(self, tools: Sequence[Any]) -> set[str]:
        """What ours are called beside these. Raises ValueError where both names of one are taken."""
        names = self._results.wrapper.names
        names.take(one.name for one in tools if isinstance(one, BaseTool) and not isinstance(one, _Reading))
        found = {names.of(one) for one in OWN}
        if nameless := found.difference(one.name for one in self.tools):
            raise ValueError(f"tools stand under both names of a reading tool, and need others: {', '.join(sorted(nameless))}")
        return found

    def _offered(self, tool: Any) -> Any:
        """The tool with our filters in its schema; a tool of the provider, and one of ours, as it is."""
        if not isinstance(tool, BaseTool) or isinstance(tool, _Reading):
            return tool
        schema = tool.tool_call_schema
        own = schema if isinstance(schema, dict) else schema.model_json_schema()
        return tool.model_copy(update={"args_schema": with_filters(self._results.wrapper.rules, tool.name, own)})

    def _taken(self, request: ToolCallRequest) -> Call | WrappedResult:
        self._own_names(getattr(request.runtime, "tools", ()))
        call = called_in(request.tool_call, request.state)
        return (
            call
            if is_own(self._results.wrapper, call.tool)
            else self._results.taken(call, tuple(request.tool.args) if request.tool else ())
        )

    def _kept(self, call: Call, answer: Any) -> Any:
        """What a tool gave with what is over its room replaced; of a command, in the message that answers the call."""
        if isinstance(answer, Command) and isinstance(answer.update, Mapping) and "messages" in answer.update:
            messages = [self._kept(call, one) for one in answer.update["messages"]]
            return replace(answer, update={**answer.update, "messages": messages})
        if not isinstance(answer, ToolMessage) or answer.tool_call_id != call.id:
            return answer
        if is_own(self._results.wrapper, call.tool):
            return own_answer(answer)
        result = self._results.shown(call, text_of(answer), is_error=answer.status == "error")
        return with_evidence(answer, result) if is_changed(result) else answer


def _request(request: ToolCallRequest, call: Call) -> ToolCallRequest:
    """The request with the arguments that the tool has."""
    return request.override(tool_call={**request.tool_call, "args": dict(call.arguments)})


class _Reading(StructuredTool):
    """One of our tools."""


def _names(tool: ReadingTool) -> tuple[str, str]:
    return tool.name, PREFIX + tool.name


def _reading(results: Results, tool: ReadingTool, name: str) -> BaseTool:
    def answer(**arguments: Any) -> tuple[str, dict[str, Any]]:
        result = results.answered(tool.name, arguments)
        return result.text, {"evidence": evidence_json(result)}

    schema = dict(tool.schema)
    return _Reading(name=name, description=tool.description, args_schema=schema, func=answer, response_format="content_and_artifact")
