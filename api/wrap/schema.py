"""Tool definitions and signatures with the filters that are offered: one argument each, where the tool has none of the name."""

import inspect
from collections.abc import Mapping, Sequence

from api.wrap.filters import ANNOTATIONS, SCHEMAS
from api.wrap.rules import FilterName, WrapRules
from evidence_store.errors import JsonValue

ParameterSchema = Mapping[str, JsonValue]


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
