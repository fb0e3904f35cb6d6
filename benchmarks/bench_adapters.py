"""What an agent framework saves with our adapter and without: LangGraph's checkpoints of one run, and whether its answer is the same.

Installs LangChain into `build/adapters` once, from `requirements/adapters`. The model is scripted (`benchmarks.adapters.langgraph_run`).
"""

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from benchmarks.environments import ROOT, make_environment
from benchmarks.table import Bound, Row, publish


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of an arm."""

    answer: str
    calls: int
    bytes: int
    stored: int


def run(arm: str) -> Ran:
    python = make_environment(
        ROOT / "requirements" / "adapters" / "langchain.txt", ROOT / "build" / "adapters" / "langchain", "--require-hashes"
    )
    with tempfile.TemporaryDirectory() as folder:
        words = [str(python), "-m", "benchmarks.adapters.langgraph_run", arm, folder]
        done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    return Ran(**json.loads(done.stdout.splitlines()[-1]))


def main() -> int:
    whole, filters, reading = run("whole"), run("filters"), run("reading")
    n_same = sum(one.answer == whole.answer for one in (filters, reading))
    rows = [
        Row("LangGraph checkpoints of 42 model calls, bytes", filters.bytes, whole.bytes, Bound("<=", 1 / 8)),
        Row("the same with our store beside the checkpoints", filters.bytes + filters.stored, whole.bytes, None),
        Row("the same run by a model that asks for no place, and reads on in twice the turns", reading.bytes, whole.bytes, None),
        Row("answers with the adapter that are those without", n_same, 2, Bound("==", 1)),
        Row("model calls", filters.calls, whole.calls, Bound("<=", 1)),
    ]
    return publish("adapters", rows)


if __name__ == "__main__":
    sys.exit(main())
