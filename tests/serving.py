"""The service over given services in a thread, and over a store in a process of its own, on the loopback interface."""

import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from api.app import create_app
from api.listening import listening
from api.settings import Settings
from api.wiring import Services, open_services
from evidence_store.access import Grant
from evidence_store.store.keys import KeyRequest
from tests.conftest import ROOT
from tests.e2e.command import PROGRAM


@contextmanager
def serving(services: Services, *, unauthenticated: bool = False) -> Iterator[str]:
    """Its address while it serves. Whoever connects before it accepts waits in the socket's queue."""
    app = create_app(services, unauthenticated=unauthenticated)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    with listening(0) as socket:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{socket.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@dataclass(frozen=True, slots=True)
class Server:
    """`evidence serve` in a process of its own."""

    url: str
    key: str


@contextmanager
def served(store: Path, *grants: Grant) -> Iterator[Server]:
    """A server over a new store in this folder, and a key with these grants."""
    with open_services(Settings(store), create=True) as services:
        key = services.store.keys.create(KeyRequest("tests", frozenset(grants), None), "tests").secret
    process = subprocess.Popen((*PROGRAM, "serve", "--port", "0", "--store", str(store)), cwd=ROOT, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", said)
        assert found is not None, said
        yield Server(found[0], key)
    finally:
        process.terminate()
        process.communicate()
