"""The projector: what a long history costs it, against `trim_messages`, what a second count costs, and how much of the budget it uses.

Installs langchain-core into `build/retention` once. No model is called.
"""

import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial

from benchmarks.environments import ROOT
from benchmarks.retention.generate import generate
from benchmarks.retention.peers import PeerMissing, environment
from benchmarks.retention.report import quantile
from benchmarks.retention.scenario import Message, Scenario
from benchmarks.retention.strategies import PROFILE, Ours
from benchmarks.retention.words import filler, packet_of
from benchmarks.table import Bound, Row, is_quick, publish
from evidence_store.model import Packet, TaskName, TaskRevision
from projector import GivenEvidence, Step, format_packet, project
from projector.tokens.tiktoken_counter import TiktokenCounter

N_ROUNDS = 5 if is_quick() else 15
TASK = TaskRevision(TaskName("t"), 1, "find what breaks", ("all",), (), ())
LARGE, SMALL = 10_000, 100


def median_s(prepare: Callable[[], Callable[[], object]]) -> float:
    """Median seconds of what is prepared anew each time."""
    found = []
    for _ in range(N_ROUNDS):
        call = prepare()
        begun = time.perf_counter()
        call()
        found.append(time.perf_counter() - begun)
    return statistics.median(found)


def history(n_messages: int) -> tuple[tuple[Message, ...], dict[str, tuple[Packet, ...]]]:
    """Exchanges of one call and a result of about 600 tokens, with its packet: a hundred messages are more than an input holds."""
    rng = random.Random(7)
    messages: list[Message] = [{"role": "user", "content": "Find out."}]
    results: dict[str, tuple[Packet, ...]] = {}
    for number in range(n_messages // 2):
        lines = filler(rng, 2_000, one_line=False)
        packet = packet_of(f"logs/items-{number:04d}.log", 1, lines, 1, len(lines), ())
        function = {"name": "read_log", "arguments": f'{{"resource":"{packet.resource}"}}'}
        call = {"id": f"c{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "Reading on.", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": format_packet(packet)})
        results[f"c{number}"] = (packet,)
    return tuple(messages), results


def long_history_row() -> Row:
    """A counter that has seen nothing on both sides: the time of the first projection."""
    sides = []
    for n in (LARGE, SMALL):
        messages, results = history(n)
        world = GivenEvidence(packet for packets in results.values() for packet in packets)
        step = Step(TASK, PROFILE, messages=messages, results=results)
        sides.append(median_s(partial(_projection, step, world)))
    return Row(f"projection, history of {LARGE} messages against {SMALL}, s", sides[0], sides[1], Bound("<=", 2))


def _projection(step: Step, world: GivenEvidence) -> Callable[[], object]:
    counter = TiktokenCounter("o200k_base")
    return lambda: project(step, world, counter, world)


def many_claims_row(runs: Sequence[Scenario]) -> Row:
    """A step with all claims and progress of a long run against one of a short run, counted for the first time."""
    sides = []
    for run in (max(runs, key=lambda one: len(one.calls)), min(runs, key=lambda one: len(one.calls))):
        last = run.calls[-1]
        world = GivenEvidence(run.packets.values())
        step = Step(TASK, PROFILE, progress=last.progress, claims=last.claims)
        sides.append((median_s(partial(_projection, step, world)), len(last.claims)))
    (long, n_long), (short, n_short) = sides
    return Row(f"projection, {n_long} claims against {n_short}, s", long, short, None)


def trim_rows(run: Scenario, bound: Bound | None) -> list[Row]:
    """Against `trim_messages`, in the peer's environment; without it, no rows."""
    try:
        python = environment("langchain")
    except PeerMissing as exc:
        print(f"langchain-core: {exc}", file=sys.stderr)
        return []
    messages = json.dumps([message for call in run.calls for message in call.fresh])
    words = [str(python), "-m", "benchmarks.projector_peer"]
    done = subprocess.run(words, input=messages, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    found = json.loads(done.stdout)
    said = f"projection against trim_messages, history of {len(run.calls)} calls"
    return [
        Row(f"{said}, {when}, s", found[f"ours {state}"], found[f"trim {state}"], bound)
        for state, when in (("cold", "counted for the first time"), ("warm", "the same again"))
    ]


def second_count_row() -> Row:
    """English prose of 8 KB, told apart by its first line."""
    page = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")[:8_000]
    texts = [f"{number}\n{page}" for number in range(100)]
    counter = TiktokenCounter("o200k_base")
    counter.count("loads the ranks")
    times: list[list[float]] = []
    for _ in range(2):
        times.append([])
        for text in texts:
            begun = time.perf_counter()
            counter.count(text)
            times[-1].append(time.perf_counter() - begun)
    first, second = map(statistics.median, times)
    return Row("second count of a text of 8 KB against the first, s", second, first, Bound("<=", 1 / 50))


def budget_rows(runs: Sequence[Scenario]) -> list[Row]:
    """Of the dynamic budget, over all inputs that left something out or gave only a reference to it."""
    shares: list[float] = []
    for run in runs:
        ours = Ours(rebuild_to=100)
        ours.start(run)
        for call in run.calls:
            ours.make(call, (), {})
        shares += [used / dynamic for used, dynamic in ours.crowded]
    said = "dynamic budget used where more was left out"
    return [
        Row(f"{said}, median of {len(shares)} inputs", statistics.median(shares), 1, Bound(">=", 0.9)),
        Row(f"{said}, all but 5 in 100", quantile(shares, 5), 1, Bound(">=", 0.9)),
    ]


def main() -> int:
    runs = [generate(7, n_calls) for n_calls in ((10, 40) if is_quick() else (10, 40, 160))]
    rows = [long_history_row(), many_claims_row(runs), second_count_row(), *budget_rows(runs)]
    rows += trim_rows(generate(7, 80), None)
    rows += trim_rows(generate(7, 400), Bound("<=", 0.1))
    return publish("projector", rows)


if __name__ == "__main__":
    sys.exit(main())
