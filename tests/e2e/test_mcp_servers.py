"""`evidence mcp serve` as a process of its own, over stdio and HTTP, with the SDK's own client; and `evidence mcp config`."""

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from api.cli.mcp import find_command
from tests.conftest import ROOT
from tests.e2e.command import PROGRAM, Evidence, environment
from tests.factories import API_BYTES, make_store, put
from tests.integration.mcp.clients import answer, talk_to, use_everything

TIMEOUT_S = 60
ACCEPT = {"Accept": "application/json, text/event-stream"}
ERAS = ("auto", "legacy")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store with 250 resources."""
    with make_store(tmp_path / "store") as store:
        put(store, API_BYTES)
        for n in range(249):
            put(store, b'{"n": %d}\n' % n, f"more/{n:03}.json")
    return tmp_path / "store"


def words(folder: Path, *more: str) -> list[str]:
    return [*PROGRAM, "mcp", "serve", "--store", str(folder), "--recording", *more]


@pytest.fixture
def server(folder: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        words(folder, "--http", "0"), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def read_url(server: subprocess.Popen[str]) -> str:
    """From the one line that says the address."""
    assert server.stderr is not None
    found = re.fullmatch(r"serving MCP on (http://127\.0\.0\.1:\d+/mcp) until Ctrl-C\n", server.stderr.readline())
    assert found is not None
    return found[1]


def require_traced(evidence: Evidence, folder: Path, claim: str) -> None:
    assert evidence.bare("trace", claim, "--json", "--store", folder).answer()["ok"] is True
    assert evidence.bare("verify", "--deep", "--json", "--store", folder).answer()["ok"] is True


@pytest.mark.parametrize("era", ERAS)
def test_over_stdio_a_client_does_all_that_there_is_to_do(folder: Path, evidence: Evidence, era: str) -> None:
    command, *arguments = words(folder)
    recorded: list[str] = []

    async def main(client: Client) -> None:
        recorded.append(await use_everything(client, 250))

    talk_to(Client(StdioServerParameters(command=command, args=arguments, env=environment(), cwd=ROOT), mode=era), main)
    require_traced(evidence, folder, recorded[0])


@pytest.mark.parametrize("era", ERAS)
def test_over_http_a_client_does_all_that_there_is_to_do(server: subprocess.Popen[str], folder: Path, evidence: Evidence, era: str) -> None:
    url, recorded = read_url(server), []

    async def main(client: Client) -> None:
        recorded.append(await use_everything(client, 250))

    talk_to(Client(url, mode=era), main)
    require_traced(evidence, folder, recorded[0])
    server.send_signal(signal.SIGTERM)
    out, err = server.communicate(timeout=TIMEOUT_S)
    assert (server.returncode, out, err) == (0, "", "")


def test_over_http_each_session_has_a_run_and_the_newest_era_one_for_each_client(server: subprocess.Popen[str]) -> None:
    url, runs = read_url(server), []

    async def main(client: Client) -> None:
        runs.append((await answer(client, "list_resources"))["run"])

    for era in ("legacy", "legacy", "auto", "auto"):
        talk_to(Client(url, mode=era), main)
    assert runs == ["mcp/1", "mcp/2", "mcp/3", "mcp/3"]


def test_over_http_foreign_names_and_pages_are_refused(server: subprocess.Popen[str]) -> None:
    url = read_url(server)
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    with httpx2.Client() as client:
        assert client.post(url, json=body, headers={**ACCEPT, "Host": "elsewhere.example"}).status_code == 421
        assert client.post(url, json=body, headers={**ACCEPT, "Origin": "http://elsewhere.example"}).status_code == 403


def handshake(version: str) -> list[dict[str, Any]]:
    """What a client of the handshake era writes to list the tools."""
    hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    return [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "read_spec", "arguments": {"resource": 5}}},
    ]


def test_stdout_holds_nothing_but_the_protocol_and_old_clients_get_no_hints_of_the_new_era(folder: Path) -> None:
    """Also when something prints: here each call."""
    noisy = "from api.mcp.calls import Calls; make = Calls._make; Calls._make = lambda *a: (print('noise', flush=True), make(*a))[1]"
    program = [sys.executable, "-c", f"{noisy}\n{PROGRAM[2]}"]
    process = subprocess.Popen(
        [*program, "mcp", "serve", "--store", str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    answers = {}
    for message in handshake("2025-06-18"):
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        if "id" in message:
            line = json.loads(process.stdout.readline())
            answers[line["id"]] = line["result"]
    out, err = process.communicate(timeout=TIMEOUT_S)
    assert (process.returncode, out, err) == (0, "", "noise\n")
    assert answers[1]["protocolVersion"] == "2025-06-18"
    assert answers[2].keys() == {"tools"}
    assert answers[3]["isError"] is True
    assert "retry: yes" in answers[3]["content"][0]["text"]


def test_the_configuration_of_a_client_names_the_store_in_full(evidence: Evidence) -> None:
    done = evidence("mcp", "config", "--client", "claude-code", "--recording", "--run", "audit")
    found = done.answer()
    entry = json.loads(found["text"])["mcpServers"]["evidence"]
    assert entry["args"] == ["mcp", "serve", "--store", str(evidence.folder.absolute()), "--recording", "--run", "audit"]
    assert found["file"] == ".mcp.json in the project"
    assert Path(entry["command"]).is_absolute() or shutil.which("evidence") is None
    named = evidence("mcp", "config", "--client", "claude-code", "--command", "uvx").answer()
    assert json.loads(named["text"])["mcpServers"]["evidence"]["command"] == "uvx"
    plain = evidence.bare("mcp", "config", "--client", "vscode", "--url", "http://127.0.0.1:8421/mcp", "--store", evidence.folder)
    assert json.loads(plain.out)["servers"]["evidence"] == {"type": "http", "url": "http://127.0.0.1:8421/mcp"}
    assert plain.err == b"goes into .vscode/mcp.json in the project\n"


@pytest.mark.parametrize("name", ["beside", "on the path"])
def test_the_command_of_a_configuration_is_found_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    program = folder / "evidence"
    program.touch(0o755)
    monkeypatch.setattr(sys, "executable", str((folder if name == "beside" else tmp_path) / "python"))
    monkeypatch.setenv("PATH", str(folder) if name == "on the path" else "")
    assert find_command() == str(program)
    program.unlink()
    assert find_command() == "evidence"


def test_a_store_that_a_server_makes_is_told_of(tmp_path: Path) -> None:
    done = subprocess.run(
        words(tmp_path / "new"), cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment(), timeout=TIMEOUT_S
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"there is no store at {str(tmp_path / 'new')!r}: one is made\n"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("config", "--client", "other"), 2, "wrong_use"),
        (("config", "--client", "cursor", "--url", "http://127.0.0.1:8421/mcp", "--recording"), 2, "wrong_use"),
        (("config", "--client", "cursor", "--url", "http://127.0.0.1:8421/mcp", "--run", "audit"), 2, "wrong_use"),
        (("serve", "--http", "0.0.0.0:0"), 2, "wrong_use"),
        (("serve", "--run", "mcp/7"), 3, "not_found"),
        (("serve", "--http", "0", "--run", "mcp/7"), 3, "not_found"),
        ((), 2, "wrong_use"),
    ],
)
def test_wrong_use_is_refused_before_anything_is_served(evidence: Evidence, arguments: tuple[str, ...], code: int, said: str) -> None:
    assert evidence("mcp", *arguments).error(code)["code"] == said
