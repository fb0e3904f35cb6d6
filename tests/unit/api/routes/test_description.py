"""The published description of the endpoints."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from api.access import OPERATIONS

NO_PART = ("callMcp", "getMetrics", "signIn", "signOut")
"""Operations beside the pages that the description leaves out: what answers is described elsewhere."""


@pytest.fixture
def operations(client: TestClient) -> list[dict[str, Any]]:
    paths = client.get("/v1/openapi.json").json()["paths"]
    return [operation for item in paths.values() for operation in item.values()]


def test_each_operation_has_its_name(operations: list[dict[str, Any]]) -> None:
    described = [name for name in OPERATIONS if not name.startswith("show") and name not in NO_PART]
    assert sorted(one["operationId"] for one in operations) == sorted(described)


def test_pages_are_no_part_of_it(client: TestClient) -> None:
    assert all(path.startswith(("/v1/", "/healthz", "/readyz")) for path in client.get("/v1/openapi.json").json()["paths"])


def test_errors_are_described_as_problem_details(operations: list[dict[str, Any]]) -> None:
    errors = [response for one in operations for status, response in one["responses"].items() if status >= "400"]
    assert errors
    assert all(list(response["content"]) == ["application/problem+json"] for response in errors)


def test_health_says_that_the_store_can_be_read(client: TestClient) -> None:
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
