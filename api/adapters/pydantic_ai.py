"""pydantic-ai 2.x: a capability. `Agent(…, capabilities=[EvidenceCapability(wrapper)])`.

Results become packets as they enter the history; what a history holds already is replaced in the request only (`prepare_model_request`).
What travels beside is in the `metadata` of the tool return. Exceptions of tools, retries among them, go on to the framework as they came.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

from pydantic_ai import AbstractToolset, FunctionToolset, RunContext, Tool, ToolDefinition, ToolReturn, WrapperToolset
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ModelRetry, ToolFailed
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.toolsets import ToolsetTool

from api.adapters.history import History
from api.adapters.lists import arguments_of
from api.adapters.pydantic_ai_messages import beside_of, has_files, told_in, with_texts
from api.adapters.results import Call, Results, evidence_json
from api.adapters.tools import ReadingTool, is_own, reading_tools, with_nullable_filters
from api.wrap import ToolWrapper, Treatment, WrappedResult, taken_names, with_filters

EVIDENCE = "evidence"
_OWN_NAMES = "evidence_own_arguments"


class EvidenceCapability(AbstractCapability[Any]):
    """`cap_tokens`: of one input, from which on results of older turns become references (`history`)."""

    def __init__(self, wrapper: ToolWrapper, *, cap_tokens: int | None = None) -> None:
        self._results = Results(wrapper)
        self._history = History(self._results, cap_tokens)

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        return _Beside(toolset, self._results)

    async def prepare_tools(self, ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        self._results.wrapper.names.take(one.name for one in tool_defs)
        return [self._offered(one) for one in tool_defs]

    async def before_tool_validate(self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: Any) -> Any:
        """Takes our filters out; the call in the history keeps them, and they are read from there afterwards."""
        given = arguments_of(args)
        if given is None or is_own(self._results.wrapper, call.tool_name):
            return args
        taken = self._taken(ctx, call, tool_def)
        if isinstance(taken, WrappedResult):
            raise ModelRetry(taken.text)
        return dict(taken.arguments) if len(taken.arguments) < len(given) else args

    async def wrap_tool_execute(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: Any, handler: Callable[[Any], Awaitable[Any]]
    ) -> Any:
        taken = self._taken(ctx, call, tool_def)
        assert isinstance(taken, Call), "wrong filters were refused before"
        with self._results.wrapper.calls(taken.n_calls):
            value = await handler(args)
        return value if is_own(self._results.wrapper, call.tool_name) else await asyncio.to_thread(self._kept, taken, value)

    async def prepare_model_request(self, ctx: RunContext[Any], request_context: ModelRequestContext) -> ModelRequestContext:
        messages, beside = request_context.messages, beside_of(request_context)
        changed = await asyncio.to_thread(self._history.seen, told_in(messages), beside)
        return replace(request_context, messages=with_texts(messages, changed))

    def _offered(self, tool: ToolDefinition) -> ToolDefinition:
        offered = with_nullable_filters if tool.strict else with_filters
        schema = offered(self._results.wrapper.rules, tool.name, tool.parameters_json_schema)
        own = {_OWN_NAMES: taken_names(tool.parameters_json_schema)}
        return replace(tool, parameters_json_schema=schema, metadata={**(tool.metadata or {}), **own})

    def _taken(self, ctx: RunContext[Any], call: ToolCallPart, tool: ToolDefinition) -> Call | WrappedResult:
        turn = next((one for one in reversed(ctx.messages) if isinstance(one, ModelResponse)), None)
        made = Call(call.tool_name, arguments_of(call.args) or {}, call.tool_call_id, len(turn.tool_calls) if turn else 1)
        own = (tool.metadata or {}).get(_OWN_NAMES)
        return made if own is None else self._results.taken(made, own)

    def _kept(self, call: Call, value: Any) -> Any:
        returned = value if isinstance(value, ToolReturn) else ToolReturn(value)
        if has_files(returned.return_value):
            return value
        result = self._results.shown(call, returned.return_value)
        if result.treatment is Treatment.FAILED:
            raise ToolFailed(result.text)
        if result.treatment in (Treatment.UNCHANGED, Treatment.EMPTY):
            return value
        own = (
            {}
            if returned.metadata is None
            else returned.metadata
            if isinstance(returned.metadata, dict)
            else {"metadata": returned.metadata}
        )
        return replace(returned, return_value=result.text, metadata={**own, EVIDENCE: evidence_json(result)})


@dataclass
class _Beside(WrapperToolset[Any]):
    """An agent's own tools with ours behind them, under names that are free."""

    results: Results

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        others = await super().get_tools(ctx)
        return {**others, **await FunctionToolset([_reading(self.results, one) for one in reading_tools()]).get_tools(ctx)}

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]) -> Any:
        toolset = tool.toolset if is_own(self.results.wrapper, name) else self.wrapped
        return await toolset.call_tool(name, tool_args, ctx, tool)


def _reading(results: Results, tool: ReadingTool) -> Tool[Any]:
    def answer(**arguments: Any) -> ToolReturn[str]:
        result = results.answered(tool.name, arguments)
        return ToolReturn(result.text, metadata={EVIDENCE: evidence_json(result)})

    return Tool.from_schema(answer, results.wrapper.names.of(tool.name), tool.description, dict(tool.schema))
