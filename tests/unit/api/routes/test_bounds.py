"""Bounds of requests: what is over one is refused in words, and nobody holds the server up."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.routes.bounds import MAX_ADDRESS_BYTES, MAX_HEADER_BYTES
from api.routes.headers import SECURITY_HEADERS
from api.server_settings import ServerSettings
from api.settings import Settings
from api.wiring import Services, open_services
from evidence_store.access import Grant
from evidence_store.store.keys import KeyRequest
from tests.unit.api.routes.sample import Sample


@pytest.fixture
def services(sample: Sample) -> Iterator[Services]:
    with open_services(Settings(sample.folder)) as opened:
        yield opened


def client_of(services: Services, settings: ServerSettings, *, unauthenticated: bool = True) -> TestClient:
    return TestClient(create_app(services, unauthenticated=unauthenticated, settings=settings))


@pytest.fixture
def small(services: Services) -> TestClient:
    return client_of(services, ServerSettings(max_json_bytes=100, max_uploads=0))


def pieces(n: int) -> Iterator[bytes]:
    for _ in range(n):
        yield b"a" * 60


@pytest.mark.parametrize("streamed", [False, True])
def test_a_body_over_the_bound_is_refused_wherever_it_is_sent(small: TestClient, streamed: bool) -> None:
    for path in ("/v1/nothing", "/healthz", "/v1/evidence/ev_tpvnrht0mge4", "/mcp"):
        found = small.post(path, content=pieces(2) if streamed else b"a" * 101)
        assert (found.status_code, found.json()["code"], found.json()["limit"]) == (413, "too_large", 100)
        assert found.json()["request_id"] == found.headers["request-id"]
        assert {name: found.headers[name] for name in SECURITY_HEADERS} == SECURITY_HEADERS


def test_a_body_at_the_bound_comes_through(small: TestClient) -> None:
    assert small.post("/healthz", content=b"a" * 100).status_code == 405
    assert small.post("/healthz", content=pieces(1)).status_code == 405


def test_an_address_over_the_bound_is_refused(small: TestClient) -> None:
    for path in ("/v1/resources/" + "a" * MAX_ADDRESS_BYTES, "/v1/resources?cursor=" + "a" * MAX_ADDRESS_BYTES):
        found = small.get(path)
        assert (found.status_code, found.json()["code"]) == (414, "address_too_long")


def test_headers_over_the_bound_are_refused(small: TestClient) -> None:
    found = small.get("/v1/resources", headers={f"x-{n}": "a" * 1000 for n in range(MAX_HEADER_BYTES // 1000 + 1)})
    assert (found.status_code, found.json()["code"]) == (431, "headers_too_large")


def test_uploads_beyond_those_that_may_run_wait(small: TestClient, services: Services) -> None:
    found = small.post("/v1/resources/new%2Fa.log/revisions", content=b"a" * 1000)
    assert (found.status_code, found.json()["code"], found.headers["retry-after"]) == (429, "too_many_uploads", "1")
    one = client_of(services, ServerSettings(max_json_bytes=100, max_uploads=1))
    for _ in range(2):
        assert one.post("/v1/resources/new%2Fa.log/revisions", content=b"a" * 1000).status_code in (200, 201)


def test_who_asks_too_often_is_told_when_to_come_again(services: Services) -> None:
    client = client_of(services, ServerSettings(requests_per_s=2), unauthenticated=False)
    first, second = (
        {"Authorization": f"Bearer {services.store.keys.create(KeyRequest(name, frozenset([Grant.EVIDENCE_READ])), 'test').secret}"}
        for name in "ab"
    )
    found = [client.get("/v1/resources", headers=first) for _ in range(12)]
    refused = [one for one in found if one.status_code == 429]
    assert found[0].status_code == 200
    assert refused, "no clock of ours is so slow that twelve requests take five seconds"
    assert {(one.json()["code"], one.headers["retry-after"]) for one in refused} == {("too_many_requests", "1")}
    assert client.get("/v1/resources", headers=second).status_code == 200
    assert client.get("/healthz").status_code == 200
