"""Two stores that whoever asks can see alike: one holds another workspace and things with labels it lacks, the other holds none of them.

What is said of the first has to be what is said of the second, byte for byte: then nothing of what is there and may not be seen tells.
The clock stands still, so that times differ in nothing either.
"""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.testclient import TestClient

from api.app import create_app
from api.wiring import DEFAULT_COUNTER, Services
from evidence_store.access import Grant
from evidence_store.canonical import digest_of
from evidence_store.model import LabelPolicy, WorkspaceName
from evidence_store.store.keys import KeyRequest
from projector import counter_for
from tests.factories import make_store

NOW = 1_700_000_000_000_000
NORTH, SOUTH = WorkspaceName("north"), WorkspaceName("south")
RED = "red"
PROFILE = {"provider": "openai", "model": "m", "window": 8000, "output": 500, "slack": 100, "counter": "o200k_base"}


@dataclass(frozen=True, slots=True)
class Things:
    """Something of each kind that a request can name; all of one owner."""

    resource: str
    task: str
    run: int = 1
    step: int = 1
    claim: str = "C1"
    digest: str = "sha256:" + "0" * 64
    evidence: str = "ev_000000000000"
    report: str = "rp_000000000000"
    input_digest: str = "sha256:" + "0" * 64
    key: str = "key_000000000000"
    cursors: Sequence[str] = ()
    idempotency_key: str = "key-of-nobody"
    number: int = 1
    """Of a revision, or a proposal."""

    def place(self) -> str:
        return f"/v1/tasks/{quote(self.task, safe='')}/runs/{self.run}"


@dataclass(frozen=True, slots=True)
class World:
    """A store, and who asks of it: somebody of the north who may do all and is cleared for nothing."""

    services: Services
    asker: TestClient
    secret: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """The two stores as folders, for as many worlds as are needed, and what the first has."""

    folder: Path
    ours: Things
    hidden: Things
    """In the workspace of whoever asks, with a label it lacks."""
    foreign: Things
    """Of another workspace."""
    secret: str
    owners: Mapping[WorkspaceName, str]
    """Keys that see all of their workspace."""


def fill(client: TestClient, things: Things, body: bytes, labels: Sequence[str] = (), *, first: bool = True) -> Things:
    """Puts, reads, claims, projects and publishes one of each, over HTTP; `first`: the task begins with it."""
    key = {"Idempotency-Key": things.idempotency_key}

    def post(path: str, asked: Mapping[str, Any], **headers: str) -> Any:
        answer = client.post(path, json=asked, headers=headers)
        assert answer.status_code in (200, 201), (path, answer.text)
        return answer.json()

    path = f"/v1/resources/{quote(things.resource, safe='')}/revisions"
    put = client.post(path, params={"label": list(labels), "scope": things.task}, content=body, headers=key)
    assert put.status_code == 201, put.text
    if first:
        post("/v1/tasks", {"task": things.task, "goal": "Find limits.", "constraints": ["read only"]}, **key)
    run = post(f"/v1/tasks/{quote(things.task, safe='')}/runs", {"agent": "agent:a", "request": "Go."})["run"]
    place = f"/v1/tasks/{quote(things.task, safe='')}/runs/{run}"
    post(f"{place}/steps", {})
    arguments = {"resource": things.resource, "pointer": "/limit"}
    post(f"{place}/steps/1/calls", {"calls": [{"call": "c1", "name": "read_spec", "arguments": arguments}]})
    answer = post(f"{place}/steps/1/tools/read_spec", {"arguments": arguments})
    packet = answer["packets"][0]
    shown = {"evidence": packet["id"], "digest": digest_of(packet["excerpt"].encode()), "in_full": True}
    post(f"{place}/steps/1/results", {"results": [{"call": "c1", "outcome": "ok", "body": answer["text"], "shown": [shown]}]})
    post(f"{place}/steps/1/calls", {"calls": [{"call": "open", "name": "search", "arguments": {}}]})
    asked = claim_of(run, things.resource, packet["id"], packet["excerpt"])
    claim = post(f"/v1/tasks/{quote(things.task, safe='')}/claims", asked)["claim"]
    post(
        f"/v1/tasks/{quote(things.task, safe='')}/progress",
        {"items": [{"subject": things.resource, "state": "doing", "evidence": [packet["id"]]}], "run": run, "step": 1},
    )
    if first:  # A proposal binds all that work on a task, whoever may see the run that it came from.
        post(f"/v1/tasks/{quote(things.task, safe='')}/proposals", {"text": f"Only {things.resource}.", "run": run, "message": 1})
    stored = post(f"{place}/steps/1/projection", projection_of(client, shown))
    body_text = f'# {things.resource}\n\n"{packet["excerpt"]}" [{packet["id"]}]\n'
    report = post("/v1/reports", {"task": things.task, "run": run, "title": things.resource, "body": body_text, "claims": [claim]})
    return Things(
        things.resource,
        things.task,
        run,
        1,
        claim,
        put.json()["digest"],
        packet["id"],
        report["report"],
        stored["input_digest"],
        idempotency_key=things.idempotency_key,
    )


def claim_of(run: int, resource: str, evidence: str, value: str = "1") -> dict[str, Any]:
    about = {"resource": resource, "pointer": "/limit", "aspect": "value"}
    return {"run": run, "step": 1, "about": about, "text": f"`limit` is {value}.", "citations": [{"evidence": evidence, "role": "support"}]}


def projection_of(client: TestClient, shown: Mapping[str, Any]) -> dict[str, Any]:
    """An input that shows an evidence, as a client would keep it."""
    task = {"revision": 1, "goal": "Find limits.", "in_scope": [], "excluded": [], "constraints": ["read only"]}
    step = {"task": task, "profile": PROFILE, "messages": [{"role": "user", "content": "Go."}]}
    made = client.post("/v1/projections", json=step).json()
    kept = {name: made[name] for name in ("messages", "tools", "outside", "receipt")}
    return kept | {"profile": PROFILE, "shown": [shown]}


def prepare(folder: Path) -> Prepared:
    """Both stores. Keys are made before all else: each store then has the same ones."""
    keys: dict[WorkspaceName, str] = {}
    with services_in(folder / "empty") as services:
        for name in (NORTH, SOUTH):
            at = services.store.of_workspace(name)
            at.permissions.set_policy("grey", LabelPolicy.MASKED, "human:ann")
            keys[name] = at.keys.create(KeyRequest("owner", frozenset(Grant), None, sees_secrets=True), "test").secret
        asker = services.store.of_workspace(NORTH).keys.create(KeyRequest("asker", frozenset(Grant)), "test").secret
        with client_of(services, asker) as client:
            for secret in keys.values():  # Used once in both, since keys tell when they were used.
                client.get("/v1/keys", headers={"Authorization": f"Bearer {secret}"})
            ours = fill(client, Things("ours/a.json", "ours/task", idempotency_key="key-ours"), b'{"limit": 50}\n')
    shutil.copytree(folder / "empty", folder / "without")
    with services_in(folder / "empty") as services:
        with client_of(services, keys[NORTH]) as client:
            wanted = Things("red/a.json", ours.task, idempotency_key="key-hidden")
            hidden = fill(client, wanted, b'{"limit": 4711}\n', (RED,), first=False)
            client.post("/v1/resources/red%2Fa.json/revisions", content=b'{"limit": 4712}\n')
        with client_of(services, keys[SOUTH]) as client:
            foreign = fill(client, Things("south/b.json", "south/task", idempotency_key="key-foreign"), b'{"limit": 123456}\n')
            client.post("/v1/resources/south%2Fc.json/revisions", content=b"[]\n")
            cursors = [
                client.get(path, params={"limit": 1}).json()["next_cursor"]
                for path in ("/v1/resources", f"{foreign.place()}/messages", "/v1/reports")
            ]
        key = services.store.of_workspace(SOUTH).keys.list_keys()[0].id
    (folder / "empty").rename(folder / "with")
    given = {name: getattr(foreign, name) for name in Things.__slots__} | {"key": key, "cursors": [one for one in cursors if one]}
    return Prepared(folder, ours, hidden, Things(**given), asker, keys)


@contextmanager
def worlds(prepared: Prepared, folder: Path, *, copied: bool) -> Iterator[tuple[World, World]]:
    """The store with what may not be seen and the one without; as copies of their own where something is to be written."""
    with ExitStack() as stack:
        found = []
        for name in ("with", "without"):
            place = prepared.folder / name
            if copied:
                shutil.copytree(prepared.folder / name, folder / name)
                place = folder / name
            services = stack.enter_context(services_in(place))
            client = stack.enter_context(client_of(services, prepared.secret))
            found.append(World(services, client, prepared.secret))
        yield found[0], found[1]


def services_in(folder: Path) -> Services:
    return Services(make_store(folder, clock=lambda: NOW), lambda: counter_for(DEFAULT_COUNTER))


@contextmanager
def client_of(services: Services, secret: str) -> Iterator[TestClient]:
    with TestClient(create_app(services), headers={"Authorization": f"Bearer {secret}"}, raise_server_exceptions=False) as client:
        yield client
