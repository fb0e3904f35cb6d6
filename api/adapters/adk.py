"""Google ADK 2.x: a plugin for a runner or an app.

Results become packets before they are an event of the session; what the session's events hold already is replaced in the request only.
What travels beside stands in the session's state, under `evidence:CALL`. Exceptions of tools go on to the framework as they came.
"""

import asyncio
from typing import Any
from weakref import WeakKeyDictionary

from google.adk.models.llm_request import LlmRequest
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from api.adapters.adk_contents import beside_of, n_calls_of, own_names, text_of, told_in, value_of, with_filters_in, with_texts
from api.adapters.history import History
from api.adapters.results import Call, Results, evidence_json
from api.adapters.tools import ReadingTool, reading_tools
from api.wrap import Filters, ToolWrapper, Treatment, WrappedResult


class EvidencePlugin(BasePlugin):
    """`cap_tokens`: of one input, from which on results of older turns become references (`history`)."""

    def __init__(self, wrapper: ToolWrapper, *, cap_tokens: int | None = None) -> None:
        super().__init__(name="evidence")
        self._results = Results(wrapper)
        self._history = History(self._results, cap_tokens)
        self._filters: WeakKeyDictionary[ToolContext, Filters] = WeakKeyDictionary()

    async def before_model_callback(self, *, callback_context: Any, llm_request: LlmRequest) -> None:
        wrapper = self._results.wrapper
        wrapper.names.take(name for name, one in llm_request.tools_dict.items() if not isinstance(one, _Reading))
        llm_request.config.tools = [with_filters_in(wrapper, one) for one in llm_request.config.tools or ()]
        llm_request.append_tools([_Reading(self._results, one, wrapper.names.of(one.name)) for one in reading_tools()])
        changed = await asyncio.to_thread(self._history.seen, told_in(llm_request.contents), beside_of(llm_request.config))
        llm_request.contents = with_texts(llm_request.contents, changed)

    async def before_tool_callback(self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any] | None:
        """Takes our filters out of the arguments; the event of the call keeps them."""
        if isinstance(tool, _Reading):
            return None
        taken = self._results.taken(Call(tool.name, dict(tool_args)), own_names(tool))
        if isinstance(taken, WrappedResult):
            return {"error": taken.text}
        if taken.filters:
            self._filters[tool_context] = taken.filters
        for name in tool_args.keys() - taken.arguments.keys():
            del tool_args[name]
        return None

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: Any
    ) -> dict[str, Any] | None:
        filters = self._filters.pop(tool_context, Filters())
        if isinstance(tool, _Reading) or (result is None and not filters):
            return None
        call = Call(tool.name, tool_args, tool_context.function_call_id, n_calls_of(tool_context), filters)
        is_error = isinstance(result, dict) and "error" in result
        made = await asyncio.to_thread(self._results.shown, call, text_of(result) if is_error else value_of(result), is_error=is_error)
        if made.treatment in (Treatment.UNCHANGED, Treatment.EMPTY):
            return None
        tool_context.state[f"evidence:{tool_context.function_call_id}"] = evidence_json(made)
        return {"error" if made.treatment is Treatment.FAILED or is_error else "result": made.text}


class _Reading(BaseTool):
    def __init__(self, results: Results, tool: ReadingTool, name: str) -> None:
        super().__init__(name=name, description=tool.description)
        self._results, self._own, self._schema = results, tool.name, dict(tool.schema)

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(name=self.name, description=self.description, parameters_json_schema=self._schema)

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any]:
        result = await asyncio.to_thread(self._results.answered, self._own, args, n_calls_of(tool_context))
        tool_context.state[f"evidence:{tool_context.function_call_id}"] = evidence_json(result)
        return {"result": result.text}
