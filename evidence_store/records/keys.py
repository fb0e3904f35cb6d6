"""Rows of keys: what each may do, that it was revoked, and when it was used last."""

from collections.abc import Sequence
from typing import Any

import orjson
from sqlalchemy import Select, func, insert, select
from sqlalchemy.dialects import sqlite

from evidence_store.access import ApiKey, Grant
from evidence_store.canonical import canonical_bytes
from evidence_store.database import ReadConnection, WriteConnection
from evidence_store.model import Digest, WorkspaceName
from evidence_store.tables.access import api_keys, key_events, key_uses


def insert_key(connection: WriteConnection, new: ApiKey, secret_digest: Digest, author: str) -> None:
    clearances = None if new.clearances is None else canonical_bytes(sorted(new.clearances)).decode()
    row = {
        "workspace": new.workspace,
        "id": new.id,
        "name": new.name,
        "secret_digest": secret_digest,
        "grants": canonical_bytes(sorted(new.grants)).decode(),
        "clearances": clearances,
        "sees_secrets": new.sees_secrets,
        "author": author,
        "created_at": new.created_at,
        "expires_at": new.expires_at,
    }
    connection.execute(insert(api_keys).values(row))


def insert_revocation(connection: WriteConnection, workspace: WorkspaceName, key: str, author: str, at: int) -> None:
    row = {"workspace": workspace, "key": key, "what": "revoked", "author": author, "at": at}
    connection.execute(insert(key_events).values(row))


def insert_use(connection: WriteConnection, workspace: WorkspaceName, key: str, hour: int) -> None:
    """That a key was used in an hour; said twice it is said once."""
    row = {"workspace": workspace, "key": key, "hour": hour}
    connection.execute(sqlite.insert(key_uses).values(row).on_conflict_do_nothing())


def find_by_digest(connection: ReadConnection, secret_digest: Digest) -> ApiKey | None:
    """The key with this secret, in whichever workspace."""
    row = connection.execute(_query().where(api_keys.c.secret_digest == secret_digest)).first()
    return None if row is None else _key(*row)


def list_keys(connection: ReadConnection, workspace: WorkspaceName) -> Sequence[ApiKey]:
    """The keys of a workspace, oldest first."""
    query = _query().where(api_keys.c.workspace == workspace).order_by(api_keys.c.created_at, api_keys.c.id)
    return [_key(*row) for row in connection.execute(query)]


def _query() -> Select[Any]:
    used = select(func.max(key_uses.c.hour)).where(key_uses.c.workspace == api_keys.c.workspace, key_uses.c.key == api_keys.c.id)
    revoked = select(key_events.c.what).where(key_events.c.workspace == api_keys.c.workspace, key_events.c.key == api_keys.c.id)
    return select(
        api_keys.c.workspace,
        api_keys.c.id,
        api_keys.c.name,
        api_keys.c.grants,
        api_keys.c.clearances,
        api_keys.c.sees_secrets,
        api_keys.c.created_at,
        api_keys.c.expires_at,
        revoked.scalar_subquery(),
        used.scalar_subquery(),
    )


def _key(
    workspace: str,
    id_: str,
    name: str,
    grants: str,
    clearances: str | None,
    sees_secrets: bool,
    created_at: int,
    expires_at: int | None,
    revoked: str | None,
    used_hour: int | None,
) -> ApiKey:
    return ApiKey(
        id_,
        name,
        WorkspaceName(workspace),
        frozenset(map(Grant, orjson.loads(grants))),
        None if clearances is None else frozenset(orjson.loads(clearances)),
        sees_secrets,
        created_at,
        expires_at,
        revoked is not None,
        used_hour,
    )
