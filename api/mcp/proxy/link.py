"""One live connection to the upstream: messages to it, and questions of our own with their answers.

Requests of the client keep their ids on the way; ours are texts that begin with `evidence:`, which no client is known to use.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import anyio
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
    mcp_param_headers,
    x_mcp_header_map,
)
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcp_types import PROTOCOL_VERSION_META_KEY, JSONRPCRequest

from api.errors import UpstreamFailed
from api.mcp.proxy.eras import envelope_of
from api.mcp.proxy.messages import Answer, Json, Message, request

_numbers = count(1)
MAX_QUEUED = 10_000
"""Messages that wait until the upstream reads them."""


@dataclass(slots=True)
class _Question:
    done: anyio.Event = field(default_factory=anyio.Event)
    answer: Answer | None = None


class Link:
    """May be used by several tasks. `schemas` are the arguments of the upstream's tools, for headers that repeat some of them."""

    def __init__(self, schemas: Mapping[str, Any], stop: Callable[[], None]) -> None:
        self.stop = stop
        """Ends the connection from our side."""
        self._queue, self._queued = anyio.create_memory_object_stream[SessionMessage](MAX_QUEUED)
        self._schemas = schemas
        self._questions: dict[str, _Question] = {}
        self.version: str | None = None
        """Of the handshake era; over HTTP each message names it."""
        self.is_lost = False
        self.reason = ""
        """Of the end, in brackets, where one is known."""
        self.was_reached = True
        """False: the address was not connected to when it was last tried."""

    async def write(self, write: Any) -> None:
        """Writes what is sent, as fast as the upstream reads: one that does not read keeps nobody else waiting."""
        with self._queue, self._queued, suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            async for message in self._queued:
                await write.send(message)

    def send(self, message: Message) -> None:
        """Raises UpstreamFailed where the connection is gone, or the upstream has long not read."""
        made = SessionMessage(message, ClientMessageMetadata(headers=self._headers(message)))
        try:
            self._queue.send_nowait(made)
        except anyio.WouldBlock as why:
            raise UpstreamFailed(f"the wrapped server reads nothing: {MAX_QUEUED} messages wait for it") from why
        except (anyio.ClosedResourceError, anyio.BrokenResourceError) as why:
            raise UpstreamFailed(self.said) from why

    async def ask(self, method: str, params: Mapping[str, Any] | None) -> Answer:
        """The answer to a question of ours. Raises UpstreamFailed where the connection ends before there is one."""
        id_, question = f"evidence:{next(_numbers)}", _Question()
        self._questions[id_] = question
        try:
            self.send(request(id_, method, params))
            await question.done.wait()
        finally:
            self._questions.pop(id_, None)
        if question.answer is None:
            raise UpstreamFailed(f"the wrapped server ended before it answered {method}{self.reason}" if self.was_reached else self.said)
        return question.answer

    @property
    def said(self) -> str:
        """Of a connection that is lost."""
        return f"the wrapped server {'has ended' if self.was_reached else 'cannot be reached'}{self.reason}"

    def take(self, answer: Answer) -> bool:
        """Whether it answers a question of ours."""
        question = self._questions.get(answer.id) if isinstance(answer.id, str) else None
        if question is None:
            return False
        question.answer = answer
        question.done.set()
        return True

    def lose(self, reason: str, *, was_reached: bool = True) -> None:
        """Ends what is waiting; an empty reason: nothing is known of why."""
        self.is_lost = True
        self.was_reached = was_reached
        self.reason = f" ({reason})" if reason else ""
        self._queue.close()
        self._queued.close()
        for question in self._questions.values():
            question.done.set()

    def _headers(self, message: Message) -> dict[str, str] | None:
        """Those that streamable HTTP wants; stdio has none."""
        if not isinstance(message, JSONRPCRequest) or (envelope := envelope_of(message.params)) is None:
            return None if self.version is None else {MCP_PROTOCOL_VERSION_HEADER: self.version}
        params: Json = message.params or {}
        headers = {MCP_PROTOCOL_VERSION_HEADER: str(envelope[PROTOCOL_VERSION_META_KEY]), MCP_METHOD_HEADER: message.method}
        name = params.get(NAME_BEARING_METHODS.get(message.method, ""))
        if isinstance(name, str):
            headers[MCP_NAME_HEADER] = encode_header_value(name)
            if message.method == "tools/call" and name in self._schemas:
                headers.update(mcp_param_headers(x_mcp_header_map(self._schemas[name]), params.get("arguments") or {}))
        return headers
