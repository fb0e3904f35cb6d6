"""Names in paths: those of resources and tasks hold slashes, which stand in a path as `%2F` and are part of one segment."""

from typing import Annotated
from urllib.parse import quote, unquote

from fastapi import Path
from starlette.convertors import Convertor, register_url_convertor
from starlette.types import ASGIApp, Receive, Scope, Send

_PREFIX = b"/v1/"
_SLASH = "\0"
"""In place of a slash within a segment while a path is routed: no name holds it."""


class NamesInPaths:
    """Routes by the segments as they were sent, each decoded by itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw: bytes = scope.get("raw_path") or b""
        if scope["type"] == "http" and raw.startswith(_PREFIX) and b"%" in raw:
            scope = {**scope, "path": read_path(raw)}
        await self._app(scope, receive, send)


def read_path(raw: bytes) -> str:
    """The path with slashes that are part of a segment kept apart from those between segments.

    NUL becomes half a surrogate pair, which no name holds either: nothing is found by it, and nothing is made.
    """
    segments = raw.partition(b"?")[0].decode("latin-1").split("/")
    return "/".join(unquote(one).replace("\0", "\udc00").replace("/", _SLASH) for one in segments)


def spelled(name: str) -> str:
    """A name as it stands in a path."""
    return quote(name, safe="")


class _NameConvertor(Convertor[str]):
    regex = "[^/]+"

    def convert(self, value: str) -> str:
        return value.replace(_SLASH, "/")

    def to_string(self, value: str) -> str:
        return spelled(value)


register_url_convertor("name", _NameConvertor())

Name = Annotated[
    str, Path(min_length=1, max_length=1024, examples=["stable-v2/openapi.json"], description="A slash in it is written `%2F`")
]
"""A segment that is a name, in a route as `{…:name}`."""
