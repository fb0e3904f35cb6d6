"""The server that is wrapped: a command that is started, or an address. And how often it may be started."""

import logging
import os
import re
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import httpx2
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CONNECTION_CLOSED, JSONRPCError

from api.errors import UpstreamFailed
from evidence_store.errors import InvalidInput

log = logging.getLogger(__name__)
MAX_STARTS = 5
WITHIN_S = 60.0
MAX_EVENT_BYTES = 256 * 1024 * 1024
"""Of one message over HTTP. The SDK's own bound is 1 MiB, which is less than what there is to offload."""
_TIMEOUT = httpx2.Timeout(30.0, read=300.0)
"""As the SDK's own clients have it."""
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""A token of RFC 9110 section 5.6.2."""
_REFUSALS = (401, 403, 407, 429)
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class Command:
    """Started by us, in our folder; what it writes to stderr stands on ours."""

    words: tuple[str, ...]
    environment: Mapping[str, str]

    @property
    def name(self) -> str:
        return Path(self.words[0]).name


@dataclass(frozen=True, slots=True)
class Address:
    """Raises InvalidInput for what is no address over HTTP."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_address = False
        if not is_address:
            raise InvalidInput("--url takes http://HOST… or https://HOST…", code="wrong_use")

    @property
    def name(self) -> str:
        """Without what may be a secret: a password, a query."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


Upstream: TypeAlias = Command | Address


def parse_header(text: str, environment: Mapping[str, str]) -> tuple[str, str]:
    """`NAME: VALUE`, where `${VARIABLE}` is taken from the environment, so that no command line holds a secret. Raises InvalidInput."""
    name, colon, value = text.partition(":")
    if not colon or not _HEADER.fullmatch(name.strip()):
        raise InvalidInput("--header takes 'NAME: VALUE'", code="wrong_use")
    absent = [one for one in _VARIABLE.findall(value) if one not in environment]
    if absent:
        raise InvalidInput(f"--header {name.strip()}: there is no {absent[0]} in the environment", code="wrong_use")
    made = _VARIABLE.sub(lambda found: environment[found[1]], value.strip())
    if not (made.isascii() and made.replace("\t", " ").isprintable()):
        raise InvalidInput(f"--header {name.strip()}: its value has characters that no header can have", code="wrong_use")
    return name.strip(), made


@dataclass(slots=True)
class Reach:
    """What became of the last try to reach an address."""

    failure: Exception | None = None
    """None: it was reached, or it is a command."""


class _Client(httpx2.AsyncClient):
    """Keeps why an address cannot be reached: the SDK's client ends its streams without a word of it."""

    def __init__(self, reach: Reach, headers: Mapping[str, str]) -> None:
        super().__init__(headers=dict(headers), timeout=_TIMEOUT, event_hooks={"response": [_note_refusal]})
        self._reach = reach

    async def send(self, request: httpx2.Request, **rest: Any) -> httpx2.Response:
        try:
            response = await super().send(request, **rest)
        except httpx2.TransportError as why:
            self._reach.failure = why
            raise
        self._reach.failure = None
        return response


@asynccontextmanager
async def streams_of(upstream: Upstream, reach: Reach) -> AsyncIterator[tuple[Any, Any]]:
    """Messages from it and to it. Raises OSError where it cannot be started; a server that cannot be reached shows at the first message."""
    match upstream:
        case Command(words, environment):
            parameters = StdioServerParameters(command=words[0], args=list(words[1:]), env=dict(environment))
            async with stdio_client(parameters, errlog=sys.stderr) as streams:
                yield streams
        case Address(url, headers):
            async with (
                _Client(reach, headers) as client,
                streamable_http_client(url, http_client=client, max_sse_event_size=MAX_EVENT_BYTES) as streams,
            ):
                yield streams


async def _note_refusal(response: httpx2.Response) -> None:
    """For people: the SDK's client tells nobody with which status an address refuses. Others than these belong to the protocol."""
    if response.status_code in _REFUSALS or response.is_server_error:
        log.warning("the wrapped server answers %s %s", response.status_code, response.reason_phrase)


def reason_of(why: BaseException) -> str:
    """Why a server cannot be had or is gone, as far as it can be said: no path, and nothing of what was sent."""
    if isinstance(why, BaseExceptionGroup):
        return next(filter(None, map(reason_of, why.exceptions)), "")
    if isinstance(why, OSError):
        return why.strerror or ""
    if isinstance(why, httpx2.ConnectError):
        return next(filter(None, map(_system_words, causes_of(why))), str(why))
    return str(why) if isinstance(why, httpx2.NetworkError | httpx2.TimeoutException | httpx2.RemoteProtocolError) else ""


def is_unreachable(why: BaseException) -> bool:
    """Whether an address was not even connected to."""
    if isinstance(why, BaseExceptionGroup):
        return any(map(is_unreachable, why.exceptions))
    return isinstance(why, httpx2.ConnectError | httpx2.ConnectTimeout)


def causes_of(why: BaseException) -> Iterator[BaseException]:
    """What an exception came from, the nearest first; of several tries at once all of them."""
    nearest = why.__cause__ or why.__context__
    for one in (*((nearest,) if nearest else ()), *(why.exceptions if isinstance(why, BaseExceptionGroup) else ())):
        yield one
        yield from causes_of(one)


def _system_words(why: BaseException) -> str:
    """Those of the system for a number of its own; of a name that is not known, those of the resolver. Empty for all else."""
    if not isinstance(why, OSError) or not why.errno:
        return ""
    return os.strerror(why.errno) if why.errno > 0 else why.strerror or ""


def is_broken_off(message: JSONRPCError) -> bool:
    """Whether the SDK's client says over HTTP that an answer broke off. Servers use the code, too, so its words decide."""
    return message.error.code == CONNECTION_CLOSED and message.error.message.startswith("SSE stream ")


class Starts:
    """Counts starts, so that a server that ends at once is not started for ever."""

    def __init__(self, clock: Callable[[], float], most: int = MAX_STARTS, within_s: float = WITHIN_S) -> None:
        self._clock = clock
        self._most = most
        self._within_s = within_s
        self._at: deque[float] = deque()

    def count(self) -> None:
        """Raises UpstreamFailed where there were as many as may be."""
        now = self._clock()
        while self._at and now - self._at[0] >= self._within_s:
            self._at.popleft()
        if len(self._at) >= self._most:
            wait_s = int(self._within_s - (now - self._at[0])) + 1
            raise UpstreamFailed(
                f"the wrapped server was started {self._most} times within {self._within_s:.0f} s and ended each time; "
                f"it is started again in {wait_s} s at the earliest"
            )
        self._at.append(now)
