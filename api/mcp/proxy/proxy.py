"""The middle: takes what the client and the upstream say, message by message, and passes it on.

Invariants, each with a test:
1. Every request of the client gets one answer: the upstream's, ours, or an error that says what happened; none after it was cancelled.
2. What is neither a result of a tool, nor a list of tools, nor a greeting passes as it is where both sides speak the same era.
3. The proxy outlives its upstream, and what is stored can be read meanwhile.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any

import anyio
import mcp_types as types
from anyio import to_thread
from anyio.abc import TaskGroup
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse, RequestId

from api.errors import UpstreamFailed, message_of
from api.mcp.faults import fault_of
from api.mcp.proxy import eras
from api.mcp.proxy.catalog import Catalog, Naming
from api.mcp.proxy.connection import UpstreamConnection
from api.mcp.proxy.eras import Era
from api.mcp.proxy.link import Link
from api.mcp.proxy.messages import Answer, Json, Message, error, notification, readdressed, request, response
from api.mcp.proxy.own import OWN, OwnTools, tool_result
from api.mcp.proxy.results import Results, UpstreamCall
from api.mcp.proxy.shaping import Shaping
from api.mcp.proxy.upstream import Starts, Upstream, is_broken_off
from api.wrap import take_filters
from api.wrap.context import WrapContext
from api.wrap.endings import answer_refusal
from evidence_store.errors import EvidenceStoreError
from projector import format_error

ENDED = "the wrapped server ended while it worked on this, and what it did until then is not known"
UNREACHED = ", and whether it began with this is not known; the next call tries it again"
CANCELLED = "notifications/cancelled"


@dataclass(slots=True, eq=False)
class Pending:
    """A request of the client that has no answer yet."""

    request: JSONRPCRequest
    scope: anyio.CancelScope
    link: Link | None = None
    """Where the upstream has it."""
    call: UpstreamCall | None = None
    level: str | None = None
    is_wanted: bool = True


@dataclass(frozen=True, slots=True)
class Asked:
    """A request of the upstream to the client, which knows it by another id."""

    link: Link
    id: RequestId


class Proxy:
    """One client and one upstream."""

    def __init__(
        self,
        upstream: Upstream,
        starts: Starts,
        start_timeout_s: float,
        context: WrapContext,
        own: OwnTools,
        note: Callable[[str], None],
        naming: Naming,
    ) -> None:
        self._write: Any = None
        self._own = own
        self._note = note
        self._catalog = Catalog(context.rules, OWN, note, naming)
        self._connection = UpstreamConnection(upstream, starts, start_timeout_s, self._catalog, self._from_upstream, self._lost)
        self._shaping = Shaping(self._connection, self._catalog)
        self._results = Results(context, own, naming.prefix)
        self._pending: dict[RequestId, Pending] = {}
        self._asked: dict[RequestId, Asked] = {}
        self._ids = count()
        self._tasks: TaskGroup | None = None

    @property
    def failure(self) -> UpstreamFailed | None:
        """Why nothing was ever heard of the upstream; None where something was, or nothing went wrong."""
        return self._connection.failure

    async def run(self, read: Any, write: Any) -> None:
        """Until the client ends."""
        self._write = write
        async with read, write, self._connection.running(), anyio.create_task_group() as tasks:
            self._tasks = tasks
            tasks.start_soon(self._begin)
            async for item in read:
                if not isinstance(item, Exception):
                    await self._from_client(item.message)
            tasks.cancel_scope.cancel()

    async def _begin(self) -> None:
        """The upstream starts while the client still says hello; that it cannot is told to the first who asks, too."""
        try:
            await self._connection.linked()
        except UpstreamFailed as why:
            self._note(message_of(why))

    # -- from the client

    async def _from_client(self, message: Message) -> None:
        match message:
            case JSONRPCRequest():
                pending = self._pending[message.id] = Pending(message, anyio.CancelScope(), level=eras.level_of(message.params))
                assert self._tasks is not None
                if self._connection.is_ready and self._is_passed_on(message):
                    await self._serve(pending)
                else:
                    self._tasks.start_soon(self._serve, pending)
            case JSONRPCNotification():
                await self._notified(message)
            case JSONRPCResponse() | JSONRPCError():
                asked = None if message.id is None else self._asked.pop(message.id, None)
                if asked is not None and not asked.link.is_lost:
                    self._quietly(asked.link, readdressed(message, asked.id))

    def _is_passed_on(self, message: JSONRPCRequest) -> bool:
        """Whether serving it is no more than sending it on."""
        is_own = message.method == "tools/call" and self._catalog.find_own((message.params or {}).get("name"))
        return not is_own and message.method not in ("initialize", "server/discover") and not self._connection.is_bridged

    async def _notified(self, message: JSONRPCNotification) -> None:
        link, connection = self._connection.link, self._connection
        if message.method == CANCELLED:
            id_ = (message.params or {}).get("requestId")
            pending = self._pending.pop(id_, None) if isinstance(id_, int | str) else None
            if pending is None:
                return
            pending.is_wanted = False
            pending.scope.cancel()
            link = pending.link
        elif connection.is_bridged:
            return
        if link is not None and not link.is_lost:
            self._quietly(link, message)

    def _quietly(self, link: Link, message: Message) -> None:
        """Sends what nobody waits for an answer to."""
        try:
            link.send(message)
        except UpstreamFailed:
            return

    async def _serve(self, pending: Pending) -> None:
        """One request, as far as it goes until the upstream has it, or to its end where it is ours."""
        with pending.scope:
            try:
                await self._dispatch(pending)
            except UpstreamFailed as why:
                await self._fail(pending, why)
            except Exception as why:  # a fault of ours: told in words, and the connection goes on
                await self._break(pending, why)

    async def _dispatch(self, pending: Pending) -> None:
        asked, connection = pending.request, self._connection
        envelope = eras.envelope_of(asked.params)
        if asked.method == "initialize":
            await self._greet(pending)
            return
        if connection.needs_no_upstream and await self._is_own(pending):
            return
        if asked.method == "server/discover" and connection.client is None:
            self._pass_on(pending, await connection.linked())
            connection.was_discovered = True
            return
        if envelope is not None:
            self._own.agent = _name_of(envelope.get(types.CLIENT_INFO_META_KEY))
            if connection.client is None:
                await connection.settle(envelope)
        try:
            link = await connection.linked()
        except UpstreamFailed:
            if connection.client is not None and (await self._is_own(pending) or await self._is_remembered(pending)):
                return
            raise
        if connection.is_bridged and await self._is_answered_here(pending):
            return
        if asked.method in ("tools/list", "tools/call") and connection.era is not None:
            await connection.list_tools()
        if asked.method == "tools/call" and await self._is_ours(pending):
            return
        self._pass_on(pending, link)

    async def _greet(self, pending: Pending) -> None:
        params = pending.request.params or {}
        self._own.agent = _name_of(params.get("clientInfo"))
        await self._answer(pending, readdressed(await self._connection.greet(params), pending.request.id))

    async def _is_answered_here(self, pending: Pending) -> bool:
        """Whether a request was answered here, since the upstream's era does not have it."""
        asked, connection = pending.request, self._connection
        if asked.method == "server/discover":
            assert connection.answer is not None
            await self._answer(pending, response(asked.id, eras.discovered(connection.answer)))
        elif asked.method == "ping":
            await self._answer(pending, response(asked.id, {}))
        elif asked.method == "logging/setLevel":
            connection.remember(asked)
            await self._answer(pending, response(asked.id, {}))
        elif asked.method in (*eras.HANDSHAKE_ONLY, "subscriptions/listen"):
            text = "not available: client and wrapped server speak different eras of the protocol"
            await self._answer(pending, error(asked.id, text, types.METHOD_NOT_FOUND, asked.method))
        else:
            if pending.level is not None and connection.era is Era.HANDSHAKE and pending.level != connection.level:
                connection.level = pending.level
                await (await connection.linked()).ask("logging/setLevel", {"level": pending.level})
            return False
        return True

    async def _is_own(self, pending: Pending) -> bool:
        """Whether a request is a call of one of our tools, and was answered."""
        asked = pending.request
        params: Json = asked.params or {}
        own = self._catalog.find_own(params.get("name")) if asked.method == "tools/call" else None
        if own is None:
            return False
        given, names = params.get("arguments") or {}, self._catalog.names
        result = await to_thread.run_sync(self._own.call, own, given, names, lambda: pending.is_wanted)
        await self._answer(pending, response(asked.id, self._shaping.in_era("tools/call", result)))
        return True

    async def _is_remembered(self, pending: Pending) -> bool:
        """Whether the list of tools was asked for, and answered as it was last known: without one some clients call no tool."""
        asked = pending.request
        if asked.method != "tools/list" or not self._catalog.was_learned:
            return False
        listed = self._shaping.in_era(asked.method, {"tools": list(self._catalog.tools)})
        await self._answer(pending, response(asked.id, listed))
        return True

    async def _is_ours(self, pending: Pending) -> bool:
        """Whether a call is of one of our tools, and answered; of another the filters are taken out."""
        if await self._is_own(pending):
            return True
        asked = pending.request
        params: Json = asked.params or {}
        name, arguments = params.get("name"), params.get("arguments") or {}
        if not isinstance(name, str) or not isinstance(arguments, dict):
            return False
        try:
            taken = take_filters(arguments, self._catalog.filters_of(name))
        except EvidenceStoreError as why:
            result = tool_result(answer_refusal(why).text, is_error=True)
            await self._answer(pending, response(asked.id, self._shaping.in_era("tools/call", result)))
            return True
        pending.call = UpstreamCall(name, taken.arguments, taken.filters)
        if len(taken.arguments) != len(arguments):
            pending.request = request(asked.id, asked.method, {**params, "arguments": dict(taken.arguments)})
        return False

    def _pass_on(self, pending: Pending, link: Link) -> None:
        asked, params = pending.request, self._connection.adapted(pending.request.params)
        pending.link = link
        link.send(asked if params is asked.params else request(asked.id, asked.method, params))

    # -- from the upstream

    async def _from_upstream(self, link: Link, message: Message) -> None:
        match message:
            case JSONRPCResponse() | JSONRPCError():
                if not link.take(message):
                    await self._answered(link, message)
            case JSONRPCRequest():
                await self._ask_client(link, message)
            case JSONRPCNotification():
                await self._tell_client(link, message)

    async def _answered(self, link: Link, message: Answer) -> None:
        pending = None if message.id is None else self._pending.get(message.id)
        if pending is None or pending.link is not link:
            return  # cancelled meanwhile, or nobody's
        try:
            await self._hand_on(pending, message)
        except Exception as why:  # an answer that is none of the protocol's: the connection goes on
            await self._break(pending, why)

    async def _hand_on(self, pending: Pending, message: Answer) -> None:
        if isinstance(message, JSONRPCError) and is_broken_off(message):
            await self._fail(pending, UpstreamFailed(f"{ENDED} ({message.error.message})"))
        elif pending.call is None or isinstance(message, JSONRPCError) or self._results.passes(pending.call, message.result):
            await self._answer(pending, message)
        else:
            pending.link = None
            assert self._tasks is not None
            self._tasks.start_soon(self._treat, pending, message.result)

    async def _treat(self, pending: Pending, result: Json) -> None:
        assert pending.call is not None
        names = self._catalog.names
        try:
            made = await to_thread.run_sync(self._results.treat, pending.call, result, names, lambda: pending.is_wanted)
            await self._answer(pending, response(pending.request.id, made))
        except Exception as why:  # as above
            await self._break(pending, why)

    async def _ask_client(self, link: Link, message: JSONRPCRequest) -> None:
        """A request of the upstream. A client of the newer era is not asked anything; the upstream was told so."""
        if self._connection.is_bridged and self._connection.client is Era.ENVELOPE:
            answer = response(message.id, {}) if message.method == "ping" else error(message.id, "Method not found", types.METHOD_NOT_FOUND)
            self._quietly(link, answer)
            return
        id_ = next(self._ids)
        self._asked[id_] = Asked(link, message.id)
        await self._send(message.model_copy(update={"id": id_}))

    async def _tell_client(self, link: Link, message: JSONRPCNotification) -> None:
        connection, params = self._connection, message.params or {}
        if message.method == "notifications/tools/list_changed":
            self._catalog.is_fresh = False
        if message.method == CANCELLED:
            await self._withdraw(link, params)
            return
        if connection.is_bridged and (message.method not in eras.TO_CLIENT or not self._is_asked_for(message.method, params.get("level"))):
            return
        await self._send(message)

    def _is_asked_for(self, method: str, level: object) -> bool:
        """Whether a client of the newer era is told: of messages, where a request that waits asks for their level."""
        if method != "notifications/message" or self._connection.client is not Era.ENVELOPE:
            return True
        return any(one.level is not None and eras.reaches(level, one.level) for one in self._pending.values())

    async def _withdraw(self, link: Link, params: Json) -> None:
        """The upstream no longer wants an answer to what it asked."""
        for id_, asked in list(self._asked.items()):
            if asked == Asked(link, params.get("requestId", "")):
                del self._asked[id_]
                await self._send(notification(CANCELLED, {**params, "requestId": id_}))

    async def _lost(self, link: Link) -> None:
        """The upstream has ended: who waits for it is told, and what it asked is withdrawn."""
        self._note(link.said)
        for id_, asked in list(self._asked.items()):
            if asked.link is link:
                del self._asked[id_]
                await self._send(notification(CANCELLED, {"requestId": id_, "reason": "the server has ended"}))
        waiting = [one for one in self._pending.values() if one.link is link]
        for pending in waiting:
            said = f"{ENDED}{link.reason}; the next call starts it again" if link.was_reached else f"{link.said}{UNREACHED}"
            await self._fail(pending, UpstreamFailed(said))

    # -- to the client

    async def _fail(self, pending: Pending, why: UpstreamFailed) -> None:
        """A call of a tool that fails is a result, so that a model reads it; else an error of the protocol."""
        asked, text = pending.request, message_of(why)
        if asked.method == "tools/call":
            result = tool_result(format_error(why.error_code, text, {}, retry=True), is_error=True)
            await self._answer(pending, response(asked.id, self._shaping.in_era(asked.method, result)))
        else:
            await self._answer(pending, error(asked.id, text, data={"code": why.error_code}))

    async def _break(self, pending: Pending, why: Exception) -> None:
        fault = fault_of(pending.request.method, why)
        await self._answer(pending, error(pending.request.id, message_of(fault), data={"code": fault.error_code}))

    async def _answer(self, pending: Pending, answer: Answer) -> None:
        """Once, and not where it was cancelled."""
        if self._pending.get(pending.request.id) is not pending:
            return
        del self._pending[pending.request.id]
        await self._send(self._shaping.shaped(pending.request, answer))

    async def _send(self, message: Message) -> None:
        """To nobody where the client has gone."""
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            await self._write.send(SessionMessage(message))


def _name_of(client: Any) -> str:
    name = client.get("name") if isinstance(client, dict) else None
    return name[:80] if isinstance(name, str) and name else "agent"
