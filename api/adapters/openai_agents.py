"""openai-agents: tools whose results are stored over a budget, a filter of what a model is sent, and a session that saves packets.

Each stands alone. The filter leaves the session as it is; the session keeps what is added to it small, and changes nothing that it holds.
"""

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from agents import FunctionTool
from agents.memory import Session
from agents.run import CallModelData, ModelInputData
from agents.tool_context import ToolContext

from api.adapters.history import History
from api.adapters.lists import arguments_of, seen_list
from api.adapters.results import Call, Results, evidence_json
from api.adapters.tools import ReadingTool, reading_tools, with_nullable_filters
from api.wrap import ToolWrapper, Treatment, WrappedResult, taken_names, with_filters

FORM = "openai-responses"
EVIDENCE = "evidence"
_DESCRIPTIONS = frozenset(one.description for one in reading_tools())
"""Of ours, whatever they are called."""
_Evidence = WeakKeyDictionary[ToolContext[Any], dict[str, Any]]
"""Of calls that the framework is at work with: an extractor is not asked for every one of them."""


def input_filter(wrapper: ToolWrapper, *, cap_tokens: int | None = None) -> Callable[[CallModelData[Any]], Awaitable[ModelInputData]]:
    """For `RunConfig(call_model_input_filter=…)`. `cap_tokens`: of one input, from which on older results become references."""
    history = History(Results(wrapper), cap_tokens)

    async def seen(data: CallModelData[Any]) -> ModelInputData:
        given = data.model_data
        wrapper.names.take(one.name for one in data.agent.tools if getattr(one, "description", "") not in _DESCRIPTIONS)
        beside = (given.instructions or "", *(_definition(one) for one in data.agent.tools if isinstance(one, FunctionTool)))
        return ModelInputData(await asyncio.to_thread(seen_list, history, given.input, FORM, beside), given.instructions)

    return seen


def evidence_tools(wrapper: ToolWrapper, tools: Sequence[Any]) -> list[Any]:
    """The tools with their results wrapped, and our reading tools behind them. What is no `FunctionTool` stays as it is."""
    wrapper.names.take(one.name for one in tools)
    results = Results(wrapper)
    own = [_wrapped(results, one) if isinstance(one, FunctionTool) else one for one in tools]
    return [*own, *(_reading(results, one) for one in reading_tools())]


class EvidenceSession:
    """A session in front of another one: what is added is saved with packets. What the other one holds already stays as it is."""

    session_settings: Any = None

    def __init__(self, session: Session, wrapper: ToolWrapper) -> None:
        self._session, self._history, self._before = session, History(Results(wrapper)), list[Any]()
        self.session_id = session.session_id

    async def get_items(self, limit: int | None = None) -> list[Any]:
        return await self._session.get_items(limit)

    async def add_items(self, items: list[Any]) -> None:
        """The calls may have been added before their results."""
        seen = await asyncio.to_thread(seen_list, self._history, [*self._before, *items], FORM)
        saved, self._before = seen[len(self._before) :], items
        await self._session.add_items(saved)

    async def pop_item(self) -> Any:
        return await self._session.pop_item()

    async def clear_session(self) -> None:
        await self._session.clear_session()


def _definition(tool: FunctionTool) -> str:
    return json.dumps({"name": tool.name, "description": tool.description, "parameters": tool.params_json_schema})


def _wrapped(results: Results, tool: FunctionTool) -> FunctionTool:
    evidence = _Evidence()
    own, offered = taken_names(tool.params_json_schema), with_nullable_filters if tool.strict_json_schema else with_filters

    async def invoked(context: ToolContext[Any], written: str) -> Any:
        call = results.taken(Call(tool.name, arguments_of(written) or {}, context.tool_call_id), own)
        if isinstance(call, WrappedResult):
            return call.text
        is_object = arguments_of(written) is not None
        value = await tool.on_invoke_tool(context, json.dumps(call.arguments) if is_object else written)
        if not isinstance(value, str):
            return value
        result = await asyncio.to_thread(results.shown, call, value)
        evidence[context] = evidence_json(result)
        return value if result.treatment in (Treatment.UNCHANGED, Treatment.EMPTY) else result.text

    async def beside(context: Any) -> dict[str, Any]:
        more = tool.custom_data_extractor(context) if tool.custom_data_extractor else None
        more = await more if inspect.isawaitable(more) else more
        return {**(more or {}), **_beside(evidence, context)}

    schema = offered(results.wrapper.rules, tool.name, tool.params_json_schema)
    return replace(tool, params_json_schema=schema, on_invoke_tool=invoked, custom_data_extractor=beside)


def _reading(results: Results, tool: ReadingTool) -> FunctionTool:
    evidence = _Evidence()

    async def invoked(context: ToolContext[Any], written: str) -> str:
        result = await asyncio.to_thread(results.answered, tool.name, arguments_of(written) or {})
        evidence[context] = evidence_json(result)
        return result.text

    made = FunctionTool(results.wrapper.names.of(tool.name), tool.description, dict(tool.schema), invoked, strict_json_schema=False)
    return replace(made, custom_data_extractor=lambda context: _beside(evidence, context))


def _beside(evidence: _Evidence, context: Any) -> dict[str, Any]:
    found = evidence.get(context.tool_context)
    return {EVIDENCE: found} if found else {}
