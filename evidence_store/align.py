"""Which lines of two texts are the same ones: equal stretches, in order on both sides.

Lines that stand once on each side are aligned first, as far as they keep their order; what lies between them by the least number of
lines added and removed (Myers, "An O(ND) Difference Algorithm", 1986). Both are bounded: where lines repeat so much that the second
takes too long, a stretch is left unaligned. So time grows little faster than the texts, whatever stands in them.
"""

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

MAX_STEPS: Final = 3_000_000
"""Comparisons of lines between those that stand once, in all: about a second."""
MAX_EDITS: Final = 1_500
"""Lines added and removed in one stretch; what is remembered on the way grows with the square of it."""
MAX_LEVELS: Final = 30
"""Stretches inside one another that are searched for lines that stand once."""


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch that is equal on both sides. 0-based."""

    old: int
    new: int
    length: int

    @property
    def old_end(self) -> int:
        return self.old + self.length

    @property
    def new_end(self) -> int:
        return self.new + self.length


def equal_blocks(old: Sequence[bytes], new: Sequence[bytes]) -> tuple[Block, ...]:
    """The equal stretches, none empty, no two that touch on both sides."""
    numbers: dict[bytes, int] = {}
    sides = [[numbers.setdefault(line, len(numbers)) for line in side] for side in (old, new)]
    return _joined(sorted(_Alignment(*sides).blocks(), key=lambda block: block.old))


def _joined(blocks: Sequence[Block]) -> tuple[Block, ...]:
    joined: list[Block] = []
    for block in blocks:
        if joined and (joined[-1].old_end, joined[-1].new_end) == (block.old, block.new):
            block = Block(joined[-1].old, joined[-1].new, joined.pop().length + block.length)
        joined.append(block)
    return tuple(joined)


@dataclass(frozen=True, slots=True)
class _Box:
    """A stretch of each side that is still to be aligned."""

    old: int
    old_end: int
    new: int
    new_end: int
    level: int = 0

    @property
    def is_empty(self) -> bool:
        return self.old == self.old_end or self.new == self.new_end


class _Alignment:
    """Aligns two sequences of numbers. One instance is used once."""

    def __init__(self, old: Sequence[int], new: Sequence[int]) -> None:
        self._old, self._new = old, new
        self._steps = MAX_STEPS

    def blocks(self) -> Iterator[Block]:
        pending = [_Box(0, len(self._old), 0, len(self._new))]
        while pending:
            box = pending.pop()
            head = self._n_equal(box)
            if head:
                yield Block(box.old, box.new, head)
            box = _Box(box.old + head, box.old_end, box.new + head, box.new_end, box.level)
            tail = self._n_equal_before_end(box)
            if tail:
                yield Block(box.old_end - tail, box.new_end - tail, tail)
            box = _Box(box.old, box.old_end - tail, box.new, box.new_end - tail, box.level)
            if box.is_empty:
                continue
            parts = self._parts(box) if box.level < MAX_LEVELS else ()
            if parts:
                pending += parts
            else:
                yield from self._shortest(box)

    def _n_equal(self, box: _Box) -> int:
        n_most = min(box.old_end - box.old, box.new_end - box.new)
        return next((n for n in range(n_most) if self._old[box.old + n] != self._new[box.new + n]), n_most)

    def _n_equal_before_end(self, box: _Box) -> int:
        n_most = min(box.old_end - box.old, box.new_end - box.new)
        return next((n for n in range(n_most) if self._old[box.old_end - 1 - n] != self._new[box.new_end - 1 - n]), n_most)

    def _parts(self, box: _Box) -> Sequence[_Box]:
        """The box cut before each line that stands once on both sides and kept its order; nothing without such a line."""
        mine, its = self._old[box.old : box.old_end], self._new[box.new : box.new_end]
        n_mine, n_its = Counter(mine), Counter(its)
        places = {line: n for n, line in enumerate(its) if n_its[line] == 1}
        single = [(n, places[line]) for n, line in enumerate(mine) if n_mine[line] == 1 and line in places]
        rising = set(longest_rise([place for _, place in single]))
        cuts = [(box.old + a, box.new + b) for a, b in single if b in rising]
        if not cuts:
            return ()
        ends = [(box.old, box.new), *cuts, (box.old_end, box.new_end)]
        return [_Box(a, a_end, b, b_end, box.level + 1) for (a, b), (a_end, b_end) in pairwise(ends)]

    def _shortest(self, box: _Box) -> Iterator[Block]:
        """What is equal when as little as possible is added and removed; nothing where that takes too long."""
        old, new = self._old[box.old : box.old_end], self._new[box.new : box.new_end]
        n_old, n_new = len(old), len(new)
        middle = min(MAX_EDITS, n_old + n_new) + 1
        # Of each diagonal (old less new) how far along the old side it was reached.
        reached = [0] * (2 * middle + 1)
        history: list[array[int]] = []
        for n_edits in range(middle):
            history.append(array("i", reached[middle - n_edits - 1 : middle + n_edits + 2]))
            for diagonal in range(-n_edits, n_edits + 1, 2):
                below, above = reached[middle + diagonal - 1], reached[middle + diagonal + 1]
                x = above if diagonal == -n_edits or (diagonal != n_edits and below < above) else below + 1
                start, y = x, x - diagonal
                while x < n_old and y < n_new and old[x] == new[y]:
                    x, y = x + 1, y + 1
                reached[middle + diagonal] = x
                self._steps -= 1 + x - start
                if x >= n_old and y >= n_new:
                    yield from _way_back(history, box, n_old, n_new)
                    return
            if self._steps < 0:
                return


def _way_back(history: "Sequence[array[int]]", box: _Box, n_old: int, n_new: int) -> Iterator[Block]:
    """The equal stretches on the way that was found, the last first."""
    x, y = n_old, n_new
    for n_edits in range(len(history) - 1, -1, -1):
        before, diagonal = history[n_edits], x - y
        below, above = before[n_edits + diagonal], before[n_edits + diagonal + 2]
        goes_down = diagonal == -n_edits or (diagonal != n_edits and below < above)
        start = 0 if not n_edits else above if goes_down else below + 1
        if x > start:
            yield Block(box.old + start, box.new + start - diagonal, x - start)
        x, y = (above, above - diagonal - 1) if goes_down else (below, below - diagonal + 1)


def longest_rise(numbers: Sequence[int]) -> tuple[int, ...]:
    """A longest rising subsequence: what kept its order. Numbers are distinct."""
    ends: list[int] = []
    before: dict[int, int | None] = {}
    for number in numbers:
        at = bisect_left(ends, number)
        before[number] = ends[at - 1] if at else None
        ends[at : at + 1] = [number]
    kept: list[int] = []
    last = ends[-1] if ends else None
    while last is not None:
        kept.append(last)
        last = before[last]
    return tuple(reversed(kept))
