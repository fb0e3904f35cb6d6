"""Rows of resources, revisions and observations."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson
from sqlalchemy import ColumnElement, Select, bindparam, func, insert, select

from evidence_store.canonical import canonical_bytes
from evidence_store.database import KEPT_STATEMENTS, ReadConnection, WriteConnection, remembered
from evidence_store.documents.model import Note
from evidence_store.model import Clearances, Digest, Format, Kind, ResourceName, WorkspaceName
from evidence_store.records.sight import sees_resource
from evidence_store.tables.sources import blobs, closings, observations, resource_labels, resources, revisions


@dataclass(frozen=True, slots=True)
class Resource:
    name: ResourceName
    kind: Kind
    scope: str
    labels: tuple[str, ...]
    max_age_s: int | None = None
    """Of a live resource: how old an observation may be to tell how things are now."""


@dataclass(frozen=True, slots=True)
class Revision:
    resource: ResourceName
    number: int
    """1-based, without gaps."""
    digest: Digest
    size: int
    media_type: str
    format: Format
    version_label: str | None
    complete: bool
    """Stored as complete, or closed since."""
    notes: tuple[Note, ...]
    created_at: int | None
    """Microseconds since 1970 UTC; None where a server did not say."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One time that a revision was seen."""

    revision: int
    observed_at: int
    origin: str | None
    idempotency_key: str | None


_RESOURCE = (resources.c.name, resources.c.kind, resources.c.scope, resources.c.max_age_s)


def _seen(clearances: Clearances) -> ColumnElement[bool]:
    return sees_resource(clearances, resources.c.workspace, resources.c.name)


@lru_cache(KEPT_STATEMENTS)
def _resource_query(clearances: Clearances) -> Select[Any]:
    mine = (resources.c.workspace == bindparam("workspace"), resources.c.name == bindparam("name"))
    return select(*_RESOURCE).where(*mine, _seen(clearances))


@remembered
def find_resource(
    connection: ReadConnection, workspace: WorkspaceName, name: ResourceName, clearances: Clearances = None
) -> Resource | None:
    row = connection.execute(_resource_query(clearances), {"workspace": workspace, "name": name}).first()
    if row is None:
        return None
    return Resource(ResourceName(row[0]), Kind(row[1]), row[2], list_labels(connection, workspace, name), row[3])


def list_resources(
    connection: ReadConnection, workspace: WorkspaceName, after: str, limit: int, clearances: Clearances = None
) -> Sequence[Resource]:
    """Resources by name, those that follow `after`."""
    query = select(*_RESOURCE).where(resources.c.workspace == workspace, resources.c.name > after, _seen(clearances))
    query = query.order_by(resources.c.name).limit(limit)
    rows = connection.execute(query).all()
    return [Resource(ResourceName(n), Kind(k), s, list_labels(connection, workspace, ResourceName(n)), age) for n, k, s, age in rows]


_LABELS = (
    select(resource_labels.c.label)
    .where(resource_labels.c.workspace == bindparam("workspace"), resource_labels.c.resource == bindparam("name"))
    .order_by(resource_labels.c.label)
)


def list_labels(connection: ReadConnection, workspace: WorkspaceName, name: ResourceName) -> tuple[str, ...]:
    return tuple(connection.execute(_LABELS, {"workspace": workspace, "name": name}).scalars())


def insert_resource(connection: WriteConnection, workspace: WorkspaceName, resource: Resource, at: int) -> None:
    row = {
        "workspace": workspace,
        "name": resource.name,
        "kind": resource.kind.value,
        "scope": resource.scope,
        "max_age_s": resource.max_age_s,
        "created_at": at,
    }
    connection.execute(insert(resources).values(row))
    insert_labels(connection, workspace, resource.name, resource.labels, at)


def insert_labels(connection: WriteConnection, workspace: WorkspaceName, name: ResourceName, labels: Sequence[str], at: int) -> None:
    rows = [{"workspace": workspace, "resource": name, "label": label, "created_at": at} for label in labels]
    if rows:
        connection.execute(insert(resource_labels), rows)


_REVISION = (
    revisions.c.number,
    revisions.c.digest,
    blobs.c.size,
    revisions.c.media_type,
    revisions.c.format,
    revisions.c.version_label,
    revisions.c.complete | closings.c.closed_at.is_not(None),
    revisions.c.notes,
    revisions.c.created_at,
)
_CLOSED = (
    (closings.c.workspace == revisions.c.workspace)
    & (closings.c.resource == revisions.c.resource)
    & (closings.c.revision == revisions.c.number)
)
_FROM = revisions.join(blobs).outerjoin(closings, _CLOSED)


@lru_cache(KEPT_STATEMENTS)
def _revision_query(clearances: Clearances, newest: bool) -> Select[Any]:
    mine = (revisions.c.workspace == bindparam("workspace"), revisions.c.resource == bindparam("name"))
    query = select(*_REVISION).select_from(_FROM).where(*mine, _seen_revision(clearances))
    return query.order_by(revisions.c.number.desc()).limit(1) if newest else query.where(revisions.c.number == bindparam("number"))


@remembered
def find_revision(
    connection: ReadConnection, workspace: WorkspaceName, name: ResourceName, number: int | None, clearances: Clearances = None
) -> Revision | None:
    """One revision, the newest without a number."""
    asked = {"workspace": workspace, "name": name} | ({} if number is None else {"number": number})
    row = connection.execute(_revision_query(clearances, number is None), asked).first()
    return None if row is None else _revision(name, tuple(row))


def _seen_revision(clearances: Clearances) -> ColumnElement[bool]:
    return sees_resource(clearances, revisions.c.workspace, revisions.c.resource)


def find_revision_of(
    connection: ReadConnection, workspace: WorkspaceName, digest: Digest, clearances: Clearances = None
) -> Revision | None:
    """The first revision, by name and number, whose bytes have this digest."""
    query = select(revisions.c.resource, *_REVISION).select_from(_FROM)
    query = query.where(revisions.c.workspace == workspace, revisions.c.digest == digest, _seen_revision(clearances))
    row = connection.execute(query.order_by(revisions.c.resource, revisions.c.number).limit(1)).first()
    return None if row is None else _revision(ResourceName(row[0]), tuple(row[1:]))


def list_revisions(connection: ReadConnection, workspace: WorkspaceName, name: ResourceName) -> Sequence[Revision]:
    query = select(*_REVISION).select_from(_FROM).where(revisions.c.workspace == workspace, revisions.c.resource == name)
    return [_revision(name, tuple(row)) for row in connection.execute(query.order_by(revisions.c.number))]


def _revision(name: ResourceName, row: tuple[object, ...]) -> Revision:
    number, digest, size, media_type, format_, label, complete, notes, at = row
    assert isinstance(number, int) and isinstance(size, int) and isinstance(at, int)
    return Revision(
        name,
        number,
        Digest(str(digest)),
        size,
        str(media_type),
        Format(str(format_)),
        None if label is None else str(label),
        bool(complete),
        _read_notes(str(notes)),
        at,
    )


def insert_revision(connection: WriteConnection, workspace: WorkspaceName, revision: Revision) -> None:
    row = {
        "workspace": workspace,
        "resource": revision.resource,
        "number": revision.number,
        "digest": revision.digest,
        "media_type": revision.media_type,
        "format": revision.format.value,
        "version_label": revision.version_label,
        "complete": revision.complete,
        "notes": _write_notes(revision.notes),
        "created_at": revision.created_at,
    }
    connection.execute(insert(revisions).values(row))


def insert_closing(connection: WriteConnection, workspace: WorkspaceName, name: ResourceName, number: int, at: int) -> None:
    """Says of a revision that nothing is to come."""
    connection.execute(insert(closings).values({"workspace": workspace, "resource": name, "revision": number, "closed_at": at}))


def list_closed(connection: ReadConnection, workspace: WorkspaceName) -> Sequence[str]:
    """`NAME@N` of each revision that was closed."""
    query = select(closings.c.resource, closings.c.revision).where(closings.c.workspace == workspace)
    return [f"{name}@{number}" for name, number in connection.execute(query)]


def _write_notes(notes: Sequence[Note]) -> str:
    return canonical_bytes([note_json(note) for note in notes]).decode()


def note_json(note: Note) -> dict[str, str | int | list[int]]:
    """A note as it is shown and kept: members without a value are left out."""
    named = {"line": note.line, "lines": list(note.lines) or None, "pointer": note.pointer, "byte": note.byte}
    return {"code": note.code, "text": note.text} | {k: v for k, v in named.items() if v is not None}


def _read_notes(text: str) -> tuple[Note, ...]:
    return tuple(
        Note(n["code"], n["text"], n.get("line"), tuple(n.get("lines", ())), n.get("pointer"), n.get("byte")) for n in orjson.loads(text)
    )


def insert_observation(connection: WriteConnection, workspace: WorkspaceName, name: ResourceName, seen: Observation) -> None:
    newest = connection.execute(
        select(func.max(observations.c.ordinal)).where(observations.c.workspace == workspace, observations.c.resource == name)
    ).scalar()
    row = {
        "workspace": workspace,
        "resource": name,
        "ordinal": (newest or 0) + 1,
        "revision": seen.revision,
        "observed_at": seen.observed_at,
        "origin": seen.origin,
        "idempotency_key": seen.idempotency_key,
    }
    connection.execute(insert(observations).values(row))


def list_observations(
    connection: ReadConnection, workspace: WorkspaceName, name: ResourceName, revision: int, after: int, limit: int
) -> Sequence[tuple[int, Observation]]:
    """Observations of a revision with their ordinals within the resource, those that follow `after`."""
    columns = (observations.c.ordinal, observations.c.observed_at, observations.c.origin, observations.c.idempotency_key)
    mine = (observations.c.workspace == workspace, observations.c.resource == name, observations.c.revision == revision)
    query = select(*columns).where(*mine, observations.c.ordinal > after).order_by(observations.c.ordinal).limit(limit)
    return [(ordinal, Observation(revision, at, origin, key)) for ordinal, at, origin, key in connection.execute(query)]


def find_first_origin(connection: ReadConnection, workspace: WorkspaceName, name: ResourceName, revision: int) -> str | None:
    """Where a revision came from when it was first seen; None where nobody said."""
    query = select(observations.c.origin).where(
        observations.c.workspace == workspace, observations.c.resource == name, observations.c.revision == revision
    )
    return connection.execute(query.order_by(observations.c.ordinal).limit(1)).scalar()


@remembered
def find_last_seen(connection: ReadConnection, workspace: WorkspaceName, name: ResourceName, revision: int) -> int | None:
    """When a revision was seen last."""
    query = select(func.max(observations.c.observed_at)).where(
        observations.c.workspace == workspace, observations.c.resource == name, observations.c.revision == revision
    )
    return connection.execute(query).scalar()


def find_observed(connection: ReadConnection, workspace: WorkspaceName, name: ResourceName, idempotency_key: str) -> int | None:
    """The revision that an earlier call with this key gave."""
    query = select(observations.c.revision).where(
        observations.c.workspace == workspace, observations.c.resource == name, observations.c.idempotency_key == idempotency_key
    )
    return connection.execute(query).scalar()


def find_first_key(connection: ReadConnection, workspace: WorkspaceName, name: ResourceName, revision: int) -> str | None:
    """The idempotency key of the put that made a revision; None where it had none."""
    query = select(observations.c.idempotency_key).where(
        observations.c.workspace == workspace, observations.c.resource == name, observations.c.revision == revision
    )
    return connection.execute(query.order_by(observations.c.ordinal).limit(1)).scalar()
