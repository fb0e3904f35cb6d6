"""A store of its own for each test, closed at its end."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from evidence_store.store import EvidenceStore
from tests.factories import make_store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def store(folder: Path) -> Iterator[EvidenceStore]:
    with make_store(folder) as made:
        yield made
