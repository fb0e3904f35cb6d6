"""One peer's strategy as a process in the peer's own environment: JSON lines in, JSON lines out. Started by `peers`, never imported.

In:   {"start": SYSTEM MESSAGE}     a run begins
      {"next": [MESSAGES]}          what came since; answered with the input of the model call
      {"grep": KEY}                 lines of the files that the strategy wrote
Out:  {"tools": [...]}              once, at the start of the process: tools that the strategy brings along
      {"parts": [MESSAGE or NUMBER], "seconds": S, "summary_tokens": N, "failure": TEXT}
A message that was sent before is named by its number, counted from 0 over the run.
"""

import json
import sys
import time
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, Protocol

from projector.measure import Measure
from projector.minified import minified
from projector.tokens.table import counter_for

Message = dict[str, Any]


class Adapter(Protocol):
    """A strategy behind its package's own names."""

    tools: list[Message]
    summary_tokens: int
    """What summarizers read so far."""

    def start(self, system: Message) -> None: ...
    def take(self, new: list[Message]) -> None: ...

    def make(self) -> Any:
        """The input in the package's own values: the only part that is timed."""

    def plain(self, made: Any) -> list[Message]: ...
    def grep(self, key: str) -> str: ...


class Tokens:
    """Exact counts, the same for every peer; each text is counted once."""

    def __init__(self) -> None:
        self._measure = Measure(counter_for("o200k_base"))
        self.text: Callable[[str], int] = cache(self._measure.counter.count)
        self._known: dict[Any, int] = {}

    def message(self, key: Any, plain: Callable[[], Message]) -> int:
        """Tokens of a message; `plain` is asked only for a key that is new."""
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._measure.message(plain())
        return found


def serve(adapter: Adapter) -> None:
    """Answers until the input ends."""
    numbers: dict[str, int] = {}
    print(json.dumps({"tools": adapter.tools}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if "start" in asked:
            numbers = {}
            adapter.start(asked["start"])
            continue
        if "grep" in asked:
            print(json.dumps({"text": adapter.grep(asked["grep"])}), flush=True)
            continue
        print(json.dumps(_answer(adapter, asked["next"], numbers)), flush=True)


def _answer(adapter: Adapter, new: list[Message], numbers: dict[str, int]) -> Message:
    adapter.take(new)
    before = adapter.summary_tokens
    begun = time.perf_counter()
    try:
        made = adapter.make()
    # whatever a package raises in place of an input is its answer, and is reported as such
    except Exception as exc:
        return {"parts": [], "seconds": time.perf_counter() - begun, "summary_tokens": 0, "failure": f"{type(exc).__name__}: {exc}"[:300]}
    seconds = time.perf_counter() - begun
    parts: list[Message | int] = []
    for message in adapter.plain(made):
        text = minified(message)
        known = numbers.get(text)
        if known is None:
            numbers[text] = len(numbers)
            parts.append(message)
        else:
            parts.append(known)
    return {"parts": parts, "seconds": seconds, "summary_tokens": adapter.summary_tokens - before, "failure": ""}


def main(words: list[str]) -> None:
    package, strategy = words
    adapters = import_module(f"benchmarks.retention.peer_{package}")
    serve(adapters.adapter(strategy, Tokens()))


if __name__ == "__main__":
    main(sys.argv[1:])
