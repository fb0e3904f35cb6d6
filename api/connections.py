"""Connections of the server: uvicorn's, with a bound on the time in which the head of a request has to come.

uvicorn bounds only the time between requests, so a client could hold connections by sending a head byte by byte.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_WAIT_S = 20.0
"""In which the head of a request has to be there, from the beginning of the connection or from its first byte."""


class TimedConnection(H11Protocol):
    """Closes when a head does not come in time."""

    head_wait_s = HEAD_WAIT_S
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        if self._timer is None and self._is_idle():
            self._wait()
        super().data_received(data)
        if not self._is_idle():
            self._end_wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_wait()
        super().connection_lost(exc)

    def _is_idle(self) -> bool:
        """Whether no request is being answered."""
        cycle: Any = self.cycle
        return cycle is None or bool(cycle.response_complete)

    def _wait(self) -> None:
        self._timer = self.loop.call_later(self.head_wait_s, self._close)

    def _end_wait(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close(self) -> None:
        self._timer = None
        if self._is_idle():
            self.transport.close()
