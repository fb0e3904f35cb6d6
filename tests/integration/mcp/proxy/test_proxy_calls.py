"""Calls on their way: side by side, cancelled, to an upstream that ends, that cannot start, or that starts slowly."""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from api.errors import UpstreamFailed
from api.mcp.proxy.proxy import ENDED
from api.mcp.proxy.serving import ProxyOptions
from api.mcp.proxy.upstream import MAX_STARTS, WITHIN_S, Address, Command, Starts
from api.wiring import Services
from tests.integration.mcp.proxy.wrapping import TIGHT, Heard, command, http_upstream, said, talk, text_of, through, tools_of

PAIRS = (("handshake", "auto"), ("handshake", "2026-07-28"), ("envelope", "legacy"), ("envelope", "auto"))


def test_calls_run_side_by_side_and_each_gets_its_own_answer(services: Services, era: str) -> None:
    async def main(client: Client) -> None:
        answers: dict[int, str] = {}

        async def call(n: int) -> None:
            given: tuple[dict[str, Any], ...] = ({"text": f"n{n}"}, {"n": 200 + n}, {"resource": f"n{n}", "lines": "1"})
            answers[n] = text_of(await client.call_tool(("echo", "log", "read")[n % 3], given[n % 3]))

        async with anyio.create_task_group() as tasks:
            for n in range(60):
                tasks.start_soon(call, n)
        assert len(answers) == 60
        for n, answer in answers.items():
            assert (f"n{n}" if n % 3 == 0 else f"log?n={200 + n}" if n % 3 == 1 else "retry: yes") in answer

    talk(through(services, command(), era, Heard()), main)


def test_a_call_that_waits_keeps_no_other_from_its_answer(services: Services, era: str) -> None:
    async def main(client: Client) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "wait", {})
            assert await said(client, "echo", text="meanwhile") == "meanwhile"
            tasks.cancel_scope.cancel()

    talk(through(services, command(), era, Heard()), main)


def test_an_upstream_that_does_not_answer_one_request_keeps_no_other_from_its_answer(services: Services) -> None:
    """Here the level of messages: a client of the newer era says it with each request, an upstream of the other is told of each change."""

    async def main(client: Client) -> None:
        async with anyio.create_task_group() as tasks:
            for level in ("info", "error"):

                async def call(level: str = level) -> str:
                    meta: Any = {types.LOG_LEVEL_META_KEY: level}
                    return text_of(await client.call_tool("echo", {"text": level}, meta=meta))

                tasks.start_soon(call)
                await anyio.wait_all_tasks_blocked()
                assert await call() == level
            tasks.cancel_scope.cancel()

    talk(through(services, command("--only", "handshake", "--mute"), "2026-07-28", Heard()), main)


@pytest.mark.parametrize("http", [False, True])
def test_a_cancellation_reaches_the_upstream(services: Services, era: str, http: bool) -> None:
    async def main(client: Client) -> None:
        begun = anyio.Event()

        async def told(progress: float, total: float | None, message: str | None) -> None:
            begun.set()

        async def wait() -> None:
            await client.call_tool("wait", {}, progress_callback=told)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            await begun.wait()
            tasks.cancel_scope.cancel()
        assert await said(client, "cancelled") == "done"

    if http:
        with http_upstream() as address:
            talk(through(services, address, era, Heard()), main)
    else:
        talk(through(services, command(), era, Heard()), main)


def test_an_upstream_that_ends_is_told_and_started_again_for_the_next_call(services: Services, era: str) -> None:
    heard = Heard()

    async def main(client: Client) -> None:
        first = await said(client, "pid")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ends, client, "wait")
            await ends(client, "crash")
        assert await said(client, "pid") != first
        assert "line 1" in await said(client, "log", n=2)

    async def ends(client: Client, name: str) -> None:
        failed = await client.call_tool(name, {})
        assert failed.is_error
        assert ENDED in text_of(failed)
        assert "upstream_failed" in text_of(failed)

    talk(through(services, command(), era, heard), main)
    assert heard.notes == ["the wrapped server has ended"]


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
def test_what_a_client_had_agreed_is_said_again_to_an_upstream_that_is_started_again(services: Services) -> None:
    async def main(client: Client) -> None:
        await client.set_logging_level("error")
        await client.subscribe_resource("mem://one")
        await client.call_tool("crash", {})
        assert await said(client, "level") == "mem://one"
        assert await said(client, "ask") == "seven"

    talk(through(services, command(), "legacy", Heard()), main)


def test_an_upstream_that_always_ends_is_not_started_for_ever(services: Services, era: str) -> None:
    async def main(client: Client) -> str:
        await said(client, "log", n=2000)
        last = ""
        for _ in range(MAX_STARTS + 1):
            last = text_of(await client.call_tool("crash", {}))
        assert "line 1999" in await said(client, "read", resource="log?n=2000", lines="2000"), "what is stored needs no upstream"
        return last

    last = talk(through(services, command(), era, Heard()), main)
    assert f"was started {MAX_STARTS} times within {WITHIN_S:.0f} s" in last


def test_what_is_stored_is_read_without_starting_an_upstream_again(services: Services, era: str) -> None:
    heard = Heard()

    async def main(client: Client) -> None:
        await said(client, "log", n=2000)
        await tools_of(client)  # the SDK's client lists the tools after the first call of one that it does not know
        first = await said(client, "pid")
        await client.call_tool("crash", {})
        assert "ERROR disk full" in await said(client, "search", resource="log?n=2000", pattern="ERROR")
        assert not Path(f"/proc/{first}").exists()

    starts: list[object] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Starts, "count", lambda self: starts.append(self))
        talk(through(services, command(), era, heard), main)
    assert len(starts) == 1


def test_starts_are_counted_within_their_time() -> None:
    now = [0.0]
    starts = Starts(lambda: now[0], most=2, within_s=10)
    starts.count()
    now[0] = 4
    starts.count()
    with pytest.raises(UpstreamFailed, match="in 7 s at the earliest"):
        starts.count()
    now[0] = 10
    starts.count()


@pytest.mark.parametrize(
    ("upstream", "said"),
    [
        (Command(("/no/such-command",), {}), "'such-command' cannot be started: No such file or directory"),
        (Command(("false",), dict(os.environ)), "ended before it answered initialize"),
        (Address("http://127.0.0.1:9/mcp"), "the wrapped server cannot be reached (Connection refused)"),
    ],
)
def test_an_upstream_that_cannot_be_had_is_a_clear_error(services: Services, upstream: Any, said: str) -> None:
    heard = Heard()
    why = refusal(through(services, upstream, "legacy", heard))
    assert why.error.data == {"code": "upstream_failed"}
    assert str(why).endswith(said)


def test_an_address_that_is_gone_is_told_apart_from_a_server_that_ended(services: Services, era: str) -> None:
    async def main(client: Client) -> None:
        await client.call_tool("crash", {})
        await client.call_tool("echo", {"text": "on a connection that may not know yet that it is gone"})
        failed = text_of(await client.call_tool("echo", {"text": "again"}))
        assert "cannot be reached (Connection refused)" in failed
        assert "ended" not in failed

    with http_upstream() as address:
        talk(through(services, address, era, Heard()), main)


@pytest.mark.parametrize(("status", "said"), [(401, ["the wrapped server answers 401 Unauthorized"]), (404, [])])
def test_an_address_that_refuses_is_told_with_its_status(
    services: Services, caplog: pytest.LogCaptureFixture, status: int, said: list[str]
) -> None:
    class Refusing(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing on stderr."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        serving = Thread(target=server.serve_forever)
        serving.start()
        try:
            assert refusal(through(services, Address(f"http://127.0.0.1:{server.server_port}/mcp"), "legacy", Heard())).error.code < 0
        finally:
            server.shutdown()
            serving.join()
    assert [one.getMessage() for one in caplog.records if one.name == "api.mcp.proxy.upstream"] == said


def refusal(client: Client) -> MCPError:
    """The error that a client gets in place of a connection."""
    try:
        talk(client, lambda _: pytest.fail("it is connected"))
    except (MCPError, ExceptionGroup) as why:
        (found,) = errors_in(why)
        return found
    raise AssertionError("no error")


def errors_in(why: BaseException) -> list[MCPError]:
    if isinstance(why, BaseExceptionGroup):
        return [found for one in why.exceptions for found in errors_in(one)]
    return [why] if isinstance(why, MCPError) else []


def test_an_upstream_may_take_its_time_to_start(services: Services, era: str, tmp_path: Path) -> None:
    fifo = tmp_path / "go"
    os.mkfifo(fifo)

    async def main(client: Client) -> None:
        assert await said(client, "echo", text="late") == "late"

    opener = Thread(target=fifo.write_bytes, args=(b"",))
    heard = Heard()
    client = through(services, command("--after", str(fifo)), era, heard)
    opener.start()
    talk(client, main)
    opener.join()
    assert heard.notes == []


def test_an_upstream_that_never_answers_is_given_up(services: Services, tmp_path: Path) -> None:
    fifo = tmp_path / "never"
    os.mkfifo(fifo)

    why = refusal(through(services, command("--after", str(fifo)), "legacy", Heard(), ProxyOptions(start_timeout_s=0.2)))
    assert "did not answer within" in str(why)


@pytest.mark.parametrize(("only", "mode"), PAIRS)
@pytest.mark.parametrize("http", [False, True])
def test_client_and_upstream_may_speak_different_eras(services: Services, only: str, mode: str, http: bool) -> None:
    heard = Heard()

    async def main(client: Client) -> None:
        assert client.protocol_version == ("2026-07-28" if mode == "2026-07-28" or (mode, only) == ("auto", "envelope") else "2025-11-25")
        assert (await client.list_tools()).tools[0].name == "echo"
        assert await said(client, "echo", text="x") == "x"
        assert (await said(client, "log", n=2000)).startswith("[offloaded log: ")
        assert (await client.call_tool("pods", {"n": 2})).structured_content["pods"][1]["name"] == "api-1"
        assert (await client.list_resources()).resources[0].uri == "mem://one"
        assert len((await client.read_resource("mem://one")).contents) == 2
        assert (await client.list_prompts()).prompts[0].name == "greet"
        assert (await client.get_prompt("greet", {"who": "you"})).description == "a greeting"
        assert (await client.call_tool("steps", {"n": 3}, progress_callback=heard.take_progress)).content
        await client.call_tool("say", {"text": "hello"})
        with pytest.raises(MCPError, match="out of cheese") as caught:
            await client.call_tool("fault", {})
        assert (caught.value.error.code, caught.value.error.data) == (-32011, {"left": 0})
        assert ENDED in text_of(await client.call_tool("crash", {}))
        if not http:
            assert await said(client, "echo", text="again") == "again"

    if http:
        with http_upstream("--only", only) as address:
            talk(through(services, address, mode, heard, TIGHT), main)
    else:
        talk(through(services, command("--only", only), mode, heard, TIGHT), main)
    assert heard.progress == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]
    if (only, mode) != ("envelope", "legacy"):
        assert heard.logged == [("warning", "upstream", {"said": "hello"})]
