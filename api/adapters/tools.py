"""Our reading tools as frameworks take them: a name, a description, a schema, and a function of a call's arguments."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from weakref import finalize

from api.opening import open_agent_services
from api.tools import definitions
from api.wiring import AgentServices
from api.wrap import ResultBudget, ToolWrapper, WrapRules, taken_names, with_filters
from api.wrap.reading import OUT_OF_A_RUN
from evidence_store.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class ReadingTool:
    """One of our tools."""

    name: str
    description: str
    schema: Mapping[str, Any]
    """Of its arguments."""


def reading_tools() -> tuple[ReadingTool, ...]:
    """Those that read the store and need no run, in their order."""
    functions: list[Any] = [one["function"] for one in definitions(recording=False)]
    return tuple(ReadingTool(one["name"], one["description"], one["parameters"]) for one in functions if one["name"] not in OUT_OF_A_RUN)


OWN = frozenset(one.name for one in reading_tools())
"""Those whose results are never stored again."""


def is_own(wrapper: ToolWrapper, name: str) -> bool:
    """Whether one of our reading tools goes by a name."""
    return wrapper.names.find_own(name) in OWN


def with_nullable_filters(rules: WrapRules, tool: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """A strict schema with our filters: there every argument is required, and null asks for nothing."""
    offered: dict[str, Any] = with_filters(rules, tool, schema)
    more = [name for name in offered.get("properties", {}) if name not in taken_names(schema)]
    nullable = {name: {**offered["properties"][name], "type": [offered["properties"][name]["type"], "null"]} for name in more}
    if not more:
        return offered
    return {**offered, "properties": {**offered["properties"], **nullable}, "required": [*schema.get("required", ()), *more]}


class OpenWrapper(ToolWrapper):
    """A wrapper that has opened its store. `with` and `async with` close it, and so does `close`; else the end of the process does."""

    def __init__(self, services: AgentServices, rules: WrapRules) -> None:
        super().__init__(services, rules)
        self.close = finalize(self, services.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()


def open_wrapper(
    store: Path | str = ".evidence", *, window: int | None = None, rules: WrapRules | None = None, key: str | None = None
) -> OpenWrapper:
    """A wrapper over the store in a folder, made where there is none, or at a URL: with the usual budgets of a window, or with rules.

    A server wants a `key` with the grants `evidence:read` and `evidence:write`. Raises InvalidInput where neither or both of window and
    rules are given, or the window is no number of tokens, or a key stands beside a folder; and StoreFault.
    """
    if (window is None) == (rules is None):
        raise InvalidInput("give the window of the model in tokens, or rules that have it", code="wrong_use")
    made = rules or WrapRules(ResultBudget(window))  # type: ignore[arg-type]
    return OpenWrapper(open_agent_services(store, key), made)
