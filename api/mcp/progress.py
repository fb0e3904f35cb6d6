"""Progress of a call: told by the tool where it goes through many places, else by a beat while it works.

The protocol wants each figure to be larger than the one before; a beat adds a thousandth, so that it never passes a place.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

import anyio
import anyio.from_thread

BEAT_S = 2.0
BEAT_STEP = 0.001


class Report(Protocol):
    def __call__(self, progress: float, total: float | None, message: str | None) -> Awaitable[None]:
        """Sends one notification."""


@dataclass(frozen=True, slots=True)
class Told:
    progress: float
    total: int | None
    message: str


class Progress:
    """Figures of one call, each larger than the one before."""

    def __init__(self, doing: str) -> None:
        self._last = Told(0.0, None, doing)
        self._told = False
        self._lock = Lock()

    def reached(self, done: int, total: int, doing: str) -> Told | None:
        """The figure for so many places done; None where it is not larger than the last."""
        with self._lock:
            if self._told and done <= self._last.progress:
                return None
            self._told, self._last = True, Told(done, total, doing)
            return self._last

    def beat(self) -> Told:
        """The figure for time that has passed."""
        with self._lock:
            self._told, self._last = True, Told(self._last.progress + BEAT_STEP, self._last.total, self._last.message)
            return self._last


def from_worker(progress: Progress, report: Report) -> Callable[[int, int, str], None]:
    """What a tool tells in its thread, sent by the event loop."""

    def tell(done: int, total: int, doing: str) -> None:
        if (told := progress.reached(done, total, doing)) is not None:
            anyio.from_thread.run(_send, report, told)

    return tell


async def beats(progress: Progress, report: Report, beat_s: float = BEAT_S) -> None:
    """A notification every so many seconds, until it is cancelled."""
    while True:
        await anyio.sleep(beat_s)
        await _send(report, progress.beat())


async def _send(report: Report, told: Told) -> None:
    await report(told.progress, told.total, told.message)
