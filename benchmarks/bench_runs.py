"""Whole compat runs over large real documents: time, peak memory, and whether every promise of a run was kept.

Each run is a process of its own over a fresh store. What is promised: every citation of the report is confirmed by the check, no input is
over the cap, no input tears an exchange apart, and no step costs much more because many came before it.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from api.demo import DemoResult, Input, StepNews, read_input_of, run_demo
from api.settings import Settings
from api.wiring import Services, open_services
from benchmarks import corpus
from benchmarks.table import Bound, Row, is_quick, publish
from evidence_store.store.runs import input_of
from projector import validate

MAX_SECONDS, MAX_BYTES = 300, 512_000_000
"""What still is usable: a break, and a small machine. Processor time, since that of the clock depends on what else runs."""
ALL = Bound("==", 1)


@dataclass(frozen=True, slots=True)
class Planned:
    """One run: two files of a family, the oldest and the newest unless they are named."""

    family: str
    exclusions: tuple[str, ...] = ()
    old: str = ""
    new: str = ""

    @property
    def label(self) -> str:
        return f"{self.family} {self.old or 'first'} to {self.new or 'last'}"


LARGE = (
    Planned("stripe-spec3-json"),
    Planned("openai-yaml", ("x-oaiMeta/beta=true",)),
    Planned("kubernetes-swagger", ("glob:/apis/*/v*alpha*/**", "glob:/apis/*/v*beta*/**")),
    Planned("digitalocean-tree"),
)
TWINS = ("2026-08-21-13c6a94fca", "2026-08-21-f85dbe223d")
"""Two commits that the corpus holds as JSON and as YAML."""


def find_file(family: str, name: str, at: int) -> Path:
    found = corpus.versions(family)
    return next(path for path in found if path.name.startswith(name)) if name else found[at]


def read_side(services: Services, family: str, path: Path) -> Input:
    """Two versions of a family are revisions of one resource, but for a tar file of several documents."""
    if path.name.endswith(".tar.zst"):
        return read_input_of(services, str(path))
    return Input(family + Path(path.name.removesuffix(".zst")).suffix, corpus.read(path), None)


def run(planned: Planned) -> dict[str, Any]:
    """Carries a run out in this process and says what it took and gave."""
    with tempfile.TemporaryDirectory() as folder, open_services(Settings(Path(folder)), create=True) as services:
        old = read_side(services, planned.family, find_file(planned.family, planned.old, 0))
        new = read_side(services, planned.family, find_file(planned.family, planned.new, -1))
        start, worked = time.perf_counter(), time.process_time()
        at: list[float] = []

        def news(_: StepNews) -> None:
            at.append(time.process_time())

        result = run_demo(services, old, new, planned.exclusions, news)
        spent = {"seconds": time.perf_counter() - start, "processor_seconds": time.process_time() - worked, "peak_bytes": peak_bytes()}
        return {**spent, "growth": growth_of(at), **judge(services, result)}


def growth_of(at: Sequence[float]) -> float:
    """Median processor time of a step in the last fifth of a run against that in the first fifth; 1 where there are too few to tell."""
    steps = [after - before for before, after in pairwise(at)]
    fifth = len(steps) // 5
    return statistics.median(steps[-fifth:]) / statistics.median(steps[:fifth]) if fifth >= 10 else 1.0


def peak_bytes() -> int:
    """Not ru_maxrss, which a process takes over from the one that started it."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def judge(services: Services, result: DemoResult) -> dict[str, Any]:
    """Every promise, counted: what was kept and what there was."""
    checked = services.store.checks.check_report(result.body)
    report = services.store.claims.get_report(result.report_id)
    rows = services.store.runs.list_projections(report.run)
    whole = sum(validate(input_of(row)["messages"], "openai") == () for row in rows)  # type: ignore[arg-type]
    return {
        "citations": [sum(one.ok for one in checked), len(checked)],
        "exchanges": [whole, len(rows)],
        "largest": max(row.used_tokens for row in rows),
        "cap": result.spent.cap,
        "steps": len(rows),
        "conclusions": sorted(
            [one.claim.standing, one.claim.aspect, one.claim.text, one.claim.pointer, *one.operations] for one in result.conclusions
        ),
    }


def measure(planned: Planned) -> dict[str, Any]:
    words = [sys.executable, "-m", "benchmarks.bench_runs", planned.family, planned.old, planned.new, *planned.exclusions]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, cwd=Path(__file__).parent.parent)
    found: dict[str, Any] = json.loads(done.stdout)
    said = f"{len(found['conclusions'])} conclusions in {found['steps']} steps, {found['seconds']:.0f} s by the clock"
    print(f"{planned.label}: {said}", file=sys.stderr)
    return found


def rows_of(planned: Planned, found: dict[str, Any]) -> list[Row]:
    name = planned.label
    (confirmed, cited), (whole, inputs) = found["citations"], found["exchanges"]
    return [
        Row(f"{name}: processor time against {MAX_SECONDS} s", found["processor_seconds"], MAX_SECONDS, Bound("<=", 1)),
        Row(f"{name}: peak memory against {MAX_BYTES // 1_000_000} MB, bytes", found["peak_bytes"], MAX_BYTES, Bound("<=", 1)),
        Row(f"{name}: processor time of a late step against an early one", found["growth"], 1, Bound("<=", 3)),
        Row(f"{name}: citations that the check confirms against all", confirmed, cited, ALL),
        Row(f"{name}: largest input against the cap, tokens", found["largest"], found["cap"], Bound("<=", 1)),
        Row(f"{name}: inputs with whole exchanges against all", whole, inputs, ALL),
    ]


def twin_row() -> Row:
    """The same two commits as JSON and as YAML: what both say against what either says."""
    said = [
        {tuple(one) for one in measure(Planned(family, old=TWINS[0], new=TWINS[1]))["conclusions"]}
        for family in ("openai-json", "openai-yaml")
    ]
    return Row("openai, two commits: conclusions of both spellings against all", len(said[0] & said[1]), len(said[0] | said[1]), ALL)


def main(words: Sequence[str]) -> int:
    if words:
        family, old, new, *exclusions = words
        print(json.dumps(run(Planned(family, tuple(exclusions), old, new))))
        return 0
    corpus.folder()
    planned = [one for one in LARGE if one.family == "openai-yaml"] if is_quick() else LARGE
    rows = [row for one in planned for row in rows_of(one, measure(one))]
    return publish("runs", rows if is_quick() else [*rows, twin_row()])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
