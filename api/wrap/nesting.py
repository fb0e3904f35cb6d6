"""JSON of values that are nested deeper than functions may call themselves, or that hold themselves. Slower than the usual way."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MAX_DEPTH = 10_000
AGAIN = "[a value that this one is in]"
TOO_DEEP = f"[more than {MAX_DEPTH} levels]"


@dataclass(frozen=True, slots=True)
class _Written:
    """A piece of the text, which may end a container."""

    text: str
    ends: int | None = None


def nested_json(value: object, opened: Callable[[Any], Any]) -> str:
    """Minified JSON; `opened` gives one level of a value, as a dict or list of values, or as a scalar of JSON."""
    pieces: list[str] = []
    inside: set[int] = set()
    todo: list[Any] = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, _Written):
            pieces.append(one.text)
            inside.discard(one.ends or 0)
        elif id(one) in inside:
            pieces.append(json.dumps(AGAIN))
        else:
            held = opened(one) if len(inside) < MAX_DEPTH else TOO_DEEP
            if isinstance(held, dict | list):
                inside.add(id(one))
                todo += reversed(_parts(held, id(one)))
            else:
                pieces.append(_scalar(held))
    return "".join(pieces)


def _parts(held: Any, id_: int) -> list[Any]:
    """What a container is written as, in order."""
    parts: list[Any] = []
    for one in held:
        parts.append(_Written(("," if parts else "") + (f"{json.dumps(one, ensure_ascii=False)}:" if isinstance(held, dict) else "")))
        parts.append(held[one] if isinstance(held, dict) else one)
    begin, end = "{}" if isinstance(held, dict) else "[]"
    return [_Written(begin), *parts, _Written(end, id_)]


def _scalar(value: Any) -> str:
    is_number = not isinstance(value, float) or abs(value) < float("inf")
    return json.dumps(value if is_number else str(value), ensure_ascii=False)
