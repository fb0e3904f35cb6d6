"""What holds for every test: no settings of the machine, no network beyond loopback, the same examples on every run.

Fixtures of one layer stand in that layer's own `conftest.py`; values come from `tests/factories.py`, stand-ins from `tests/fakes.py`.
"""

import os
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
AIRFLOW = ROOT / "build" / "airflow"

# Derandomised, so that a red run can be repeated; without a deadline, since machines differ; without a database beside the sources.
settings.register_profile("repository", derandomize=True, deadline=None, database=None)
settings.load_profile("repository")


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("EVIDENCE_")]:
        monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection to anything but loopback or a local socket fails here, with or without a network."""
    connect = socket.socket.connect

    def connect_locally(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise AssertionError(f"a test reached for the network: {address!r}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect_locally)


@pytest.fixture(scope="session")
def airflow_pair() -> tuple[Path, Path]:
    """The demo pair, where `make pair` has fetched it; tests that take it carry the mark `airflow`."""
    old, new = AIRFLOW / "airflow-core-3.0.0.yaml", AIRFLOW / "airflow-core-3.1.0.yaml"
    if not (old.is_file() and new.is_file()):
        pytest.skip("needs the demo pair: make pair")
    return old, new


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Real documents and logs, where they are at hand; tests that take it carry the mark `corpus`."""
    found = Path(os.environ.get("CORPUS", ROOT.parent / "shared" / "corpus"))
    if not found.is_dir():
        pytest.skip("needs a corpus: CORPUS=DIR")
    return found


@pytest.fixture(scope="session")
def large() -> None:
    """For tests that take minutes; those that take it carry the mark `large`."""
    if os.environ.get("LARGE") != "1":
        pytest.skip("takes minutes: LARGE=1")
