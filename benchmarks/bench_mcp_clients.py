"""Whether clients of MCP that are not ours list the tools, read a specification, fetch the evidence and page through 250 resources.

Each is a process in an environment of its own, at our server over stdio and over HTTP; what it recorded has to trace to the bytes.
`python -m benchmarks.bench_mcp_clients [CLIENT…]` makes what is missing of the environments; it ends with 1 where one does not hold.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from api.settings import Settings
from api.wiring import open_services
from benchmarks.environments import ROOT, EnvironmentMissing, environment_of, is_made, make_environment
from benchmarks.mcp_clients.client import CLIENTS
from evidence_store.model import ResourceName
from evidence_store.store.put_request import PutRequest
from evidence_store.trace import trace

WAYS = ("stdio", "http", "wrapped")
"""The last: our proxy (`evidence mcp wrap`) over stdio, before our server over stdio."""
N_RESOURCES = 250
EVIDENCE = ("-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); from api.cli import main; sys.exit(main())")
SERVE = (*EVIDENCE, "mcp", "serve", "--recording")
PROXYS = ("evidence_get_evidence", "read", "evidence_search")
TIMEOUT_S = 120


@dataclass(frozen=True, slots=True)
class Seen:
    """How a client got on."""

    client: str
    way: str
    faults: tuple[str, ...]


def is_ready(client: str) -> bool:
    """Whether its environment is there."""
    return is_made(*environment_of("clients", client))


def fill(folder: Path) -> None:
    """A store with 250 resources, one of them a specification."""
    with open_services(Settings(folder), create=True) as services:
        put = services.store.sources.put
        put(PutRequest(ResourceName("stable-v2/openapi.json")), [b'{"limit": {"maximum": 50}}\n'])
        for n in range(N_RESOURCES - 1):
            put(PutRequest(ResourceName(f"more/{n:03}.json")), [b'{"n": %d}\n' % n])


def try_client(client: str, way: str, folder: Path) -> Seen:
    """Raises EnvironmentMissing."""
    python = make_environment(*environment_of("clients", client), "--require-hashes")
    with server(way, folder) as address:
        words = [str(python), "-m", "benchmarks.mcp_clients.client", client, json.dumps(address)]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    if done.returncode != 0:
        return Seen(client, way, tuple(done.stderr.strip().splitlines()[-1:]) or ("it said nothing",))
    return Seen(client, way, tuple(iter_faults(json.loads(done.stdout.splitlines()[-1]), folder)))


def iter_faults(saw: dict[str, Any], folder: Path) -> Iterator[str]:
    wanted = {"excerpt": "50", "same": True, "standing": "verified", "n_resources": N_RESOURCES}
    yield from (f"{name} is {saw[name]!r}" for name, value in wanted.items() if saw[name] != value)
    # Those of the proxy stand behind the upstream's.
    tools = [name for name in saw["tools"] if name not in PROXYS]
    if tools != sorted(tools) or not {"read_spec", "get_evidence", "record_claim"} <= set(tools):
        yield f"tools are {saw['tools']}"
    with open_services(Settings(folder)) as services:
        if not trace(services.store, saw["claim"]).ok:
            yield f"{saw['claim']} does not trace to the bytes"


@contextmanager
def server(way: str, folder: Path) -> Iterator[dict[str, Any]]:
    """What a client needs to know: the command to start, or the address of a server that runs."""
    arguments = [*SERVE, "--store", str(folder)]
    if way == "stdio":
        yield {"command": sys.executable, "args": arguments}
        return
    if way == "wrapped":
        wrap = [*EVIDENCE, "mcp", "wrap", "--store", str(folder / "wrapping"), "--", sys.executable]
        yield {"command": sys.executable, "args": [*wrap, *arguments]}
        return
    process = subprocess.Popen([sys.executable, *arguments, "--http", "0"], cwd=ROOT, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        yield {"url": process.stderr.readline().split(" on ")[1].split(" ")[0]}
    finally:
        process.terminate()
        process.communicate()


def main(words: Sequence[str]) -> int:
    ok = True
    for client in words or CLIENTS:
        for way in WAYS:
            with TemporaryDirectory() as folder:
                fill(Path(folder))
                try:
                    found = try_client(client, way, Path(folder))
                except EnvironmentMissing as why:
                    found = Seen(client, way, (str(why),))
            ok &= not found.faults
            print(f"{client} {way}: {'; '.join(found.faults) or 'ok'}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
