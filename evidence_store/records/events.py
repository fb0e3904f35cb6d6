"""Rows of the journal. Every other record is written beside one of these, in the same transaction."""

import os
from collections.abc import Iterator, Mapping

from sqlalchemy import func, insert, select

from evidence_store.canonical import canonical_bytes
from evidence_store.database import ReadConnection, WriteConnection
from evidence_store.errors import JsonValue
from evidence_store.journal import FORMAT_VERSION, SALT_BYTES, Event, commit
from evidence_store.model import WorkspaceName
from evidence_store.tables.journal import events


def append_event(
    connection: WriteConnection, workspace: WorkspaceName, kind: str, subject: str, data: Mapping[str, JsonValue], at: int
) -> int:
    """Adds the next event and gives its number. The write lock of the transaction keeps the numbers without gaps."""
    newest = connection.execute(select(func.max(events.c.number)).where(events.c.workspace == workspace)).scalar()
    number = (newest or 0) + 1
    payload = canonical_bytes({"v": FORMAT_VERSION, "number": number, "at": at, "kind": kind, "subject": subject, "data": data})
    salt = os.urandom(SALT_BYTES)
    row = {
        "workspace": workspace,
        "number": number,
        "kind": kind,
        "subject": subject,
        "payload": payload,
        "salt": salt,
        "commitment": commit(salt, payload),
        "format_version": FORMAT_VERSION,
        "at": at,
    }
    connection.execute(insert(events).values(row))
    return number


def newest_number(connection: ReadConnection, workspace: WorkspaceName) -> int:
    """Of the events of a workspace; 0 before the first."""
    return int(connection.execute(select(func.max(events.c.number)).where(events.c.workspace == workspace)).scalar() or 0)


def iter_events(connection: ReadConnection, workspace: WorkspaceName) -> Iterator[Event]:
    """All events in order."""
    columns = (events.c.number, events.c.kind, events.c.subject, events.c.payload, events.c.salt, events.c.commitment)
    for row in connection.execute(select(*columns).where(events.c.workspace == workspace).order_by(events.c.number)):
        yield Event(*row)
