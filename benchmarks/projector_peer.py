"""Our projection and `trim_messages` of langchain-core over one history, with one counter, in one process of the peer's environment.

Reads a history as JSON from standard input; prints seconds of both sides: `cold`, each with a counter that has seen nothing, and
`warm`, the same again. Started by `bench_projector`.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from benchmarks.retention.peer_langchain import DYNAMIC, LangChain, plain
from benchmarks.retention.peer_worker import Tokens
from evidence_store.model import TaskName, TaskRevision
from projector import GivenEvidence, Profile, Step, project
from projector.minified import minified
from projector.tokens.tiktoken_counter import TiktokenCounter

N_ROUNDS = 5
TASK = TaskRevision(TaskName("t"), 1, "find what breaks", ("all",), (), ())
PROFILE = Profile("openai", "gpt-4o", 32_768, 4_096, 1_024, "o200k_base")


def seconds(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def _count(counter: TiktokenCounter, messages: Any) -> int:
    return sum(counter.count(minified(plain(one))) for one in messages)


def main() -> None:
    history: list[dict[str, Any]] = json.load(sys.stdin)
    converter = LangChain(Tokens())
    messages = [converter.native(message) for message in history]
    trim: Any = import_module("langchain_core.messages").trim_messages
    world = GivenEvidence(())
    step = Step(TASK, PROFILE, messages=tuple(history))
    TiktokenCounter("o200k_base").count("loads the ranks")
    found: dict[str, list[float]] = {"ours cold": [], "ours warm": [], "trim cold": [], "trim warm": []}
    for _ in range(N_ROUNDS):
        ours, theirs = TiktokenCounter("o200k_base"), TiktokenCounter("o200k_base")

        count = partial(_count, theirs)
        for state in ("cold", "warm"):
            found[f"ours {state}"].append(seconds(partial(project, step, world, ours, world)))
            found[f"trim {state}"].append(seconds(partial(trim, messages, max_tokens=DYNAMIC, token_counter=count, strategy="last")))
    print(json.dumps({name: statistics.median(values) for name, values in found.items()}))


if __name__ == "__main__":
    main()
