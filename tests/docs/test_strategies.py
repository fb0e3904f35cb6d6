"""The page of strategies against the data: each name with its reason, each field with its default, each difference."""

import re
from dataclasses import replace

from projector import NAMED_STRATEGIES
from projector.strategy import TUNABLE, changed_fields
from tests.docs.pages import read_page

ROW = re.compile(r"^\| `(?P<name>[a-z_-]+)` \| (?P<rest>.*) \|$", re.MULTILINE)
DEFAULT = NAMED_STRATEGIES["default"]


def rows(after: str) -> dict[str, str]:
    """The rows of the first table behind a text."""
    part = read_page("formats/strategy.md").partition(after)[2]
    table = part[part.index("|---") :].partition("\n\n")[0]
    return {found["name"]: found["rest"] for found in ROW.finditer(table)}


def as_words(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(f"`{one}`" for one in value)
    return "null" if value is None else str(value).lower()


def test_each_named_strategy_stands_with_its_reason() -> None:
    named = rows("# Strategy")
    assert {name: why for name, why in named.items() if name in NAMED_STRATEGIES} == {
        name: one.why for name, one in NAMED_STRATEGIES.items()
    }


def test_each_field_stands_with_its_default() -> None:
    assert {name: rest.partition(" | ")[0] for name, rest in rows("## Fields").items()} == {
        name: as_words(getattr(DEFAULT, name)) for name in TUNABLE
    }


def test_differences_are_those_of_the_data() -> None:
    told = rows("In what the named ones differ")
    for name, strategy in NAMED_STRATEGIES.items():
        numbers = changed_fields(replace(strategy, name="default", order=DEFAULT.order))
        listed = [f"`{field}` {as_words(value)}" for field, value in numbers.items()]
        first = strategy.order[: next((at + 1 for at, one in enumerate(strategy.order[1:]) if one == "evidence"), 0)]
        begin = [f"{as_words(first)} first in `order`"] if first else []
        assert told.get(name, "") == ", ".join(begin + listed)
