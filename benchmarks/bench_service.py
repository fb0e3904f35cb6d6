"""What the server costs: CPU time of its process for each request against a bare Starlette route that reads the same row, and its memory.

Both servers are uvicorn in processes of their own, over the same store, asked by turns over one connection each. CPU time and
memory are those of the server's process, as the kernel counts them (`/proc`).
"""

import asyncio
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote

import orjson

from api.settings import Settings
from api.wiring import open_services
from benchmarks.table import Bound, Row, is_quick, publish
from evidence_store.access import Grant
from evidence_store.excerpts import NoLimit
from evidence_store.model import ResourceName, Selector
from evidence_store.store.keys import KeyRequest
from evidence_store.store.passages import Place
from evidence_store.store.put_request import PutRequest

N_IDS = 1000
N_GETS = 1000 if is_quick() else 4000
N_ROUNDS = 4
N_BATCHES = 20 if is_quick() else 80
BATCH = 100
UPLOAD_MB, UPLOAD_MOST_MB = 200, 80
BLOB_MB = 62
N_READS = 1000
READ_BYTES = 1024 * 1024
GROWTH_MOST = 1.05
SPEC, LOG, BLOB = ResourceName("orders/openapi.json"), ResourceName("orders/run.log"), ResourceName("orders/dump.bin")
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Stored:
    folder: Path
    secret: str
    ids: tuple[str, ...]
    blob: str


@dataclass(frozen=True, slots=True)
class Server:
    """A server and the one connection over which it is asked."""

    pid: int
    port: int
    connection: HTTPConnection
    headers: dict[str, str]

    def get(self, path: str) -> bytes:
        return self._ask("GET", path, None)

    def post(self, path: str, body: bytes) -> bytes:
        return self._ask("POST", path, body)

    def _ask(self, method: str, path: str, body: bytes | None) -> bytes:
        self.connection.request(method, path, body, self.headers | {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        raw = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{method} {path}: {answer.status} {raw[:200]!r}")
        return raw

    def cpu_s(self) -> float:
        """Seconds of CPU time that its process has had."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def memory_mb(self, what: str = "VmRSS") -> float:
        """`VmRSS` is what is resident now, `VmHWM` the most that was since `forget_peak`."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(f"{what}:")) / 1024

    def forget_peak(self) -> None:
        Path(f"/proc/{self.pid}/clear_refs").write_text("5")


def make_store(folder: Path) -> Stored:
    """A document and a log with 500 evidences each, and a blob."""
    members = {f"operation_{n}": {"summary": f"Get the orders of customer {n}", "maximum": n, "tags": ["orders"] * 8} for n in range(N_IDS)}
    lines = "".join(f"2026-11-30T12:00:{n % 60:02}Z worker-{n % 7} took {n} ms for order {n * 7919}\n" for n in range(20 * N_IDS))
    with open_services(Settings(folder), create=True) as services:
        store = services.store
        blob = random.Random(62).randbytes(BLOB_MB * 1024 * 1024)
        store.sources.put(PutRequest(SPEC), [orjson.dumps(members)])
        store.sources.put(PutRequest(LOG), [lines.encode()])
        digest = store.sources.put(PutRequest(BLOB), [blob]).revision.digest
        half = N_IDS // 2
        places = [Place(SPEC, 1, Selector("pointer", f"/operation_{n}")) for n in range(half)]
        places += [Place(LOG, 1, Selector("lines", f"{20 * n + 1}-{20 * n + 5}")) for n in range(half)]
        ids = tuple(one.id for one in store.passages.read_all(places, NoLimit()))
        secret = store.keys.create(KeyRequest("bench", frozenset({Grant.EVIDENCE_READ, Grant.EVIDENCE_WRITE})), "bench").secret
    return Stored(folder, secret, ids, digest)


@contextmanager
def serving(side: str, stored: Stored) -> Iterator[Server]:
    words = [sys.executable, "-m", "benchmarks.service_side", side, str(stored.folder)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline())
            connection = HTTPConnection("127.0.0.1", port)
            yield Server(process.pid, port, connection, {"Authorization": f"Bearer {stored.secret}"})
            connection.close()
        finally:
            process.terminate()


def cost_ms(server: Server, act: Callable[[], None], n_times: int) -> float:
    """CPU time of the server for one of `n_times`, all of which `act` asks for."""
    server.connection.close()  # idle ones are dropped by the server
    before = server.cpu_s()
    act()
    return (server.cpu_s() - before) * 1000 / n_times


def asking(server: Server, ids: Sequence[str]) -> Callable[[], None]:
    def act() -> None:
        for id_ in ids:
            server.get(f"/v1/evidence/{id_}")

    return act


def resolving(server: Server, batches: Sequence[Sequence[str]]) -> Callable[[], None]:
    def act() -> None:
        for ids in batches:
            server.post("/v1/evidence:resolve", orjson.dumps({"ids": list(ids)}))

    return act


def by_turns(ours: Server, other: Server, ids: Sequence[str]) -> tuple[float, float]:
    """Milliseconds of both for each of these, asked in rounds."""
    step = len(ids) // N_ROUNDS
    sums = [0.0, 0.0]
    for start in range(0, len(ids), step):
        for place, server in enumerate((ours, other)):
            sums[place] += cost_ms(server, asking(server, ids[start : start + step]), len(ids))
    return sums[0], sums[1]


def request_rows(ours: Server, other: Server, stored: Stored) -> list[Row]:
    chance = random.Random(1)
    for server in (ours, other):
        asking(server, stored.ids[:1] * 200)()
    first = by_turns(ours, other, stored.ids)
    batches = [chance.sample(stored.ids, BATCH) for _ in range(N_BATCHES)]
    same = by_turns(ours, other, stored.ids[:1] * N_GETS)
    # As it is once the server has been asked for each of them; in the row before it was not.
    cost_ms(ours, resolving(ours, [stored.ids[start : start + BATCH] for start in range(0, N_IDS, BATCH)]), 1)
    random_ids = by_turns(ours, other, chance.choices(stored.ids, k=N_GETS))
    batch = cost_ms(ours, resolving(ours, batches), N_BATCHES)
    return [
        Row("GET one evidence, the same again: against the bare route, CPU ms", *same, Bound("<=", 2.0)),
        Row("GET one evidence, by chance among 1 000: against the bare route, CPU ms", *random_ids, Bound("<=", 2.0)),
        Row("GET one evidence, for the first time: against the bare route, CPU ms", *first, None),
        Row("resolve 100 at once, by chance among 1 000: against GET of one, CPU ms", batch, random_ids[0], Bound("<=", 10.0)),
    ]


def cold_rows(stored: Stored) -> list[Row]:
    """Of a server that was just started."""
    chance = random.Random(2)
    ids = chance.sample(stored.ids, N_IDS)
    with serving("ours", stored) as ours:
        ours.get("/v1/evidence/" + ids[0])
        ours.post("/v1/evidence:resolve", orjson.dumps({"ids": [ids[0]]}))
        one = cost_ms(ours, asking(ours, ids[:500]), 500)
        batch = cost_ms(ours, resolving(ours, [ids[start : start + BATCH] for start in range(500, N_IDS, BATCH)]), 5)
    return [Row("resolve 100 at once, all for the first time: against GET of one for the first time, CPU ms", batch, one, None)]


def upload_row(ours: Server) -> Row:
    piece = random.Random(200).randbytes(1024 * 1024)
    size = UPLOAD_MB * 1024 * 1024

    def pieces() -> Iterator[bytes]:
        for n in range(UPLOAD_MB):
            yield n.to_bytes(4, "big") + piece[4:]

    connection = HTTPConnection("127.0.0.1", ours.port)
    headers = ours.headers | {"Content-Length": str(size), "Content-Type": "application/octet-stream"}
    ours.forget_peak()
    connection.request("POST", f"/v1/resources/{quote('orders/upload.bin', safe='')}/revisions?format=bytes", pieces(), headers)
    answer = connection.getresponse()
    if answer.status != 201:
        raise RuntimeError(f"upload: {answer.status} {answer.read()!r}")
    answer.read()
    connection.close()
    return Row(f"upload of {UPLOAD_MB} MB: most that was resident, MB", ours.memory_mb("VmHWM"), UPLOAD_MOST_MB, Bound("<=", 1.0))


async def read_all(ours: Server, stored: Stored) -> None:
    """So many reads, all of them begun before the first one is read to its end."""
    chance, begun = random.Random(62), asyncio.Barrier(N_READS)

    async def read(start: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", ours.port)
        last = start + READ_BYTES - 1
        lines = (f"GET /v1/blobs/{stored.blob} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: {ours.headers['Authorization']}")
        writer.write("\r\n".join((*lines, f"Range: bytes={start}-{last}", "Connection: close", "", "")).encode())
        head = await reader.readuntil(b"\r\n\r\n")
        await begun.wait()
        n_bytes = 0
        while piece := await reader.read(64 * 1024):
            n_bytes += len(piece)
        writer.close()
        if b" 206 " not in head.partition(b"\r\n")[0] or n_bytes != READ_BYTES:
            raise RuntimeError(f"read: {head[:80]!r}, {n_bytes} bytes")

    async with asyncio.TaskGroup() as tasks:
        for _ in range(N_READS):
            tasks.create_task(read(chance.randrange(BLOB_MB * 1024 * 1024 - READ_BYTES)))


def read_rows(ours: Server, stored: Stored) -> list[Row]:
    peaks = []
    for _ in range(2 if is_quick() else 4):
        ours.forget_peak()
        asyncio.run(read_all(ours, stored))
        peaks.append(ours.memory_mb("VmHWM"))
    line = f"{N_READS} reads in flight on a blob of {BLOB_MB} MB: most that was resident in the last round against the first, MB"
    return [Row(line, peaks[-1], peaks[0], Bound("<=", GROWTH_MOST))]


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        stored = make_store(Path(folder))
        with serving("ours", stored) as ours, serving("bare", stored) as other:
            rows = request_rows(ours, other, stored)
        rows += cold_rows(stored)
        with serving("ours", stored) as ours:
            rows.append(upload_row(ours))
        with serving("ours", stored) as ours:
            rows += read_rows(ours, stored)
    return publish("service", rows)


if __name__ == "__main__":
    sys.exit(main())
