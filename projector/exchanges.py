"""The history as groups, newest first: an exchange (assistant turn, all its calls, all its results) or a single turn.

Read lazily from the end, since what lies far back is seldom reached. Whole exchanges come out byte for byte as they were, apart
from empty texts, which providers refuse. A torn exchange is closed with results that say so, or put in order by call id;
what cannot be made whole is named and never sent. An unanswered call at the very end is open, not torn.

The form is the dialect's; here is only what belongs together.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from projector.dialects.forms import Dialect, Item, Part
from projector.dialects.pairing import match
from projector.model import JsonObject
from projector.render.packets import format_error

GroupKind = Literal["exchange", "user", "assistant", "unusable"]
NO_OUTPUT = "(no output)"


@dataclass(frozen=True, slots=True)
class Body:
    """Where the result of a call stands in a group."""

    call: str
    at: int
    """0-based place among the group's messages."""
    part: int
    """Which result of that message."""


@dataclass(frozen=True, slots=True)
class Group:
    """What is kept or left out together."""

    kind: GroupKind
    places: tuple[int, ...]
    """0-based places in the history, ascending."""
    items: tuple[Item, ...]
    """Its messages, read; calls and results without an id may have other names here than in `calls` and `bodies`."""
    calls: tuple[str, ...] = ()
    open_calls: tuple[str, ...] = ()
    note: str = ""
    """What had to be repaired, or why it is unusable."""
    bodies: tuple[Body, ...] = ()

    @property
    def messages(self) -> tuple[JsonObject, ...]:
        return tuple(item.raw for item in self.items)

    @property
    def name(self) -> str:
        first, last = self.places[0], self.places[-1]
        return f"message {first}" if first == last else f"messages {first}-{last}"


def iter_groups(
    messages: Sequence[JsonObject],
    dialect: Dialect,
    *,
    closing: bool = False,
    first_place: int = 0,
    seen: set[str] | None = None,
    text_only: bool = False,
) -> Iterator[Group]:
    """The groups of a history, newest first. In a closing step a call at the end is closed like any other.

    `first_place` is that of the first message where the list is the end of a longer history; `seen`, to which is added, are the ids
    of calls that stand behind it. With `text_only` an instruction without text is as good as empty: that of another provider.
    """
    return _Reader(messages, dialect, closing, first_place, set() if seen is None else seen, text_only).groups()


@dataclass(frozen=True, slots=True)
class _Found:
    """A result, and where it stands."""

    place: int
    part: int
    result: Part


@dataclass(frozen=True, slots=True)
class _Row:
    """Items that stand in a row."""

    places: tuple[int, ...]
    items: tuple[Item, ...]

    def found(self) -> list[_Found]:
        return [
            _Found(place, part, result)
            for place, item in zip(self.places, self.items, strict=True)
            for part, result in enumerate(item.results)
        ]

    def parted(self) -> "tuple[_Row, _Row]":
        """The row up to its last call, and what was said after that."""
        end = 1 + max(at for at, item in enumerate(self.items) if item.calls)
        return _Row(self.places[:end], self.items[:end]), _Row(self.places[end:], self.items[end:])

    def rests(self) -> Iterator[tuple[int, tuple[Part, ...]]]:
        """What the messages say beside their results, newest first."""
        for place, item in reversed(tuple(zip(self.places, self.items, strict=True))):
            if item.rest:
                yield place, item.rest


class _Reader:
    def __init__(
        self, messages: Sequence[JsonObject], dialect: Dialect, closing: bool, first_place: int, seen: set[str], text_only: bool
    ) -> None:
        self._messages = messages
        self._dialect = dialect
        self._first = first_place
        self._at = len(messages)
        self._last_read: tuple[int, Item] | None = None
        """A place and its item: what ends a row begins the next."""
        self._closing = closing
        self._text_only = text_only
        self._stray: dict[str, _Found] = {}
        """Results met before their call, by call id: the newest of each."""
        self._seen = seen

    def groups(self) -> Iterator[Group]:
        while self._at > 0:
            results = self._take(lambda item: item.side == "result")
            if self._at == 0:
                yield from self._rests(results)
                yield from self._orphans(results.found())
                break
            turn = self._take_turn()
            if any(item.calls for item in turn.items):
                yield from self._exchange(turn, results)
            else:
                yield from self._rests(results)
                yield from self._hold(results.found())
                single = self._single(turn)
                if single is not None:
                    yield single
        yield from self._orphans(self._stray.values())

    def _read(self, at: int) -> Item:
        if self._last_read is None or self._last_read[0] != at:
            self._last_read = at, self._dialect.read(self._messages[at], at + self._first)
        return self._last_read[1]

    def _take(self, fits: "_Fits") -> _Row:
        """The row of fitting items that ends here."""
        taken: list[Item] = []
        while self._at > 0 and fits(item := self._read(self._at - 1)):
            self._at -= 1
            taken.append(item)
        first = self._at + self._first
        return _Row(tuple(range(first, first + len(taken))), tuple(reversed(taken)))

    def _take_turn(self) -> _Row:
        item = self._read(self._at - 1)
        if item.side == "assistant" and self._dialect.traits.turn_of_items:
            return self._take(lambda one: one.side == "assistant")
        self._at -= 1
        return _Row((self._at + self._first,), (item,))

    def _rests(self, row: _Row) -> Iterator[Group]:
        """The words beside results that do not stand with their calls: a turn of the user's own."""
        for place, rest in row.rests():
            yield Group("user", (place,), read_all(self._dialect.write("user", rest), self._dialect))

    def _hold(self, results: Sequence[_Found]) -> Iterator[Group]:
        """Results with something else before them: their call may stand further back."""
        for found in results:
            if found.result.call in self._stray:
                yield from self._orphans([found])
            else:
                self._stray[found.result.call] = found

    def _orphans(self, results: Iterable[_Found]) -> Iterator[Group]:
        for found in results:
            call = found.result.call
            yield Group("unusable", (found.place,), (), (call,), note=f"result without a call: {call}")

    def _exchange(self, turn: _Row, results: _Row) -> Iterator[Group]:
        calls = tuple(call for item in turn.items for call in item.calls)
        ids = tuple(call.call for call in calls)
        at_end = (results.places or turn.places)[-1] == len(self._messages) - 1 + self._first
        repeated = "" in ids or len(set(ids)) < len(ids) or any(one in self._seen for one in ids)
        self._seen.update(ids)
        if repeated:
            yield from self._rests(results)
            yield Group("unusable", (*turn.places, *results.places), (), ids, note=f"call id missing or used twice: {', '.join(ids)}")
            return
        found = results.found()
        paired = match(calls, [one.result for one in found])
        answered = {call.call: one for call, one in zip(paired, found, strict=True) if call is not None}
        extra = [one for call, one in zip(paired, found, strict=True) if call is None]
        moved = self._adopt(ids, answered)
        lost = tuple(one for one in ids if one not in answered)
        open_calls = lost if at_end and not self._closing else ()
        torn = bool(moved or extra or set(lost) - set(open_calls)) or not self._together(results)
        if torn:
            yield from self._rests(results)
            turn, said = turn.parted()
            later = self._single(said) if said.items else None
            if later is not None:
                yield later
        yield from self._orphans(extra)
        yield self._whole(_Exchange(turn, calls, answered, open_calls, moved), None if torn else results)

    def _together(self, results: _Row) -> bool:
        """Whether the results stand as the provider wants those of one turn."""
        traits = self._dialect.traits
        return not (traits.results_in_one and len(results.items) > 1) and not (
            traits.results_first and any(not item.results_first for item in results.items)
        )

    def _adopt(self, ids: tuple[str, ...], answered: dict[str, _Found]) -> tuple[str, ...]:
        """Results that stand elsewhere: further on behind another turn, or right before the call."""
        moved: list[str] = []
        for call in ids:
            if call not in answered and call in self._stray:
                answered[call] = self._stray.pop(call)
                moved.append(call)
        while self._at > 0:
            item = self._read(self._at - 1)
            early = item.results
            if not early or item.rest or not all(one.call in ids and one.call not in answered for one in early):
                break
            self._at -= 1
            for part, result in enumerate(early):
                answered[result.call] = _Found(self._at + self._first, part, result)
                moved.append(result.call)
        return tuple(moved)

    def _whole(self, exchange: "_Exchange", direct: _Row | None) -> Group:
        """The exchange as one group: its results as they stand, or written anew in the order of the calls."""
        spoken = self._spoken(exchange.turn.items)
        if direct is None:
            written = exchange.written_results(self._dialect)
            told = read_all(self._dialect.write("result", [part for _, part in written]), self._dialect)
            ids = [call for call, _ in written]
        else:
            told = self._filled(direct.items)
            called = {(one.place, one.part): call for call, one in exchange.answered.items()}
            ids = [called[one.place, one.part] for one in direct.found()]
        spread = [(at, part) for at, item in enumerate(told, len(spoken)) for part in range(len(item.results))]
        places = {*exchange.turn.places, *(one.place for one in exchange.answered.values())}
        return Group(
            "exchange",
            tuple(sorted(places)),
            (*spoken, *told),
            tuple(call.call for call in exchange.calls),
            exchange.open_calls,
            exchange.note(),
            tuple(Body(call, at, part) for call, (at, part) in zip(ids, spread, strict=True)),
        )

    def _filled(self, items: tuple[Item, ...]) -> tuple[Item, ...]:
        kept = self._spoken(items)
        if all(part.seen for item in items for part in item.results):
            return kept
        return tuple(self._with_bodies(item) for item in kept)

    def _with_bodies(self, item: Item) -> Item:
        if all(part.seen for part in item.results):
            return item
        message = self._dialect.with_results(item.raw, [_filled(self._dialect, part) for part in item.results])
        return self._dialect.read(message, 0)

    def _spoken(self, items: Sequence[Item]) -> tuple[Item, ...]:
        """The items as they may be sent; only what changed is read anew."""
        known = {id(item.raw): item for item in items}
        return tuple(known.get(id(message)) or self._dialect.read(message, 0) for message in self._dialect.spoken(items))

    def _single(self, turn: _Row) -> Group | None:
        side = turn.items[0].side
        if side == "instruction" and turn.items[0].instructs(text_only=self._text_only):
            # these are no dialogue: the fixed part carries them
            return None
        if side == "unknown":
            return Group("unusable", turn.places, (), note=turn.items[0].why)
        if side not in ("user", "assistant") or not any(item.speaks for item in turn.items):
            return Group("unusable", turn.places, (), note="neither text nor calls")
        return Group(side, turn.places, self._spoken(turn.items))


def read_all(messages: Iterable[JsonObject], dialect: Dialect) -> tuple[Item, ...]:
    """The items of messages that were written here, and have no place in a history."""
    return tuple(dialect.read(message, 0) for message in messages)


class _Fits(Protocol):
    def __call__(self, item: Item, /) -> bool: ...


@dataclass(frozen=True, slots=True)
class _Exchange:
    """What one turn asked, and what answers it."""

    turn: _Row
    calls: tuple[Part, ...]
    answered: dict[str, _Found]
    open_calls: tuple[str, ...]
    moved: tuple[str, ...]

    @property
    def lost(self) -> tuple[str, ...]:
        return tuple(call.call for call in self.calls if call.call not in self.answered and call.call not in self.open_calls)

    def written_results(self, dialect: Dialect) -> list[tuple[str, Part]]:
        """The results in the order of the calls; those that never came say so."""
        found: list[tuple[str, Part]] = []
        for call in self.calls:
            if call.call in self.answered:
                found.append((call.call, _filled(dialect, self.answered[call.call].result)))
            elif call.call in self.lost:
                found.append((call.call, dialect.answer(call, INTERRUPTED)))
        return found

    def note(self) -> str:
        notes = [f"closed without a result: {', '.join(self.lost)}"] if self.lost else []
        notes += [f"result put behind its call: {', '.join(self.moved)}"] if self.moved else []
        return "; ".join(notes)


INTERRUPTED = format_error("no_result", "this call was interrupted and gave no result; nothing is known from it", {}, retry=True)


def _filled(dialect: Dialect, result: Part) -> Part:
    return result if result.seen else dialect.with_body(result, NO_OUTPUT)
