"""Requests generated from the description of HTTP by schemathesis, to a served store with real things in it: no 5xx, nothing undocumented.

`python -m benchmarks.fuzz_http [N]`: at most N examples of each kind for each operation. Schemathesis has an environment of its own.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from api.app import create_app
from api.settings import Settings
from api.wiring import open_services
from benchmarks.environments import EnvironmentMissing, environment_of, is_made, make_environment
from tests.integration.http_server import served
from tests.unit.api.routes.sample import make_sample

WANTED, FOLDER = environment_of("http", "schemathesis")
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
N_EXAMPLES = 40
LEAST_REQUESTS = 5000
SEED = 20_261_130
_MADE = re.compile(r"^\s*(\d+) generated", re.MULTILINE)


def is_ready() -> bool:
    return is_made(WANTED, FOLDER)


def run(folder: Path, n_examples: int, *phases: str) -> "subprocess.CompletedProcess[str]":
    """One run of schemathesis over a store that it may change."""
    make_sample(folder)
    options = ["--phases", ",".join(phases), "-n", str(n_examples), "--seed", str(SEED), "--no-shrink", "--continue-on-failure", "-w", "2"]
    with open_services(Settings(folder)) as services, served(create_app(services, unauthenticated=True)) as base:
        words = [str(FOLDER / "bin" / "schemathesis"), "run", f"{base}/v1/openapi.json", "-c", CHECKS, *options]
        return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


def count_requests(done: "subprocess.CompletedProcess[str]") -> int:
    found = _MADE.search(done.stdout)
    return 0 if found is None else int(found[1])


def main() -> int:
    n_examples = int(sys.argv[1]) if len(sys.argv) > 1 else N_EXAMPLES
    try:
        make_environment(WANTED, FOLDER, "--require-hashes")
    except EnvironmentMissing as why:
        print(f"schemathesis {why}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        done = run(Path(folder), n_examples, "examples", "coverage", "fuzzing", "stateful")
    print(done.stdout, done.stderr)
    n_requests = count_requests(done)
    print(f"{n_requests} requests, {LEAST_REQUESTS} wanted")
    return done.returncode or (0 if n_requests >= LEAST_REQUESTS else 1)


if __name__ == "__main__":
    sys.exit(main())
