"""Readiness: what is missing is named."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.readiness import require_ready
from api.server_settings import ServerSettings
from api.settings import Settings
from api.wiring import Services, open_services
from evidence_store.database import sqlite_engine
from tests.unit.api.routes.sample import Sample


def test_a_store_that_can_be_written_is_ready(client: TestClient) -> None:
    found = client.get("/readyz")
    assert (found.status_code, found.json(), found.headers["cache-control"]) == (200, {"status": "ready"}, "no-store")


def test_too_little_space_is_said(sample: Sample) -> None:
    with open_services(Settings(sample.folder)) as services:
        found = TestClient(create_app(services, settings=ServerSettings(min_free_bytes=2**60))).get("/readyz")
        assert (found.status_code, found.json()["code"], found.json()["failed"]) == (503, "not_ready", ["space"])
        assert TestClient(create_app(services)).get("/healthz").status_code == 200


def failed(services: Services) -> object:
    with pytest.raises(Exception, match="not ready") as caught:
        require_ready(services, 0)
    return caught.value.details["failed"]  # type: ignore[attr-defined]


def test_another_schema_and_a_folder_that_is_gone_are_said(tmp_path: Path) -> None:
    with open_services(Settings(tmp_path / "a"), create=True) as services:
        engine = sqlite_engine(tmp_path / "a" / "evidence.db")
        with engine.begin() as connection:
            connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0000'")
        engine.dispose()
        assert failed(services) == ["schema"]
        (tmp_path / "a").rename(tmp_path / "b")
        assert "blobs" in str(failed(services))
