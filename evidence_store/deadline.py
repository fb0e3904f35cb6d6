"""How long one piece of work may take. Loops over what a caller sent or stored ask it now and then."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar

from evidence_store.errors import LimitExceeded

WATCHED_LINES: Final = 1000
_Line = TypeVar("_Line")


class Deadline:
    """Counts from when it is made."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._end = clock() + seconds

    def check(self) -> None:
        """Raises LimitExceeded (`too_slow`) when the time is over."""
        if self._clock() > self._end:
            raise LimitExceeded(f"it takes more than {self._seconds:g} s; ask for less", {"limit": self._seconds}, code="too_slow")


def unbounded() -> None:
    """In place of `Deadline.check`, where the caller has none."""


def watched(lines: Iterable[_Line], watch: Callable[[], None]) -> Iterator[_Line]:
    """The lines, with a look at the time every so many."""
    for n, line in enumerate(lines):
        if n % WATCHED_LINES == 0:
            watch()
        yield line
