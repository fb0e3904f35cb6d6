"""The application served on the loopback interface by a thread of this process, for tests that need real HTTP."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from api.listening import listening


@contextmanager
def served(app: Any, **settings: Any) -> Iterator[str]:
    """The base of the application's address, without a slash at its end."""
    with listening(0) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False, lifespan="on", **settings))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
