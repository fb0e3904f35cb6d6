"""The body of a request as pieces for a thread: read as they come, never as a whole."""

import asyncio
from collections.abc import AsyncIterator, Iterator

from starlette.requests import ClientDisconnect, Request

from api.errors import WrongUse
from api.routes.problems import TooLarge

WAIT_S = 60
"""How long a client may take to send the next piece."""


def pieces_of(request: Request, max_bytes: int) -> Iterator[bytes]:
    """The pieces of the body, for one thread that is not that of the event loop.

    Raises TooLarge before anything is read where its length is said and over the bound, WrongUse (`body_broken_off`)
    where the client stops sending.
    """
    said = request.headers.get("content-length", "")
    if said.isdecimal() and int(said) > max_bytes:
        raise TooLarge(f"the body has {said} bytes, more than {max_bytes}", {"limit": max_bytes})
    return _pieces(request.stream(), asyncio.get_running_loop())


def _pieces(stream: AsyncIterator[bytes], loop: asyncio.AbstractEventLoop) -> Iterator[bytes]:
    async def following() -> bytes | None:
        return await anext(stream, None)

    while True:
        try:
            piece = asyncio.run_coroutine_threadsafe(asyncio.wait_for(following(), WAIT_S), loop).result()
        except (ClientDisconnect, TimeoutError) as why:
            raise WrongUse("the body broke off, and nothing of it is stored", code="body_broken_off") from why
        if piece is None:
            return
        if piece:
            yield piece
