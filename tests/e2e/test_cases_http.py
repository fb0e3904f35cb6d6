"""The cases of access, secrets and names that try to leave the store, through HTTP: what other doors refuse or mask, this one does, too."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from evidence_store.access import Grant
from evidence_store.model import WorkspaceName
from evidence_store.store.keys import KeyRequest
from tests.credentials import RUN_LOG, RUN_SECRETS
from tests.e2e.cases import expected, list_cases, read_input, verbs
from tests.integration.tenancy import NORTH, SOUTH, client_of, services_in

NORTH_AND_SOUTH, TAKEN_BACK, CREDENTIALS, HARMLESS = list_cases("a01 a02 s01 s02")
(NAMES,) = list_cases("t04")
V2 = b'{"limit": {"maximum": 50, "note": "counts orders of all shops"}}\n'


class Tenants:
    """Clients of one served store, by what their keys may do and see."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.services = stack.enter_context(services_in(folder))
        self._stack = stack

    def client(self, workspace: WorkspaceName, *clearances: str, owner: bool = False) -> TestClient:
        asked = KeyRequest("one", frozenset(Grant), None if owner else frozenset(clearances))
        secret = self.services.store.of_workspace(workspace).keys.create(asked, "test").secret
        return self._stack.enter_context(client_of(self.services, secret))


@pytest.fixture
def tenants(tmp_path: Path) -> Iterator[Tenants]:
    with ExitStack() as stack:
        yield Tenants(tmp_path / "inside" / "store", stack)


def spelled(name: str) -> str:
    """A name as a segment that no client takes for anything else, each byte escaped."""
    return "".join(f"%{byte:02X}" for byte in name.encode("utf-8", "surrogatepass"))


def put(client: TestClient, name: str, raw: bytes, **query: Any) -> Any:
    return client.post(f"/v1/resources/{spelled(name)}/revisions", content=raw, params=query)


def read(client: TestClient, name: str, **query: Any) -> Any:
    answer = client.get(f"/v1/documents/{spelled(name)}/read", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a01_another_tenants_things_are_read_as_what_is_not_there(tenants: Tenants) -> None:
    raw, north, south = read_input(NORTH_AND_SOUTH, "same.yaml"), tenants.client(NORTH), tenants.client(SOUTH)
    first, second = put(north, "specs/a", raw), put(south, "specs/b", raw)
    alike = [{**one.json(), "resource": ""} for one in (first, second)]
    assert (alike[0], first.status_code, second.status_code) == (alike[1], 201, 201)
    theirs, ours = read(north, "specs/a", pointer="/info"), read(south, "specs/b", pointer="/info")
    assert (theirs["digest"], theirs["id"] == ours["id"]) == (ours["digest"], False)
    crossed = [south.get(path).status_code for path in (f"/v1/evidence/{theirs['id']}", "/v1/resources/specs%2Fa", "/resources/specs/a@1")]
    assert (crossed, crossed.count(200)) == ([404] * 3, expected(NORTH_AND_SOUTH)["checks"][0]["expect"]["cross_reads"])
    assert south.get(f"/v1/blobs/{ours['digest']}").content == raw


def test_a02_a_right_that_was_taken_back_holds_at_the_next_request(tenants: Tenants) -> None:
    agent, owner = tenants.client(NORTH), tenants.client(NORTH, owner=True)
    put(owner, "specs/v2", V2)
    packet = read(agent, "specs/v2", pointer="/limit")
    place = f"/v1/evidence/{packet['id']}"
    assert [agent.get(place).status_code for _ in range(3)] == [200] * 3, "it is known by now"
    assert owner.post("/v1/resources/specs%2Fv2/labels", json={"labels": ["board"]}).status_code == 200
    asked = [agent.get(place), agent.get(f"{place}/expand?to=full"), agent.post("/v1/evidence:resolve", json={"ids": [packet["id"]]})]
    assert [one.status_code for one in asked] == [404, 404, 200]
    said = "".join(one.text for one in asked) + agent.get("/v1/resources").text
    assert said.count("all shops") == expected(TAKEN_BACK)["checks"][0]["expect"]["content_after_revocation"]
    again = tenants.client(NORTH, "board").get(place)
    assert (again.status_code, again.json()["digest"]) == (200, packet["digest"])


def every_answer(client: TestClient, name: str, raw: bytes) -> Iterator[str]:
    """What each request that shows content says of a resource."""
    id_, place = read(client, name, lines="1-8")["id"], f"/v1/documents/{spelled(name)}"
    for path in (
        *(f"{place}/read?lines={n}-{n}" for n in range(1, raw.count(b"\n") + 1)),
        *(f"{place}/read?bytes={at}-{min(at + 30, len(raw))}" for at in range(0, len(raw) - 1, 23)),
        f"{place}/search?pattern=EXAMPLE[0-9]&regex=true&context=2",
        *(f"{place}/search?pattern={spelled(one)}" for one in RUN_SECRETS.values()),
        *(f"{place}/read?quote={spelled(one)}" for one in RUN_SECRETS.values()),
        f"{place}/summary",
        f"/v1/evidence/{id_}",
        f"/v1/evidence/{id_}/expand?to=full",
        f"/v1/trace/{id_}",
        f"/v1/diff?old={name}&new={name}&old_revision=1&new_revision=1",
        f"/evidence/{id_}",
        f"/trace/{id_}",
        f"/resources/{name}@1/source",
    ):
        answer = client.get(path)
        assert answer.status_code < 500, path
        yield answer.text
    yield client.post("/v1/evidence:resolve", json={"ids": [id_]}).text


def test_s01_no_request_gives_a_secret_out(tenants: Tenants) -> None:
    client = tenants.client(NORTH)
    assert put(client, "run.log", RUN_LOG).status_code == 201
    for said in every_answer(client, "run.log", RUN_LOG):
        assert [one for one in RUN_SECRETS.values() if one in said] == []
    expect = expected(CREDENTIALS)["checks"][0]["expect"]
    shown = read(client, "run.log", lines="1-8")
    assert all(text in shown["excerpt"] for text in expect["contains"])
    assert shown["digest"] == f"sha256:{hashlib.sha256(RUN_LOG).hexdigest()}"


def test_s02_harmless_text_comes_out_as_it_went_in(tenants: Tenants) -> None:
    client, raw = tenants.client(NORTH), read_input(HARMLESS, "clean.log")
    put(client, "clean.log", raw)
    shown = read(client, "clean.log", lines=f"1-{raw.count(bytes([10]))}")
    assert (shown["excerpt"].encode(), shown["transforms"]) == (raw, [])


def names(file: str) -> list[str]:
    found: list[str] = json.loads(read_input(NAMES, file))
    return found


def test_t04_the_inputs_are_the_bytes_that_they_were() -> None:
    for name, told in expected(NAMES)["inputs"].items():
        assert hashlib.sha256(read_input(NAMES, name)).hexdigest() == told["sha256"]
    assert verbs("t04") == {"put_each"}


@pytest.mark.parametrize("name", [*names("names.json"), *names("honest.json")], ids=ascii)
def test_t04_a_name_is_refused_or_listed_back_as_it_was(tenants: Tenants, tmp_path: Path, name: str) -> None:
    client = tenants.client(NORTH)
    stored = put(client, name, b"{}\n").status_code
    listed = [one["resource"] for one in client.get("/v1/resources").json()["data"]]
    assert listed == ([name] if stored == 201 else [])
    assert stored == 201 or (400 <= stored < 500 and name not in names("honest.json"))
    made = client.post("/v1/tasks", json={"task": name, "goal": "Look."}).status_code
    tasks = [one["task"] for one in client.get("/v1/tasks").json()["data"]]
    assert tasks == ([name] if made == 201 else [])
    assert made == 201 or 400 <= made < 500
    assert [one.name for one in tmp_path.iterdir()] == ["inside"]
    assert [one.name for one in (tmp_path / "inside").iterdir()] == ["store"]
