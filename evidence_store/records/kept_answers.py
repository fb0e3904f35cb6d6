"""Rows of answers that are given again to a request with the same idempotency key."""

from dataclasses import dataclass

from sqlalchemy import delete, insert, select

from evidence_store.database import ReadConnection, WriteConnection
from evidence_store.model import Digest, WorkspaceName
from evidence_store.tables.access import kept_answers


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    request_digest: Digest
    """Of what was asked, so that another request under the same key is told apart."""
    status: int
    body: bytes


def find_answer(connection: ReadConnection, workspace: WorkspaceName, principal: str, key: str) -> KeptAnswer | None:
    columns = (kept_answers.c.request_digest, kept_answers.c.status, kept_answers.c.body)
    mine = (kept_answers.c.workspace == workspace, kept_answers.c.principal == principal, kept_answers.c.idempotency_key == key)
    row = connection.execute(select(*columns).where(*mine)).first()
    return None if row is None else KeptAnswer(Digest(row[0]), row[1], row[2])


def insert_answer(connection: WriteConnection, workspace: WorkspaceName, principal: str, key: str, new: KeptAnswer, at: int) -> None:
    row = {
        "workspace": workspace,
        "principal": principal,
        "idempotency_key": key,
        "request_digest": new.request_digest,
        "status": new.status,
        "body": new.body,
        "at": at,
    }
    connection.execute(insert(kept_answers).values(row))


def delete_answers(connection: WriteConnection, workspace: WorkspaceName, before: int) -> None:
    """Forgets what was kept before a time, in microseconds since 1970 UTC: it repeats an answer, and nothing rests on it."""
    connection.execute(delete(kept_answers).where(kept_answers.c.workspace == workspace, kept_answers.c.at < before))
