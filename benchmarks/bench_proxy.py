"""What `evidence mcp wrap` adds to a call: the SDK's client at one server, directly and through the proxy, by turns.

Every process is the other's equal but for the proxy; both connections are open all the time. What is added is the median of the
differences of neighbouring calls, so that a busy machine slows both sides of each.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from api.settings import whole_environment
from benchmarks.environments import ROOT
from benchmarks.table import Bound, Row, is_quick, publish

N_CALLS = 200 if is_quick() else 1000
N_SIDE_BY_SIDE = 32
ADDED_MS = 2.0
"""That the proxy may add to a call."""
SIZES = {"40 bytes": 40, "20 KB": 20_000}
LOG_BYTES = 1_000_000
UPSTREAM = (sys.executable, "-m", "benchmarks.mcp_upstream")
WRAP = (sys.executable, "-c", "import sys; from api.cli import main; sys.exit(main())", "mcp", "wrap")


@dataclass(frozen=True, slots=True)
class Pair:
    """Seconds of two calls made one after the other."""

    direct: float
    proxied: float


def client(words: Sequence[str]) -> Client:
    environment = dict(whole_environment()) | {"PYTHONPATH": str(ROOT)}
    return Client(StdioServerParameters(command=words[0], args=list(words[1:]), env=environment, cwd=ROOT), mode="legacy")


async def timed(one: Client, n_bytes: int, n_calls: int = 1) -> float:
    """Seconds that so many calls side by side take."""
    start = time.perf_counter()
    async with anyio.create_task_group() as tasks:
        for _ in range(n_calls):
            tasks.start_soon(one.call_tool, "lines", {"n_bytes": n_bytes})
    return time.perf_counter() - start


async def pairs_of(direct: Client, proxied: Client, n_bytes: int, n_pairs: int, n_calls: int = 1) -> list[Pair]:
    for one in (direct, proxied):
        await timed(one, n_bytes)
    return [Pair(await timed(direct, n_bytes, n_calls), await timed(proxied, n_bytes, n_calls)) for _ in range(n_pairs)]


def rows_of(name: str, pairs: Sequence[Pair], n_calls: int = 1) -> list[Row]:
    direct, proxied = (statistics.median(getattr(one, side) for one in pairs) * 1000 / n_calls for side in ("direct", "proxied"))
    added = statistics.median(one.proxied - one.direct for one in pairs) * 1000 / n_calls
    return [
        Row(f"call, {name}: through the proxy against directly, median ms", proxied, direct, None),
        Row(f"call, {name}: what the proxy adds against what it may, median ms", added, ADDED_MS, Bound("<=", 1.0)),
    ]


async def measure(store: str) -> list[Row]:
    rows: list[Row] = []
    async with client(UPSTREAM) as direct, client([*WRAP, "--store", store, "--", *UPSTREAM]) as proxied:
        for name, n_bytes in SIZES.items():
            rows += rows_of(name, await pairs_of(direct, proxied, n_bytes, N_CALLS))
        beside = await pairs_of(direct, proxied, 40, N_CALLS // N_SIDE_BY_SIDE, N_SIDE_BY_SIDE)
        rows += rows_of(f"{N_SIDE_BY_SIDE} side by side", beside, N_SIDE_BY_SIDE)
        offloaded = await pairs_of(direct, proxied, LOG_BYTES, 10)
    ours, other = (statistics.median(getattr(one, side) for one in offloaded) * 1000 for side in ("proxied", "direct"))
    return [*rows, Row("call, 1 MB, offloaded: through the proxy against directly, median ms", ours, other, None)]


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        rows: list[Row] = anyio.run(measure, folder)
    return publish("proxy", rows)


if __name__ == "__main__":
    sys.exit(main())
