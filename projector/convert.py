"""A history of one provider or model in the form of another: at the boundary of exchanges, with all calls closed.

What only the model that made it can read (reasoning, thinking, signatures) is left out there, and the note says so; what is no text
stays with its provider. Ids and names that not every provider takes are made anew, the same each time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from projector.dialects.arguments import portable_id, portable_name
from projector.dialects.forms import Dialect, Item, Part
from projector.exchanges import Body, Group, read_all

NO_TEXT = "(no text)"
"""Stands for a body that has nothing that another provider takes."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """From one form into another."""

    source: Dialect
    target: Dialect
    source_name: str
    """Of the provider or model that the history is of, for the note."""

    @property
    def same_provider(self) -> bool:
        return self.source.traits.provider == self.target.traits.provider


def convert_group(group: Group, boundary: Boundary) -> Group:
    """The group in the target's form. Where only the model is another and nothing is opaque, it stays as it is."""
    if group.kind == "unusable":
        return group
    lost = _Lost.of(group.items, boundary)
    if boundary.same_provider and not lost.n_opaque:
        return group
    note = "; ".join(filter(None, (group.note, f"converted from {boundary.source_name}", lost.note())))
    if group.kind == "exchange":
        return _exchange(group, boundary, note)
    parts = [_carried(part, boundary) for item in group.items for part in item.parts if _stays(part, boundary)]
    written = read_all(boundary.target.write(group.kind, parts), boundary.target) if parts else ()
    return replace(group, kind=group.kind if parts else "unusable", items=written, note=note)


@dataclass(frozen=True, slots=True)
class _Lost:
    n_opaque: int
    n_other: int

    @classmethod
    def of(cls, items: Sequence[Item], boundary: Boundary) -> "_Lost":
        parts = [part for item in items for part in item.parts]
        other = [part for part in parts if part.kind == "other" and not _stays(part, boundary)]
        return cls(sum(part.kind == "opaque" or part.signed for part in parts), sum(not part.signed for part in other))

    def note(self) -> str:
        opaque = f"opaque items left out: {self.n_opaque}" if self.n_opaque else ""
        other = f"parts other than text left out: {self.n_other}" if self.n_other else ""
        return "; ".join(filter(None, (opaque, other)))


def _stays(part: Part, boundary: Boundary) -> bool:
    match part.kind:
        case "text":
            return part.seen
        case "call" | "result":
            return True
        case "opaque":
            return False
        case "other":
            return boundary.same_provider and not part.signed


def _carried(part: Part, boundary: Boundary) -> Part:
    """A part to be written in the target's form."""
    if boundary.same_provider and not part.signed:
        return part
    if boundary.same_provider:
        return replace(part, raw=None)
    return replace(part, name=portable_name(part.name) if part.name else "", raw=None)


def _exchange(group: Group, boundary: Boundary, note: str) -> Group:
    items, keys = group.items, iter(group.calls)
    asking = [part for item in items if item.side == "assistant" for part in item.parts if _stays(part, boundary)]
    spoken = [_asked(part, next(keys), boundary) if part.kind == "call" else _carried(part, boundary) for part in asking]
    calls = dict(zip(group.calls, (part for part in spoken if part.kind == "call"), strict=True))
    answers = {body.call: items[body.at].results[body.part] for body in group.bodies}
    ordered = [call for call in group.calls if call in answers]
    results = [_result(answers[call], calls[call], boundary) for call in ordered]
    rest = [_carried(part, boundary) for item in items if item.side == "result" for part in item.rest if _stays(part, boundary)]
    asked = read_all(boundary.target.write("assistant", spoken), boundary.target)
    told = read_all(boundary.target.write("result", results), boundary.target)
    spread = [(at, n) for at, item in enumerate(told, len(asked)) for n in range(len(item.results))]
    bodies = tuple(Body(call, at, part) for call, (at, part) in zip(ordered, spread, strict=True))
    said = read_all(boundary.target.write("user", rest), boundary.target) if rest else ()
    return replace(group, items=(*asked, *told, *said), note=note, bodies=bodies)


def _asked(call: Part, key: str, boundary: Boundary) -> Part:
    """A call in the target's form. One without an id of its own is known by its place in the history, which a group does not tell."""
    if not boundary.same_provider:
        return replace(_carried(call, boundary), call=portable_id(key), given=True)
    kept = _carried(call, boundary)
    if boundary.source.traits.turn_of_items and isinstance(kept.raw, Mapping):
        # the id of the item, not of the call: it hangs on the reasoning before it
        return replace(kept, raw={name: value for name, value in kept.raw.items() if name != "id"})
    return kept


def _result(result: Part, call: Part, boundary: Boundary) -> Part:
    """The result by the id and the name of its call, whichever of them the source's form has."""
    if boundary.same_provider:
        return result
    text = result.text if result.text.strip() else NO_TEXT
    return replace(result, text=text, call=call.call, name=call.name, raw=None, seen=True)
