"""What of a long run still stands in each model input: ours against the context strategies of other packages, on generated runs.

Installs each package set into `build/retention` once, from `benchmarks/retention/requirements`. No model is called. Words after the
command pick strategies by a part of their label; ours and the full history always run.
"""

import json
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from benchmarks.retention.generate import generate
from benchmarks.retention.peers import PEERS, Peer, PeerMissing
from benchmarks.retention.report import FULL, OURS, SKETCH, Result, as_json, format_cost, format_failures, format_kept, rows
from benchmarks.retention.run import Runner
from benchmarks.retention.scenario import Scenario
from benchmarks.retention.sketch import Appending
from benchmarks.retention.strategies import PROFILE, FullHistory, Ours, Strategy
from benchmarks.table import RESULTS, is_quick, publish
from projector import counter_for

QUICK_RUNS = ((7, 10, False), (7, 30, False), (7, 24, True))
# Seed, model calls, dense: dense runs state 500 facts of 50 tokens and more.
RUNS = (
    *((seed, n_calls, False) for n_calls in (10, 20, 40) for seed in (7, 11, 23)),
    (7, 80, False),
    (11, 80, False),
    (7, 160, False),
    (7, 400, False),
    (7, 56, True),
    (11, 56, True),
)


def measure(label: str, opened: AbstractContextManager[Strategy], scenarios: Sequence[Scenario]) -> Result:
    """One strategy over all runs; what a peer cannot do ends its row, not the benchmark."""
    result = Result(label)
    try:
        with opened as strategy:
            for scenario in scenarios:
                result.by_run[scenario.name] = Runner(scenario, strategy, counter_for(PROFILE.counter)).run()
    except PeerMissing as exc:
        result.missing = str(exc)
    print(f"{label}: {result.missing or f'{result.total.calls} model calls'}", file=sys.stderr)
    return result


def peers(words: Sequence[str], scenarios: Sequence[Scenario]) -> list[Result]:
    found = []
    for name in PEERS:
        if words and not any(word in name.label for word in words):
            continue
        chosen = [one for one in scenarios if name.max_calls is None or len(one.calls) <= name.max_calls]
        try:
            found.append(measure(name.label, Peer(name), chosen))
        except PeerMissing as exc:
            found.append(Result(name.label, missing=str(exc)))
    return found


def main(words: Sequence[str]) -> int:
    scenarios = [generate(seed, n_calls, dense=dense) for seed, n_calls, dense in (QUICK_RUNS if is_quick() else RUNS)]
    results = [
        measure(OURS, nullcontext(Ours()), scenarios),
        measure(SKETCH, nullcontext(Appending()), scenarios),
        measure(FULL, nullcontext(FullHistory()), scenarios),
        *peers(words, scenarios),
    ]
    print(format_kept(results), format_cost(results), sep="\n\n", end="\n\n")
    print(format_failures(results), end="\n\n")
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "retention_strategies.json").write_text(json.dumps(as_json(results), indent=1) + "\n", encoding="utf-8")
    return publish("retention", rows(results, [one.name for one in scenarios if one.holds_more_than_fits], short=is_quick()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
