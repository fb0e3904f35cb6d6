"""Which words of an inspection tell of state, restarts and limits, and which of them speak of trouble."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

Topic = Literal["state", "restarts", "limits"]
_STATE: Final = frozenset(
    (
        "phase",
        "reason",
        "exitcode",
        "ready",
        "status",
        "state",
        "laststate",
        "oomkilled",
        "running",
        "dead",
        "restarting",
        "paused",
        "health",
        "error",
    )
)
_RESTARTS: Final = frozenset(("restartcount", "restarts"))
_LIMITS: Final = frozenset(("memory", "nanocpus", "cpuquota", "pidslimit", "memoryswap"))
_LIMIT_BLOCKS: Final = frozenset(("limits", "requests"))
_GOOD: Final = frozenset(
    (
        "running",
        "true",
        "ready",
        "succeeded",
        "completed",
        "active",
        "bound",
        "healthy",
        "available",
        "up",
        "0",
        "",
        "<none>",
        "null",
        "none",
    )
)
_FALSE_IS_GOOD: Final = frozenset(("oomkilled", "dead", "restarting", "paused"))
_BAD_CONDITION: Final = ("pressure", "unavailable", "failure")
"""Endings of the names of conditions that are good when they are false."""
_COUNT_READY: Final = re.compile(r"([0-9]+)/([0-9]+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that the output says, with its place."""

    text: str
    is_trouble: bool


@dataclass(slots=True)
class Facts:
    things: list[str] = field(default_factory=list)
    states: list[Fact] = field(default_factory=list)
    restarts: list[Fact] = field(default_factory=list)
    limits: list[Fact] = field(default_factory=list)
    events: list[Fact] = field(default_factory=list)
    is_cut: bool = False
    """Whether a bound was met before the end."""

    def of(self, topic: Topic) -> list[Fact]:
        match topic:
            case "state":
                return self.states
            case "restarts":
                return self.restarts
            case "limits":
                return self.limits


def topic_of(names: Sequence[str]) -> Topic | None:
    """What the last of these names, the outermost first, tells of."""
    words = [_word(one) for one in names[-4:]]
    if any(one in _LIMIT_BLOCKS for one in words[:-1]):
        return "limits"
    last = words[-1]
    return "state" if last in _STATE else "restarts" if last in _RESTARTS else "limits" if last in _LIMITS else None


def is_trouble(topic: Topic, label: str, value: str) -> bool:
    word, text = _word(label), value.strip().lower()
    if topic == "limits":
        return False
    if topic == "restarts":
        return not (text.partition(" ")[0] == "0" or not text)
    if word in _FALSE_IS_GOOD:
        return text == "true"
    ready = _COUNT_READY.fullmatch(text)
    if ready:
        return ready[1] != ready[2]
    if word == "running" and text == "false":
        return True
    return text not in _GOOD


def is_bad_condition(type_: str, status: str) -> bool:
    good = "false" if type_.lower().endswith(_BAD_CONDITION) else "true"
    return status.lower() != good


def _word(text: str) -> str:
    return text.replace(" ", "").replace("_", "").replace("-", "").lower()
