"""Who gets how much of the budget: a room that is taken from piece by piece, and never given more than it has.

A piece is taken whole or not at all. What is left over in one place flows on to the next; small pieces may still fit where a large
one did not. Nothing is known here of what a piece is but its name and its price.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Generic, TypeVar

from projector.model import Kept, Omitted, Section

T = TypeVar("T", bound=Hashable)
# After so many pieces that did not fit, the rest of a list is not priced any more: a history of 10 000 items costs what one of 100 does.
MAX_MISSES = 16
# Where less than that share of the room is free, in percent, there is as much less to gain, and the search ends earlier.
FULL_SEARCH_SHARE = 5
MIN_MISSES = 4
# While more than that share of it is free, a small piece is worth a longer look.
LONG_SEARCH_SHARE = 10
MAX_MISSES_WITH_ROOM = 256
NO_ROOM = "no room"
KEPT_FREE = "kept free to grow"
"""Reason for what would have fitted into the room that stays free for what is appended later."""


class Room:
    """The dynamic budget of one step while it is being filled."""

    def __init__(self, tokens: int) -> None:
        self.left = tokens
        self.kept_free = 0
        """Set aside beyond what is left, for what is appended later; what is left out for its sake counts against it."""
        self._tokens = tokens
        self.kept: list[Kept] = []
        self.omitted: list[Omitted] = []

    def require(self, section: Section, name: str, tokens: int, note: str = "") -> None:
        """Takes what must stand; the room may fall below zero, which is for the caller to see."""
        self.left -= tokens
        self.kept.append(Kept(section, name, tokens, note))

    def take(self, section: Section, name: str, tokens: int, *, limit: int, note: str = "") -> bool:
        """Takes a piece when it is within the limit and the room; says whether it did."""
        if tokens > min(limit, self.left):
            return False
        self.require(section, name, tokens, note)
        return True

    def swap(self, section: Section, name: str, tokens: int, note: str) -> bool:
        """Takes a piece that was taken in another form; says whether there was room for the difference."""
        for place, line in enumerate(self.kept):
            if (line.section, line.name) == (section, name):
                if tokens - line.tokens > self.left:
                    return False
                self.left -= tokens - line.tokens
                self.kept[place] = Kept(section, name, tokens, note)
                return True
        return False

    def max_misses(self, limit: int) -> int:
        """After how many pieces that did not fit to give up on those behind them."""
        if limit >= self.left and self.left * 100 > self._tokens * LONG_SEARCH_SHARE:
            return MAX_MISSES_WITH_ROOM
        free, whole = min(limit, self.left) * 100, max(1, self._tokens * FULL_SEARCH_SHARE)
        return max(MIN_MISSES, min(MAX_MISSES, MAX_MISSES * free // whole))

    def set_aside(self, tokens: int) -> None:
        """Keeps so much of what is left free to the end."""
        self.left -= tokens
        self.kept_free += tokens

    def why_left(self, tokens: int) -> str:
        """Why a piece of so many tokens is left out: it would have fitted into what is kept free, or not."""
        if self.kept_free <= 0 or tokens > self.left + self.kept_free:
            return NO_ROOM
        self.kept_free -= tokens
        return KEPT_FREE

    @property
    def is_kept_free(self) -> bool:
        """Whether there is still room that is kept free, with nothing named that would have taken it."""
        return self.kept_free > 0 and self.left + self.kept_free > 0

    def leave(self, section: Section, names: Iterable[str], tokens: int | None, reason: str) -> None:
        """Names what is left out; no names, no line."""
        found = tuple(names)
        if found:
            self.omitted.append(Omitted(section, found, tokens, reason))


@dataclass(frozen=True, slots=True)
class Shelf(Generic[T]):
    """How the values of one section are named and priced; a value's price is asked once."""

    section: Section
    name: Callable[[T], str]
    price: Callable[[T], int]
    _known: dict[T, int]

    @classmethod
    def of(cls, section: Section, name: Callable[[T], str], price: Callable[[T], int]) -> "Shelf[T]":
        return cls(section, name, price, {})

    def tokens(self, value: T) -> int:
        known = self._known.get(value)
        if known is None:
            known = self._known[value] = self.price(value)
        return known

    def known_tokens(self, values: Iterable[T]) -> int | None:
        """The sum, when every price was asked already."""
        total = 0
        for value in values:
            if value not in self._known:
                return None
            total += self._known[value]
        return total


@dataclass(frozen=True, slots=True)
class Filled(Generic[T]):
    """What of a list got in, and what did not, each in its order."""

    taken: tuple[T, ...]
    left: tuple[T, ...]
    used: int


def fill(room: Room, shelf: Shelf[T], values: Sequence[T], limit: int) -> Filled[T]:
    """Takes values in order as far as the limit goes, passing over those that do not fit."""
    taken: list[T] = []
    left: list[T] = []
    used = misses = 0
    for place, value in enumerate(values):
        if misses >= room.max_misses(limit - used) or min(limit - used, room.left) <= 0:
            left += values[place:]
            break
        tokens = shelf.tokens(value)
        if room.take(shelf.section, shelf.name(value), tokens, limit=limit - used):
            used += tokens
            taken.append(value)
        else:
            misses += 1
            left.append(value)
    return Filled(tuple(taken), tuple(left), used)


def fill_equally(room: Room, shelf: Shelf[T], groups: Sequence[Sequence[T]], standing: Collection[T], limit: int) -> tuple[T, ...]:
    """Takes values of each group as far as an equal part of the limit goes; what stands already counts towards its group's."""
    known = frozenset(standing)
    taken: list[T] = []
    for group in groups:
        part = limit // len(groups) - sum(shelf.tokens(value) for value in group if value in known)
        taken += fill(room, shelf, [value for value in group if value not in known], part).taken
    return tuple(taken)


def leave(room: Room, shelf: Shelf[T], values: Sequence[T], reason: str = NO_ROOM) -> None:
    """Names values as left out, with their tokens where they were priced; apart those that would have fitted into what is kept free."""
    kept_out = _kept_out(room, shelf, values) if reason == NO_ROOM else {}
    room.leave(shelf.section, map(shelf.name, kept_out), shelf.known_tokens(kept_out), KEPT_FREE)
    rest = [value for value in values if value not in kept_out] if kept_out else values
    room.leave(shelf.section, map(shelf.name, rest), shelf.known_tokens(rest), reason)


def _kept_out(room: Room, shelf: Shelf[T], values: Sequence[T]) -> dict[T, None]:
    found: dict[T, None] = {}
    misses = 0
    for value in values:
        if not room.is_kept_free or misses >= MAX_MISSES:
            break
        if room.why_left(shelf.tokens(value)) == KEPT_FREE:
            found[value] = None
        else:
            misses += 1
    return found


def demand(shelf: Shelf[T], values: Sequence[T], floor: int) -> int:
    """How much of a floor these values would use; nothing is priced beyond it."""
    total = 0
    for value in values:
        total += shelf.tokens(value)
        if total >= floor:
            return max(floor, 0)
    return total


@dataclass(frozen=True, slots=True)
class Scored(Generic[T]):
    """A value with the score that one scorer gave it."""

    scorer: str
    score: Decimal
    value: T


def ranked(scored: Iterable[Scored[T]]) -> tuple[T, ...]:
    """Best first within a scorer, the scorers in turn (scores of two are never compared), each value once."""
    lists: dict[str, list[Scored[T]]] = {}
    for one in scored:
        lists.setdefault(one.scorer, []).append(one)
    ordered = [sorted(found, key=lambda one: one.score, reverse=True) for found in lists.values()]
    turns = max(map(len, ordered), default=0)
    return tuple(dict.fromkeys(found[turn].value for turn in range(turns) for found in ordered if turn < len(found)))
