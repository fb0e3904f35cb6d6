"""What was made of texts of a history, so that it is not made anew for each input. Bounded, and without the texts: they may be large."""

import hashlib
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")
MEMORY = 4_096
"""Texts at most; the oldest goes."""


class Memory(Generic[T]):
    """One value a text. Threads may share it; two that ask for a new text at once make it twice."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Hashable, bytes], T] = {}
        self._lock = Lock()

    def recall(self, text: str, make: Callable[[], T | None], about: Hashable = None) -> T | None:
        """The value, made unless it is there; None is not kept. `about` is what else it depends on."""
        key = about, hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        with self._lock:
            if key in self._kept:
                return self._kept[key]
        made = make()
        if made is not None:
            with self._lock:
                self._kept[key] = made
                if len(self._kept) > MEMORY:
                    del self._kept[next(iter(self._kept))]
        return made
