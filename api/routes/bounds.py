"""Bounds of a request before anybody looks at it: address, headers, body, and the time in which it has to come and its answer to go."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.access import TooManyRequests
from api.errors import WrongUse
from api.routes.problems import AddressTooLong, HeadersTooLarge, TooLarge, problem_response
from evidence_store.errors import EvidenceStoreError

MAX_ADDRESS_BYTES = 8 * 1024
MAX_HEADER_BYTES = 32 * 1024
BODY_WAIT_S = 30.0
"""In which a body that is read as a whole has to be there."""
SEND_WAIT_S = 60.0
"""In which a client has to take the next piece of an answer."""
_STREAMED = re.compile(rb"/v1/resources/[^/?]+/revisions(?:\?.*)?")
"""Bodies that are put: any size that a document may have, piece by piece."""


class Bounds:
    """Refuses what is over a bound. A body that is no upload is read as a whole before the application sees the request."""

    def __init__(self, app: ASGIApp, *, max_body_bytes: int, max_uploads: int) -> None:
        self._app = app
        self._max_body_bytes = max_body_bytes
        self._max_uploads = max_uploads
        self._n_uploads = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            _require_head(scope)
            if scope["method"] == "POST" and _STREAMED.fullmatch(scope.get("raw_path") or b""):
                with self._upload():
                    await self._app(scope, receive, _in_time(send))
                return
            received = await self._whole(scope, receive)
        except ClientDisconnect:
            return
        except EvidenceStoreError as why:
            await problem_response(Request(scope), why)(scope, receive, send)
            return
        await self._app(scope, received, _in_time(send))

    @contextmanager
    def _upload(self) -> Iterator[None]:
        """One of those that there may be at a time: each holds a thread."""
        if self._n_uploads >= self._max_uploads:
            raise TooManyRequests(
                f"{self._max_uploads} uploads are being taken in", {"retry_after_s": 1, "limit": self._max_uploads}, code="too_many_uploads"
            )
        self._n_uploads += 1
        try:
            yield
        finally:
            self._n_uploads -= 1

    async def _whole(self, scope: Scope, receive: Receive) -> Receive:
        """What gives the body as one message. Raises TooLarge, and WrongUse (`body_broken_off`) where it does not come in time."""
        headers = Headers(scope=scope)
        said = headers.get("content-length", "")
        if said.isdecimal() and int(said) > self._max_body_bytes:
            raise self._too_large()
        if said in ("", "0") and "transfer-encoding" not in headers:
            return receive
        try:
            body = await asyncio.wait_for(self._read(receive), BODY_WAIT_S)
        except TimeoutError as why:
            raise WrongUse(f"the body was not there after {BODY_WAIT_S:.0f} seconds", code="body_broken_off") from why
        given = False

        async def again() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        return again

    async def _read(self, receive: Receive) -> bytes:
        pieces, size, more = [], 0, True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                raise ClientDisconnect
            pieces.append(message.get("body", b""))
            size += len(pieces[-1])
            if size > self._max_body_bytes:
                raise self._too_large()
            more = message.get("more_body", False)
        return b"".join(pieces)

    def _too_large(self) -> TooLarge:
        return TooLarge(f"the body has more than {self._max_body_bytes} bytes", {"limit": self._max_body_bytes})


def _require_head(scope: Scope) -> None:
    """Raises AddressTooLong, HeadersTooLarge."""
    if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MAX_ADDRESS_BYTES:
        raise AddressTooLong(f"the address has more than {MAX_ADDRESS_BYTES} bytes", {"limit": MAX_ADDRESS_BYTES})
    if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADER_BYTES:
        raise HeadersTooLarge(f"the headers have more than {MAX_HEADER_BYTES} bytes", {"limit": MAX_HEADER_BYTES})


def _in_time(send: Send) -> Send:
    """Ends the answer to a client that does not take it: an answer in one piece is handed over anyway."""

    async def send_in_time(message: Message) -> None:
        if message.get("more_body"):
            await asyncio.wait_for(send(message), SEND_WAIT_S)
        else:
            await send(message)

    return send_in_time
