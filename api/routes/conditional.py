"""Answers with a strong ETag, and 304 for whoever has them already (RFC 9110 sections 8.8.3 and 13.1.2)."""

from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response

ASKED_AFTER = "private, no-cache"
TAG_CHARS = 32
"""128 bits of the body's SHA-256."""


def respond(request: Request, body: bytes, media_type: str, status: int = 200) -> Response:
    """The body, or 304 when the caller's copy has the same bytes. What is said of an evidence can change, so a copy is asked after."""
    tag = tag_of(body)
    headers = {"ETag": tag, "Cache-Control": ASKED_AFTER}
    if status == 200 and is_known(tag, ",".join(request.headers.getlist("if-none-match"))):
        return Response(status_code=304, headers=headers)
    return Response(body, status, headers, media_type)


def tag_of(body: bytes) -> str:
    return f'"{sha256(body).hexdigest()[:TAG_CHARS]}"'


def is_known(tag: str, if_none_match: str) -> bool:
    """Whether the header names this tag; the comparison is the weak one, as for If-None-Match it has to be."""
    known = [one.strip().removeprefix("W/") for one in if_none_match.split(",")]
    return tag in known or known == ["*"]
