"""Operations of resources, revisions and stored bytes."""

from collections.abc import Mapping, Sequence
from hashlib import sha256

from api.client.operation import NO_HEADERS, Answer, Given, Operation, Pages, flag, get, named, new_key, pages, pairs
from api.client.reading import observation_of, resource_of, revision_of, stored_of
from api.client.upload import Content, Upload
from api.client.values import ListedResource
from api.routes.digests import content_digest
from evidence_store.canonical import digest_of
from evidence_store.errors import IntegrityMismatch, StoreUnavailable
from evidence_store.model import Digest, Format, Kind, Span
from evidence_store.records.sources import Observation, Revision
from evidence_store.store.sources import PutResult

PAGE = 100
BYTES = "application/octet-stream"


def list_resources(limit: int = PAGE) -> Pages[ListedResource]:
    """Resources by name, each with its newest revision; `limit` of them a request."""
    return pages("/v1/resources", resource_of, limit)


def get_resource(name: str) -> Operation[ListedResource]:
    """One resource. Raises NotFound."""
    return get(f"/v1/resources/{named(name)}", resource_of)


def list_revisions(name: str, limit: int = PAGE) -> Pages[Revision]:
    """Revisions of a resource, oldest first. Raises NotFound."""
    return pages(f"/v1/resources/{named(name)}/revisions", revision_of, limit)


def get_revision(name: str, number: int) -> Operation[Revision]:
    """One revision. Raises NotFound, with the numbers that there are."""
    return get(f"/v1/resources/{named(name)}/revisions/{number}", revision_of)


def list_observations(name: str, number: int, limit: int = PAGE) -> Pages[Observation]:
    """Each time that a revision was seen, oldest first. Raises NotFound."""
    return pages(f"/v1/resources/{named(name)}/revisions/{number}/observations", observation_of, limit)


def put_revision(
    name: str,
    content: Content,
    *,
    kind: Kind | None = None,
    format: Format | None = None,
    media_type: str | None = None,
    scope: str | None = None,
    labels: Sequence[str] = (),
    file_name: str | None = None,
    version_label: str | None = None,
    tool: str | None = None,
    complete: bool = True,
    if_newest: int | None = None,
    max_age_s: int | None = None,
    digest: Digest | None = None,
    idempotency_key: str | None = None,
) -> Operation[PutResult]:
    """Stores content as the next revision; equal to the newest one, it is one more observation of that.

    A file and pieces are streamed. Bytes and files that can be read again are sent again where a request fails; of pieces that
    come once, nothing is. `digest` is what the bytes must have. Raises InvalidInput, Conflict, LimitExceeded, NotPermitted.
    """
    upload = Upload(content)
    query: dict[str, Given] = {"kind": kind, "format": format, "scope": scope, "label": labels, "file_name": file_name}
    query |= {"version_label": version_label, "tool": tool, "complete": flag(complete), "if_newest": if_newest, "max_age_s": max_age_s}
    headers = {"Content-Type": media_type or BYTES, "Idempotency-Key": idempotency_key or new_key()}
    if digest is not None:
        headers["Content-Digest"] = content_digest(digest)
    path = f"/v1/resources/{named(name)}/revisions"
    return Operation("POST", path, lambda answer: stored_of(answer.json()), pairs(query), headers, upload, upload.repeatable)


def get_blob(digest: Digest, span: Span | None = None) -> Operation[bytes]:
    """Stored bytes, all of them or a range, in memory. Raises NotFound; IntegrityMismatch where all of them have another digest."""

    def read(answer: Answer) -> bytes:
        if span is None and digest_of(answer.body) != digest:
            raise mismatch(digest)
        return answer.body

    return Operation("GET", blob_path(digest), read, headers=range_headers(span))


def head_blob(digest: Digest) -> Operation[int]:
    """How many bytes are stored under a digest. Raises NotFound."""
    return Operation("HEAD", blob_path(digest), lambda answer: int(answer.headers["content-length"]))


def stream_blob(digest: Digest, span: Span | None = None) -> Operation["BlobCheck"]:
    """The same as `get_blob`, piece by piece. All of them are held against the digest, which is known at the end only."""
    return Operation("GET", blob_path(digest), lambda _: BlobCheck(digest, whole=span is None), headers=range_headers(span))


class BlobCheck:
    """Goes along with the pieces of a blob."""

    def __init__(self, digest: Digest, *, whole: bool) -> None:
        self._digest, self._hash = digest, sha256() if whole else None

    def add(self, piece: bytes) -> None:
        if self._hash is not None:
            self._hash.update(piece)

    def finish(self) -> None:
        """Raises IntegrityMismatch where the pieces are not what the digest names."""
        if self._hash is not None and f"sha256:{self._hash.hexdigest()}" != self._digest:
            raise mismatch(self._digest)


def mismatch(digest: Digest) -> IntegrityMismatch:
    return IntegrityMismatch(f"what came is not {digest}", {"blob": digest})


def blob_path(digest: Digest) -> str:
    return f"/v1/blobs/{named(digest)}"


def range_headers(span: Span | None) -> Mapping[str, str]:
    return NO_HEADERS if span is None else {"Range": f"bytes={span.start}-{span.end - 1}"}


def broken_off(why: Exception) -> StoreUnavailable:
    return StoreUnavailable(f"the bytes broke off: {type(why).__name__}", code="unreachable")
