"""How many tokens results may have: each one, and all of one step together.

Calls of a step may run side by side: each claims its room before it runs and gives back what it did not use. Invariants:
1. All rooms that are claimed and all that was used never make more than the step's tokens, but for invariant 2.
2. No room is smaller than `MIN_ROOM_TOKENS`: a reference to what was stored always fits. So a step whose tokens do not hold a
   reference for each call, or whose number of calls nobody told, may go over by that much a call.
"""

from dataclasses import dataclass, field
from threading import Lock

from evidence_store.errors import InvalidInput

SHARE_PERCENT = 15
"""Of the model's window, for one result."""
MAX_RESULT_TOKENS = 25_000
"""For one result, however large the window."""
MIN_ROOM_TOKENS = 160
"""A reference to a stored output: its size, its id and how to read it; also by a counter that counts bytes."""


@dataclass(frozen=True, slots=True)
class ResultBudget:
    """The budget of results for a model's window, in tokens."""

    window: int
    percent: int = SHARE_PERCENT
    max_tokens: int = MAX_RESULT_TOKENS
    step_tokens: int | None = None
    """Of all results of one step; None: twice that of one."""

    def __post_init__(self) -> None:
        if type(self.window) is not int:
            raise InvalidInput(f"the window is a whole number of tokens, not {self.window!r}", code="wrong_use")
        if not (0 < self.percent <= 100 and self.window > 0):
            raise InvalidInput(f"no budget: {self.percent} percent of {self.window} tokens", code="wrong_use")
        if self.one < MIN_ROOM_TOKENS <= self.max_tokens:
            least = -(-100 * MIN_ROOM_TOKENS // self.percent)
            said = f"of a window of {self.window} tokens one result has {self.percent} %, which is {self.one}"
            text = f"{said}, and a reference to what is stored takes {MIN_ROOM_TOKENS}: the window must have at least {least}"
            raise InvalidInput(text, {"limit": least}, code="wrong_use")
        require_room(self.one)
        require_room(self.step)

    @property
    def one(self) -> int:
        """Of one result."""
        return min(self.window * self.percent // 100, self.max_tokens)

    @property
    def step(self) -> int:
        """Of all results of a step."""
        return 2 * self.one if self.step_tokens is None else self.step_tokens


def require_room(n_tokens: int) -> None:
    """Raises InvalidInput for a budget that could not hold a reference."""
    if n_tokens < MIN_ROOM_TOKENS:
        text = f"a budget of {n_tokens} tokens holds no reference to what is stored; at least {MIN_ROOM_TOKENS}"
        raise InvalidInput(text, {"limit": MIN_ROOM_TOKENS}, code="wrong_use")


@dataclass(slots=True)
class StepRoom:
    """The room of the results of one step, divided over its calls. May be used from several threads."""

    n_tokens: int
    n_calls: int | None = None
    """None where nobody knows: then each call may take half of what is left."""
    _left: int = field(init=False)
    _waiting: int = field(init=False)
    _lock: Lock = field(init=False, default_factory=Lock)

    def __post_init__(self) -> None:
        if self.n_calls is not None and self.n_calls < 1:
            raise InvalidInput(f"a step of {self.n_calls} calls has no results", code="wrong_use")
        self._left, self._waiting = self.n_tokens, self.n_calls or 0

    def claim(self, wanted: int) -> int:
        """Tokens for the next call: at most what it wants and its share of what is left."""
        with self._lock:
            share = self._left // (2 if self.n_calls is None else max(1, self._waiting))
            room = max(min(wanted, share), MIN_ROOM_TOKENS)
            self._left -= room
            self._waiting = max(0, self._waiting - 1)
            return room

    def settle(self, room: int, used: int) -> None:
        """Gives back what of a room was not used; calls that come later may take it."""
        with self._lock:
            self._left += max(0, room - used)


@dataclass(slots=True)
class Room:
    """Tokens for one result."""

    n_tokens: int
    used: str | None = None
    """The text that takes of them; None until there is one."""
