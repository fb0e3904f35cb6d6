"""The socket that a server listens on."""

import socket

from api.listening import listening


def test_what_it_answers_is_sent_at_once() -> None:
    """asyncio sets TCP_NODELAY on connections whose socket names its protocol, and leaves others to Nagle's algorithm."""
    with listening(0) as listener, socket.create_connection(listener.getsockname()) as client:
        accepted, _ = listener.accept()
        with accepted:
            assert (listener.proto, accepted.proto) == (socket.IPPROTO_TCP, socket.IPPROTO_TCP)
            assert client.getpeername() == listener.getsockname()
