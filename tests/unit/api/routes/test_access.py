"""Labels and keys over HTTP: for administrators, who give no more than they have."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.schemas.access import KeysAnswer, NewKeyAnswer, PoliciesAnswer
from tests.unit.api.routes.access import GREY, OPEN, RED, SECRET, Door, opened

LABELS = f"/v1/resources/{quote(OPEN, safe='')}/labels"


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    with opened(tmp_path) as one:
        yield one


def test_only_administrators_are_let_in(door: Door) -> None:
    asked = [
        door.outsider.get("/v1/labels"),
        door.outsider.put("/v1/labels", json={"label": GREY, "policy": "hidden"}),
        door.outsider.post(LABELS, json={"labels": [GREY]}),
        door.outsider.get("/v1/keys"),
        door.outsider.post("/v1/keys", json={"name": "x", "grants": ["evidence:read"]}),
        door.outsider.post("/v1/keys/key_0/revoke"),
    ]
    assert [(one.status_code, one.json()["code"]) for one in asked] == [(403, "grant_missing")] * len(asked)


def test_a_policy_is_set_and_listed(door: Door) -> None:
    answer = door.admin.put("/v1/labels", json={"label": GREY, "policy": "hidden"})
    found = PoliciesAnswer.model_validate_json(answer.content).data
    assert [(one.label, one.policy) for one in found] == [(GREY, "hidden")]
    assert door.admin.get("/v1/labels").json() == answer.json()
    assert door.admin.put("/v1/labels", json={"label": GREY, "policy": "else"}).status_code == 422


def test_who_decides_on_a_label_is_cleared_for_it(door: Door) -> None:
    refused = [door.admin.put("/v1/labels", json={"label": RED, "policy": "masked"}), door.admin.post(LABELS, json={"labels": [RED]})]
    assert [(one.status_code, one.json()["code"]) for one in refused] == [(403, "beyond_own")] * 2


def test_labels_are_added_once(door: Door) -> None:
    for _ in range(2):
        answer = door.admin.post(LABELS, json={"labels": [GREY, GREY]}, headers={"Idempotency-Key": "a"})
        assert (answer.status_code, answer.json()["labels"]) == (200, [GREY])
    assert answer.headers["idempotency-replayed"] == "true"
    other = door.admin.post(LABELS, json={"labels": ["else"]}, headers={"Idempotency-Key": "a"})
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")
    assert door.services.store.checks.verify(deep=False).faults == ()


def test_labels_of_what_is_hidden_are_added_as_of_what_is_absent(door: Door) -> None:
    told = [
        door.admin.post(f"/v1/resources/{quote(name, safe='')}/labels", json={"labels": [GREY]}).json()
        for name in (SECRET, SECRET.replace("secret", "absent"))
    ]
    assert told[0]["detail"].replace("secret", "absent") == told[1]["detail"]
    assert told[0]["code"] == told[1]["code"] == "not_found"


def test_a_label_with_a_secret_in_it_is_refused(door: Door) -> None:
    answer = door.admin.post(LABELS, json={"labels": ["https://user:hunter22@host/x"]})
    assert (answer.status_code, answer.json()["code"]) == (400, "secret_in_name")


def test_a_key_is_made_shown_once_and_works(door: Door) -> None:
    made = door.admin.post("/v1/keys", json={"name": "ci", "grants": ["evidence:read"], "clearances": [GREY]})
    key = NewKeyAnswer.model_validate_json(made.content)
    assert (made.status_code, made.headers["cache-control"]) == (201, "no-store")
    client = TestClient(create_app(door.services), headers={"Authorization": f"Bearer {key.secret}"})
    assert client.get(f"/v1/resources/{quote(OPEN, safe='')}").status_code == 200
    listed = door.admin.get("/v1/keys")
    assert key.id in [one.id for one in KeysAnswer.model_validate_json(listed.content).data]
    assert str(key.secret) not in listed.text
    assert door.admin.post(f"/v1/keys/{key.id}/revoke").json()["revoked"] is True
    assert client.get(f"/v1/resources/{quote(OPEN, safe='')}").status_code == 401
    assert door.admin.post("/v1/keys/key_nothing/revoke").status_code == 404


def test_a_key_is_made_once_and_its_secret_is_not_kept(door: Door) -> None:
    body = {"name": "ci", "grants": ["evidence:read"]}
    first, second = (door.admin.post("/v1/keys", json=body, headers={"Idempotency-Key": "k"}) for _ in range(2))
    assert first.json()["secret"].startswith("es_")
    assert second.json() == first.json() | {"secret": None}
    with door.services.store.core.database.reading() as connection:
        kept = connection.exec_driver_sql("SELECT body FROM kept_answers").scalars().all()
    assert all(first.json()["secret"].encode() not in one for one in kept)


@pytest.mark.parametrize(
    "more",
    [{"grants": ["task:write"]}, {"clearances": [RED]}, {"clearances": None}, {"sees_secrets": True}],
)
def test_a_key_gives_no_more_than_it_has(door: Door, more: dict[str, object]) -> None:
    body = {"name": "x", "grants": ["evidence:read"], "clearances": [GREY]} | more
    answer = door.admin.post("/v1/keys", json=body)
    assert (answer.status_code, answer.json()["code"]) == (403, "beyond_own")
    assert door.owner.post("/v1/keys", json=body).status_code == 201


def test_a_malformed_key_is_refused(door: Door) -> None:
    for body in ({"name": "x"}, {"name": "", "grants": ["admin"]}, {"name": "x", "grants": ["else"]}, {"name": "x", "grants": []}):
        assert door.owner.post("/v1/keys", json=body).status_code == 422
    expired = door.owner.post("/v1/keys", json={"name": "x", "grants": ["admin"], "expires_at": 1})
    assert (expired.status_code, expired.json()["code"]) == (400, "bad_argument")
