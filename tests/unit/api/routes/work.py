"""A store with labels and a task, and clients of it: the owner, an agent, a person who sets the scope, a reader without a clearance."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from api.app import create_app
from api.settings import Settings
from api.wiring import Services, open_services
from evidence_store.access import Grant
from evidence_store.canonical import digest_of
from evidence_store.model import LabelPolicy, ResourceName
from evidence_store.store.keys import KeyRequest
from evidence_store.store.put_request import PutRequest

OPEN, RED, GREY = "open/a.json", "red/a.json", "grey/a.json"
TASK = "orders/v2"
TASK_PATH = "/v1/tasks/orders%2Fv2"
RUN = f"{TASK_PATH}/runs/1"
STEP = f"{RUN}/steps/1"
READ, WRITE = Grant.EVIDENCE_READ, Grant.CLAIM_WRITE


@dataclass(frozen=True, slots=True)
class Work:
    services: Services
    owner: TestClient
    agent: TestClient
    """May read and record, and is cleared for nothing."""
    writer: TestClient
    """May record, and not read."""
    scoper: TestClient
    """May set the scope, and read."""
    reader: TestClient
    red: TestClient
    """As the agent, cleared for one label."""
    agent_name: str
    """Of the agent's key."""


@contextmanager
def working(folder: Path) -> Iterator[Work]:
    with open_services(Settings(folder), create=True) as services:
        for name, labels, number in ((OPEN, (), 50), (RED, ("red",), 4711), (GREY, ("grey",), 123456)):
            services.store.sources.put(PutRequest(ResourceName(name), labels=labels), [b'{"limit": %d}\n' % number])
        services.store.permissions.set_policy("grey", LabelPolicy.MASKED, "human:ann")
        app = create_app(services)
        agent = KeyRequest("agent", frozenset({READ, WRITE}))
        keys = [
            services.store.keys.create(one, "test")
            for one in (
                KeyRequest("owner", frozenset(Grant), None, sees_secrets=True),
                agent,
                KeyRequest("writer", frozenset({WRITE})),
                KeyRequest("scoper", frozenset({READ, Grant.TASK_WRITE})),
                KeyRequest("reader", frozenset({READ, Grant.AUDIT_READ})),
                KeyRequest("red", frozenset({READ, WRITE, Grant.AUDIT_READ}), frozenset({"red"})),
            )
        ]
        owner, one, writer, scoper, reader, red = (TestClient(app, headers={"Authorization": f"Bearer {key.secret}"}) for key in keys)
        asked = {"task": TASK, "goal": "Find limits.", "in_scope": ["/limit"], "excluded": ["tag=Admin"], "constraints": ["read only"]}
        assert owner.post("/v1/tasks", json=asked).status_code == 201
        yield Work(services, owner, one, writer, scoper, reader, red, keys[1].key.principal.name)


def begin(client: TestClient) -> None:
    """The first run of the task with its first step."""
    assert client.post(f"{TASK_PATH}/runs", json={"agent": "agent:a", "request": "Go."}).status_code == 201
    assert client.post(f"{RUN}/steps", json={}).json() == {"step": 1}


def call(client: TestClient, name: str, arguments: dict[str, Any], id_: str = "call_1", step: str = STEP) -> dict[str, Any]:
    """A call of one of our tools as a client makes it: opened, made, closed with what it showed."""
    opened = client.post(f"{step}/calls", json={"text": "", "calls": [{"call": id_, "name": name, "arguments": arguments}]})
    assert opened.status_code == 201, opened.text
    made = client.post(f"{step}/tools/{name}", json={"arguments": arguments})
    assert made.status_code == 200, made.text
    answer: dict[str, Any] = made.json()
    result = {"call": id_, "outcome": answer["outcome"], "body": answer["text"], "shown": [shown(one) for one in answer["packets"]]}
    closed = client.post(f"{step}/results", json={"results": [result]})
    assert closed.status_code == 201, closed.text
    return answer


def read(client: TestClient, name: str, id_: str = "call_1", step: str = STEP) -> str:
    """Reads the limit of a resource; gives its evidence."""
    answer = call(client, "read_spec", {"resource": name, "pointer": "/limit"}, id_, step)
    return str(answer["packets"][0]["id"])


def shown(packet: dict[str, Any]) -> dict[str, Any]:
    return {
        "evidence": packet["id"],
        "digest": digest_of(packet["excerpt"].encode()),
        "transforms": packet["transforms"],
        "in_full": packet["cut"] is None and packet["outline"] is None and "masked/1" not in packet["transforms"],
    }


def claim_of(evidence: str, text: str = "`limit` is 50.", name: str = OPEN) -> dict[str, Any]:
    about = {"resource": name, "pointer": "/limit", "aspect": "value"}
    return {"run": 1, "step": 1, "about": about, "text": text, "citations": [{"evidence": evidence, "role": "support"}]}


def step_json() -> dict[str, Any]:
    """A step that needs no evidence."""
    return {
        "task": {"revision": 1, "goal": "Find limits.", "in_scope": ["/limit"], "excluded": [], "constraints": ["read only"]},
        "profile": {"provider": "openai", "model": "m", "window": 8000, "output": 500, "slack": 100, "counter": "o200k_base"},
        "system": "Größe",
        "messages": [{"role": "user", "content": "Go."}],
    }
