"""A server that is killed at random moments while clients upload, claim and project; and what has to hold of its store afterwards.

`python -m benchmarks.killed_service FOLDER` is where the servers come from: for each line on stdin, the path of a store, it forks one,
which says `PID PORT` on stdout. What a server needs is loaded once, and a kill leaves nothing of its process.
"""

import hashlib
import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from signal import SIGKILL
from typing import Any, Literal

from api.settings import Settings, whole_environment
from api.wiring import open_services
from benchmarks.environments import ROOT
from evidence_store.canonical import digest_of

Kind = Literal["upload", "claim", "projection"]
KINDS: tuple[Kind, ...] = ("upload", "claim", "projection")
N_CLIENTS = 4
MAX_ANSWERS = 30
"""After which a server is killed at the latest."""
MAX_LATER_S = 0.02
"""How long after an answer, at most."""
SIZES = (200, 70_000, 1_500_000)
TIMEOUT_S = 60
PROFILE = {"provider": "openai", "model": "m", "window": 8000, "output": 500, "slack": 100, "counter": "o200k_base"}


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes


@dataclass(slots=True)
class Asked:
    """A request that adds something, with its idempotency key."""

    kind: Kind
    key: str
    path: str
    body: bytes
    answer: Answer | None = None
    """None: the server died before it was there."""


class Client:
    """One connection; not for several threads."""

    def __init__(self, port: int) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)

    def send(self, method: str, path: str, body: bytes | None = None, key: str | None = None) -> Answer:
        """Raises OSError or HTTPException where the server is gone."""
        headers = {} if body is None else {"Content-Type": "text/plain" if path.endswith(".txt/revisions") else "application/json"}
        self._connection.request(method, path, body, headers | ({} if key is None else {"Idempotency-Key": key}))
        answer = self._connection.getresponse()
        return Answer(answer.status, answer.read())

    def json(self, method: str, path: str, value: object = None) -> Any:
        answer = self.send(method, path, None if value is None else json.dumps(value).encode())
        assert answer.status in (200, 201), (path, answer)
        return json.loads(answer.body)

    def repeat(self, asked: Asked) -> Answer:
        return self.send("POST", asked.path, asked.body, asked.key)

    def close(self) -> None:
        self._connection.close()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a round works: a task of its own."""

    number: int
    evidence: str

    @property
    def task(self) -> str:
        return f"/v1/tasks/round-{self.number}"

    @property
    def step(self) -> str:
        return f"{self.task}/runs/1/steps/1"

    @property
    def resource(self) -> str:
        return f"round-{self.number}.txt"


def prepare(client: Client, number: int) -> Place:
    """A task with a run, and an evidence that the run was shown."""
    name = f"limits-{number}.json"
    client.json("POST", f"/v1/resources/{name}/revisions", {"limit": number})
    client.json("POST", "/v1/tasks", {"task": f"round-{number}", "goal": "Find limits."})
    client.json("POST", f"/v1/tasks/round-{number}/runs", {"agent": "agent:a", "request": "Go."})
    client.json("POST", f"/v1/tasks/round-{number}/runs/1/steps", {})
    step, arguments = f"/v1/tasks/round-{number}/runs/1/steps/1", {"resource": name, "pointer": "/limit"}
    client.json("POST", f"{step}/calls", {"calls": [{"call": "c1", "name": "read_spec", "arguments": arguments}]})
    made = client.json("POST", f"{step}/tools/read_spec", {"arguments": arguments})
    packet = made["packets"][0]
    shown = {"evidence": packet["id"], "digest": digest_of(packet["excerpt"].encode()), "in_full": True}
    client.json("POST", f"{step}/results", {"results": [{"call": "c1", "outcome": "ok", "body": made["text"], "shown": [shown]}]})
    return Place(number, packet["id"])


def next_asked(client: Client, place: Place, kind: Kind, name: str, dice: random.Random) -> Asked:
    """Something new to add; each is another."""
    key = f"{place.number}-{name}"
    if kind == "upload":
        raw = f"{key}\n".encode() + dice.randbytes(dice.choice(SIZES)).hex().encode() + b"\n"
        return Asked(kind, key, f"/v1/resources/{place.resource}/revisions", raw)
    if kind == "claim":
        about = {"resource": f"limits-{place.number}.json", "pointer": "/limit", "aspect": name}
        cited = [{"evidence": place.evidence, "role": "support"}]
        claim = {"run": 1, "step": 1, "about": about, "text": f"`limit` is {place.number}.", "citations": cited}
        return Asked(kind, key, f"{place.task}/claims", json.dumps(claim).encode())
    task = {"revision": 1, "goal": "Find limits.", "in_scope": [], "excluded": [], "constraints": []}
    step = {"task": task, "profile": PROFILE, "messages": [{"role": "user", "content": f"Go on with {name}."}]}
    made = client.json("POST", "/v1/projections", step)
    kept = {one: made[one] for one in ("messages", "tools", "outside", "receipt")} | {"profile": PROFILE}
    return Asked(kind, key, f"{place.step}/projection", json.dumps(kept).encode())


@dataclass(slots=True)
class Load:
    """Clients side by side, until their server is gone."""

    port: int
    place: Place
    seed: int
    asked: list[Asked] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    n_answers: int = 0
    changed: threading.Condition = field(default_factory=threading.Condition)

    def work(self, number: int) -> None:
        dice, client, n_asked = random.Random(f"{self.seed}/{number}"), Client(self.port), 0
        try:
            while True:
                n_asked += 1
                one = next_asked(client, self.place, KINDS[(number + n_asked) % 3], f"{number}-{n_asked}", dice)
                self.asked.append(one)
                one.answer = client.repeat(one)
                if one.answer.status not in (200, 201):
                    self.faults.append(f"{one.kind} {one.key}: {one.answer.status} {one.answer.body[:500]!r}")
                with self.changed:
                    self.n_answers += 1
                    self.changed.notify_all()
        except (OSError, HTTPException):
            return
        finally:
            client.close()

    def run_until(self, kill: Callable[[], None]) -> None:
        """Kills the server a random time after a random number of answers."""
        dice = random.Random(self.seed)
        threads = [threading.Thread(target=self.work, args=(number,)) for number in range(N_CLIENTS)]
        for one in threads:
            one.start()
        after, later_s = dice.randint(0, MAX_ANSWERS), dice.uniform(0, MAX_LATER_S)
        with self.changed:
            self.changed.wait_for(lambda: self.n_answers >= after, TIMEOUT_S)
            self.changed.wait_for(lambda: False, later_s)
        kill()
        for one in threads:
            one.join()


def iter_faults(client: Client, store: Path, load: Load) -> Iterator[str]:
    """What does not hold of a store whose server was killed: `client` asks the next server over it."""
    yield from load.faults
    if load.faults:
        return
    with open_services(Settings(store)) as services:
        yield from (f"verify: {one.code} {one.subject} {one.text}" for one in services.store.checks.verify(deep=True).faults)
    for one in load.asked:
        first = one.answer
        if first is not None:
            yield from _absent(client, load.place, one, first)
        again = client.repeat(one)
        if again.status not in (200, 201) or (first is not None and again != first):
            yield f"{one.kind} {one.key}: {first} and then {again}"
        if client.repeat(one) != again:
            yield f"{one.kind} {one.key}: another answer the third time"
    for kind, n_there in count_all(client, load.place).items():
        n_asked = sum(one.kind == kind for one in load.asked)
        if n_there != n_asked:
            yield f"{n_there} of kind {kind} where {n_asked} were asked for"


def _absent(client: Client, place: Place, asked: Asked, answer: Answer) -> Iterator[str]:
    """Whether what was acknowledged is not there, before anything is sent again."""
    told: Mapping[str, Any] = json.loads(answer.body)
    match asked.kind:
        case "upload":
            found = client.send("GET", f"/v1/blobs/{told['digest']}").body
            is_there = hashlib.sha256(found).digest() == hashlib.sha256(asked.body).digest()
            is_there &= client.json("GET", f"/v1/resources/{place.resource}/revisions/{told['revision']}")["digest"] == told["digest"]
        case "claim":
            is_there = client.send("GET", f"{place.task}/claims/{told['claim']}").status == 200
        case "projection":
            sent = json.dumps({"input_digest": told["input_digest"]}).encode()
            is_there = client.send("POST", f"{place.step}/sent", sent).status == 201
    if not is_there:
        yield f"{asked.kind} {asked.key} was acknowledged and is not there"


def count_all(client: Client, place: Place) -> Mapping[Kind, int]:
    revisions = client.send("GET", f"/v1/resources/{place.resource}/revisions?limit=1000")
    return {
        "upload": len(json.loads(revisions.body)["data"]) if revisions.status == 200 else 0,
        "claim": len(client.json("GET", f"{place.task}/claims?limit=1000")["data"]),
        "projection": len(client.json("GET", f"{place.step}/projections?limit=1000")["data"]),
    }


@dataclass(frozen=True, slots=True)
class Server:
    pid: int
    port: int


class Nursery:
    """The process that servers are forked from."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._newest: Server | None = None

    def kill(self, server: Server) -> None:
        os.kill(server.pid, SIGKILL)
        self._newest = None

    def close(self) -> None:
        """With the server that may still be there: it holds the pipe."""
        if self._newest is not None:
            self.kill(self._newest)
        self._process.communicate(timeout=TIMEOUT_S)

    def start(self, store: Path) -> Server:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{store}\n")
        self._process.stdin.flush()
        pid, port = self._process.stdout.readline().split()
        self._newest = Server(int(pid), int(port))
        return self._newest


@contextmanager
def nursery() -> Iterator[Nursery]:
    environment = dict(whole_environment()) | {"PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "benchmarks.killed_service"]
    process = subprocess.Popen(words, cwd=ROOT, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    made = Nursery(process)
    try:
        yield made
    finally:
        made.close()


@dataclass(frozen=True, slots=True)
class Round:
    faults: Sequence[str]
    n_acknowledged: int
    n_in_doubt: int


def kill_rounds(folder: Path, n_rounds: int, seed: int, per_store: int = 20) -> Iterator[Round]:
    """Each round kills one server, and holds the store to what was answered through the next one."""
    with nursery() as servers:
        store = folder
        for number in range(n_rounds):
            if number % per_store == 0:
                store = folder / f"store-{number}"
                open_services(Settings(store), create=True).close()
            server = servers.start(store)
            before = _load(servers, server, number, seed)
            server = servers.start(store)
            client = Client(server.port)
            faults = list(iter_faults(client, store, before))
            client.close()
            servers.kill(server)
            n_known = sum(one.answer is not None for one in before.asked)
            yield Round(faults, n_known, len(before.asked) - n_known)


def _load(servers: Nursery, server: Server, number: int, seed: int) -> Load:
    client = Client(server.port)
    load = Load(server.port, prepare(client, number), seed * 10_000 + number)
    client.close()
    load.run_until(lambda: servers.kill(server))
    return load


def main() -> int:
    """Forks servers until stdin ends; those before are dead by then."""
    from api.serving import Serving, serve
    from api.tools.definitions import TOOLS

    assert TOOLS, "loaded before the fork"
    for line in sys.stdin:
        _reap()
        child = os.fork()
        if child == 0:
            with open_services(Settings(Path(line.rstrip("\n")))) as services:
                serve(services, Serving(0, unauthenticated=True, log="off"), _tell)
            os._exit(0)
    _reap()
    return 0


def _tell(said: str) -> None:
    port = said.split("//")[1].split("/")[0].rpartition(":")[2]
    sys.stdout.write(f"{os.getpid()} {port}\n")
    sys.stdout.flush()


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    except ChildProcessError:
        return


if __name__ == "__main__":
    sys.exit(main())
