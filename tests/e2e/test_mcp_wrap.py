"""`evidence mcp wrap` as a process of its own: what is on stdout, how it ends, and what it refuses."""

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.e2e.command import PROGRAM, Evidence, environment
from tests.integration.mcp.proxy.wrapping import PROGRAM as UPSTREAM

TIMEOUT_S = 60
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
BEGIN: tuple[dict[str, Any], ...] = (
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
)


@pytest.fixture
def process(tmp_path: Path) -> Any:
    words = [*PROGRAM, "mcp", "wrap", "--store", str(tmp_path / "store"), "--tokens", "400", "--", *UPSTREAM]
    given = environment() | {"PYTHONPATH": str(ROOT)}
    made = subprocess.Popen(
        words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", env=given
    )
    yield made
    made.kill()
    made.communicate()


def say(process: Any, *messages: dict[str, Any]) -> list[dict[str, Any]]:
    """What is answered to each that asks something; lines that are none of the protocol fail here."""
    answers = []
    for message in messages:
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        if "id" in message:
            answers.append(json.loads(process.stdout.readline()))
    return answers


def call(id_: int, name: str, **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def test_stdout_holds_the_protocol_and_small_results_to_the_byte(process: Any, tmp_path: Path) -> None:
    hello, echo, log = say(process, *BEGIN, call(2, "echo", text='Größe 1e22 \u2028"'), call("x", "log", n=2000))  # type: ignore[arg-type]
    assert (hello["result"]["serverInfo"]["name"], hello["result"]["protocolVersion"]) == ("everything", "2025-06-18")
    block = {"type": "text", "text": 'Größe 1e22 \u2028"', "annotations": {"priority": 0.5}, "_meta": {"a": [1.0, 2**70]}}
    assert echo == {"jsonrpc": "2.0", "id": 2, "result": {"content": [block], "isError": False, "_meta": {"of": "the upstream"}}}
    assert log["id"] == "x"
    assert log["result"]["content"][0]["text"].startswith("[offloaded log: 44,894 bytes")
    out, err = process.communicate(timeout=TIMEOUT_S)
    assert (process.returncode, out) == (0, "")
    first, second, *_ = err.splitlines()
    assert first == f"there is no store at {str(tmp_path / 'store')!r}: one is made"
    assert second.startswith("offloaded the result of log: 44894 bytes, log?n=2000@1")


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_upstream_too(process: Any, kind: signal.Signals) -> None:
    _, pid = say(process, *BEGIN, call(2, "pid"))
    process.send_signal(kind)
    assert process.wait(TIMEOUT_S) == -kind
    assert not Path(f"/proc/{pid['result']['content'][0]['text']}").exists()


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--url", "http://127.0.0.1:9/mcp", "--", "command"),
        ("--url", "host/mcp"),
        ("--header", "a: b", "--", "command"),
        ("--url", "http://127.0.0.1:9/mcp", "--header", "no colon"),
        ("--url", "http://127.0.0.1:9/mcp", "--header", "Authorization: Bearer ${NO_SUCH_VARIABLE}"),
        ("--tool-tokens", "log", "--", "command"),
        ("--tokens", "3", "--", "command"),
        ("--window", "100", "--", "command"),
        ("--window", "1066", "--", "command"),
    ],
)
def test_wrong_use_is_refused_before_anything_is_started(evidence: Evidence, words: tuple[str, ...]) -> None:
    assert evidence.bare("mcp", "wrap", "--json", "--store", evidence.folder, *words).error(2)["code"] == "wrong_use"


def test_a_window_that_is_too_small_is_told_how_large_it_must_be(evidence: Evidence) -> None:
    error = evidence.bare("mcp", "wrap", "--json", "--store", evidence.folder, "--window", "5", "--", "command").error(2)
    assert (error["limit"], "a window of 5 tokens" in error["message"]) == (1067, True)


@pytest.mark.parametrize("words", [("--", "no-such-command"), ("--url", "http://127.0.0.1:9/mcp"), ("--", "false")])
def test_the_exit_code_says_that_nothing_was_heard_of_the_upstream(tmp_path: Path, words: tuple[str, ...]) -> None:
    given = [*PROGRAM, "mcp", "wrap", "--json", "--store", str(tmp_path / "store"), *words]
    with subprocess.Popen(
        given, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    ) as process:
        (answer,) = say(process, BEGIN[0])
        _, err = process.communicate(timeout=TIMEOUT_S)
    assert answer["error"]["data"] == {"code": "upstream_failed"}
    assert process.returncode == 4
    assert json.loads(err.splitlines()[-1])["code"] == "upstream_failed"


def test_a_run_that_there_is_not_is_refused(evidence: Evidence) -> None:
    words = ("--json", "--store", evidence.folder, "--run", "mcp/7", "--", "command")
    assert evidence.bare("mcp", "wrap", *words).error(3)["code"] == "not_found"
