"""The connection to the upstream over its life: started, greeted in the era of the client, lost, started again for the next call.

Starting it again repeats what the client had agreed with the one before: its greeting, its level of messages, its subscriptions.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
from anyio.abc import TaskGroup, TaskStatus
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from api.errors import UpstreamFailed
from api.mcp.proxy import eras
from api.mcp.proxy.catalog import Catalog
from api.mcp.proxy.eras import Era
from api.mcp.proxy.link import Link
from api.mcp.proxy.messages import Answer, Json, Message, notification, response
from api.mcp.proxy.upstream import Reach, Starts, Upstream, is_unreachable, reason_of, streams_of

MAX_TOOL_PAGES = 1000


class UpstreamConnection:
    """`take` gets what the upstream says, in its order; `lost` is told when a connection is gone, before anything is started again."""

    def __init__(
        self,
        upstream: Upstream,
        starts: Starts,
        start_timeout_s: float,
        catalog: Catalog,
        take: Callable[[Link, Message], Awaitable[None]],
        lost: Callable[[Link], Awaitable[None]],
    ) -> None:
        self._upstream = upstream
        self._starts = starts
        self._start_timeout_s = start_timeout_s
        self._catalog = catalog
        self._take = take
        self._lost = lost
        self._lock = anyio.Lock()
        self._tasks: TaskGroup | None = None
        self.link: Link | None = None
        self.client: Era | None = None
        self.era: Era | None = None
        """Of the upstream; None until it is known."""
        self.hello: Json | None = None
        """What the client said in `initialize`, or is said for it."""
        self.envelope: Json | None = None
        self.answer: Json | None = None
        """What the upstream said of itself."""
        self.level: str | None = None
        self.subscriptions: dict[str, Json] = {}
        self.was_discovered = False
        """Whether this connection was asked `server/discover` for the client: then it may serve the newer era alone."""
        self.failure: UpstreamFailed | None = None
        """Why nothing was ever heard of the upstream; None where something was, or nothing went wrong."""
        self._was_heard = False

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Connections live within this."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            yield
            tasks.cancel_scope.cancel()

    @property
    def is_ready(self) -> bool:
        return self.link is not None and not self.link.is_lost and self._catalog.is_fresh and self.era is not None

    @property
    def needs_no_upstream(self) -> bool:
        """Whether our own tools can be told from the upstream's while it is gone, as it was when it was last heard."""
        return self.client is not None and self._catalog.was_learned and (self.link is None or self.link.is_lost)

    @property
    def is_bridged(self) -> bool:
        """Whether client and upstream speak different eras."""
        return self.client is not None and self.client is not self.era

    async def linked(self) -> Link:
        """A live connection, greeted as far as the client has said who it is. Raises UpstreamFailed."""
        async with self._lock:
            if self.link is None or self.link.is_lost:
                await self._start()
                if self.client is not None:
                    await self._greet_again_or_stop()
            assert self.link is not None
            return self.link

    async def _start(self) -> None:
        assert self._tasks is not None
        self._starts.count()
        self._catalog.is_fresh = self.was_discovered = False
        try:
            self.link = await self._tasks.start(self._keep)
        except Exception as why:
            reason = reason_of(why) or type(why).__name__
            failed = UpstreamFailed(f"{self._upstream.name!r} cannot be started: {reason}")
            self._fail(failed)
            raise failed from why

    async def _keep(self, *, task_status: TaskStatus[Link]) -> None:
        """One connection, to its end."""
        links: list[Link] = []
        reach = Reach()
        try:
            async with streams_of(self._upstream, reach) as (read, write):
                async with anyio.create_task_group() as tasks:
                    link = Link(self._catalog.schemas, tasks.cancel_scope.cancel)
                    links.append(link)
                    tasks.start_soon(link.write, write)
                    task_status.started(link)
                    async for item in read:
                        if not isinstance(item, Exception):
                            self._was_heard, self.failure = True, None
                            await self._take(link, item.message)
                    tasks.cancel_scope.cancel()
                await self._end(link, reach.failure)
        except Exception as why:
            if not links:
                raise
            await self._end(links[0], why)

    async def _end(self, link: Link, why: Exception | None) -> None:
        """Tells of the end before what is left of the upstream is waited for."""
        if not link.is_lost:
            link.lose("" if why is None else reason_of(why), was_reached=why is None or not is_unreachable(why))
            self._fail(UpstreamFailed(link.said))
            await self._lost(link)

    def _fail(self, why: UpstreamFailed) -> None:
        if not self._was_heard:
            self.failure = why

    async def _within(self, doing: str, step: Callable[[], Awaitable[Any]]) -> Any:
        try:
            with anyio.fail_after(self._start_timeout_s):
                return await step()
        except TimeoutError as why:
            text = f"{self._upstream.name!r} did not {doing} within {self._start_timeout_s:.0f} s"
            raise UpstreamFailed(text) from why

    async def greet(self, params: Json) -> Answer:
        """Passes on the client's `initialize`; an upstream of the newer era alone is asked in its own way."""
        link = await self.linked()
        return await self._within("answer", lambda: self._greet(link, params))  # type: ignore[no-any-return]

    async def _greet(self, link: Link, params: Json) -> Answer:
        said = await link.ask("initialize", params)
        if isinstance(said, JSONRPCError):
            if said.error.code != types.UNSUPPORTED_PROTOCOL_VERSION or self.was_discovered:
                return said
            found = await self._discover(link, eras.make_envelope(params.get("clientInfo")))
            if found is None:
                return said
            result = eras.greeted(found, params.get("protocolVersion"))
            self.era, self.answer, self.envelope = Era.ENVELOPE, found, eras.make_envelope(params.get("clientInfo"))
        else:
            result = said.result
            self.era, self.answer, link.version = Era.HANDSHAKE, result, result.get("protocolVersion")
        self.client, self.hello = Era.HANDSHAKE, params
        return response(said.id or 0, result)

    async def _discover(self, link: Link, envelope: Json) -> Json | None:
        found = await link.ask("server/discover", {"_meta": envelope})
        if isinstance(found, JSONRPCError) or not set(found.result.get("supportedVersions", ())) & set(MODERN_PROTOCOL_VERSIONS):
            return None
        return found.result

    async def settle(self, envelope: Json) -> None:
        """Finds out the upstream's era for a client of the newer one; where it is the older, greets it in the client's stead."""
        link = await self.linked()
        async with self._lock:
            if self.client is None:
                await self._within("answer", lambda: self._settle(link, envelope))

    async def _settle(self, link: Link, envelope: Json) -> None:
        found = await self._discover(link, envelope)
        if found is not None:
            self.era, self.answer = Era.ENVELOPE, found
        else:
            await self._greet_for(link, eras.make_hello(envelope))
        self.client, self.envelope = Era.ENVELOPE, envelope

    async def _greet_for(self, link: Link, hello: Json) -> None:
        said = await link.ask("initialize", hello)
        if isinstance(said, JSONRPCError):
            raise UpstreamFailed(f"{self._upstream.name!r} refused to begin: {said.error.message}")
        self.era, self.answer, self.hello, link.version = Era.HANDSHAKE, said.result, hello, said.result.get("protocolVersion")
        link.send(notification("notifications/initialized"))

    async def _greet_again_or_stop(self) -> None:
        """A connection that is not greeted is no connection."""
        link = self.link
        assert link is not None
        try:
            await self._within("answer", self._greet_again)
        except UpstreamFailed:
            link.stop()
            self.link = None
            raise

    async def _greet_again(self) -> None:
        """What a client had agreed with the connection before."""
        link = self.link
        assert link is not None
        if self.era is not Era.HANDSHAKE:
            return
        assert self.hello is not None
        await self._greet_for(link, self.hello)
        if self.level is not None:
            await link.ask("logging/setLevel", {"level": self.level})
        for params in self.subscriptions.values():
            await link.ask("resources/subscribe", params)

    async def list_tools(self) -> None:
        """Learns the upstream's tools, all pages, unless they are known. One without tools has none."""
        link = await self.linked()
        async with self._lock:
            if not self._catalog.is_fresh:
                await self._within("list its tools", lambda: self._list_tools(link))

    async def _list_tools(self, link: Link) -> None:
        tools: list[Any] = []
        cursor: str | None = None
        for _ in range(MAX_TOOL_PAGES):
            page = await link.ask("tools/list", self.adapted({} if cursor is None else {"cursor": cursor}))
            if isinstance(page, JSONRPCError):
                break
            tools += page.result.get("tools") or []
            cursor = page.result.get("nextCursor")
            if cursor is None:
                break
        self._catalog.learn(tools, all_of_them=True)

    def discovered(self, params: Json | None, result: Json) -> None:
        """Both sides speak the newer era: the client asked for it, and the upstream answered."""
        self.client = self.era = Era.ENVELOPE
        self.envelope, self.answer = eras.envelope_of(params), result

    def adapted(self, params: Json | None) -> Json | None:
        """Parameters of a request as the upstream's era has them."""
        if self.era is Era.ENVELOPE and eras.envelope_of(params) is None and self.envelope is not None:
            return eras.with_envelope(params, self.envelope, self.level)
        return eras.without_envelope(params) if self.era is Era.HANDSHAKE and self.client is Era.ENVELOPE else params

    def remember(self, message: JSONRPCRequest | JSONRPCNotification) -> None:
        """What has to be said again to a connection that is started anew."""
        params = message.params or {}
        if message.method == "logging/setLevel":
            self.level = params.get("level")
        elif message.method == "resources/subscribe":
            self.subscriptions[str(params.get("uri"))] = {"uri": params.get("uri")}
        elif message.method == "resources/unsubscribe":
            self.subscriptions.pop(str(params.get("uri")), None)
