"""Puts that are sent again with their idempotency key: the first answer, whatever it was."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.unit.api.routes.access import opened

PATH = "/v1/resources/ci%2Fjob.log/revisions"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with opened(tmp_path) as door:
        yield door.owner


def put(client: TestClient, raw: bytes, key: str) -> tuple[int, bytes]:
    answer = client.post(PATH, content=raw, headers={"Idempotency-Key": key})
    return answer.status_code, answer.content


def test_a_put_that_made_a_revision_is_answered_as_the_first_time(client: TestClient) -> None:
    first = put(client, b"one\n", "a")
    assert first[0] == 201
    assert put(client, b"two\n", "b")[0] == 201
    assert put(client, b"one\n", "a") == first
    assert len(client.get(PATH).json()["data"]) == 2


def test_a_put_that_saw_a_revision_again_is_answered_as_the_first_time(client: TestClient) -> None:
    put(client, b"one\n", "a")
    seen = put(client, b"one\n", "b")
    assert seen[0] == 200
    assert put(client, b"one\n", "b") == seen
