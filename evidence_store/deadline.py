"""How long one piece of work may take. Loops over what a caller sent or stored ask it now and then."""

import time
from collections.abc import Callable

from evidence_store.errors import LimitExceeded


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
