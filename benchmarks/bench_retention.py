"""What of a long run still stands in each model input: ours against the context strategies of other packages, on generated runs.

Installs each package set into `build/retention` once, from `benchmarks/retention/requirements`. No model is called. Words after the
command pick strategies by a part of their label; ours and the full history always run.
"""

import json
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from benchmarks.retention.forms import OtherForms
from benchmarks.retention.generate import generate
from benchmarks.retention.peers import PEERS, Peer, PeerMissing
from benchmarks.retention.report import ANEW, FULL, NONE, OURS, Result, as_json, format_cost, format_failures, format_kept, rows
from benchmarks.retention.run import Runner
from benchmarks.retention.scenario import Scenario
from benchmarks.retention.strategies import PROFILE, FullHistory, Ours, Strategy
from benchmarks.table import RESULTS, Row, is_quick, publish
from projector import counter_for

QUICK_RUNS = ((7, 10, False), (7, 30, False), (7, 24, True))
# Seed, model calls, dense: dense runs state 500 facts of 50 tokens and more.
RUNS = (
    *((seed, 10, False) for seed in range(1, 7)),
    *((seed, 20, False) for seed in range(7, 12)),
    *((seed, 40, False) for seed in range(12, 16)),
    *((seed, 80, False) for seed in (16, 17)),
    (18, 160, False),
    (19, 400, False),
    *((seed, 56, True) for seed in (20, 21)),
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
    forms = OtherForms(counter_for(PROFILE.counter))
    results = [
        measure(OURS, nullcontext(Ours(look=forms.look)), scenarios),
        measure(ANEW, nullcontext(Ours(rebuild_to=100)), scenarios),
        measure(FULL, nullcontext(FullHistory()), scenarios),
        *peers(words, scenarios),
    ]
    print(format_kept(results), format_cost(results), sep="\n\n", end="\n\n")
    print(format_failures(results), end="\n\n")
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "retention_strategies.json").write_text(json.dumps(as_json(results), indent=1) + "\n", encoding="utf-8")
    for fault, n in forms.faults.items():
        print(f"{fault}: {n} times", file=sys.stderr)
    others = Row("the same steps for three other providers: over the cap, missing or broken", forms.faults.total(), forms.n_made, NONE)
    made = rows(results, [one.name for one in scenarios if one.holds_more_than_fits], short=is_quick())
    return publish("retention", [*made, others])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
