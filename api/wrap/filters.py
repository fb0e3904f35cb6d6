"""Filters of a result where it is stored: `grep`, `tail_n`, `fields`, `pointer`, offered to the model as arguments of the tool.

They are offered where a tool has no argument of the name: in its definition, its signature and its docstring. They are taken out of the
arguments before the tool is called, checked before that, and applied to what is stored whole: what they leave out is not lost. A filter
that matches nothing says so, and how large the whole is.
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from api.wrap.rules import FilterName, WrapRules
from evidence_store.errors import InvalidInput, JsonValue
from evidence_store.pointers import parse_pointer
from evidence_store.search import search

MAX_TAIL_LINES = 1_000_000
MAX_FIELDS = 50
SCHEMAS: Mapping[FilterName, Mapping[str, JsonValue]] = {
    "grep": {"type": "string", "description": "Show only lines of the result that match this RE2 expression."},
    "tail_n": {"type": "integer", "minimum": 1, "description": "Show only the last so many lines of the result."},
    "fields": {
        "type": "array",
        "items": {"type": "string"},
        "description": "Show only these members of the result, or of each item of a list; /a/b for one further down.",
    },
    "pointer": {"type": "string", "description": "Show only the place of the result at this JSON Pointer; fields are looked for there."},
}
ANNOTATIONS: Mapping[FilterName, object] = {
    "grep": str | None,
    "tail_n": int | None,
    "fields": list[str] | None,
    "pointer": str | None,
}

ParameterSchema = Mapping[str, JsonValue]
_GOOGLE = re.compile(r"^(?:Args|Arguments|Parameters|Params):[ \t]*\n((?:[ \t]+.*(?:\n|\Z)|[ \t]*\n)*)", re.MULTILINE)
_NUMPY = re.compile(r"^Parameters\n-{3,}\n((?:.+(?:\n|\Z))*)", re.MULTILINE)
"""Where docstrings in the style of Google and of NumPy list arguments."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What of a result is asked for. False where all of it is."""

    grep: str | None = None
    tail_n: int | None = None
    fields: tuple[str, ...] = ()
    pointer: str | None = None

    def __bool__(self) -> bool:
        return self.grep is not None or self.tail_n is not None or bool(self.fields) or self.pointer is not None


@dataclass(frozen=True, slots=True)
class Taken:
    filters: Filters
    arguments: Mapping[str, object]
    """Those of the tool."""


def take_filters(arguments: Mapping[str, object], offered: Sequence[FilterName]) -> Taken:
    """Divides the arguments of a call. null, "" and [] ask for nothing, as models write for what they leave out.

    Raises InvalidInput (`bad_argument`, or that of a bad pattern or pointer) before the tool is called.
    """
    asked: dict[str, object] = {
        name: arguments[name] for name in offered if name in arguments and arguments[name] not in (None, "", [], ())
    }
    rest = {name: value for name, value in arguments.items() if name not in offered}
    filters = Filters(_text(asked, "grep"), _count(asked), _fields(asked), _text(asked, "pointer"))
    _require_one(filters)
    if filters.grep is not None:
        search(b"", filters.grep, regex=True)
    for place in (filters.pointer, *(one for one in filters.fields if one.startswith("/"))):
        parse_pointer(place or "")
    return Taken(filters, rest)


def _require_one(filters: Filters) -> None:
    kinds = (filters.grep is not None, filters.tail_n is not None, bool(filters.fields) or filters.pointer is not None)
    if sum(kinds) > 1:
        raise InvalidInput("give one of grep, tail_n and pointer; fields goes with pointer", code="bad_argument")


def _text(asked: Mapping[str, object], name: FilterName) -> str | None:
    value = asked.get(name)
    if value is None or isinstance(value, str):
        return value
    raise InvalidInput(f"{name} is a text, not {type(value).__name__}", {"known": list(get_args(FilterName))}, code="bad_argument")


def _count(asked: Mapping[str, object]) -> int | None:
    value = asked.get("tail_n")
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MAX_TAIL_LINES:
        raise InvalidInput(f"tail_n is a whole number from 1 to {MAX_TAIL_LINES}", {"limit": MAX_TAIL_LINES}, code="bad_argument")
    return value


def _fields(asked: Mapping[str, object]) -> tuple[str, ...]:
    value = asked.get("fields", ())
    if not isinstance(value, list | tuple) or len(value) > MAX_FIELDS or not all(isinstance(one, str) and one for one in value):
        raise InvalidInput(f"fields is a list of at most {MAX_FIELDS} texts", {"limit": MAX_FIELDS}, code="bad_argument")
    return tuple(value)


# -- how they are offered


def offered_filters(rules: WrapRules, tool: str, taken: Sequence[str]) -> tuple[FilterName, ...]:
    """The filters of a tool whose own arguments are `taken`."""
    if not rules.switches.filters:
        return ()
    return tuple(name for name in rules.of(tool).filters if name not in taken)


def with_filters(rules: WrapRules, tool: str, schema: ParameterSchema) -> dict[str, JsonValue]:
    """The JSON Schema of a tool's arguments with the filters beside its own; the schema given is left as it is."""
    own = schema.get("properties") or {}
    properties = dict(own) if isinstance(own, Mapping) else {}
    more: dict[str, JsonValue] = {name: SCHEMAS[name] for name in offered_filters(rules, tool, tuple(properties))}
    return {"type": "object", **schema, "properties": {**properties, **more}} if more else dict(schema)


def taken_names(schema: ParameterSchema) -> tuple[str, ...]:
    """The names of a tool's own arguments."""
    own = schema.get("properties")
    return tuple(own) if isinstance(own, Mapping) else ()


def offer(
    rules: WrapRules, definitions: Sequence[Mapping[str, JsonValue]], *, closing: bool = False
) -> tuple[Mapping[str, JsonValue], ...]:
    """Tool definitions as a model gets them, each with the filters that it does not have.

    They are in the form of OpenAI Chat, or have `parameters`, `input_schema` or `inputSchema` beside `name`.
    In a closing step there are none, where that is switched on.
    """
    if closing and rules.switches.closing_step:
        return ()
    return tuple(_offered(rules, one) for one in definitions)


def _offered(rules: WrapRules, definition: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    function = definition.get("function")
    if isinstance(function, Mapping):
        return {**definition, "function": _offered(rules, function)}
    for member in ("parameters", "input_schema", "inputSchema"):
        schema = definition.get(member)
        if isinstance(schema, Mapping):
            return {**definition, member: with_filters(rules, str(definition.get("name")), schema)}
    return definition


def signature_with(signature: inspect.Signature, filters: Sequence[FilterName]) -> inspect.Signature:
    """The signature with the filters as keyword-only parameters that default to None."""
    own = list(signature.parameters.values())
    rest = [one for one in own if one.kind is inspect.Parameter.VAR_KEYWORD]
    kept = [one for one in own if one.kind is not inspect.Parameter.VAR_KEYWORD]
    more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=ANNOTATIONS[name]) for name in filters]
    return signature.replace(parameters=[*kept, *more, *rest])


def described(function: Callable[..., object], filters: Sequence[FilterName]) -> str | None:
    """The docstring with the filters at the end of its list of arguments; a list in the style of Google where it has none."""
    text = inspect.getdoc(function)
    if not filters:
        return text
    text = text or ""
    if re.search(r"^:param\b", text, re.MULTILINE):
        return text + "".join(f"\n:param {name}: {SCHEMAS[name]['description']}" for name in filters)
    if found := _NUMPY.search(text):
        return _behind(text, found, "".join(f"{name}\n    {SCHEMAS[name]['description']}\n" for name in filters))
    lines = "".join(f"    {name}: {SCHEMAS[name]['description']}\n" for name in filters)
    if found := _GOOGLE.search(text):
        return _behind(text, found, lines)
    return f"{text}\n\nArgs:\n{lines}".strip()


def _behind(text: str, section: "re.Match[str]", lines: str) -> str:
    """The text with lines behind those of a section, before the blank ones that end it."""
    end = section.start(1) + len(section[1].rstrip())
    rest = text[end:]
    return f"{text[:end]}\n{lines}{rest.removeprefix(chr(10))}".rstrip()
