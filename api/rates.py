"""How often a principal may ask: a bucket of tokens for each, filled at a steady rate (as in RFC 2697)."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Generic, TypeVar

Who = TypeVar("Who")
KNOWN = 10_000


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


class Rates(Generic[Who]):
    """Takes one token for each request; a full bucket holds `burst`."""

    def __init__(self, per_s: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_s = per_s
        self._burst = burst
        self._clock = clock
        self._buckets: OrderedDict[Who, _Bucket] = OrderedDict()
        self._lock = Lock()

    def take(self, who: Who) -> int:
        """Seconds until the next one may come, from 1; 0 where this one may."""
        now = self._clock()
        with self._lock:
            bucket = self._buckets.get(who)
            if bucket is None:
                bucket = self._buckets[who] = _Bucket(float(self._burst), now)
                if len(self._buckets) > KNOWN:
                    # Who asked least recently has the fullest bucket.
                    self._buckets.popitem(last=False)
            self._buckets.move_to_end(who)
            bucket.tokens = min(float(self._burst), bucket.tokens + (now - bucket.at) * self._per_s)
            bucket.at = now
            if bucket.tokens >= 1:
                bucket.tokens -= 1
                return 0
            return max(1, math.ceil((1 - bucket.tokens) / self._per_s))
