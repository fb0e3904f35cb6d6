"""The upstream that tests wrap, as a process of its own, and a client at it: directly, or through the proxy."""

import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import mcp_types as types
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.memory import create_client_server_memory_streams

from api.mcp.proxy.serving import ProxyOptions, build_proxy
from api.mcp.proxy.upstream import Address, Command, Upstream
from api.wiring import Services
from tests.conftest import ROOT
from tests.e2e.command import environment

TIMEOUT_S = 60
PROGRAM = (sys.executable, "-m", "tests.integration.mcp.proxy.upstream_server")
TIGHT = ProxyOptions(tokens=400)
"""A budget that a few lines are over."""
BARE = ProxyOptions(filters=False, offload=False)


def command(*words: str) -> Command:
    return Command((*PROGRAM, *words), environment() | {"PYTHONPATH": str(ROOT)})


@contextmanager
def http_upstream(*words: str) -> Iterator[Address]:
    """The upstream over HTTP while this is entered."""
    given = command("--http", *words)
    process = subprocess.Popen(given.words, cwd=ROOT, env=dict(given.environment), stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        yield Address(process.stderr.readline().strip())
    finally:
        process.kill()
        process.communicate()


@dataclass(slots=True)
class Heard:
    """What a client is told beside answers."""

    notes: list[str] = field(default_factory=list)
    """Of the proxy, for people."""
    logged: list[Any] = field(default_factory=list)
    progress: list[Any] = field(default_factory=list)
    messages: list[Any] = field(default_factory=list)

    async def take_log(self, params: types.LoggingMessageNotificationParams) -> None:
        self.logged.append((params.level, params.logger, params.data))

    async def take_progress(self, progress: float, total: float | None, message: str | None) -> None:
        self.progress.append((progress, total, message))

    async def take_message(self, message: Any) -> None:
        self.messages.append(message)


async def say_seven(context: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
    return types.CreateMessageResult(role="assistant", content=types.TextContent(text="seven"), model="scripted")


def client_at(server: Any, era: str, heard: Heard) -> Client:
    return Client(
        server,
        mode=era,
        log_level="info",
        logging_callback=heard.take_log,
        message_handler=heard.take_message,
        sampling_callback=say_seven if era == "legacy" else None,
        cache=None,
    )


def directly(upstream: Upstream, era: str, heard: Heard) -> Client:
    if isinstance(upstream, Address):
        return client_at(upstream.url, era, heard)
    words = upstream.words
    parameters = StdioServerParameters(command=words[0], args=list(words[1:]), env=dict(upstream.environment), cwd=ROOT)
    return client_at(parameters, era, heard)


@asynccontextmanager
async def transport(services: Services, upstream: Upstream, options: ProxyOptions, heard: Heard) -> AsyncIterator[Any]:
    """The proxy as a transport of the client's: it runs in this process."""
    proxy = build_proxy(services, upstream, options, heard.notes.append)
    async with create_client_server_memory_streams() as (client, server), anyio.create_task_group() as tasks:
        tasks.start_soon(proxy.run, *server)
        yield client


def through(services: Services, upstream: Upstream, era: str, heard: Heard, options: ProxyOptions = TIGHT) -> Client:
    return client_at(transport(services, upstream, options, heard), era, heard)


def talk(client: Client, main: Callable[[Client], Awaitable[Any]]) -> Any:
    """What is said to it. An error is raised as it is, and not in the groups of the tasks around it."""

    async def run() -> Any:
        with anyio.fail_after(TIMEOUT_S):
            async with client:
                try:
                    return await main(client), None
                except Exception as why:
                    return None, why

    found, why = anyio.run(run)
    if why is not None:
        raise why
    return found


async def said(client: Client, name: str, **arguments: Any) -> str:
    """The text of a call that succeeds."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result
    return text_of(result)


def text_of(result: types.CallToolResult) -> str:
    return "".join(block.text for block in result.content if isinstance(block, types.TextContent))


async def tools_of(client: Client) -> dict[str, types.Tool]:
    found: list[types.Tool] = []
    cursor: str | None = None
    while True:
        page = await client.list_tools(cursor=cursor)
        found, cursor = [*found, *page.tools], page.next_cursor
        if cursor is None:
            return {tool.name: tool for tool in found}
