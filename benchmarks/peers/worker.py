"""One package in a process of its own environment: a job as JSON on stdin, what came of it as JSON on stdout. Never imported by ours.

    {"peer", "variant", "folder", "keep": [[NAME, CALL, PATH], …], "read": [[PLACE or [HANDLE, TEXT], PASSAGE], …], "errors": [PLACE, …]}

Documents are kept in order. A passage is then looked for in the text that the model got, and, where it does not stand there, by calls
of the package's own reading tools, until an answer holds it. PLACE is one in `keep`; what an earlier process kept is named by what it
answered.
"""

import json
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from projector.tokens.table import counter_for

MAX_CALLS = 6
"""After so many calls a passage counts as not reached."""
CAP = 27_648
"""Tokens of an input: what stands in a longer one reaches no model."""
ERRORS = ("TEST-UNEXPECTED-", "PROCESS-CRASH", "[taskcluster:error]", "ERROR - ")
"""What is searched for where a log is asked for its errors."""

Wanted = dict[str, Any]


class Kept(NamedTuple):
    """What a model gets in place of an output, and how its place is named to the reading tools; empty where there are none."""

    text: str
    handle: str


class Keeper(Protocol):
    """A package behind its own names."""

    def keep(self, name: str, call: str, text: str) -> Kept: ...

    def read(self, handle: str, wanted: Wanted) -> Any:
        """Answers of reading tools, one by one, as lazily as an agent would ask. What is told apart by `stands_in` ends it."""

    def errors(self, handle: str) -> list[str]:
        """The answers of one search for error lines, as many calls as it takes for the four patterns."""

    def cite(self, handle: str, wanted: Wanted) -> str:
        """What a report would name, by which `read` finds the passage in a later process."""

    def close(self) -> None: ...


def stands_in(wanted: Wanted, answer: str) -> bool:
    """As it is, or as JSON writes it, once or twice encoded."""
    text = wanted["text"]
    once = json.dumps(text, ensure_ascii=False)[1:-1]
    forms = (text, once, json.dumps(text)[1:-1], json.dumps(once, ensure_ascii=False)[1:-1])
    return any(form in answer for form in forms)


@cache
def n_tokens(text: str) -> int:
    return counter_for("o200k_base").count(text)


def _looked_up(keeper: Keeper, handle: str, wanted: Wanted, shown: str) -> dict[str, Any]:
    if n_tokens(shown) <= CAP and stands_in(wanted, shown):
        return {"reached": True, "calls": 0, "tokens": 0, "largest": 0, "cite": keeper.cite(handle, wanted)}
    sizes: list[int] = []
    reached = False
    if handle:
        for answer in keeper.read(handle, wanted):
            sizes.append(n_tokens(answer))
            reached = stands_in(wanted, answer)
            if reached or len(sizes) == MAX_CALLS:
                break
    cite = keeper.cite(handle, wanted) if reached else ""
    return {"reached": reached, "calls": len(sizes), "tokens": sum(sizes), "largest": max(sizes, default=0), "cite": cite}


def work(keeper: Keeper, job: dict[str, Any]) -> dict[str, Any]:
    kept = [keeper.keep(name, call, Path(path).read_bytes().decode()) for name, call, path in job["keep"]]
    read = []
    for at, wanted in job["read"]:
        handle, shown = (kept[at].handle, kept[at].text) if isinstance(at, int) else at
        read.append(_looked_up(keeper, handle, wanted, shown))
    found: dict[str, Any] = {"kept": kept, "tokens": [n_tokens(one.text) for one in kept], "read": read}
    asked = [keeper.errors(kept[at].handle) if kept[at].handle else [] for at in job["errors"]]
    found["errors"] = [{"text": "\n".join(answers), "calls": len(answers), "tokens": sum(map(n_tokens, answers))} for answers in asked]
    return found


def main() -> None:
    job = json.loads(sys.stdin.read())
    out, sys.stdout = sys.stdout, sys.stderr  # packages print what they like; the answer stands alone
    peer: Any = import_module(f"benchmarks.peers.peer_{job['peer']}")
    keeper: Keeper = peer.keeper(job["variant"], Path(job["folder"]))
    try:
        found = work(keeper, job)
    finally:
        keeper.close()
    out.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
