"""A store for each test, and the command to run on it."""

from pathlib import Path

import pytest

from tests.e2e.command import Evidence
from tests.factories import make_store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def evidence(capsysbinary: pytest.CaptureFixture[bytes], folder: Path) -> Evidence:
    make_store(folder).close()
    return Evidence(capsysbinary, folder)
