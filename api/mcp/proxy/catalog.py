"""The tools that a client is shown: the upstream's, with filters beside their arguments, and ours behind them under names of their own."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from api.mcp.proxy.messages import Json
from api.tools.outputs import PACKET
from api.wrap import WrapRules, offered_filters, taken_names, with_filters
from api.wrap.naming import free_name
from api.wrap.rules import FilterName

OFFLOADED = "offloaded"
OFFLOADED_SCHEMA: Json = {
    "type": "object",
    "description": "In place of a result over the budget: where it is stored whole, and what the text shows of it.",
    "properties": {
        OFFLOADED: {
            "type": "object",
            "properties": {"resource": {"type": "string"}, "revision": {"type": "integer"}, "size": {"type": "integer"}},
            "required": ["resource", "revision", "size"],
        },
        "packets": {"type": "array", "items": dict(PACKET)},
    },
    "required": [OFFLOADED, "packets"],
}
_VALUES = ("const", "enum", "default", "examples")
"""Members of a schema whose values are no schemas."""


class Catalog:
    """What is known of the upstream's tools, and how ours are called so that no name stands for two. `note` tells of it."""

    def __init__(self, rules: WrapRules, own: Iterable[str], note: Callable[[str], None]) -> None:
        self._rules = rules
        self._note = note
        self._own = tuple(own)
        self.schemas: dict[str, Any] = {}
        """Tool of the upstream to the schema of its arguments."""
        self.names: Mapping[str, str] = {name: name for name in self._own}
        """Our tools to the names that they go by."""
        self.is_fresh = False

    def learn(self, tools: Iterable[Any], *, all_of_them: bool) -> None:
        """Takes in a listing of the upstream, a page of it or all."""
        found = {
            one["name"]: one.get("inputSchema") or {} for one in tools if isinstance(one, Mapping) and isinstance(one.get("name"), str)
        }
        if all_of_them:
            self.schemas.clear()
            self.is_fresh = True
        self.schemas.update(found)
        names = {name: free_name(name, self.schemas) for name in self._own}
        for name, used in names.items():
            if used not in (name, self.names[name]):
                self._note(f"the wrapped server has a tool {name!r} itself: ours is {used!r}")
        self.names = names

    def find_own(self, name: object) -> str | None:
        """Which of our tools goes by a name."""
        return next((own for own, used in self.names.items() if used == name), None)

    def filters_of(self, tool: str) -> tuple[FilterName, ...]:
        schema = self.schemas.get(tool)
        return offered_filters(self._rules, tool, taken_names(schema)) if isinstance(schema, Mapping) else ()

    def shown(self, tool: Any) -> Any:
        """The definition of an upstream's tool as a client gets it. Nothing of it goes; filters and one more form of results come."""
        if not isinstance(tool, Mapping) or not isinstance(schema := tool.get("inputSchema"), Mapping):
            return tool
        filters = self.filters_of(str(tool.get("name")))
        made = {**tool, "inputSchema": with_filters(self._rules, str(tool["name"]), schema)} if filters else dict(tool)
        if isinstance(output := tool.get("outputSchema"), Mapping) and (filters or self._rules.switches.offload):
            made["outputSchema"] = widened(output)
        return made


def widened(schema: Mapping[str, Any]) -> Json:
    """A schema of results that takes an offloaded one, too. References within it lead where it stands now."""
    moved = schema if "$id" in schema else _moved(schema)
    return {"type": "object", "anyOf": [moved, OFFLOADED_SCHEMA]}


def _moved(node: Any) -> Any:
    if isinstance(node, list):
        return [_moved(one) for one in node]
    if not isinstance(node, Mapping):
        return node
    return {name: _reference(value) if name == "$ref" else value if name in _VALUES else _moved(value) for name, value in node.items()}


def _reference(value: Any) -> Any:
    """Of a pointer into the document; anchors and other documents stay what they are."""
    if isinstance(value, str) and (value == "#" or value.startswith("#/")):
        return f"#/anyOf/0{value[1:]}"
    return _moved(value)
