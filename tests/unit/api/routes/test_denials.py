"""Denials in the journal: who was not let to what, without a name, and nothing of what is merely absent."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.server_settings import ServerSettings
from api.settings import Settings
from api.wiring import Services, open_services
from evidence_store.access import Grant
from evidence_store.canonical import digest_of
from evidence_store.model import ResourceName
from evidence_store.records.events import iter_events
from evidence_store.store.keys import KeyRequest
from evidence_store.store.put_request import PutRequest

HIDDEN = "secret%2Fa.json"
READ = (Grant.EVIDENCE_READ,)


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with open_services(Settings(tmp_path / "store"), create=True) as opened:
        opened.store.sources.put(PutRequest(ResourceName("secret/a.json"), labels=("red",)), [b'{"a": 1}\n'])
        yield opened


def bearer(services: Services, *grants: Grant, clearances: frozenset[str] | None = frozenset()) -> dict[str, str]:
    made = services.store.keys.create(KeyRequest("test", frozenset(grants), clearances), "test")
    return {"Authorization": f"Bearer {made.secret}"}


def denials(services: Services) -> list[dict[str, Any]]:
    core = services.store.core
    with core.database.reading() as connection:
        events = [json.loads(one.payload) for one in iter_events(connection, core.workspace) if one.kind == "access.denied"]
    return [{**one["data"], "subject": one["subject"]} for one in events]


def test_what_is_hidden_is_kept_and_so_is_what_is_absent(services: Services) -> None:
    client, mine = TestClient(create_app(services)), bearer(services, *READ)
    digest = services.store.sources.get_revision(ResourceName("secret/a.json"), None).digest
    hidden = [f"/v1/resources/{HIDDEN}", f"/v1/resources/{HIDDEN}/revisions/1", f"/v1/blobs/{digest}", "/resources/secret/a.json@1/source"]
    absent = ["/v1/resources/absent", f"/v1/resources/{HIDDEN}/revisions/2", "/v1/evidence/ev_zzzzzzzzzzzz"]
    for path in [*hidden, *absent, "/v1/nothing", "/nothing"]:
        client.cookies.set("evidence_key", mine["Authorization"][7:])
        assert client.get(path, headers=mine if path.startswith("/v1") else None).status_code == 404
    name = services.store.keys.list_keys()[0].principal.name
    operations = ("getResource", "getRevision", "getBlob", "showSource", "getResource", "getRevision", "getEvidence")
    assert [(one["principal"], one["operation"], one["subject"], one["there"]) for one in denials(services)] == [
        (name, operation, digest_of(f"GET {path}".encode()), path in hidden)
        for operation, path in zip(operations, hidden + absent, strict=True)
    ]
    assert services.store.checks.verify(deep=True).faults == ()


def test_a_missing_grant_is_kept(services: Services) -> None:
    client, mine = TestClient(create_app(services)), bearer(services, Grant.AUDIT_READ, clearances=None)
    assert client.get("/v1/resources", headers=mine).status_code == 403
    assert client.post("/v1/resources/a/revisions", content=b"x", headers=mine).status_code == 403
    with client:
        assert client.post("/mcp", json={}, headers=mine).status_code == 403
    assert [(one["operation"], one["code"]) for one in denials(services)] == [
        ("listResources", "grant_missing"),
        ("putRevision", "grant_missing"),
        ("callMcp", "grant_missing"),
    ]


def test_who_sees_everything_and_who_is_nobody_leave_nothing(services: Services) -> None:
    client = TestClient(create_app(services))
    assert client.get("/v1/resources/absent", headers=bearer(services, *READ, clearances=None)).status_code == 404
    assert client.get(f"/v1/resources/{HIDDEN}").status_code == 401
    assert denials(services) == []


def test_so_many_in_a_minute_are_kept(services: Services) -> None:
    for per_minute, kept in ((2, 2), (0, 2)):
        client, mine = TestClient(create_app(services, settings=ServerSettings(denials_per_minute=per_minute))), bearer(services, *READ)
        for _ in range(4):
            client.get(f"/v1/resources/{HIDDEN}", headers=mine)
        assert len(denials(services)) == kept


def test_nothing_that_a_client_sends_makes_it_cleared(services: Services) -> None:
    client, mine = TestClient(create_app(services)), bearer(services, *READ)
    client.cookies.set("whole", "1")
    headers = {**mine, "whole": "1", "X-Whole": "1", "state": '{"whole": true}'}
    assert client.get(f"/v1/resources/{HIDDEN}?whole=1", headers=headers).status_code == 404
