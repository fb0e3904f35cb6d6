"""Errors of all kinds as problem details."""

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.routes.headers import SECURITY_HEADERS
from api.routes.problems import status_of
from api.settings import Settings
from api.wiring import open_services
from evidence_store.errors import (
    Ambiguous,
    Conflict,
    EvidenceStoreError,
    IntegrityMismatch,
    LimitExceeded,
    MalformedPointer,
    NotContainer,
    StoreUnavailable,
)
from tests.unit.api.routes.sample import Sample


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (MalformedPointer, 400),
        (Ambiguous, 400),
        (LimitExceeded, 422),
        (NotContainer, 404),
        (Conflict, 409),
        (IntegrityMismatch, 500),
        (StoreUnavailable, 503),
        (EvidenceStoreError, 500),
    ],
)
def test_a_class_of_errors_has_the_status_of_its_nearest_ancestor(error: type[EvidenceStoreError], status: int) -> None:
    assert status_of(error("what")) == status


def test_no_such_path_and_no_such_method(client: TestClient) -> None:
    missing, other = client.get("/v1/nothing"), client.post("/healthz")
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")
    assert (other.status_code, other.json()["code"]) == (405, "method_not_allowed")
    assert {one.headers["content-type"] for one in (missing, other)} == {"application/problem+json"}


def test_what_helps_stands_beside_the_message(sample: Sample) -> None:
    with open_services(Settings(sample.folder)) as services:
        app = create_app(services, unauthenticated=True)

        @app.get("/v1/refused")
        def refuse() -> None:
            raise Ambiguous("which?", {"places": [[1, 2]], "status": "no member of ours is overwritten", "ratio": 0.5})

        problem = TestClient(app).get("/v1/refused").json()
    assert (problem["places"], problem["ratio"], problem["status"]) == ([[1, 2]], "0.5", 400)


def test_a_code_of_a_wider_kind_names_it(sample: Sample) -> None:
    with open_services(Settings(sample.folder)) as services:
        app = create_app(services, unauthenticated=True)

        @app.get("/v1/refused")
        def refuse(code: str) -> None:
            raise Ambiguous("which?", code=code)

        problems = [TestClient(app).get("/v1/refused", params={"code": code}).json() for code in ("twice", "ambiguous")]
    assert [(one["code"], one.get("kind")) for one in problems] == [("twice", "ambiguous"), ("ambiguous", None)]


@pytest.mark.parametrize("path", ["/v1/broken", "/broken"])
def test_what_was_not_foreseen_says_nothing_of_its_cause(sample: Sample, path: str) -> None:
    with open_services(Settings(sample.folder)) as services:
        app = create_app(services, unauthenticated=True)

        @app.get(path)
        def break_() -> None:
            raise RuntimeError("a secret")

        answer = TestClient(app, raise_server_exceptions=False).get(path)
    assert answer.status_code == 500
    assert "internal_error" in answer.text
    assert "secret" not in answer.text
    assert {name: answer.headers[name] for name in SECURITY_HEADERS} == SECURITY_HEADERS
