"""Filters of a result where it is stored: `grep`, `tail_n`, `fields`, `pointer`, offered to the model as arguments of the tool.

They are taken out of the arguments before the tool is called, checked before that, and applied to what is stored whole: what they
leave out is not lost. A filter that matches nothing says so, and how large the whole is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from api.wrap.rules import FilterName
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
