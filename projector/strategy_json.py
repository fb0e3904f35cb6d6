"""Reads the strategy of a step from JSON (docs/formats/step.md): a name, or a named one with some of its fields changed."""

from dataclasses import replace
from typing import get_args

from evidence_store.errors import JsonValue
from projector.json_reader import JsonReader
from projector.strategy import CLAIMANTS, NAMED_STRATEGIES, TUNABLE, WINDOWS, NamedStrategy, Strategy, StrategyName, changed_fields

STRATEGY_NAMES: tuple[StrategyName, ...] = ("", "externalise", "auto", *get_args(NamedStrategy))


def strategy_from_json(step: JsonReader) -> StrategyName | Strategy:
    """The member `strategy` of a step."""
    value = step.value.get("strategy", "")
    if isinstance(value, str):
        if value not in STRATEGY_NAMES:
            raise step.refuse("strategy", f"one of {', '.join(map(repr, STRATEGY_NAMES))}")
        return value
    reader = JsonReader(value, f"{step.path}/strategy", ("name", *TUNABLE))
    name = reader.text("name", "default")
    if name not in NAMED_STRATEGIES:
        raise reader.refuse("name", f"one of {', '.join(map(repr, NAMED_STRATEGIES))}")
    changes = {field: _field(reader, field) for field in TUNABLE if field in reader.value}
    return replace(NAMED_STRATEGIES[name], **changes)  # type: ignore[arg-type]


def strategy_to_json(strategy: StrategyName | Strategy) -> JsonValue:
    """What `strategy_from_json` reads as the same."""
    return strategy if isinstance(strategy, str) else {"name": strategy.name, **changed_fields(strategy)}


def _field(reader: JsonReader, name: str) -> bool | int | tuple[str, ...] | None:
    if name == "order":
        order = reader.texts(name)
        if sorted(order) != sorted(CLAIMANTS):
            raise reader.refuse(name, f"each of {', '.join(CLAIMANTS)} once")
        return order
    if name == "may_externalise":
        return reader.flag(name)
    return None if name in WINDOWS[:2] and not reader.has(name) else reader.number(name)
