"""Serving the proxy over stdio, to the client that starts it. Stdout belongs to the protocol: what else is written lands on stderr."""

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType

import anyio
from mcp.server.stdio import stdio_server

from api.mcp.proxy.catalog import PLAIN_NAMES, Naming
from api.mcp.proxy.own import OwnTools
from api.mcp.proxy.proxy import Proxy
from api.mcp.proxy.upstream import Starts, Upstream
from api.mcp.runs import RunName
from api.wiring import Services
from api.wrap import ResultBudget, Switches, ToolRules, ToolWrapper, WrapRules

WINDOW = 200_000
START_TIMEOUT_S = 120


@dataclass(frozen=True, slots=True)
class ProxyOptions:
    """How results are treated, and where calls are kept."""

    window: int = WINDOW
    """Of the model, in tokens."""
    tokens: int | None = None
    """Of one result; None: as the window says."""
    tool_tokens: tuple[tuple[str, int], ...] = ()
    filters: bool = True
    offload: bool = True
    keep_small: bool = False
    run: RunName | None = None
    start_timeout_s: float = START_TIMEOUT_S
    naming: Naming = PLAIN_NAMES


def rules_of(options: ProxyOptions) -> WrapRules:
    """Raises InvalidInput for budgets that hold nothing."""
    others = ToolRules(tokens=options.tokens, keep_small=options.keep_small)
    tools = {name: replace(others, tokens=n_tokens) for name, n_tokens in options.tool_tokens}
    return WrapRules(
        ResultBudget(options.window), Switches(filters=options.filters, offload=options.offload), MappingProxyType(tools), others
    )


def build_proxy(services: Services, upstream: Upstream, options: ProxyOptions, note: Callable[[str], None]) -> Proxy:
    """`note` is told what people should know. Raises InvalidInput, NotFound."""
    context = ToolWrapper(services, rules_of(options)).context
    own = OwnTools(services, context, options.run)
    return Proxy(upstream, Starts(time.monotonic), options.start_timeout_s, context, own, note, options.naming)


def serve_proxy(services: Services, upstream: Upstream, options: ProxyOptions, note: Callable[[str], None]) -> None:
    """Serves until the client closes stdin, Ctrl-C or SIGTERM; the upstream ends with it.

    Raises as `build_proxy` does, and UpstreamFailed at the end where nothing was ever heard of the upstream.
    """
    proxy = build_proxy(services, upstream, options, note)

    async def run() -> None:
        async with stdio_server() as (read, write), anyio.create_task_group() as tasks:
            tasks.start_soon(_end_by_signal, stopping := anyio.CancelScope(), ended := anyio.Event())
            with stopping:
                await proxy.run(read, write)
            ended.set()
            tasks.cancel_scope.cancel()

    anyio.run(run)
    if proxy.failure is not None:
        raise proxy.failure


async def _end_by_signal(stopping: anyio.CancelScope, ended: anyio.Event) -> None:
    """On a signal the upstream is ended first; then the signal does what it does. A read of stdin would wait for the client for ever."""
    with suppress(NotImplementedError), anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for kind in signals:
            stopping.cancel()
            with anyio.CancelScope(shield=True):
                await ended.wait()
            sys.stderr.flush()
            signal.signal(kind, signal.SIG_DFL)
            os.kill(os.getpid(), kind)
