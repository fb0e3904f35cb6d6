"""The service over given services, in a thread, on the loopback interface."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from api.app import create_app
from api.wiring import Services


@contextmanager
def serving(services: Services, *, unauthenticated: bool = False) -> Iterator[str]:
    """Its address while it serves. Whoever connects before it accepts waits in the socket's queue."""
    app = create_app(services, unauthenticated=unauthenticated)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
