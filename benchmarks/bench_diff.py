"""Our `diff` against `redocly diff`: every place that it cites lies in a pair of ours, and what both cost.

A cited place lies in a pair when it is at or inside the changed place of its side, or the change is at or inside it; where a pair has
nothing on that side, the container that lacks it counts as the place of the change. Both follow references. A cited place that lies in no
pair must stand unchanged in the other version: redocly also pairs what has other names, such as one parameter with another, and then
cites places of which nothing changed; and it cites lists of required names in another order, which are sets. Documents: the demo pair and
the first and last version of three families (needs Node.js, and a corpus: CORPUS=…).
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from benchmarks import corpus
from benchmarks.redocly import Place, ToolMissing, install, parse_place, run_diff
from benchmarks.table import Bound, Row, is_quick, publish
from evidence_store.documents.detect import detect, open_document
from evidence_store.locate import locate
from evidence_store.model import Currency

ROOT = Path(__file__).parent.parent
AIRFLOW = ROOT / "build" / "airflow"
FAMILIES = ("discord-json",) if is_quick() else ("box-json", "discord-json", "adyen-checkout")

Side = Literal["old", "new"]


@dataclass(frozen=True, slots=True)
class Compared:
    """Two documents on disk."""

    name: str
    old: Path
    new: Path


@dataclass(frozen=True, slots=True)
class Cost:
    seconds: float
    """Of the whole process, its start included."""
    peak_bytes: int


@dataclass(frozen=True, slots=True)
class Citation:
    """A place that redocly names on one side."""

    side: Side
    pointer: str
    kind: str


@dataclass(frozen=True, slots=True)
class Result:
    compared: Compared
    n_cited: int
    n_pairs: int
    n_stored_pairs: int
    """Without those behind references."""
    unchanged: tuple[Citation, ...]
    """In no pair, and the same in the other version."""
    missed: tuple[Citation, ...]
    """In no pair, and not the same."""
    ours: Cost
    stored: Cost
    theirs: Cost


OURS = """
import json, sys
from pathlib import Path
from evidence_store.diff import diff
from evidence_store.documents.detect import detect, inspect, open_document
def load(name):
    raw = Path(name).read_bytes()
    found = inspect(raw, detect(raw, name))
    return open_document(raw, found.format, found.notes)
pairs = diff(load(sys.argv[1]), load(sys.argv[2]), follow=True).pairs
json.dump([[pair.old, pair.new, pair.absent] for pair in pairs], sys.stdout)
"""
"""Reads both files as they are taken in, with every check, and compares them, also behind references that changed."""

STORED = """
import json, sys
from pathlib import Path
from evidence_store.excerpts import NoLimit
from evidence_store.store import init_store, open_store
from evidence_store.store.put_request import PutRequest
init_store(Path(sys.argv[3]))
with open_store(Path(sys.argv[3])) as store:
    for name in sys.argv[1:3]:
        store.sources.put(PutRequest("spec", file_name=name), [Path(name).read_bytes()])
    answer = store.comparisons.diff(("spec", 1), ("spec", 2), None, 1_000_000, NoLimit())
    sides = [[side and side.selector.text for side in (pair.old, pair.new, pair.absent)] for pair in answer.pairs]
    json.dump(sides, sys.stdout)
"""
"""Takes both files into a new store and gives every pair as evidence, quoted on both sides."""


class PeakOfChildren:
    """The most memory that any process below this one had, while it is watched."""

    def __init__(self) -> None:
        self.peak_bytes = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> "PeakOfChildren":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(0.01):
            self.peak_bytes = max([self.peak_bytes, *map(peak_of, descendants(os.getpid()))])


def descendants(process: int) -> list[int]:
    found = []
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children = path.read_text().split()
        except OSError:
            continue
        for child in map(int, children):
            found += [child, *descendants(child)]
    return found


def peak_of(process: int) -> int:
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM")), 0)


def cost_of(action: Callable[[], object]) -> Cost:
    with PeakOfChildren() as watch:
        started = time.perf_counter()
        action()
        took = time.perf_counter() - started
    return Cost(took, watch.peak_bytes)


def read_citations(answer: Any) -> Sequence[Citation]:
    """Every place that the changes of `redocly diff` name, of any impact."""
    found: dict[Citation, None] = {}
    for change in answer["changes"]:
        sides: tuple[tuple[Side, Place | None], ...] = (
            ("old", parse_place(change.get("base"))),
            ("new", parse_place(change.get("revision"))),
        )
        for side, place in sides:
            if place is not None:
                found[Citation(side, place.pointer, change["kind"])] = None
    return tuple(found)


class Covered:
    """The places of our pairs on one side."""

    def __init__(self, pairs: Iterable[Sequence[str | None]], side: Side) -> None:
        self._changed: set[str] = set()
        self._above: set[str] = set()
        for old, new, absent in pairs:
            mine = old if side == "old" else new
            if mine is not None:
                self._changed.add(mine)
            place = absent if mine is None else mine
            if place is not None:
                self._above.update(prefixes(place))

    def holds(self, pointer: str) -> bool:
        return pointer in self._above or any(prefix in self._changed for prefix in prefixes(pointer))


def prefixes(pointer: str) -> Iterable[str]:
    """The place and all above it."""
    tokens = pointer.split("/")
    return ("/".join(tokens[:n]) for n in range(1, len(tokens) + 1))


def run_python(code: str, words: Sequence[str]) -> Any:
    done = subprocess.run([sys.executable, "-c", code, *words], check=True, stdout=subprocess.PIPE, cwd=ROOT)
    return json.loads(done.stdout)


def compare(compared: Compared, program: Path, folder: Path) -> Result:
    answers: dict[str, Any] = {}
    output = folder / f"{compared.name}.json"
    paths = [str(compared.old), str(compared.new)]
    theirs = cost_of(lambda: run_diff(program, compared.old, compared.new, output))
    ours = cost_of(lambda: answers.update(pairs=run_python(OURS, paths)))
    stored = cost_of(lambda: answers.update(stored=run_python(STORED, [*paths, str(folder / f"{compared.name}-store")])))
    pairs, stored_pairs = answers["pairs"], answers["stored"]
    if not set(map(tuple, stored_pairs)) <= set(map(tuple, pairs)):
        raise AssertionError(f"{compared.name}: the store gives other pairs")
    sides: dict[Side, Covered] = {"old": Covered(pairs, "old"), "new": Covered(pairs, "new")}
    citations = read_citations(json.loads(output.read_bytes()))
    left = [one for one in citations if not sides[one.side].holds(one.pointer)]
    unchanged = find_unchanged(compared, left)
    missed = tuple(one for one in left if one not in unchanged)
    return Result(compared, len(citations), len(pairs), len(stored_pairs), unchanged, missed, ours, stored, theirs)


def find_unchanged(compared: Compared, citations: Sequence[Citation]) -> tuple[Citation, ...]:
    """Those whose place holds the same value in the other version."""
    old, new = (open_document(path.read_bytes(), detect(b"", path.name).format) for path in (compared.old, compared.new))
    sides = {"old": (old, new), "new": (new, old)}
    found = []
    for one in citations:
        here, there = sides[one.side]
        if locate(here, one.pointer, there).verdict in (Currency.SAME, Currency.MOVED):
            found.append(one)
    return tuple(found)


def documents(folder: Path) -> Sequence[Compared]:
    found = [Compared("airflow", AIRFLOW / "airflow-core-3.0.0.yaml", AIRFLOW / "airflow-core-3.1.0.yaml")]
    for family in FAMILIES:
        sides = []
        for path in (corpus.versions(family)[0], corpus.versions(family)[-1]):
            sides.append(folder / f"{family}-{path.name.removesuffix('.zst')}")
            sides[-1].write_bytes(corpus.read(path))
        found.append(Compared(family, *sides))
    return found


def rows_of(result: Result) -> Sequence[Row]:
    name, n_unchanged = result.compared.name, len(result.unchanged)
    n_sets = sum(one.pointer.endswith("/required") for one in result.unchanged)
    n_inside = result.n_cited - n_unchanged - len(result.missed)
    without = f"without {n_unchanged - n_sets} unchanged ones and {n_sets} sets in another order"
    evidence = f"{name}: two puts and {result.n_stored_pairs} pairs as evidence against redocly's diff"
    return [
        Row(f"{name}: cited places in one of {result.n_pairs} pairs, or unchanged", n_inside + n_unchanged, result.n_cited, Bound("==", 1)),
        Row(f"{name}: cited places in a pair, {without}", n_inside, result.n_cited - n_sets, Bound(">=", 0.95)),
        Row(f"{name}: diff as a whole process against redocly's, s", result.ours.seconds, result.theirs.seconds, Bound("<=", 1)),
        Row(f"{name}: peak memory of that, bytes", result.ours.peak_bytes, result.theirs.peak_bytes, Bound("<=", 1)),
        # Redocly writes nothing; we write up to two records for each pair, in one transaction.
        Row(f"{evidence}, s", result.stored.seconds, result.theirs.seconds, Bound("<=", 10)),
        Row(f"{name}: peak memory of that, bytes", result.stored.peak_bytes, result.theirs.peak_bytes, Bound("<=", 1)),
    ]


def main() -> int:
    try:
        program = install(ROOT / "build" / "redocly")
    except ToolMissing as error:
        print(f"bench-diff: {error}", file=sys.stderr)
        return 1
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        for compared in documents(Path(name)):
            result = compare(compared, program, Path(name))
            for missed in result.missed[:20]:
                print(
                    f"bench-diff: {compared.name}: {missed.side} {missed.pointer} ({missed.kind}) changed and lies in no pair",
                    file=sys.stderr,
                )
            rows += rows_of(result)
    return publish("diff", rows)


if __name__ == "__main__":
    sys.exit(main())
