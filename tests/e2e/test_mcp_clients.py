"""Clients of MCP that are not ours, at our server, each in an environment of its own, which `make test` makes."""

from pathlib import Path

import pytest

from api.settings import Settings
from api.wiring import open_services
from benchmarks.bench_mcp_clients import N_RESOURCES, WAYS, fill, is_ready, iter_faults, try_client
from benchmarks.mcp_clients.client import CLIENTS
from evidence_store.excerpts import NoLimit
from evidence_store.model import Selector
from evidence_store.store.passages import Place
from tests.e2e.command import Evidence
from tests.factories import API


@pytest.mark.clients
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_does_what_every_client_must_be_able_to(tmp_path: Path, client: str, way: str) -> None:
    if not is_ready(client):
        pytest.skip(f"{client} is not installed for its test: make test")
    fill(tmp_path)
    assert try_client(client, way, tmp_path).faults == ()


def test_what_a_client_misses_is_a_fault(tmp_path: Path) -> None:
    fill(tmp_path)
    with open_services(Settings(tmp_path)) as services:
        packet = services.store.passages.read(Place(API, 1, Selector("pointer", "/limit/maximum")), NoLimit())
    saw = {"excerpt": "50", "same": True, "standing": "open", "n_resources": 100, "tools": ["b", "a"], "claim": packet.id}
    assert list(iter_faults(saw, tmp_path)) == ["standing is 'open'", "n_resources is 100", "tools are ['b', 'a']"]


def test_the_store_that_clients_are_given_has_so_many_resources(evidence: Evidence) -> None:
    fill(evidence.folder)
    assert len(evidence("resources").answer()["resources"]) == N_RESOURCES
