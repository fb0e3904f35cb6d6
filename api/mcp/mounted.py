"""MCP at a path of the HTTP server: one endpoint for all principals, each with the handlers that its key stands for.

Whoever asks is admitted before a request comes here, and stands in its scope. What a principal sees, which tools it has and which runs it
may go on with is decided for each request anew; a session of the handshake era belongs to the principal that began it.
"""

from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any

import mcp_types as types
from mcp.server import Server
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from api.auth import Caller
from api.mcp.calls import Calls
from api.mcp.completion import Completion
from api.mcp.resources import Resources
from api.mcp.runs import Connection, ImplicitRuns
from api.mcp.server import INSTRUCTIONS, MINUTES_MS, NAME
from api.mcp.serving import HttpPlace, security_of
from evidence_store import VERSION
from evidence_store.access import Grant, Principal
from evidence_store.errors import StoreUnavailable

Context = ServerRequestContext[Connection, Any]
CALLER = "caller"
"""Member of a scope's state: who asks."""
MAX_SESSIONS = 1000
KEPT_HANDLERS = 64


@dataclass(frozen=True, slots=True)
class Handlers:
    """What answers one principal."""

    calls: Calls
    resources: Resources
    completion: Completion


class Mounted:
    """The endpoint. Requests are handled while it is `running`."""

    def __init__(self, *, max_body_bytes: int, loopback: HttpPlace | None = None) -> None:
        """With `loopback`, pages and names from elsewhere are refused: whoever comes so far owns the store."""
        self._max_body_bytes = max_body_bytes
        self._security = TransportSecuritySettings(enable_dns_rebinding_protection=False) if loopback is None else security_of(loopback)
        self._kept: OrderedDict[Principal, Handlers] = OrderedDict()
        self._lock = Lock()
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        manager = StreamableHTTPSessionManager(
            self._server(), security_settings=self._security, max_request_body_size=self._max_body_bytes, max_sessions=MAX_SESSIONS
        )
        async with manager.run():
            self._manager = manager
            try:
                yield
            finally:
                self._manager = None

    async def handle(self, scope: Any, receive: Any, send: Any) -> None:
        """One request, as ASGI has it. Raises StoreUnavailable before and after the time that it runs."""
        if self._manager is None:
            raise StoreUnavailable("the server is not up yet, or is stopping", code="not_serving")
        principal = scope["state"][CALLER].principal
        token = AccessToken(token="", client_id=f"{principal.workspace}/{principal.name}", scopes=[])
        await self._manager.handle_request({**scope, "user": AuthenticatedUser(token)}, receive, send)

    def _server(self) -> Server[Connection]:
        @asynccontextmanager
        async def connection(_: Server[Connection]) -> AsyncIterator[Connection]:
            yield Connection()

        return Server(
            NAME,
            version=VERSION,
            title="Evidence store",
            instructions=INSTRUCTIONS,
            lifespan=connection,
            # Which tools there are depends on who asks.
            cache_hints={
                "tools/list": CacheHint(MINUTES_MS, "private"),
                "resources/templates/list": CacheHint(MINUTES_MS, "public"),
                "resources/list": CacheHint(0, "private"),
            },
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read,
            on_completion=self._complete,
        )

    async def _list_tools(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return await self._of(context).calls.list_tools(context, params)

    async def _call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        return await self._of(context).calls.call_tool(context, params)

    async def _list_resources(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        return await self._of(context).resources.list_resources(context, params)

    async def _list_templates(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
        return await self._of(context).resources.list_templates(context, params)

    async def _read(self, context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        return await self._of(context).resources.read(context, params)

    async def _complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        return await self._of(context).completion.complete(context, params)

    def _of(self, context: Context) -> Handlers:
        """Of whoever sent this request, whatever the session began with."""
        assert context.request is not None, "over HTTP there is a request"
        caller = context.request.scope["state"][CALLER]
        assert isinstance(caller, Caller)
        with self._lock:
            found = self._kept.get(caller.principal)
            if found is None:
                found = self._kept[caller.principal] = _handlers(caller)
                if len(self._kept) > KEPT_HANDLERS:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(caller.principal)
            return found


def _handlers(caller: Caller) -> Handlers:
    principal, services = caller.principal, caller.services
    records = Grant.CLAIM_WRITE in principal.grants
    runs = ImplicitRuns(services.store, own=None if records else principal.name)
    calls = Calls(services, runs, recording=records, links=False, principal=principal.name)
    return Handlers(calls, Resources(services), Completion(services))
