"""Start of the command line: `evidence resources` as a whole process, against importing the database library it stands on."""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

from benchmarks.table import Bound, Row, is_quick, publish

N_RUNS = 10 if is_quick() else 30


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        evidence = [sys.executable, "-c", "import sys; from api.cli import main; sys.exit(main())", "--store", folder]
        subprocess.run([*evidence, "init"], check=True, capture_output=True)
        library = [sys.executable, "-c", "import sqlalchemy.dialects.sqlite"]
        pairs = [(wall(library), wall([*evidence, "resources"])) for _ in range(N_RUNS)]
    ours, other = statistics.median(b for _, b in pairs), statistics.median(a for a, _ in pairs)
    return publish("start", [Row("evidence resources against import sqlalchemy.dialects.sqlite, s", ours, other, Bound("<=", 1.5))])


def wall(words: Sequence[str]) -> float:
    start = time.perf_counter()
    subprocess.run(words, check=True, capture_output=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
