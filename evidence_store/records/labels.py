"""Rows of access labels: which guard an evidence, and what those who are not cleared for one see in its place."""

from collections.abc import Iterator, Sequence
from itertools import islice

from sqlalchemy import func, insert, select

from evidence_store.database import ReadConnection, WriteConnection
from evidence_store.model import EvidenceId, LabelPolicy, WorkspaceName
from evidence_store.tables.evidence import evidence
from evidence_store.tables.sources import label_policies, resource_labels

MAX_ASKED = 500
"""Ids in one statement: SQLite bounds its variables."""


def list_policies(connection: ReadConnection, workspace: WorkspaceName) -> Sequence[tuple[str, LabelPolicy]]:
    """Every policy that was set, of each label oldest first."""
    query = select(label_policies.c.label, label_policies.c.policy).where(label_policies.c.workspace == workspace)
    rows = connection.execute(query.order_by(label_policies.c.label, label_policies.c.ordinal))
    return [(label, LabelPolicy(policy)) for label, policy in rows]


def insert_policy(connection: WriteConnection, workspace: WorkspaceName, label: str, policy: LabelPolicy, at: int) -> None:
    newest = connection.execute(
        select(func.max(label_policies.c.ordinal)).where(label_policies.c.workspace == workspace, label_policies.c.label == label)
    ).scalar()
    row = {"workspace": workspace, "label": label, "ordinal": (newest or 0) + 1, "policy": policy.value, "created_at": at}
    connection.execute(insert(label_policies).values(row))


def iter_labels(connection: ReadConnection, workspace: WorkspaceName, ids: Sequence[EvidenceId]) -> Iterator[tuple[EvidenceId, str | None]]:
    """Each stored evidence with each label of its resource, or with None where there is none."""
    rest = iter(ids)
    labelled = (resource_labels.c.workspace == evidence.c.workspace) & (resource_labels.c.resource == evidence.c.resource)
    query = select(evidence.c.id, resource_labels.c.label).select_from(evidence.outerjoin(resource_labels, labelled))
    while asked := tuple(islice(rest, MAX_ASKED)):
        rows = connection.execute(query.where(evidence.c.workspace == workspace, evidence.c.id.in_(asked)))
        yield from ((EvidenceId(id_), label) for id_, label in rows)
