"""A socket that an HTTP server listens on, and its end by a signal; for the doors that serve HTTP."""

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from api.errors import WrongUse

BACKLOG = 128
LOOPBACK = "127.0.0.1"
_PORT_REFUSED = "port_refused"


@contextmanager
def listening(port: int, host: str = LOOPBACK, option: str = "--port") -> Iterator[socket.socket]:
    """A socket that takes connections at once, so that the address can be told before the server is up; port 0 takes any free one.

    Raises WrongUse when it cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named, since asyncio sends at once only on sockets that say so: else each answer waits 40 ms for an acknowledgement.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
            listener.listen(BACKLOG)
        except OverflowError as why:
            raise WrongUse(f"{port} is no port: ports go up to 65535", {"limit": 65535}, code=_PORT_REFUSED) from why
        except OSError as why:
            text = f"port {port} cannot be had: {why.strerror}; give another with {option}, or 0 for any free one"
            raise WrongUse(text, {"port": port}, code=_PORT_REFUSED) from why
        yield listener


@contextmanager
def signals_taken() -> Iterator[None]:
    """The server stops by itself on these signals and then raises them again; here that means: done."""
    kinds = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(kind, lambda *_: None) for kind in kinds]
    try:
        yield
    finally:
        for kind, handler in zip(kinds, before, strict=True):
            signal.signal(kind, handler)
