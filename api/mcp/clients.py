"""What a client is configured with to have this server: the file, and what stands in it.

The shapes are those that the makers of the clients document (docs/mcp.md says when they were looked up).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evidence_store.errors import InvalidInput, JsonValue

SERVER = "evidence"


@dataclass(frozen=True, slots=True)
class Launch:
    """How the server is had: by starting a command, or at an address."""

    command: str
    arguments: tuple[str, ...]
    url: str | None = None
    """Not None: over HTTP, and nothing is started."""


@dataclass(frozen=True, slots=True)
class Snippet:
    file: str
    """Where it goes, in words for people."""
    text: str


def list_clients() -> tuple[str, ...]:
    return tuple(_CLIENTS)


def snippet(client: str, launch: Launch) -> Snippet:
    """Raises InvalidInput for a client that has none, or that cannot have a server over HTTP."""
    made = _CLIENTS.get(client)
    if made is None:
        raise InvalidInput(f"there is no client {client[:80]!r}", {"known": list_clients()}, code="wrong_use")
    return made(launch)


def _claude_code(launch: Launch) -> Snippet:
    entry = _started(launch, {"type": "stdio"}) if launch.url is None else {"type": "http", "url": launch.url}
    return Snippet(".mcp.json in the project", _json("mcpServers", entry))


def _claude_desktop(launch: Launch) -> Snippet:
    if launch.url is not None:
        raise InvalidInput("Claude Desktop takes servers over HTTP on its settings page, not in its file", code="wrong_use")
    return Snippet("claude_desktop_config.json (Settings, Developer, Edit Config)", _json("mcpServers", _started(launch, {})))


def _cursor(launch: Launch) -> Snippet:
    entry = _started(launch, {}) if launch.url is None else {"url": launch.url}
    return Snippet(".cursor/mcp.json in the project, or ~/.cursor/mcp.json", _json("mcpServers", entry))


def _vscode(launch: Launch) -> Snippet:
    entry = _started(launch, {"type": "stdio"}) if launch.url is None else {"type": "http", "url": launch.url}
    return Snippet(".vscode/mcp.json in the project", _json("servers", entry))


def _codex(launch: Launch) -> Snippet:
    members = {"command": launch.command, "args": list(launch.arguments)} if launch.url is None else {"url": launch.url}
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in members.items()]
    return Snippet(
        "~/.codex/config.toml, or .codex/config.toml in a trusted project", "\n".join([f"[mcp_servers.{SERVER}]", *lines]) + "\n"
    )


def _holmes(launch: Launch) -> Snippet:
    words = {"mode": "stdio", "command": launch.command} if launch.url is None else {"url": launch.url, "mode": "streamable-http"}
    config = [f"      {name}: {_quoted(value)}" for name, value in words.items()]
    if launch.url is None:
        config += ["      args:", *(f"        - {_quoted(one)}" for one in launch.arguments)]
    head = [
        "mcp_servers:",
        f"  {SERVER}:",
        '    description: "Stored tool outputs, read in places as evidence with ids to cite"',
        "    config:",
    ]
    return Snippet("~/.holmes/config.yaml", "\n".join([*head, *config]) + "\n")


_CLIENTS: Mapping[str, Callable[[Launch], Snippet]] = {
    "claude-code": _claude_code,
    "claude-desktop": _claude_desktop,
    "codex": _codex,
    "cursor": _cursor,
    "holmesgpt": _holmes,
    "vscode": _vscode,
}


def _started(launch: Launch, members: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {**members, "command": launch.command, "args": list(launch.arguments)}


def _json(key: str, entry: Mapping[str, JsonValue] | dict[str, str]) -> str:
    servers: Mapping[str, Mapping[str, Sequence[str] | JsonValue]] = {SERVER: entry}
    return json.dumps({key: servers}, indent=2, ensure_ascii=False) + "\n"


def _quoted(text: str) -> str:
    """A JSON string is a double-quoted one of YAML 1.2, too."""
    return json.dumps(text, ensure_ascii=False)
