"""A message list made whole, for whoever asks for it: what the projector does to every history, done to a list by itself.

Nothing is made up and nothing is lost: what cannot be sent is handed back beside the list.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from evidence_store.errors import JsonValue
from projector.dialects.forms import Dialect, Item, Part
from projector.dialects.table import dialect_for
from projector.exchanges import Group, iter_groups
from projector.layout import with_gaps
from projector.model import JsonObject
from projector.validate import validate


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Messages that cannot be sent."""

    places: tuple[int, ...]
    """0-based, in the list as it was given."""
    why: str
    messages: tuple[JsonValue, ...]


@dataclass(frozen=True, slots=True)
class Repaired:
    """A list that keeps the rules, and what was done to it."""

    messages: tuple[JsonValue, ...]
    notes: tuple[str, ...]
    left_out: tuple[LeftOut, ...]


def repair(messages: Sequence[JsonValue], provider: str, *, allow_open: bool = False) -> Repaired:
    """The list made whole; one without a fault comes out as it is. Raises UnknownProvider.

    Calls that share an id get new ones: which result is whose, their order says.
    """
    given = tuple(messages)
    if not given or not validate(given, provider, allow_open=allow_open):
        return Repaired(given, (), ())
    dialect = dialect_for(provider)
    read = [dialect.read(message, place) for place, message in enumerate(given)]
    unique = _UniqueIds(dialect, read)
    items = tuple(unique.take(place, item) for place, item in enumerate(read))
    groups = tuple(reversed(list(iter_groups(items, dialect, closing=not allow_open))))
    instructions = tuple(item for item in items if dialect.read(item, 0).instructs(text_only=False))
    made = (*instructions, *with_gaps((group.messages for group in groups), dialect))
    notes = [*unique.notes, *(f"{group.name}: {group.note}" for group in groups if group.note)]
    left = tuple(_left_out(group, given) for group in groups if group.kind == "unusable")
    return Repaired(made, tuple(notes), left)


def _left_out(group: Group, given: Sequence[JsonValue]) -> LeftOut:
    return LeftOut(group.places, group.note, tuple(given[place] for place in group.places))


class _UniqueIds:
    """Gives calls new ids where theirs are taken, and their results with them, in order."""

    def __init__(self, dialect: Dialect, items: Sequence[Item]) -> None:
        self._dialect = dialect
        self._known = {part.call for item in items for part in item.parts}
        self._taken: set[str] = set()
        self._waiting: dict[str, list[str]] = {}
        """Old id to new ids, of the turn that is being answered."""
        self._before = ""
        self.notes: list[str] = []

    def take(self, place: int, item: Item) -> JsonObject:
        if item.calls and self._before != "assistant":
            self._waiting = {}
        self._before = item.side
        parts = [self._unique(place, part) for part in item.parts]
        if all(new is old for new, old in zip(parts, item.parts, strict=True)):
            return item.raw
        return self._dialect.write(item.side, parts)[0]

    def _unique(self, place: int, part: Part) -> Part:
        if part.kind == "call" and part.call:
            new = part.call if part.call not in self._taken else self._free(part.call)
            self._taken.add(new)
            self._waiting.setdefault(part.call, []).append(new)
            if new != part.call:
                self.notes.append(f"message {place}: the id {part.call!r} names another call; now {new!r}")
        elif part.kind == "result" and self._waiting.get(part.call):
            new = self._waiting[part.call].pop(0)
        else:
            return part
        return part if new == part.call else self._dialect.with_id(part, new)

    def _free(self, call: str) -> str:
        found = next(name for n in count(2) if (name := f"{call}_{n}") not in self._known)
        self._known.add(found)
        return found
