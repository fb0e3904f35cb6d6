"""Tools of the program in a run: what they give is wrapped (docs/wrapping.md), so that large results are stored, and shown as packets."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from api.tools import ToolAnswer
from api.tools.definitions import BY_NAME
from api.wrap import ToolWrapper, is_async, offer
from evidence_store.errors import InvalidInput, JsonValue
from evidence_store.records.runs import StepKey
from evidence_store.store.runs import OpenCall


class WrappedTools:
    """Functions by name, and their definitions in the form of OpenAI Chat. Calls of a turn are made one after the other.

    Coroutine functions are run to their end in the thread of the run, which must have no event loop of its own.
    """

    def __init__(
        self, wrapper: ToolWrapper, functions: Mapping[str, Callable[..., object]], definitions: Sequence[Mapping[str, Any]]
    ) -> None:
        """Raises InvalidInput where definitions and functions do not match, and for a name of one of our own tools."""
        named = sorted(str(one.get("function", {}).get("name")) for one in definitions)
        if named != sorted(functions):
            raise InvalidInput(f"definitions of {named} for functions {sorted(functions)}", code="wrong_use")
        if taken := sorted(set(named) & set(BY_NAME)):
            raise InvalidInput(f"{taken[0]!r} is a tool of ours: give yours another name", {"known": sorted(BY_NAME)}, code="wrong_use")
        self._wrapper, self._functions = wrapper, functions
        self.definitions: Sequence[Mapping[str, JsonValue]] = offer(wrapper.rules, definitions)
        """With the filters that each of them has not itself."""

    def answer(self, step: StepKey, call: OpenCall, n_calls: int) -> ToolAnswer | None:
        """What a call gives, within its share of a turn of so many calls; None for a tool that is not here."""
        function = self._functions.get(call.name)
        if function is None:
            return None
        with self._wrapper.calls(n_calls, step):
            if is_async(function):
                result = asyncio.run(self._wrapper.acall(call.name, function, call.arguments, call=call.call))
            else:
                result = self._wrapper.call(call.name, function, call.arguments, call=call.call)
        return ToolAnswer(result.text, result.packets, result.outcome)
