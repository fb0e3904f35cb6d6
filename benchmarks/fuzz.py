"""Fuzzing of every reader: `make fuzz`, or `python -m benchmarks.fuzz [READER …] [--seconds N] [--jobs N]`.

Guided by coverage where `atheris` is installed (it is no dependency of ours), else by Hypothesis, blindly. Each reader runs in a
process of its own with a bound on its memory. A fault is recorded and the run goes on; inputs that gave one are kept under
`results/fuzz/`, the smallest of each fault, and `python -m benchmarks.fuzz READER --input FILE` runs one of them again.
"""

import argparse
import hashlib
import importlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.table import RESULTS

MAX_SECONDS = {"hypothesis": 2.0, "atheris": 6.0}
"""Of processor time for one input, by engine: code that is watched takes three times as long and more."""
MAX_HANG_SECONDS = 120
"""By the clock: what takes so long is ended from outside, also inside a library."""
MAX_MEMORY = 600 * 1024 * 1024
"""Of a whole process, the interpreter, the libraries and the fuzzer in it (about 120 MB)."""
MAX_INPUT_BYTES = 4096
REPEATED_BYTES = 100_000
"""One input in so many is repeated up to this length, so that time or memory that grows faster than the input shows."""
REPEATED_EVERY = 64
PACKAGES = ("evidence_store", "projector", "jsonpointer", "yaml")
UNWATCHED = [f"evidence_store.records.{path.stem}" for path in (Path(__file__).parent.parent / "evidence_store" / "records").glob("*.py")]
"""Their comparisons give SQL and no bool, and atheris never lets go of what a comparison gives."""
FOUND = RESULTS / "fuzz"


@dataclass
class Fault:
    """One way to fail: the exception and the line of ours that it came from."""

    what: str
    where: str
    n: int
    file: str
    size: int


@dataclass
class Run:
    """What came of fuzzing one reader."""

    reader: str
    engine: str
    n_inputs: int = 0
    n_refused: int = 0
    cpu_s: float = 0
    slowest_s: float = 0
    peak_bytes: int = 0
    faults: list[Fault] = field(default_factory=list)


class Worker:
    """Runs one reader until its time is over, then prints what came of it and ends the process."""

    def __init__(self, reader: str, seconds: float, engine: str, target: Any, refused: type[Exception]) -> None:
        self._act, self._n_switches, self._refused = target.act, target.n_switches, refused
        self._end, self._max_s = time.process_time() + seconds, MAX_SECONDS[engine]
        self._run = Run(reader, engine)
        self._faults: dict[tuple[str, str], Fault] = {}

    def take(self, data: bytes) -> None:
        """One input."""
        started = time.process_time()
        if started > self._end:
            self.finish()
        self._run.n_inputs += 1
        if self._run.n_inputs % REPEATED_EVERY == 0:
            data = repeated(data, self._n_switches, in_halves=self._run.n_inputs % (2 * REPEATED_EVERY) == 0)
        try:
            self._act(data)
        except self._refused:
            self._run.n_refused += 1
        except Exception as exc:
            self._record(f"{type(exc).__name__}: {str(exc)[:120]}", place_of(exc), data)
        took = time.process_time() - started
        self._run.slowest_s = max(self._run.slowest_s, took)
        if took > self._max_s:
            self._record("too slow", f"over {self._max_s} s", data)

    def _record(self, what: str, where: str, data: bytes) -> None:
        key = (what.partition(":")[0], where)
        known = self._faults.get(key)
        if known is None or len(data) < known.size:
            FOUND.mkdir(parents=True, exist_ok=True)
            path = FOUND / f"{self._run.reader}-{hashlib.sha256(repr(key).encode()).hexdigest()[:10]}.bin"
            path.write_bytes(data)
            known = self._faults[key] = Fault(what, where, known.n if known else 0, path.name, len(data))
        known.n += 1

    def finish(self) -> None:
        self._run.faults = list(self._faults.values())
        self._run.cpu_s, self._run.peak_bytes = time.process_time(), peak_bytes()
        print(f"\n{MARK}{json.dumps(asdict(self._run))}", flush=True)
        # Neither the fuzzer nor Hypothesis ends on a word; nothing is left to be written.
        os._exit(0)


MARK = "fuzz: "


def repeated(data: bytes, n_switches: int, *, in_halves: bool) -> bytes:
    """A long input of the same kind: all of it again and again, or first its first half and then its second (`[[[[1,1,1,`)."""
    before, inside = data[:n_switches], data[n_switches:]
    n = REPEATED_BYTES // max(1, len(inside))
    middle = len(inside) // 2
    return before + (inside[:middle] * n + inside[middle:] * n if in_halves else inside * n)


def place_of(exc: Exception) -> str:
    """The innermost frame of ours, beside the promise that was broken where it was one."""
    frames = [frame for frame in traceback.extract_tb(exc.__traceback__) if any(name in frame.filename for name in PACKAGES[:2])]
    innermost = frames[-1] if frames else traceback.extract_tb(exc.__traceback__)[-1]
    promise = f" ({exc})" if isinstance(exc, AssertionError) else ""
    return f"{Path(innermost.filename).name}:{innermost.lineno} {innermost.name}{promise}"


def peak_bytes() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def work(reader: str, seconds: float) -> None:
    """Fuzzes one reader in this process, which then ends."""
    atheris = find_atheris()
    if atheris is None:
        target = load(reader)
        blindly(Worker(reader, seconds, "hypothesis", target, refusal()), target)
        return
    with atheris.instrument_imports(include=list(PACKAGES), exclude=UNWATCHED):
        target = load(reader)
    worker = Worker(reader, seconds, "atheris", target, refusal())
    with tempfile.TemporaryDirectory() as folder:
        seeds = Path(folder) / "seeds"
        seeds.mkdir()
        for n, seed in enumerate(target.seeds()):
            (seeds / str(n)).write_bytes(seed)
        words = Path(folder) / "words"
        words.write_text("".join(map(format_word, target.pieces)), encoding="ascii")
        options = [
            f"-dict={words}", f"-max_len={MAX_INPUT_BYTES}", f"-rss_limit_mb={MAX_MEMORY >> 20}", f"-timeout={MAX_HANG_SECONDS}",
            f"-report_slow_units={MAX_HANG_SECONDS}",
            f"-artifact_prefix={FOUND}/{reader}-crash-", "-verbosity=0", "-print_final_stats=0", "-len_control=50",
        ]  # fmt: skip
        FOUND.mkdir(parents=True, exist_ok=True)
        atheris.Setup([sys.argv[0], *options, str(seeds)], worker.take)
        atheris.Fuzz()


def format_word(piece: bytes) -> str:
    """A piece as a line of libFuzzer's dictionary."""
    return '"' + "".join(f"\\x{byte:02x}" for byte in piece) + '"\n'


def find_atheris() -> Any:
    try:
        return importlib.import_module("atheris")
    except ImportError:
        return None


def load(reader: str) -> Any:
    return importlib.import_module("benchmarks.fuzz_targets").TARGETS[reader]


def refusal() -> type[Exception]:
    found: type[Exception] = importlib.import_module("evidence_store.errors").EvidenceStoreError
    return found


def blindly(worker: Worker, target: Any) -> None:
    """Inputs put together from the pieces and the seeds, without a look at what they reach."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import strategies as st

    resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY, MAX_MEMORY))
    made = st.lists(st.sampled_from(list(target.pieces)) | st.binary(max_size=8), max_size=40).map(b"".join)
    front = st.binary(min_size=target.n_switches, max_size=target.n_switches)

    @settings(max_examples=2_000, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(st.tuples(front, made | st.binary(max_size=200)).map(b"".join) | st.sampled_from(target.seeds()))
    def one(data: bytes) -> None:
        worker.take(data)

    while True:
        one()


def start(reader: str, seconds: float) -> Run:
    """One reader in a process of its own. A process that ends without an answer is a fault: a hang, its memory, a crash."""
    command = [sys.executable, "-m", "benchmarks.fuzz", reader, "--worker", "--seconds", str(seconds)]
    # What the process leaves behind goes with the folder: it ends where it stands.
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        done = subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
            errors="replace",
            env={**os.environ, "TMPDIR": folder},
            preexec_fn=lambda: os.nice(10),
        )
    answer = next((line for line in reversed(done.stdout.splitlines()) if line.startswith(MARK)), None)
    if answer is None:
        tail = " ".join(done.stderr.split()[-60:])
        return Run(reader, "?", faults=[Fault(f"the process ended with {done.returncode}", tail, 1, "", 0)])
    found = json.loads(answer.removeprefix(MARK))
    return Run(**{**found, "faults": [Fault(**fault) for fault in found["faults"]]})


def format_runs(runs: Sequence[Run]) -> str:
    lines = ["| reader | engine | inputs | refused | processor s | slowest s | peak MB | faults |"]
    lines.append("|---|---|---:|---:|---:|---:|---:|---:|")
    for run in runs:
        cost = f"{run.cpu_s:.0f} | {run.slowest_s:.2f} | {run.peak_bytes / 1e6:.0f}"
        lines.append(f"| {run.reader} | {run.engine} | {run.n_inputs} | {run.n_refused} | {cost} | {len(run.faults)} |")
    n_inputs, cpu_s, n_faults = (sum(column) for column in zip(*((r.n_inputs, r.cpu_s, len(r.faults)) for r in runs), strict=True))
    lines.append(f"| all | | {n_inputs} | {sum(run.n_refused for run in runs)} | {cpu_s:.0f} | | | {n_faults} |")
    for run in runs:
        lines += [f"- {run.reader}: {fault.what}, {fault.n} times, at {fault.where}; {fault.file}" for fault in run.faults]
    return "\n".join(lines)


def again(reader: str, path: Path) -> int:
    """One kept input, with the exception as it comes."""
    try:
        load(reader).act(path.read_bytes())
    except refusal() as exc:
        print(f"refused: {exc}")
    return 0


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.fuzz", description="Fuzz the readers.")
    parser.add_argument("readers", nargs="*", metavar="READER", help="all by default")
    parser.add_argument("--seconds", type=float, default=125, help="processor time for each reader")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--input", type=Path, help="run this one input again")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(words)
    if given.worker:
        work(given.readers[0], given.seconds)
        return 1
    known: Mapping[str, object] = importlib.import_module("benchmarks.fuzz_targets").TARGETS
    unknown = set(given.readers) - set(known)
    if unknown:
        parser.error(f"no readers: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    if given.input:
        return again(given.readers[0], given.input)
    runs: list[Run] = []
    with ThreadPoolExecutor(given.jobs) as pool:
        for run in pool.map(lambda reader: start(reader, given.seconds), given.readers or known):
            print(f"fuzz: {run.reader}: {run.n_inputs} inputs, {len(run.faults)} faults", file=sys.stderr, flush=True)
            runs.append(run)
    print(format_runs(runs))
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "fuzz.json").write_text(json.dumps([asdict(run) for run in runs], indent=1) + "\n", encoding="utf-8")
    return 1 if any(run.faults for run in runs) else 0


if __name__ == "__main__":
    sys.exit(main())
