"""Reads a receipt from JSON (docs/formats/receipt.md): the inverse of `receipt_json`, for what a run has stored.

The profile of a receipt names provider and model only; its budget and counter are those of the receipt.
"""

from dataclasses import fields
from typing import cast, get_args

from evidence_store.errors import JsonValue
from projector.budget import Budget, Prices, Profile
from projector.errors import RefusedStep
from projector.json_reader import JsonReader
from projector.model import Kept, Omitted, Receipt, Section, StrategyUsed, Withheld
from projector.receipt import VERSION


def receipt_from_json(value: JsonValue) -> Receipt:
    """The receipt that a JSON value describes; raises RefusedStep naming what is wrong."""
    reader = JsonReader(value, "the receipt")
    if (version := reader.number("v", 0)) != VERSION:
        raise RefusedStep(f"a receipt of version {version}, not {VERSION}", {"path": "/v"})
    counter = JsonReader(reader.value.get("counter"), "/counter")
    budget = _budget(JsonReader(reader.value.get("budget"), "/budget"))
    return Receipt(
        task=reader.text("task", None),
        task_revision=reader.number("task_revision"),
        profile=_profile(JsonReader(reader.value.get("profile"), "/profile"), budget, counter.text("id", None)),
        counter=counter.text("id", None),
        exactness=counter.text("exactness", None),
        budget=budget,
        kept=tuple(_kept(JsonReader(one, f"/kept/{at}")) for at, one in enumerate(reader.items("kept"))),
        omitted=tuple(_omitted(JsonReader(one, f"/omitted/{at}")) for at, one in enumerate(reader.items("omitted"))),
        used=reader.number("used"),
        input_digest=reader.text("input_digest", None),
        strategy=_strategy(JsonReader(reader.value.get("strategy"), "/strategy")) if reader.has("strategy") else None,
        withheld=_withheld(JsonReader(reader.value.get("withheld", {}), "/withheld")),
        appended_to=reader.text("appended_to"),
        shared=reader.number("shared", 0),
        rebuilt=reader.text("rebuilt"),
    )


def _withheld(reader: JsonReader) -> Withheld:
    return Withheld(**{one.name: reader.number(one.name, 0) for one in fields(Withheld)})


def _strategy(reader: JsonReader) -> StrategyUsed:
    """As it was: names and fields of another version stay what they are."""
    changed = JsonReader(reader.value.get("changed", {}), "/strategy/changed")
    return StrategyUsed(reader.text("name", None), reader.text("reason"), changed.value)


def _budget(reader: JsonReader) -> Budget:
    return Budget(reader.number("window"), reader.number("output"), reader.number("slack"), reader.number("fixed"))


def _profile(reader: JsonReader, budget: Budget, counter: str) -> Profile:
    try:
        return Profile(
            reader.text("provider", None),
            reader.text("model", None),
            budget.window,
            budget.output,
            budget.slack,
            counter,
            budget.fixed,
            _prices(JsonReader(reader.value.get("prices", {}), "/profile/prices")),
        )
    except ValueError as why:
        raise RefusedStep(f"/budget: {why}", {"path": "/budget"}) from why


def _prices(reader: JsonReader) -> Prices:
    return Prices(reader.number("read", 100), reader.number("write", 100))


def _section(reader: JsonReader) -> Section:
    section = reader.text("section", None)
    if section not in get_args(Section):
        raise reader.refuse("section", f"one of {', '.join(get_args(Section))}")
    return cast("Section", section)


def _kept(reader: JsonReader) -> Kept:
    tokens = reader.value.get("tokens")
    if not isinstance(tokens, int) or isinstance(tokens, bool):  # below zero for the framing of some counters
        raise reader.refuse("tokens", "a whole number")
    return Kept(_section(reader), reader.text("name", None), tokens, reader.text("note"))


def _omitted(reader: JsonReader) -> Omitted:
    tokens = reader.number("tokens") if reader.has("tokens") else None
    return Omitted(_section(reader), reader.texts("names"), tokens, reader.text("reason", None))
