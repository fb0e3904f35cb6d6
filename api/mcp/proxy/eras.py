"""The two eras of the protocol, and what a message of one is in the other.

The handshake era (up to 2025-11-25) agrees once, in `initialize`; since 2026-07-28 each request carries what was agreed in `_meta` (its
envelope), and a server asks nothing of a client. Where client and upstream speak the same era nothing here touches a message.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import mcp_types as types
from mcp_types import methods
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, MODERN_PROTOCOL_VERSIONS

from api.mcp.proxy.messages import Json

_ENVELOPE = (types.PROTOCOL_VERSION_META_KEY, types.CLIENT_INFO_META_KEY, types.CLIENT_CAPABILITIES_META_KEY)
_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
_NEWER = ("resultType", "ttlMs", "cacheScope")
TO_CLIENT = ("notifications/progress", "notifications/message")
"""Notifications of an upstream that a client of the other era takes, too."""
HANDSHAKE_ONLY = ("ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe")


class Era(StrEnum):
    HANDSHAKE = "handshake"
    ENVELOPE = "envelope"


def envelope_of(params: Mapping[str, Any] | None) -> Json | None:
    """The envelope of a request; None where it is of the handshake era."""
    meta = (params or {}).get("_meta")
    if not isinstance(meta, Mapping) or types.PROTOCOL_VERSION_META_KEY not in meta:
        return None
    return {name: meta[name] for name in _ENVELOPE if name in meta}


def make_envelope(client_info: Any, version: str = MODERN_PROTOCOL_VERSIONS[-1]) -> Json:
    """Of a client of the handshake era: it is told of nothing that a server would have to ask."""
    return {types.PROTOCOL_VERSION_META_KEY: version, types.CLIENT_INFO_META_KEY: client_info, types.CLIENT_CAPABILITIES_META_KEY: {}}


def make_hello(envelope: Mapping[str, Any]) -> Json:
    """What `initialize` says for a client of the newer era: without a way back, so that the upstream asks nothing of it."""
    client = envelope.get(types.CLIENT_INFO_META_KEY) or {"name": "mcp", "version": "0"}
    return {"protocolVersion": LATEST_HANDSHAKE_VERSION, "capabilities": {}, "clientInfo": client}


def with_envelope(params: Mapping[str, Any] | None, envelope: Mapping[str, Any], level: str | None = None) -> Json:
    given = dict(params or {})
    meta = {**(given.get("_meta") or {}), **envelope}
    if level is not None:
        meta.setdefault(types.LOG_LEVEL_META_KEY, level)
    return {**given, "_meta": meta}


def without_envelope(params: Mapping[str, Any] | None) -> Json | None:
    if params is None:
        return None
    given = dict(params)
    meta = {name: value for name, value in (given.pop("_meta", None) or {}).items() if name not in (*_ENVELOPE, types.LOG_LEVEL_META_KEY)}
    return {**given, "_meta": meta} if meta else given or None


def level_of(params: Mapping[str, Any] | None) -> str | None:
    """The level of messages that a request of the newer era asks for."""
    level = ((params or {}).get("_meta") or {}).get(types.LOG_LEVEL_META_KEY)
    return level if level in _LEVELS else None


def reaches(level: object, asked: str) -> bool:
    """Whether a message of this level is wanted by who asked for that one."""
    return level in _LEVELS and _LEVELS.index(str(level)) >= _LEVELS.index(asked)


def complete(method: str, result: Json, server: Any) -> Json:
    """A result of the handshake era, or of ours, with what the newer one needs."""
    cached = {"ttlMs": 0, "cacheScope": "private"} if method in methods.CACHEABLE_METHODS else {}
    meta = {types.SERVER_INFO_META_KEY: server, **(result.get("_meta") or {})}
    return {"resultType": "complete", **cached, **result, "_meta": meta}


def plain(result: Json) -> Json:
    """A result of the newer era without what is its own."""
    meta = {name: value for name, value in (result.get("_meta") or {}).items() if name != types.SERVER_INFO_META_KEY}
    given = {name: value for name, value in result.items() if name not in (*_NEWER, "_meta")}
    return {**given, "_meta": meta} if meta else given


def discovered(hello: Json) -> Json:
    """What `server/discover` says of an upstream that answered `initialize`."""
    capabilities = {name: dict(value) for name, value in hello["capabilities"].items() if isinstance(value, Mapping)}
    for one in capabilities.values():
        one.pop("listChanged", None)
        one.pop("subscribe", None)
    found = {"supportedVersions": list(MODERN_PROTOCOL_VERSIONS), "capabilities": capabilities}
    return {**found, "instructions": hello["instructions"]} if hello.get("instructions") else found


def greeted(discover: Json, asked: object) -> Json:
    """What `initialize` says of an upstream that answered `server/discover`."""
    version = asked if asked in HANDSHAKE_PROTOCOL_VERSIONS else LATEST_HANDSHAKE_VERSION
    server = server_of(discover)
    capabilities = {name: dict(value) for name, value in discover["capabilities"].items() if isinstance(value, Mapping)}
    for one in capabilities.values():
        one.pop("listChanged", None)
        one.pop("subscribe", None)
    found = {"protocolVersion": version, "capabilities": capabilities, "serverInfo": server}
    return {**found, "instructions": discover["instructions"]} if discover.get("instructions") else found


def server_of(result: Mapping[str, Any]) -> Any:
    """Who an upstream says it is, in its answer to `initialize` or to `server/discover`."""
    return result.get("serverInfo") or (result.get("_meta") or {}).get(types.SERVER_INFO_META_KEY) or {"name": "upstream", "version": ""}
