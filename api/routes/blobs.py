"""Stored bytes by their digest: whole or in a range, streamed, every frame checked. What a digest names never changes."""

import re
from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from api.deps import ServicesDep
from api.routes.answers import problems
from api.routes.conditional import is_known
from api.routes.digests import content_digest
from api.routes.problems import OutsideRange
from evidence_store.model import Digest, Span
from evidence_store.records.sources import Revision
from evidence_store.store import EvidenceStore

PIECE_BYTES = 64 * 1024
_RANGE = re.compile(r"bytes=(\d{0,19})-(\d{0,19})")

router = APIRouter(prefix="/v1", tags=["blobs"])


_BODY = {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}


_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"description": "All of them", **_BODY},
    206: {"description": "The range that was asked for", **_BODY},
    304: {"description": "The caller has them"},
    **problems(416),
}


@router.head("/blobs/{digest}", operation_id="headBlob", summary="How many bytes are stored", response_class=Response, responses=_ANSWERS)
@router.get("/blobs/{digest}", operation_id="getBlob", summary="Stored bytes, unchanged", response_class=Response, responses=_ANSWERS)
def get_blob(
    request: Request,
    services: ServicesDep,
    digest: Annotated[str, Path(pattern="^sha256:[0-9a-f]{64}$", examples=[f"sha256:{'0' * 64}"])],
    range: Annotated[str | None, Header(max_length=200, description="One range of bytes; several are answered with all")] = None,
    if_range: Annotated[str | None, Header(max_length=200)] = None,
) -> Response:
    store = services.store
    revision = store.sources.get_revision_of(Digest(digest))
    store.sources.require_unmasked(revision.resource)
    tag = f'"{digest}"'
    headers = {
        "ETag": tag,
        "Cache-Control": "private, immutable, max-age=31536000",
        "Accept-Ranges": "bytes",
        "Content-Disposition": "attachment",
    }
    if is_known(tag, ",".join(request.headers.getlist("if-none-match"))):
        return Response(status_code=304, headers=headers)
    wanted = read_range(range, revision.size) if if_range in (None, tag) else None
    span = wanted or Span(0, revision.size)
    headers["Content-Length"] = str(span.length)
    if wanted is None:
        headers["Repr-Digest"] = content_digest(revision.digest)
    else:
        headers["Content-Range"] = f"bytes {span.start}-{span.end - 1}/{revision.size}"
    status = 200 if wanted is None else 206
    if request.method == "HEAD":
        return Response(status_code=status, headers=headers, media_type="application/octet-stream")
    return StreamingResponse(_pieces(store, revision, span), status, headers, "application/octet-stream")


def read_range(header: str | None, size: int) -> Span | None:
    """The one range that a header asks for (RFC 9110 section 14.2); None for all: no header, or another form. Raises OutsideRange."""
    found = None if header is None else _RANGE.fullmatch(header.strip())
    if found is None or found[0] == "bytes=-":
        return None
    first, last = found[1], found[2]
    if not first:
        span = (max(0, size - int(last)), size)
    else:
        span = (int(first), min(size, int(last) + 1) if last else size)
        if last and int(last) < int(first):
            return None
    if span[0] >= span[1]:
        raise OutsideRange(f"the bytes are {size}, and nothing stands in the range", {"limit": size})
    return Span(*span)


def _pieces(store: EvidenceStore, revision: Revision, span: Span) -> Iterator[bytes]:
    """Piece by piece at the edges of frames, so that a slow reader holds little and each frame is read once."""
    start = span.start
    while start < span.end:
        end = min(span.end, (start // PIECE_BYTES + 1) * PIECE_BYTES)
        yield store.sources.get_span(revision, Span(start, end))
        start = end
