"""When a request is sent again: only what does nothing twice, after a fault that may pass, and never sooner than the server asks."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from api.client.operation import Answer, Operation
from api.client.problems import error_of, is_error
from evidence_store.errors import EvidenceStoreError, StoreUnavailable

PASSING = frozenset((429, 502, 503, 504))
"""Statuses of what may be otherwise soon."""


@dataclass(frozen=True, slots=True)
class Retry:
    """How often, and after which waits."""

    attempts: int = 5
    first_wait_s: float = 0.25
    """Before the second attempt; each further wait is twice as long, up to `max_wait_s`. Half of each is chance."""
    max_wait_s: float = 8.0
    max_asked_s: float = 60.0
    """A server that asks to wait longer is not waited for."""


class Attempts:
    """The attempts of one operation. Both methods give the seconds to wait before the next one, or raise what went wrong."""

    def __init__(self, operation: Operation[object], retry: Retry, chance: Callable[[], float] = random.random) -> None:
        self._operation, self._retry, self._chance = operation, retry, chance
        self._n_made = 0

    def after_fault(self, why: Exception) -> float:
        """After a transport that failed. Raises StoreUnavailable (`unreachable`)."""
        said = f"{type(why).__name__}: {why}" if str(why) else type(why).__name__
        error = StoreUnavailable(f"the server cannot be reached: {said}", code="unreachable")
        error.__cause__ = why
        return self._next(error, None)

    def after(self, answer: Answer) -> float | None:
        """After an answer; None where it is the one. Raises the error that it tells of."""
        if not is_error(answer.status):
            return None
        error = error_of(answer)
        if answer.status not in PASSING:
            raise error
        return self._next(error, asked_wait_s(answer))

    def _next(self, error: EvidenceStoreError, asked_s: float | None) -> float:
        self._n_made += 1
        retry = self._retry
        if not self._operation.repeatable or self._n_made >= retry.attempts or (asked_s or 0.0) > retry.max_asked_s:
            raise error
        own = min(retry.first_wait_s * 2.0 ** (self._n_made - 1), retry.max_wait_s)
        return max(asked_s or 0.0, own * (0.5 + self._chance() / 2))


def asked_wait_s(answer: Answer) -> float | None:
    """Seconds of a `Retry-After` (RFC 9110 section 10.2.3), which may be a date; None without one that can be read."""
    said = answer.headers.get("retry-after", "").strip()
    if said.isascii() and said.isdecimal():
        return float(said[:12])
    try:
        at = parsedate_to_datetime(said)
    except ValueError:
        return None
    aware = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())
