"""A loop of one's own around a provider's SDK: what is sent, what tools are offered, and what answers the calls of a turn.

No SDK is imported: messages and turns are taken as their objects or as JSON, and what comes out is JSON in the provider's form. A list
that is given is not changed, and an entry that stays as it is comes out as the object that it was.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from api.adapters.history import History
from api.adapters.lists import arguments_of, seen_list
from api.adapters.results import Results
from api.adapters.tools import is_own, with_nullable_filters
from api.wrap import ToolWrapper, WrappedResult, WrapRules, answer_refusal, is_async, offer
from evidence_store.errors import InvalidInput
from evidence_store.model import Outcome
from projector import dialect_for


class Loop:
    """Around one conversation in the form of a provider."""

    def __init__(
        self, provider: str, wrapper: ToolWrapper, functions: Mapping[str, Callable[..., Any]], *, cap_tokens: int | None = None
    ) -> None:
        """`functions` are the tools by name, plain or asynchronous; `cap_tokens` as in `history`."""
        wrapper.names.take(functions)
        self._provider, self._dialect = provider, dialect_for(provider)
        self._results, self._functions = Results(wrapper), functions
        self._history = History(self._results, cap_tokens)
        self._definitions = ""
        self.newest: dict[str, WrappedResult] = {}
        """Results of the newest turn by the ids of their calls: packets, and content that is no text."""

    def tools(self, own: Sequence[Mapping[str, Any]]) -> list[Any]:
        """Definitions to offer: one's own with our filters, and our reading tools. From then on they count towards the cap."""
        wrapper = self._results.wrapper
        wrapper.names.take(_name(one) for one in own)
        offered = [_strictly(wrapper.rules, one) if _is_strict(one) else offer(wrapper.rules, [one])[0] for one in own]
        every = [*offered, *self._dialect.tools(wrapper.definitions())]
        self._definitions = json.dumps(every)
        return every

    def seen(self, messages: Sequence[Any]) -> list[Any]:
        """What to send of a list: results over their budget as packets, and near the cap older ones as references."""
        read = [plain(one) for one in messages]
        seen = seen_list(self._history, read, self._provider, (self._definitions,))
        return [was if now is one else now for was, one, now in zip(messages, read, seen, strict=True)]

    def results(self, turn: Sequence[Any]) -> list[Any]:
        """What answers the calls of a turn, to be appended behind it; nothing where it has none. Runs them one after the other."""
        calls = self._calls(turn)
        with self._results.wrapper.calls(max(1, len(calls))):
            return self._answers(calls, [self._call(one) for one in calls])

    async def aresults(self, turn: Sequence[Any]) -> list[Any]:
        """The same, side by side."""
        calls = self._calls(turn)
        with self._results.wrapper.calls(max(1, len(calls))):
            return self._answers(calls, await asyncio.gather(*map(self._acall, calls)))

    def _calls(self, turn: Sequence[Any]) -> list[Any]:
        return [call for place, one in enumerate(turn) for call in self._dialect.read(plain(one), place).calls]

    def _call(self, call: Any) -> WrappedResult:
        wrapper, arguments = self._results.wrapper, arguments_of(call.arguments)
        if arguments is None:
            return answer_refusal(InvalidInput("the arguments of a call are a JSON object", code="bad_argument"))
        if call.name in self._functions:
            return wrapper.call(call.name, self._functions[call.name], arguments, call=call.call)
        if is_own(wrapper, call.name):
            return wrapper.answer(call.name, arguments)
        known = [*self._functions, *map(_name, wrapper.definitions())]
        return answer_refusal(InvalidInput(f"there is no tool {call.name[:80]!r}", {"known": known}, code="unknown_tool"))

    async def _acall(self, call: Any) -> WrappedResult:
        function, arguments = self._functions.get(call.name), arguments_of(call.arguments)
        if function is None or arguments is None or not is_async(function):
            return await asyncio.to_thread(self._call, call)
        return await self._results.wrapper.acall(call.name, function, arguments, call=call.call)

    def _answers(self, calls: Sequence[Any], results: Sequence[WrappedResult]) -> list[Any]:
        self.newest = {call.call: result for call, result in zip(calls, results, strict=True)}
        failed = [result.outcome is not Outcome.OK for result in results]
        parts = [
            replace(self._dialect.answer(call, result.text), failed=one) for call, result, one in zip(calls, results, failed, strict=True)
        ]
        return list(self._dialect.write("result", parts))


def plain(value: Any) -> Any:
    """An object of an SDK as its JSON; what is JSON already is given back itself."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", exclude_unset=True, by_alias=True)
    if isinstance(value, Mapping) and any(hasattr(one, "model_dump") for one in _items(value.get("content"))):
        return {**value, "content": [plain(one) for one in value["content"]]}
    return value


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _name(definition: Any) -> str:
    """Of a tool, in the form of any provider."""
    return str(definition.get("function", definition).get("name"))


def _is_strict(definition: Mapping[str, Any]) -> bool:
    return bool(definition.get("function", definition).get("strict"))


def _strictly(rules: WrapRules, definition: Mapping[str, Any]) -> Mapping[str, Any]:
    if "function" in definition:
        return {**definition, "function": _strictly(rules, definition["function"])}
    member = "input_schema" if "input_schema" in definition else "parameters"
    return {**definition, member: with_nullable_filters(rules, str(definition.get("name")), definition[member])}
