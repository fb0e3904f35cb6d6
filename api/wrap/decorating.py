"""A tool function with its results wrapped, in its own place: same name, same arguments and the filters beside them.

    wrapper = ToolWrapper(services, WrapRules(ResultBudget(window=200_000)))
    get_logs = wrap(wrapper, get_logs)

It returns what the tool returned where that passes unchanged, and the text for the model else; a generator gives its joined items. It
raises what the tool raised, and what the store raised: a result that could not be kept is an error of the tool. Wrong filters are
answered as text, which a model can mend.
"""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from api.wrap.endings import take_or_refuse
from api.wrap.filters import ANNOTATIONS, Taken, described, offered_filters, signature_with
from api.wrap.result import Treatment, WrappedResult
from api.wrap.rules import FilterName
from api.wrap.wrapper import ToolWrapper, is_async, own_arguments

_WRAPPED = "__evidence_wrapped__"


def wrap(wrapper: ToolWrapper, function: Callable[..., Any], name: str | None = None) -> Callable[..., Any]:
    """The function with its results wrapped under a name, its own by default. One that is wrapped already is given back as it is."""
    if getattr(function, _WRAPPED, False):
        return function
    tool = name or _name_of(function)
    wrapper.names.take((tool,))
    signature = inspect.signature(function)
    filters = offered_filters(wrapper.rules, tool, own_arguments(function))
    made = (_async if is_async(function) else _sync)(wrapper, function, tool, signature, filters)
    made.__signature__ = signature_with(signature, filters)  # type: ignore[attr-defined]
    made.__annotations__ = {**getattr(function, "__annotations__", {}), **{one: ANNOTATIONS[one] for one in filters}}
    made.__doc__ = described(function, filters)
    setattr(made, _WRAPPED, True)
    return made


def _name_of(function: Any) -> str:
    """Its own; of a partial one that of what it calls, of an object its type's."""
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))


def _sync(
    wrapper: ToolWrapper, function: Callable[..., Any], tool: str, signature: inspect.Signature, filters: tuple[FilterName, ...]
) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        taken = take_or_refuse(kwargs, filters)
        if isinstance(taken, WrappedResult):
            return taken.text
        arguments = _bound(signature, args, taken)
        return _passed(wrapper.run(tool, lambda: function(*args, **taken.arguments), arguments, taken.filters))

    return wrapped


def _async(
    wrapper: ToolWrapper, function: Callable[..., Any], tool: str, signature: inspect.Signature, filters: tuple[FilterName, ...]
) -> Callable[..., Any]:
    @functools.wraps(function)
    async def wrapped(*args: Any, **kwargs: Any) -> Any:
        taken = take_or_refuse(kwargs, filters)
        if isinstance(taken, WrappedResult):
            return taken.text
        arguments = _bound(signature, args, taken)
        return _passed(await wrapper.arun(tool, lambda: function(*args, **taken.arguments), arguments, taken.filters))

    return wrapped


def _bound(signature: inspect.Signature, args: tuple[Any, ...], taken: Taken) -> Mapping[str, object]:
    """The arguments by name, those of `**kwargs` among them. Raises TypeError as the call itself would."""
    bound = signature.bind(*args, **taken.arguments).arguments
    rest = next((name for name, one in signature.parameters.items() if one.kind is inspect.Parameter.VAR_KEYWORD), None)
    more = bound.pop(rest, {}) if rest is not None else {}
    return {**bound, **more}


def _passed(result: WrappedResult) -> Any:
    failure = result.failure
    if result.treatment is Treatment.FAILED and failure is not None:
        if result.revision is not None:
            failure.add_note(f"what came before is stored as {result.revision.resource}@{result.revision.number}")
        raise failure
    return result.value
