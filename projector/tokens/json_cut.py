"""Where a JSON text can be cut and closed again: behind an opening bracket, or behind a whole member or item.

The text is parsed once, to know that it is JSON and how much its containers hold; what is kept of it is never written anew.
"""

import json
import re
from dataclasses import dataclass
from typing import NoReturn

from projector.errors import RefusedCut

MAX_CHARS = 16 * 1024 * 1024
"""Parsed in memory: more than that is for a store to read (an outline), not for a cut."""
_TOKEN = re.compile(r'[\s,:]*("(?:[^"\\]|\\.)*"|[\[\]{}]|[^\s,:\[\]{}"]+)', re.DOTALL)
_MARKER = "[cut]"


@dataclass(frozen=True, slots=True)
class Open:
    """A container that is open at a place, and what of it is whole before."""

    outer: "Open | None"
    is_object: bool
    n_whole: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a text may be cut."""

    at: int
    innermost: Open


class Members(list[tuple[str, object]]):
    """Members of an object in their order, repeated ones included."""


def parse(text: str) -> object:
    """The value, objects as `Members` and numbers as they are written. Raises RefusedCut for what cannot be cut as JSON."""
    if len(text) > MAX_CHARS:
        raise RefusedCut(f"a JSON text of {len(text)} characters is not cut; at most {MAX_CHARS}", {"limit": MAX_CHARS})
    try:
        value: object = json.loads(text, object_pairs_hook=Members, parse_int=str, parse_float=str, parse_constant=_refuse)
    except (ValueError, RecursionError) as exc:
        raise RefusedCut(f"no JSON that could be cut: {exc}") from exc
    if not isinstance(value, list):
        raise RefusedCut("a JSON text that is no object and no array is shown whole or not at all")
    return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def list_places(text: str, end: int) -> list[Place]:
    """All places up to this character, of a text that is JSON and an object or array, in their order."""
    places: list[Place] = []
    stack: list[list[int]] = []  # for each open container: whether an object, whole children, whether a name stands open
    outer: list[Open] = []
    for found in _TOKEN.finditer(text):
        if found.end() > end:
            break
        token = found[1]
        if token in ("{", "["):
            if stack:
                outer.append(_opened(outer, stack[-1]))
            stack.append([token == "{", 0, False])
        else:
            if token in ("}", "]"):
                stack.pop()
                if outer:
                    outer.pop()
            elif stack[-1][0] and not stack[-1][2]:
                stack[-1][2] = True
                continue
            if not stack:
                break
            stack[-1][1] += 1
            stack[-1][2] = False
        places.append(Place(found.end(), _opened(outer, stack[-1])))
    return places


def _opened(outer: list[Open], top: list[int]) -> Open:
    return Open(outer[-1] if outer else None, bool(top[0]), top[1])


def closed(text: str, place: Place, parsed: object) -> str:
    """The text up to this place, closed, with what says in each container how many of its children are missing."""
    frames: list[Open] = []
    at: Open | None = place.innermost
    while at is not None:
        frames.append(at)
        at = at.outer
    values = _values(parsed, frames[::-1])[::-1]
    pieces = [text[: place.at]]
    said = f", {len(text) - place.at} of {len(text)} characters of the text"
    for depth, (frame, value) in enumerate(zip(frames, values, strict=True)):
        kept = frame.n_whole + (depth > 0)
        missing = len(value) - kept
        if missing:
            pieces.append(("," if kept else "") + _missing(value, missing, said))
            said = ""
        pieces.append("}" if frame.is_object else "]")
    return "".join(pieces)


def _values(parsed: object, frames: list[Open]) -> list[list[object]]:
    """The containers on the way to a place, the outermost first."""
    values = []
    value = parsed
    for frame in frames:
        assert isinstance(value, list), "a place is inside of containers only"
        values.append(value)
        child = value[frame.n_whole] if frame.n_whole < len(value) else None
        value = child[1] if isinstance(value, Members) and child is not None else child
    return values


def _missing(value: list[object], missing: int, said: str) -> str:
    if not isinstance(value, Members):
        return json.dumps(f"{_MARKER} {missing} of {len(value)} items{said}")
    name = _MARKER
    while any(name == known for known, _ in value):
        name = f"[{name}]"
    return f"{json.dumps(name)}:{json.dumps(f'{missing} of {len(value)} members{said}')}"
