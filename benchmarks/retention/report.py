"""The figures of all strategies as one table, and ours as lines with bounds."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.retention.score import CLASSES, Tally
from benchmarks.retention.strategies import CAP
from benchmarks.table import Bound, Row

OURS, FULL = "ours", "full history, cached by the provider"
ANEW = "ours, each input made anew"
NONE, ALL = Bound("==", 0), Bound("==", 1)
# What counts a share, in the order of the table: heading, name in a tally.
SHARES = (
    ("rules", "rules"),
    ("facts in the input", "facts"),
    ("or one call away", "reach"),
    ("excerpts in use", "excerpts"),
    ("conflicts", "conflicts"),
    ("questions", "questions"),
    ("answered", "answers"),
    ("with no limit", "answers, no limit"),
    ("evidence right", "evidence"),
)


@dataclass(slots=True)
class Result:
    """One strategy over all runs."""

    label: str
    by_run: dict[str, Tally] = field(default_factory=dict)
    missing: str = ""
    """Why there are no figures."""

    @property
    def total(self) -> Tally:
        total = Tally()
        for tally in self.by_run.values():
            total.add(tally)
        return total


def quantile(seconds: Sequence[float], percent: int) -> float:
    """The smallest value that so many percent do not exceed."""
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def format_kept(results: Sequence[Result]) -> str:
    """One row a strategy: what its inputs held, as shares, and what its reader answered."""
    return _table(["strategy", "calls", "over cap", "broken", "by itself", *(name for name, _ in SHARES)], results, _kept_cells)


def _kept_cells(one: Result) -> list[str]:
    total, failures = one.total, one.total.failures
    broken = failures["pair_broken"]
    counts = (total.calls, failures["over_budget"], broken, broken - total.broken_by_script)
    return [*map(str, counts), *(_share(total, name) for _, name in SHARES)]


def format_cost(results: Sequence[Result]) -> str:
    """One row a strategy: what slipped through, and what it cost; tokens and bill are shares of the full history's."""
    full = next(one for one in results if one.label == FULL)

    def cells(one: Result) -> list[str]:
        total, failures = one.total, one.total.failures
        whole = Tally()
        # a peer that did not do all runs is held against those that it did
        for name in one.by_run:
            whole.add(full.by_run[name])
        return [
            str(failures["injection_promoted"]),
            str(failures["permission_leak"]),
            f"{total.tokens / whole.tokens:.1%}",
            f"{total.billed / whole.billed:.1%}",
            str(total.peak),
            str(total.n_rereads),
            f"{1000 * statistics.median(total.seconds):.1f}",
            f"{1000 * quantile(total.seconds, 95):.1f}",
        ]

    head = ["strategy", "order outside", "denied shown", "tokens", "billed", "peak", "re-reads", "p50 ms", "p95 ms"]
    return _table(head, results, cells)


def format_failures(results: Sequence[Result]) -> str:
    """Model calls by class of failure."""
    return _table(["strategy", *CLASSES], results, lambda one: [str(one.total.failures[name]) for name in CLASSES])


def _table(head: list[str], results: Sequence[Result], cells: Callable[[Result], list[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    for one in results:
        lines.append([one.label, *([one.missing, *["-"] * (len(head) - 2)] if one.missing else cells(one))])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _share(total: Tally, name: str) -> str:
    share = total.share(name)
    return "-" if share is None else f"{share:.3f}"


def rows(results: Sequence[Result], dense: Sequence[str], *, short: bool = False) -> list[Row]:
    """Ours against its bounds; short runs are not held to what only long ones can save. `dense` names those with more facts than fit."""
    mine = next(one for one in results if one.label == OURS)
    full = next(one for one in results if one.label == FULL)
    total, failures, whole = mine.total, mine.total.failures, full.total
    crowded = Tally()
    for name in dense:
        crowded.add(mine.by_run[name])
    fitting = [name for name, tally in full.by_run.items() if tally.peak <= CAP]
    made = [
        Row("inputs over the cap or missing, of all", failures["over_budget"], total.calls, NONE),
        Row("inputs with a broken exchange, of all", failures["pair_broken"], total.calls, NONE),
        _kept(total, "rules", "scope rules in the input at every call"),
        _kept(total, "reach", "facts in the input or one call away"),
        _kept(crowded, "reach", "the same, in runs with more facts than fit"),
        _kept(total, "excerpts", "source excerpts of the facts in use"),
        _kept(total, "excerpts named", "the same, where progress names their evidence"),
        _kept(total, "conflicts", "conflicts with both sides, in the input or one call away"),
        _kept(total, "questions", "open questions, in the input or one call away"),
        _kept(total, "conflicts in the input", "conflicts with both sides in the input itself", None),
        _kept(total, "questions in the input", "open questions in the input itself", None),
        Row("inputs with an injected order outside fenced data, of all", failures["injection_promoted"], total.calls, NONE),
        Row("inputs with a denied id or word, of all", failures["permission_leak"], total.calls, NONE),
        _kept(total, "evidence", "answers whose evidence resolves to what they say"),
        Row("tokens against full history", total.tokens, whole.tokens, None if short else Bound("<=", 0.1)),
        Row("billed equivalent against cached full history, tokens", total.billed, whole.billed, None if short else Bound("<=", 1 / 3)),
    ]
    if fitting:
        ours, theirs = (sum(one.by_run[name].kept["answers"] for name in fitting) for one in (mine, full))
        made.append(Row("answers in runs that full history fits", ours, theirs, Bound(">=", 1)))
    made += [
        Row(f"{measure}, {name}", getattr(tally, member), getattr(full.by_run[name], member), None)
        for measure, member in (("tokens", "tokens"), ("billed equivalent", "billed"))
        for name, tally in mine.by_run.items()
    ]
    return made


def _kept(total: Tally, name: str, line: str, bound: Bound | None = ALL) -> Row:
    return Row(line, total.kept[name], total.total[name], bound)


def as_json(results: Sequence[Result]) -> list[Mapping[str, object]]:
    """Every figure, by strategy and run."""
    return [
        {"strategy": one.label, "missing": one.missing, "runs": {name: _tally_json(tally) for name, tally in one.by_run.items()}}
        for one in results
    ]


def _tally_json(tally: Tally) -> Mapping[str, object]:
    return {
        "calls": tally.calls,
        "kept": {name: [tally.kept[name], n] for name, n in tally.total.items()},
        "failures": {name: tally.failures[name] for name in CLASSES},
        "pair_broken_by_script": tally.broken_by_script,
        "tokens": tally.tokens,
        "summary_tokens": tally.summary_tokens,
        "peak": tally.peak,
        "billed": round(tally.billed),
        "rereads": tally.n_rereads,
        "p50_s": statistics.median(tally.seconds),
        "p95_s": quantile(tally.seconds, 95),
    }
