"""Runs tools that are not ours, and hands the model what the core makes of their results: sync, async and streaming alike.

`call` and `acall` answer every end of a call as a value; a function that `wrap` gives passes on what its tool returned or raised.
A cancelled task stays cancelled: `acall` raises it on, after what came is stored.
"""

import asyncio
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import ParamSpec, TypeVar

from api.tools.definitions import BY_NAME
from api.wiring import AgentServices
from api.wrap.budget import Room, StepRoom
from api.wrap.context import WrapContext
from api.wrap.deadlines import take_in_time
from api.wrap.endings import finish, finish_failed, take_or_refuse
from api.wrap.filters import Filters, Taken, offered_filters
from api.wrap.naming import OwnNames
from api.wrap.reading import answer_own, own_definitions
from api.wrap.receiving import Received, take_all, take_async
from api.wrap.result import WrappedResult
from api.wrap.rules import WrapRules
from evidence_store.errors import JsonValue
from evidence_store.records.runs import StepKey

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Calls:
    """The calls of a step that are made just now."""

    wrapper: "ToolWrapper"
    room: StepRoom
    step: StepKey | None


_calls: ContextVar[_Calls | None] = ContextVar("evidence_store_calls", default=None)


class ToolWrapper:
    """Wraps tools over one store. `step` is the step of a run that calls belong to where `calls` names no other."""

    def __init__(self, services: AgentServices, rules: WrapRules, step: StepKey | None = None) -> None:
        self._context = WrapContext(services.tools(step), rules, services.counter)

    @property
    def names(self) -> OwnNames:
        """Of our tools beside those that are wrapped, or told to it (`OwnNames.take`)."""
        return self._context.names

    def definitions(self) -> tuple[dict[str, JsonValue], ...]:
        """Our reading tools in the form of OpenAI Chat, under the names that `answer` takes. Ask for them once all tools are wrapped."""
        return own_definitions(self._context)

    @property
    def context(self) -> WrapContext:
        """With the step of the calls that are made just now, where `calls` names one."""
        made, context = self._made_now(), self._context
        return context if made is None or made.step is None else replace(context, tools=context.tools.at(made.step))

    @property
    def rules(self) -> WrapRules:
        return self._context.rules

    @contextmanager
    def calls(self, n_calls: int | None = None, step: StepKey | None = None) -> Iterator[StepRoom]:
        """The calls inside are those of one step and share its budget, in threads too where they take the context along.

        `step` names it where it is one of a run.
        """
        room = StepRoom(self.rules.budget.step, n_calls)
        before = _calls.set(_Calls(self, room, step))
        try:
            yield room
        finally:
            _calls.reset(before)

    def _made_now(self) -> _Calls | None:
        """None outside of `calls`, and inside those of another wrapper: its steps are of its own store."""
        found = _calls.get()
        return found if found is not None and found.wrapper is self else None

    @contextmanager
    def room(self, tool: str) -> Iterator[Room]:
        """Tokens for one result; what it does not use goes back to its step."""
        made, wanted = self._made_now(), self.rules.tokens_of(tool)
        room = Room(wanted if made is None else made.room.claim(wanted))
        try:
            yield room
        finally:
            if made is not None:
                made.room.settle(room.n_tokens, 0 if room.used is None else self.context.cost(room.used, room.n_tokens))

    def call(
        self,
        tool: str,
        function: Callable[..., object],
        arguments: Mapping[str, object],
        *,
        own: Iterable[str] = (),
        call: str | None = None,
    ) -> WrappedResult:
        """Calls a synchronous tool. `own` names its arguments that are no filters of ours; `call` is the id within the run."""
        self.names.take((tool,))
        taken = self._taken(tool, function, arguments, own)
        if isinstance(taken, WrappedResult):
            return taken
        return self.run(tool, lambda: function(**taken.arguments), taken.arguments, taken.filters, call)

    async def acall(
        self,
        tool: str,
        function: Callable[..., object],
        arguments: Mapping[str, object],
        *,
        own: Iterable[str] = (),
        call: str | None = None,
    ) -> WrappedResult:
        """The same for an asynchronous tool. Raises CancelledError where the calling task is cancelled."""
        self.names.take((tool,))
        taken = self._taken(tool, function, arguments, own)
        if isinstance(taken, WrappedResult):
            return taken
        return await self.arun(tool, lambda: function(**taken.arguments), taken.arguments, taken.filters, call)

    def _taken(
        self, tool: str, function: Callable[..., object], arguments: Mapping[str, object], own: Iterable[str]
    ) -> Taken | WrappedResult:
        return take_or_refuse(arguments, offered_filters(self.rules, tool, own_arguments(function, own)))

    def answer(self, name: str, arguments: Mapping[str, JsonValue], *, recording: bool = False) -> WrappedResult:
        """The answer of one of our own tools, by its own name or the one that it goes by, within the room of a result."""
        own = name if name in BY_NAME else self.names.find_own(name) or name
        with self.room(own) as room:
            result = answer_own(self.context, own, arguments, room.n_tokens, recording=recording)
            room.used = result.text
            return result

    def run(
        self, tool: str, tried: Callable[[], object], arguments: Mapping[str, object], filters: Filters, call: str | None = None
    ) -> WrappedResult:
        """Runs one call; `arguments` name its resource."""
        with self.room(tool) as room:
            received = self._received(room.n_tokens)
            try:
                try:
                    self._take_in(tool, received, tried)
                except Exception as why:
                    result = finish_failed(self.context, tool, arguments, received, room.n_tokens, why, call)
                else:
                    result = finish(self.context, tool, arguments, received, room.n_tokens, filters, call)
            finally:
                received.close()
            room.used = result.text
            return result

    async def arun(
        self, tool: str, tried: Callable[[], object], arguments: Mapping[str, object], filters: Filters, call: str | None = None
    ) -> WrappedResult:
        """The same for what is awaited or streams asynchronously; the store is at work in a thread."""
        with self.room(tool) as room:
            received = self._received(room.n_tokens)
            try:
                try:
                    async with asyncio.timeout(self.rules.of(tool).timeout_s):
                        await take_async(received, tried())
                except (Exception, asyncio.CancelledError) as why:
                    result = await _settled(finish_failed, self.context, tool, arguments, received, room.n_tokens, why, call)
                    if isinstance(why, asyncio.CancelledError) and _is_cancelled():
                        raise
                else:
                    result = await _settled(finish, self.context, tool, arguments, received, room.n_tokens, filters, call)
            finally:
                received.close()
            room.used = result.text
            return result

    def _take_in(self, tool: str, received: Received, tried: Callable[[], object]) -> None:
        timeout_s = self.rules.of(tool).timeout_s
        if timeout_s is None:
            take_all(received, tried())
        else:
            take_in_time(received, lambda: take_all(received, tried()), timeout_s)

    def _received(self, n_tokens: int) -> Received:
        keeps_all = not self.rules.switches.offload
        return Received(self.context.tools.store.max_bytes, None if keeps_all else self.context.tools.limit(n_tokens).max_bytes)


def is_async(function: Callable[..., object]) -> bool:
    """Whether what a function gives is awaited, or streams asynchronously; also of an object that is called."""
    called = getattr(function, "__call__", None)  # noqa: B004 (its own, to be looked at)
    return any(inspect.iscoroutinefunction(one) or inspect.isasyncgenfunction(one) for one in (function, called))


def own_arguments(function: Callable[..., object], more: Iterable[str] = ()) -> tuple[str, ...]:
    """The names of a function's parameters, and what is said of it besides."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return tuple(more)
    return (*(name for name, one in parameters.items() if one.kind is not inspect.Parameter.VAR_KEYWORD), *more)


def _is_cancelled() -> bool:
    """Whether somebody cancelled the task, and not only what its tool waited for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _settled(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What a thread gives. Who is cancelled meanwhile waits for it: what it stores must not be torn."""
    task = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError as cancelled:
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait({task})
        raise cancelled from task.exception()
