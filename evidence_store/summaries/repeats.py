"""Which lines repeat, in bounded memory: each line by a short key, and where there are too many, those that stood seldom are let go.

So what repeats most is found in a log of any length; how often it stands is then counted in a second reading.
"""

from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

MAX_KEPT: Final = 200_000
"""Different lines that are kept apart at a time."""
_KEY_CHARS: Final = 32
"""Up to which a line is its own key; longer ones are told apart by 128 bits."""


@dataclass(slots=True)
class Same:
    """Lines that are equal but for noise."""

    first: int
    """1-based."""
    last: int
    n: int

    def add(self, number: int) -> None:
        self.last = number
        self.n += 1


def key_of(folded: str) -> str | bytes:
    return folded if len(folded) <= _KEY_CHARS else blake2b(folded.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Repeats:
    """Counts lines as they come. Of a line that stood once only its number is kept."""

    def __init__(self, max_kept: int = MAX_KEPT) -> None:
        self._max_kept = max_kept
        self._once: dict[str | bytes, int] = {}
        self._same: dict[str | bytes, Same] = {}
        self.is_cut = False
        """Whether lines were let go: then the counts are too low, and there may be more that repeat."""

    def add(self, folded: str, number: int) -> None:
        key = key_of(folded)
        known = self._same.get(key)
        if known is not None:
            known.add(number)
            return
        first = self._once.pop(key, None)
        if first is not None:
            self._same[key] = Same(first, number, 2)
            return
        self._once[key] = number
        if len(self._once) + len(self._same) > self._max_kept:
            self._let_go()

    def _let_go(self) -> None:
        """First the lines that stood once, then also those that stood seldom, until at least half of the room is free."""
        self.is_cut = True
        self._once = {}
        n_least = 3
        while len(self._same) > self._max_kept // 2:
            self._same = {key: same for key, same in self._same.items() if same.n >= n_least}
            n_least *= 2

    @property
    def n_lines(self) -> int:
        return sum(same.n for same in self._same.values())

    @property
    def n_different(self) -> int:
        return len(self._same)

    def most(self, n: int) -> dict[str | bytes, Same]:
        """What stands most often, by key; of equal counts what stands first."""
        return dict(sorted(self._same.items(), key=lambda one: (-one[1].n, one[1].first))[:n])
