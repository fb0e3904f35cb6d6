"""What clients are configured with, held against files; `python -m tests.unit.api.mcp.test_clients` writes them anew."""

import json
import tomllib
from pathlib import Path

import pytest
import yaml

from api.mcp.clients import Launch, list_clients, snippet
from evidence_store.errors import InvalidInput
from tests.conftest import ROOT

GOLDEN = ROOT / "tests" / "fixtures" / "mcp_clients"
STDIO = Launch("evidence", ("mcp", "serve", "--store", '/srv/the "store"'))
HTTP = Launch("evidence", (), "http://127.0.0.1:8421/mcp")
CASES = [(client, way) for client in list_clients() for way in ("stdio", "http") if (client, way) != ("claude-desktop", "http")]


def text_of(client: str, way: str) -> str:
    found = snippet(client, STDIO if way == "stdio" else HTTP)
    return f"{found.file}\n\n{found.text}"


def golden(client: str, way: str) -> Path:
    return GOLDEN / f"{client}.{way}.txt"


@pytest.mark.parametrize(("client", "way"), CASES)
def test_the_snippet_of_a_client_is_the_golden_one(client: str, way: str) -> None:
    assert text_of(client, way) == golden(client, way).read_text(encoding="utf-8")


def test_there_is_no_other_golden_file() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == {golden(*case).name for case in CASES}


@pytest.mark.parametrize("client", list_clients())
def test_the_snippet_is_of_its_format_and_starts_the_command(client: str) -> None:
    text = snippet(client, STDIO).text
    entry: object
    if client == "codex":
        entry = tomllib.loads(text)["mcp_servers"]["evidence"]
    elif client == "holmesgpt":
        entry = yaml.safe_load(text)["mcp_servers"]["evidence"]["config"]
    else:
        entry = json.loads(text)["servers" if client == "vscode" else "mcpServers"]["evidence"]
    assert isinstance(entry, dict)
    assert (entry["command"], tuple(entry["args"])) == (STDIO.command, STDIO.arguments)


def test_a_client_that_there_is_not_names_those_that_there_are() -> None:
    with pytest.raises(InvalidInput) as caught:
        snippet("other", STDIO)
    assert caught.value.details["known"] == list_clients()
    with pytest.raises(InvalidInput, match="settings page"):
        snippet("claude-desktop", HTTP)


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for case in CASES:
        golden(*case).write_text(text_of(*case), encoding="utf-8")
