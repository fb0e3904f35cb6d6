"""Upper and lower bounds of a schema: the tightest of all parts, in both spellings of the exclusive ones."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from api.compat_report.comparison import Comparison, lacking
from api.compat_report.model import Cite
from api.compat_report.numbers import read_number
from api.compat_report.pairs import Schemas
from api.compat_report.phrases import describe_change, spell
from api.compat_report.shapes import find_all
from api.compat_report.view import Node


@dataclass(frozen=True, slots=True)
class Kind:
    """One bound and how it is spelled."""

    end: Literal["upper", "lower"]
    types: frozenset[str]
    """Whose values it binds."""
    inclusive: str
    exclusive: str = ""


_NUMBERS, _STRINGS, _ARRAYS, _OBJECTS = map(frozenset, (("integer", "number"), ("string",), ("array",), ("object",)))
KINDS = (
    Kind("upper", _NUMBERS, "maximum", "exclusiveMaximum"),
    Kind("lower", _NUMBERS, "minimum", "exclusiveMinimum"),
    Kind("upper", _STRINGS, "maxLength"),
    Kind("lower", _STRINGS, "minLength"),
    Kind("upper", _ARRAYS, "maxItems"),
    Kind("lower", _ARRAYS, "minItems"),
    Kind("upper", _OBJECTS, "maxProperties"),
    Kind("lower", _OBJECTS, "minProperties"),
)


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound in force, and where it stands."""

    value: Decimal
    is_exclusive: bool
    node: Node
    is_flag: bool = False
    """Whether `node` is the number beside a flag `exclusive…: true`, as OpenAPI 3.0 has it."""


def compare_bounds(c: Comparison, pair: Schemas) -> None:
    """A request breaks by a tighter bound, a response by a looser one."""
    for kind in KINDS:
        if pair.types is not None and not pair.types & kind.types:
            continue
        with c.part():
            before, after = find_bound(pair.old_parts, kind), find_bound(pair.new_parts, kind)
            tighter, looser = _is_tighter(kind, before, after), _is_tighter(kind, after, before)
            if (pair.direction == "request" and tighter) or (pair.direction == "response" and looser):
                _report(c, kind, before, after, pair)


def find_bound(parts: tuple[Node, ...], kind: Kind) -> Bound | None:
    """The tightest bound of this kind."""
    bounds = [bound for part in parts for bound in _bounds_of(part, kind)]
    if kind.end == "lower" and not kind.exclusive:
        bounds = [bound for bound in bounds if bound.value > 0]
    best: Bound | None = None
    for bound in bounds:
        if _is_tighter(kind, best, bound):
            best = bound
    return best


def _bounds_of(part: Node, kind: Kind) -> list[Bound]:
    found: list[Bound] = []
    flag = _read(part, kind.exclusive, lambda node: node.value() is True) if kind.exclusive else None
    for name in filter(None, (kind.inclusive, kind.exclusive)):
        for node in find_all((part,), name):
            value = read_number(node.value())
            if value is not None:
                found.append(Bound(value, name == kind.exclusive or bool(flag), node, name == kind.inclusive and bool(flag)))
    return found


def _read(part: Node, name: str, read: Callable[[Node], bool]) -> bool | None:
    nodes = find_all((part,), name)
    return read(nodes[0]) if nodes else None


def _is_tighter(kind: Kind, before: Bound | None, after: Bound | None) -> bool:
    """Whether `after` leaves out something that `before` took."""
    if after is None:
        return False
    if before is None:
        return True
    if before.value == after.value:
        return after.is_exclusive and not before.is_exclusive
    return after.value < before.value if kind.end == "upper" else after.value > before.value


def _report(c: Comparison, kind: Kind, before: Bound | None, after: Bound | None, pair: Schemas) -> None:
    phrase, direction = describe_change(pair.old, pair), pair.direction
    shown = after or before
    assert shown is not None
    name = f"`{shown.node.token}` of {phrase.text}"
    said = [spell(bound.node) if bound is not None else None for bound in (before, after)]
    values = [word.strip("`") if word else None for word in said]
    cites: tuple[Cite, ...] = (_side(before, pair.old), _side(after, pair.new))
    if before is None:
        text = f"{name} set to {values[1]}" if values[1] else f"{name} set"
    elif after is None:
        text = f"{name} lifted from {values[0]}" if values[0] else f"{name} lifted"
    elif before.value == after.value:
        text = f"{name} no longer takes {values[1]} itself" if direction == "request" else f"{name} now takes {values[1]} itself"
        cites = (*cites, *_flags(before, after, kind))
    else:
        verb = "lowered" if after.value < before.value else "raised"
        text = f"{name} {verb} from {values[0]} to {values[1]}" if all(values) else f"{name} {verb}"
    c.add("request-bound-narrowed" if direction == "request" else "response-bound-widened", text, *cites, *phrase.cites)


def _side(bound: Bound | None, root: Node) -> Cite:
    return lacking(root) if bound is None else Cite(bound.node.view.side, bound.node.pointer, bound.node.view.side)


def _flags(before: Bound, after: Bound, kind: Kind) -> tuple[Cite, ...]:
    flags = [bound.node.parent().child(kind.exclusive) for bound in (before, after) if bound.is_flag]
    return tuple(Cite(flag.view.side, flag.pointer, "context") for flag in flags)
