"""The tools that a client is shown: the upstream's, with filters beside their arguments, and ours behind them under names of their own."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from api.mcp.proxy.messages import Json
from api.tools.outputs import PACKET
from api.wrap import WrapRules, offered_filters, taken_names, with_filters
from api.wrap.naming import free_name
from api.wrap.rules import FilterName
from evidence_store.errors import InvalidInput

MAX_PREFIX_CHARS = 32
"""Names of tools have 64 characters at most at some providers."""
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


@dataclass(frozen=True, slots=True)
class Naming:
    """How our tools are called towards the client, and whether they are offered. Raises InvalidInput for a prefix that no name can have."""

    prefix: str = ""
    offered: bool = True
    """False: another server of the client's has them, under these names."""

    def __post_init__(self) -> None:
        if not re.fullmatch(rf"[A-Za-z0-9_-]{{0,{MAX_PREFIX_CHARS}}}", self.prefix):
            raise InvalidInput(f"--prefix takes at most {MAX_PREFIX_CHARS} letters, digits, _ and -", code="wrong_use")


PLAIN_NAMES = Naming()


class Catalog:
    """What is known of the upstream's tools, and how ours are called so that no name stands for two. `note` tells of it."""

    def __init__(self, rules: WrapRules, own: Iterable[str], note: Callable[[str], None], naming: Naming) -> None:
        self._rules = rules
        self._note = note
        self._own = tuple(own)
        self._naming = naming
        self.schemas: dict[str, Any] = {}
        """Tool of the upstream to the schema of its arguments."""
        self.names: Mapping[str, str] = {name: naming.prefix + name for name in self._own}
        """Our tools to the names that they go by."""
        self.tools: tuple[Any, ...] = ()
        """The upstream's, as they were last listed as a whole."""
        self.is_fresh = False
        self.was_learned = False
        """Whether all tools of the upstream were ever listed."""

    @property
    def offered(self) -> tuple[str, ...]:
        """Our tools that a client gets."""
        return self._own if self._naming.offered else ()

    def learn(self, tools: Sequence[Any], *, all_of_them: bool) -> None:
        """Takes in a listing of the upstream, a page of it or all."""
        found = {
            one["name"]: one.get("inputSchema") or {} for one in tools if isinstance(one, Mapping) and isinstance(one.get("name"), str)
        }
        if all_of_them:
            self.schemas.clear()
            self.is_fresh = self.was_learned = True
            self.tools = tuple(tools)
        self.schemas.update(found)
        if not self._naming.offered:
            return
        names = {name: free_name(self._naming.prefix + name, self.schemas) for name in self._own}
        for name, used in names.items():
            if used not in (self._naming.prefix + name, self.names[name]):
                self._note(f"the wrapped server has a tool {self._naming.prefix + name!r} itself: ours is {used!r}")
        self.names = names

    def find_own(self, name: object) -> str | None:
        """Which of our tools goes by a name."""
        return next((own for own in self.offered if self.names[own] == name), None)

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
