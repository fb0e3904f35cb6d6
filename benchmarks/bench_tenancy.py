"""How long an answer takes for what may not be seen, against the same request for what is not there: 500 tries of each by turns.

Over the application in this process, so that no network hides a difference. Each read of the description is asked for one thing with a
label that the caller lacks, one of another workspace, and one that there is not.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from starlette.testclient import TestClient

from benchmarks.table import Bound, Row, is_quick, publish
from tests.integration.tenancy import Prepared, Things, prepare, worlds
from tests.integration.tenancy_asks import Ask, asks, operations

N_TRIES = 40 if is_quick() else 500
WITHIN = 1.2
ALIKE = ("getHealth", "getReady", "getStats")
"""Reads that name nothing."""


def absent(theirs: Things) -> Things:
    """What is not there, in names of the same length."""
    return replace(
        theirs,
        resource="q" * len(theirs.resource),
        task=theirs.task if theirs.task.startswith("ours") else "q" * len(theirs.task),
        run=9,
        claim="C9",
        digest="sha256:" + "0" * 64,
        evidence="ev_" + "0" * (len(theirs.evidence) - 3),
        report="rp_" + "0" * (len(theirs.report) - 3),
        key="key_" + "0" * 12,
    )


def iter_pairs(prepared: Prepared, client: TestClient) -> Iterator[tuple[str, Ask, Ask]]:
    described = client.get("/v1/openapi.json").json()
    for operation, (method, path) in operations(described).items():
        if method != "GET" or operation in ALIKE or "{" not in path:
            continue
        for kind, theirs in (("hidden", prepared.hidden), ("foreign", prepared.foreign)):
            nothing = absent(theirs)
            there, not_there = (next(iter(asks(operation, method, path, one, one))) for one in (theirs, nothing))
            yield f"{operation}, {kind}", there, not_there


def timed(client: TestClient, ask: Ask) -> float:
    start = time.perf_counter()
    client.request(ask.method, ask.path, **ask.sent())
    return time.perf_counter() - start


def measure(client: TestClient, name: str, there: Ask, not_there: Ask) -> Row:
    for ask in (there, not_there) * 3:
        timed(client, ask)
    took: tuple[list[float], list[float]] = ([], [])
    for number in range(N_TRIES):
        sides = ((0, there), (1, not_there)) if number % 2 else ((1, not_there), (0, there))
        for side, ask in sides:
            took[side].append(timed(client, ask) * 1000)
    ours, other = (statistics.median(one) for one in took)
    # Either may be the slower one: what tells is the difference.
    return Row(f"{name}: median ms, the slower against the faster", max(ours, other), min(ours, other), Bound("<=", WITHIN))


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepared = prepare(folder)
        with worlds(prepared, folder, copied=False) as (world, _):
            rows = [measure(world.asker, *pair) for pair in iter_pairs(prepared, world.asker)]
    return publish("tenancy", rows)


if __name__ == "__main__":
    sys.exit(main())
