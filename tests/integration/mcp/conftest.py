"""A store for MCP, and both eras of the protocol to reach it in."""

import pytest

from api.wiring import DEFAULT_COUNTER, Services
from evidence_store.store import EvidenceStore
from projector import counter_for
from tests.factories import API_BYTES, put


@pytest.fixture
def services(store: EvidenceStore) -> Services:
    """Over a store with one small document; the store is closed by its own fixture."""
    put(store, API_BYTES)
    return Services(store, lambda: counter_for(DEFAULT_COUNTER))


@pytest.fixture(params=["auto", "legacy"])
def era(request: pytest.FixtureRequest) -> str:
    """How the SDK's client connects: by the newest revision of the protocol, or by the handshake."""
    return str(request.param)
