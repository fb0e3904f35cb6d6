"""Rows of blobs, their frames, and the span index."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import cast

from sqlalchemy import bindparam, func, insert, select

from evidence_store.database import ReadConnection, WriteConnection, remembered
from evidence_store.documents.model import NodeType
from evidence_store.documents.span_rows import Container, Entry, SpanIndex
from evidence_store.frames import FORMAT_VERSION, FRAME_BYTES, Encoded, Frame
from evidence_store.model import Digest, Span, WorkspaceName
from evidence_store.tables.sources import blobs, containers, frames, shared_frames, spans

ROWS_AT_ONCE = 10_000
FRAMES_AT_ONCE = 500
"""Their rows are small, and what a large upload takes in memory is to be small, too."""


@dataclass(frozen=True, slots=True)
class BlobRow:
    digest: Digest
    number: int
    """Short name within the workspace."""
    size: int
    stored_size: int
    inline: bytes | None
    """Stored bytes of a small blob; None: they are in the blob store."""


_BLOB = select(blobs.c.digest, blobs.c.number, blobs.c.size, blobs.c.stored_size, blobs.c.inline).where(
    blobs.c.workspace == bindparam("workspace"), blobs.c.digest == bindparam("digest")
)


@remembered
def find_blob(connection: ReadConnection, workspace: WorkspaceName, digest: Digest) -> BlobRow | None:
    row = connection.execute(_BLOB, {"workspace": workspace, "digest": digest}).first()
    return None if row is None else BlobRow(Digest(row[0]), *row[1:])


def list_blobs(connection: ReadConnection, workspace: WorkspaceName) -> Sequence[Digest]:
    return [Digest(d) for d in connection.execute(select(blobs.c.digest).where(blobs.c.workspace == workspace)).scalars()]


def insert_blob(
    connection: WriteConnection, workspace: WorkspaceName, blob: Encoded, stored_size: int, inline: bytes | None, at: int
) -> int:
    """Adds a blob and gives its number."""
    newest = connection.execute(select(func.max(blobs.c.number)).where(blobs.c.workspace == workspace)).scalar()
    number = (newest or 0) + 1
    row = {
        "workspace": workspace,
        "digest": blob.digest,
        "number": number,
        "size": blob.size,
        "stored_size": stored_size,
        "frame_bytes": FRAME_BYTES,
        "format_version": FORMAT_VERSION,
        "inline": inline,
        "created_at": at,
    }
    connection.execute(insert(blobs).values(row))
    for start in range(0, len(blob.own_frames), FRAMES_AT_ONCE):
        some = blob.own_frames[start : start + FRAMES_AT_ONCE]
        connection.execute(insert(frames), [_frame_row(workspace, blob.digest, frame) for frame in some])
    shared = [_shared_row(workspace, blob.digest, tuple(run)) for home, run in groupby(blob.frames, key=_home) if home is not None]
    if shared:
        connection.execute(insert(shared_frames), shared)
    return number


def _home(frame: Frame) -> Digest | None:
    return frame.home


def _shared_row(workspace: WorkspaceName, digest: Digest, run: Sequence[Frame]) -> dict[str, object]:
    return {"workspace": workspace, "digest": digest, "first": run[0].number, "last": run[-1].number, "home": run[0].home}


def _frame_row(workspace: WorkspaceName, digest: Digest, frame: Frame) -> dict[str, object]:
    return {
        "workspace": workspace,
        "digest": digest,
        "number": frame.number,
        "raw_start": frame.raw.start,
        "raw_end": frame.raw.end,
        "stored_start": frame.stored.start,
        "stored_end": frame.stored.end,
        "lines_before": frame.lines_before,
        "sha256": frame.sha256,
    }


_FRAMES = (
    select(
        frames.c.number,
        frames.c.raw_start,
        frames.c.raw_end,
        frames.c.stored_start,
        frames.c.stored_end,
        frames.c.lines_before,
        frames.c.sha256,
    )
    .where(
        frames.c.workspace == bindparam("workspace"),
        frames.c.digest == bindparam("digest"),
        frames.c.number >= bindparam("first"),
        frames.c.number <= bindparam("last"),
    )
    .order_by(frames.c.number)
)

_SHARED = (
    select(shared_frames.c.first, shared_frames.c.last, shared_frames.c.home)
    .where(
        shared_frames.c.workspace == bindparam("workspace"),
        shared_frames.c.digest == bindparam("digest"),
        shared_frames.c.first <= bindparam("last"),
        shared_frames.c.last >= bindparam("first"),
    )
    .order_by(shared_frames.c.first)
)


@remembered
def list_frames(connection: ReadConnection, workspace: WorkspaceName, digest: Digest, span: Span) -> Sequence[Frame]:
    """The frames that hold a byte of `span`, in order; one frame for an empty span."""
    last = max(0, span.end - 1) // FRAME_BYTES
    first = min(span.start // FRAME_BYTES, last)
    own = _list_own(connection, workspace, digest, first, last)
    if own and own[0].number == first:
        return own
    return [*_list_shared(connection, workspace, digest, first, own[0].number - 1 if own else last), *own]


def _list_own(connection: ReadConnection, workspace: WorkspaceName, digest: Digest, first: int, last: int) -> Sequence[Frame]:
    found = connection.execute(_FRAMES, {"workspace": workspace, "digest": digest, "first": first, "last": last})
    return [_frame(*row) for row in found]


def _list_shared(connection: ReadConnection, workspace: WorkspaceName, digest: Digest, first: int, last: int) -> Iterator[Frame]:
    runs = connection.execute(_SHARED, {"workspace": workspace, "digest": digest, "first": first, "last": last}).all()
    for run_first, run_last, home in runs:
        for frame in _list_own(connection, workspace, Digest(home), max(first, run_first), min(last, run_last)):
            yield replace(frame, home=Digest(home))


def count_shared_runs(connection: ReadConnection, workspace: WorkspaceName, digest: Digest) -> int:
    """Runs of frames that a blob shares with others."""
    query = select(func.count()).where(shared_frames.c.workspace == workspace, shared_frames.c.digest == digest)
    return connection.execute(query).scalar() or 0


def _frame(number: int, raw_start: int, raw_end: int, stored_start: int, stored_end: int, lines_before: int, sha256: bytes) -> Frame:
    return Frame(number, Span(raw_start, raw_end), Span(stored_start, stored_end), lines_before, sha256)


def insert_index(connection: WriteConnection, workspace: WorkspaceName, blob: int, index: SpanIndex) -> None:
    """Adds the span index of a blob."""
    key = {"workspace": workspace, "blob": blob}
    if index.containers:
        connection.execute(insert(containers), [{**key, **_container_row(one)} for one in index.containers])
    # Up to millions of rows: what SQLAlchemy does with each parameter would cost more than the database does.
    statement = insert(spans).compile(dialect=connection.dialect).string
    entries = iter(index.entries)
    while rows := [(workspace, blob, *one) for one in islice(entries, ROWS_AT_ONCE)]:
        connection.exec_driver_sql(statement, rows)


def _container_row(one: Container) -> dict[str, object]:
    return {
        "number": one.number,
        "type": one.type,
        "byte_start": one.span.start,
        "byte_end": one.span.end,
        "n_children": one.n_children,
    }


_CONTAINER = select(containers.c.type, containers.c.byte_start, containers.c.byte_end, containers.c.n_children).where(
    containers.c.workspace == bindparam("workspace"), containers.c.blob == bindparam("blob"), containers.c.number == bindparam("number")
)
_ENTRIES = select(spans.c.token, spans.c.type, spans.c.byte_start, spans.c.byte_end, spans.c.inner).where(
    spans.c.workspace == bindparam("workspace"), spans.c.blob == bindparam("blob"), spans.c.container == bindparam("container")
)
_ENTRY = _ENTRIES.where(spans.c.token == bindparam("token"))
_RUN = _ENTRIES.where(spans.c.token <= bindparam("token")).order_by(spans.c.token.desc()).limit(1)
_LISTED = _ENTRIES.order_by(spans.c.byte_start)


def find_container(connection: ReadConnection, workspace: WorkspaceName, blob: int, number: int) -> Container | None:
    row = connection.execute(_CONTAINER, {"workspace": workspace, "blob": blob, "number": number}).first()
    return None if row is None else Container(number, cast("NodeType", row[0]), Span(row[1], row[2]), row[3])


def find_entry(connection: ReadConnection, workspace: WorkspaceName, blob: int, container: int, token: str, *, run: bool) -> Entry | None:
    """The entry of a token; with `run` the last one that is not after it."""
    key = {"workspace": workspace, "blob": blob, "container": container, "token": token}
    row = connection.execute(_RUN if run else _ENTRY, key).first()
    return None if row is None else Entry(container, row[0], cast("NodeType", row[1]), row[2], row[3], row[4])


def list_entries(connection: ReadConnection, workspace: WorkspaceName, blob: int, container: int) -> Sequence[Entry]:
    """All entries of a container in source order."""
    rows = connection.execute(_LISTED, {"workspace": workspace, "blob": blob, "container": container})
    return [Entry(container, token, cast("NodeType", type_), start, end, inner) for token, type_, start, end, inner in rows]
