"""Answers from memory: the same as from the store, for who may have them, for as long as nothing changed."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.auth import Caller, Gatekeeper
from api.routes.kept import OLDEST_S, OLDEST_UNWATCHED_S, Asked, KeptEvidence, read_asked
from api.settings import Settings
from api.wiring import Services, open_services
from evidence_store.access import Grant
from evidence_store.blobs.local import blob_path
from evidence_store.excerpts import NoLimit
from evidence_store.model import LabelPolicy, ResourceName, Selector, WorkspaceName
from evidence_store.store import BLOBS_NAME
from evidence_store.store.keys import KeyRequest
from evidence_store.store.passages import Place
from evidence_store.store.put_request import PutRequest

NAME = ResourceName("a.json")
N_BYTES = 100_000


@dataclass
class Desk:
    """A store with one evidence in a file of its own, and an answer for it that counts how often it was made."""

    folder: Path
    services: Services
    id: str
    kept: KeptEvidence
    caller: Caller
    now_s: list[float] = field(default_factory=lambda: [0.0])
    n_made: int = 0

    def ask(self) -> bytes:
        def make() -> dict[str, int]:
            self.n_made += 1
            return {"made": self.n_made}

        return self.kept.get(self.caller, Asked(self.id), make)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with open_services(Settings(tmp_path), create=True) as services:
        filler = random.Random(1).randbytes(N_BYTES).hex()  # does not fit into a row
        services.store.sources.put(PutRequest(NAME), [f'{{"limit": 50, "text": "{filler}"}}'.encode()])
        found = services.store.passages.read(Place(NAME, None, Selector("pointer", "/limit")), NoLimit())
        gatekeeper, now_s = Gatekeeper(services, unauthenticated=True), [0.0]
        caller = gatekeeper.admit(None, "getEvidence")
        yield Desk(tmp_path, services, found.id, KeptEvidence(gatekeeper, lambda: now_s[0]), caller, now_s)


def test_an_answer_is_made_once_while_nothing_changed(desk: Desk) -> None:
    assert desk.ask() == desk.ask() == b'{"made":1}\n'


@pytest.mark.parametrize(
    "change",
    [
        lambda services: services.store.sources.put(PutRequest(NAME), [b'{"limit": 20}']),
        lambda services: services.store.permissions.set_policy("x", LabelPolicy.MASKED, "human:ann"),
        lambda services: services.store.permissions.add_labels(NAME, ["x"], "human:ann"),
    ],
)
def test_it_is_made_anew_once_something_happened_in_the_workspace(desk: Desk, change: Callable[[Services], object]) -> None:
    desk.ask()
    change(desk.services)
    desk.ask()
    assert desk.n_made == 2


def test_what_happens_in_another_workspace_only_makes_it_grow_old_sooner(desk: Desk) -> None:
    desk.ask()
    desk.services.store.of_workspace(WorkspaceName("other")).sources.put(PutRequest(NAME), [b"1"])
    desk.now_s[0] = OLDEST_UNWATCHED_S - 1
    desk.ask()
    assert desk.n_made == 1
    desk.now_s[0] = OLDEST_UNWATCHED_S
    desk.ask()
    assert desk.n_made == 2


def test_it_grows_old(desk: Desk) -> None:
    desk.ask()
    desk.now_s[0] = OLDEST_S - 1
    desk.ask()
    assert desk.n_made == 1
    desk.now_s[0] = OLDEST_S
    desk.ask()
    assert desk.n_made == 2


def test_it_is_made_anew_once_a_file_was_touched(desk: Desk) -> None:
    desk.ask()
    core = desk.services.store.core
    path = blob_path(desk.folder / BLOBS_NAME, core.key(desk.services.store.sources.get_revision(NAME, None).digest))
    path.write_bytes(path.read_bytes()[::-1])
    desk.ask()
    assert desk.n_made == 2
    path.unlink()
    desk.ask()
    assert desk.n_made == 3


def test_damage_shows_in_the_next_answer(tmp_path: Path, desk: Desk) -> None:
    client = TestClient(create_app(desk.services, unauthenticated=True))
    assert [client.get(f"/v1/evidence/{desk.id}").json()["integrity"] for _ in range(2)] == ["ok", "ok"]
    digest = desk.services.store.sources.get_revision(NAME, None).digest
    blob_path(tmp_path / BLOBS_NAME, desk.services.store.core.key(digest)).unlink()
    after = client.get(f"/v1/evidence/{desk.id}").json()
    assert after.get("integrity", after.get("code")) != "ok"


def test_what_raises_is_not_kept(desk: Desk) -> None:
    def fail() -> dict[str, int]:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        desk.kept.get(desk.caller, Asked(desk.id), fail)
    assert desk.ask() == b'{"made":1}\n'


def test_another_sight_has_another_answer(desk: Desk) -> None:
    desk.ask()
    keys = desk.services.store.keys
    secret = keys.create(KeyRequest("x", frozenset({Grant.EVIDENCE_READ}), frozenset({"red"})), "test").secret
    desk.ask()
    other = Gatekeeper(desk.services).admit(f"Bearer {secret}", "getEvidence")
    assert desk.kept.find(desk.caller, Asked(desk.id)) is not None
    assert desk.kept.find(other, Asked(desk.id)) is None
    assert desk.kept.find(desk.caller, Asked(desk.id, max_tokens=5)) is None


def test_a_second_answer_is_that_of_the_first_with_its_headers(desk: Desk) -> None:
    secret = desk.services.store.keys.create(KeyRequest("x", frozenset({Grant.EVIDENCE_READ})), "test").secret
    app = create_app(desk.services)
    client = TestClient(app, headers={"Authorization": f"Bearer {secret}"})
    answers = [client.get(f"/v1/evidence/{desk.id}") for _ in range(3)]
    assert len({one.content for one in answers}) == 1
    shown = [{name: value for name, value in one.headers.items() if name != "request-id"} for one in answers]
    assert shown[0] == shown[1] == shown[2]
    again = client.get(f"/v1/evidence/{desk.id}", headers={"If-None-Match": shown[0]["etag"]})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", shown[0]["etag"])


def test_a_key_that_was_revoked_or_has_no_grant_gets_nothing_from_memory(desk: Desk) -> None:
    keys = desk.services.store.keys
    made = keys.create(KeyRequest("x", frozenset({Grant.EVIDENCE_READ})), "test")
    writer = keys.create(KeyRequest("y", frozenset({Grant.EVIDENCE_WRITE})), "test")
    app = create_app(desk.services)
    reading = TestClient(app, headers={"Authorization": f"Bearer {made.secret}"})
    writing = TestClient(app, headers={"Authorization": f"Bearer {writer.secret}"})
    assert [reading.get(f"/v1/evidence/{desk.id}").status_code for _ in range(2)] == [200, 200]
    assert [writing.get(f"/v1/evidence/{desk.id}").status_code for _ in range(2)] == [403, 403]
    assert TestClient(app).get(f"/v1/evidence/{desk.id}").status_code == 401
    keys.revoke(made.key.id, "test")
    assert reading.get(f"/v1/evidence/{desk.id}").status_code == 401


def test_a_key_that_has_expired_gets_nothing_from_memory(desk: Desk) -> None:
    core = desk.services.store.core
    made = desk.services.store.keys.create(
        KeyRequest("x", frozenset({Grant.EVIDENCE_READ}), expires_at=core.clock() + 3_600_000_000), "test"
    )
    later = [0]
    store = type(desk.services.store)(replace(core, clock=lambda: core.clock() + later[0]))
    gatekeeper = Gatekeeper(replace(desk.services, store=store))
    for _ in range(2):  # the first one is noted, which is a change
        gatekeeper.admit(f"Bearer {made.secret}", "getEvidence")
    assert gatekeeper.admit_known(f"Bearer {made.secret}", "getEvidence") is not None
    later[0] = 3_600_000_000
    assert gatekeeper.admit_known(f"Bearer {made.secret}", "getEvidence") is None


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        (b"", Asked("x")),
        (b"max_tokens=5", Asked("x", None, 5)),
        (b"task=a%2Fb+c", Asked("x", "a/b c")),
        (b"max_tokens=-1", None),
        (b"max_tokens=", None),
        (b"other=1", None),
        (b"max_tokens=1234567", None),
    ],
)
def test_requests_are_read_as_the_framework_reads_them(query: bytes, asked: Asked | None) -> None:
    assert read_asked("x", query) == asked


def test_memory_is_bounded(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.routes.kept.KEPT_BYTES", 1000)
    for n in range(1, 30):
        desk.kept.get(desk.caller, Asked(desk.id, max_tokens=n), lambda: {"text": "x" * 100})
    known = [n for n in range(1, 30) if desk.kept.find(desk.caller, Asked(desk.id, max_tokens=n)) is not None]
    assert known == list(range(29 - len(known) + 1, 30))
    assert 5 < len(known) < 10
