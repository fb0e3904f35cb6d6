"""A store with a small specification, and the first step of a run over it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from api.tools import ToolContext
from evidence_store.store import EvidenceStore
from tests.factories import make_store, open_step, put
from tests.unit.api.tool_calls import SPEC, limit_of


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EvidenceStore]:
    with make_store(tmp_path) as made:
        put(made, SPEC)
        yield made


@pytest.fixture
def context(store: EvidenceStore) -> ToolContext:
    return ToolContext(store, limit_of, open_step(store))
