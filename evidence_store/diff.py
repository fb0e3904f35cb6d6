"""What changed between two documents: pairs of places, each side quotable.

Equal slices are skipped unread. Objects are compared by member; arrays by what names their items (`documents.identity`),
else by index between their equal ends. A pair is the smallest place that changed: a changed type is one pair at that node,
and an added object is one pair whatever it holds. The absent side is the container that does not hold it.
On request a local `$ref` that changed is followed: what it led to is compared with what it leads to now.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from evidence_store.align import longest_rise
from evidence_store.deadline import unbounded
from evidence_store.documents.equality import is_unordered, same_slice, same_text, same_value
from evidence_store.documents.identity import Side, find_identity
from evidence_store.documents.model import Child, Document, Node
from evidence_store.documents.references import REFERENCE, find_target
from evidence_store.documents.resolve import resolve
from evidence_store.model import Pointer
from evidence_store.pointers import ROOT, join, parse_pointer, plain_form

Change = Literal["added", "removed", "changed", "moved"]


@dataclass(frozen=True, slots=True)
class Pair:
    """One change. Exactly one side is None where something was added or removed."""

    change: Change
    old: Pointer | None
    new: Pointer | None
    absent: Pointer | None = None
    """On the side that is None: the container whose keys show the absence."""


@dataclass(frozen=True, slots=True)
class Diff:
    pairs: tuple[Pair, ...]
    more: bool
    """Whether the limit left some out."""


@dataclass(frozen=True, slots=True)
class _Both:
    """A place that both documents have."""

    old: Node
    old_pointer: Pointer
    new: Node
    new_pointer: Pointer


def diff(
    old: Document,
    new: Document,
    old_pointer: str = ROOT,
    new_pointer: str | None = None,
    limit: int | None = None,
    *,
    follow: bool = False,
    watch: Callable[[], None] = unbounded,
) -> Diff:
    """Changes at or below these places, in the order of the old document, what was added after its neighbours.

    `follow` adds pairs behind each local `$ref` that changed, came or went; the pairs of two places are given once.
    `watch` is called at each place that is compared, and raises what ends the work.
    Raises the errors of a pointer that leads nowhere.
    """
    start_new = old_pointer if new_pointer is None else new_pointer
    start = _Both(resolve(old, old_pointer), plain_form(old_pointer), resolve(new, start_new), plain_form(start_new))
    if start.old_pointer == start.new_pointer and same_text(old, new):
        return Diff((), more=False)
    pairs = tuple(islice(_Walk(old, new, watch, follow=follow).pairs(start), None if limit is None else limit + 1))
    return Diff(pairs[:limit], limit is not None and len(pairs) > limit)


class _Walk:
    """Compares two documents, without recursion."""

    def __init__(self, old: Document, new: Document, watch: Callable[[], None], *, follow: bool) -> None:
        self._old, self._new, self._follow, self._watch = old, new, follow, watch
        self._followed: set[tuple[Pointer, Pointer]] = set()

    def pairs(self, start: _Both) -> Iterator[Pair]:
        pending: list[_Both | Pair] = [start]
        while pending:
            found = pending.pop()
            if isinstance(found, Pair):
                yield found
                continue
            self._watch()
            if not same_slice(self._old, found.old, self._new, found.new):
                pending += reversed(self._inside(found))

    def _inside(self, both: _Both) -> Sequence[_Both | Pair]:
        changed = Pair("changed", both.old_pointer, both.new_pointer)
        if both.old.type != both.new.type:
            return [changed]
        if not both.old.is_container:
            return [] if self._old.scalar(both.old) == self._new.scalar(both.new) else [changed]
        if self._old.repeated(both.old) or self._new.repeated(both.new):
            # No pointer leads to one of the repeated members, so the object is named as a whole.
            return [changed]
        return self._members(both) if both.old.type == "object" else self._items(both)

    def _members(self, both: _Both) -> Sequence[_Both | Pair]:
        mine = {child.token: child.node for child in self._old.children(both.old)}
        its = {child.token: child.node for child in self._new.children(both.new)}
        found: list[_Both | Pair] = []
        for name, node in mine.items():
            if name in its:
                found.append(_Both(node, join(both.old_pointer, name), its[name], join(both.new_pointer, name)))
            else:
                found.append(_removed(both, name))
        found += (_added(both, name) for name in its if name not in mine)
        return [*found, *self._behind(both)] if self._follow and (REFERENCE in mine or REFERENCE in its) else found

    def _behind(self, both: _Both) -> Sequence[_Both]:
        """What a reference leads to, against what the other side's leads to or holds itself; equal ones lead to one place."""
        mine, its = find_target(self._old, both.old), find_target(self._new, both.new)
        if mine == its:
            return []
        places = mine or both.old_pointer, its or both.new_pointer
        if places in self._followed:
            return []
        self._followed.add(places)
        return [_Both(resolve(self._old, places[0]), places[0], resolve(self._new, places[1]), places[1])]

    def _items(self, both: _Both) -> Sequence[_Both | Pair]:
        mine, its = self._old.children(both.old), self._new.children(both.new)
        identity = find_identity((Side(self._old, mine), Side(self._new, its)))
        if identity is None:
            return self._by_index(both, mine, its)
        places = {identity(self._new, child.node): child for child in its}
        names = [identity(self._old, child.node) for child in mine]
        known = set(names)
        shared = [int(places[name].token) for name in names if name in places]
        unordered = is_unordered(_name_of(both.old_pointer), self._old, mine, self._new, its)
        in_order = frozenset(shared if unordered else longest_rise(shared))
        found: list[_Both | Pair] = []
        for name, child in zip(names, mine, strict=True):
            place = places.get(name)
            if place is None:
                found.append(_removed(both, child.token))
                continue
            pair = _both(both, child, place)
            if int(place.token) not in in_order:
                found.append(Pair("moved", pair.old_pointer, pair.new_pointer))
            found.append(pair)
        return [*found, *(_added(both, child.token) for name, child in places.items() if name not in known)]

    def _by_index(self, both: _Both, mine: Sequence[Child], its: Sequence[Child]) -> Sequence[_Both | Pair]:
        n_shared = min(len(mine), len(its))
        n_head = next((n for n in range(n_shared) if not self._same(mine[n], its[n])), n_shared)
        tail = range(1, n_shared - n_head + 1)
        n_tail = next((n - 1 for n in tail if not self._same(mine[-n], its[-n])), len(tail))
        old_middle, new_middle = mine[n_head : len(mine) - n_tail], its[n_head : len(its) - n_tail]
        n_pairs = min(len(old_middle), len(new_middle))
        return [
            *(_both(both, old_middle[n], new_middle[n]) for n in range(n_pairs)),
            *(_removed(both, child.token) for child in old_middle[n_pairs:]),
            *(_added(both, child.token) for child in new_middle[n_pairs:]),
        ]

    def _same(self, mine: Child, its: Child) -> bool:
        return same_value(self._old, mine.node, self._new, its.node)


def _name_of(pointer: Pointer) -> str:
    return parse_pointer(pointer)[-1] if pointer else ""


def _both(above: _Both, mine: Child, its: Child) -> _Both:
    return _Both(mine.node, join(above.old_pointer, mine.token), its.node, join(above.new_pointer, its.token))


def _removed(above: _Both, token: str) -> Pair:
    return Pair("removed", join(above.old_pointer, token), None, above.new_pointer)


def _added(above: _Both, token: str) -> Pair:
    return Pair("added", None, join(above.new_pointer, token), above.old_pointer)
