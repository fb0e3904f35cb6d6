"""How much there is of each kind in a workspace, as somebody with these clearances sees it."""

from collections.abc import Mapping

from sqlalchemy import ColumnElement, Table, exists, func, select

from evidence_store.database import ReadConnection
from evidence_store.model import Clearances, WorkspaceName
from evidence_store.records.sight import sees_resource
from evidence_store.records.sight_of_work import sees_claim, sees_report, sees_run
from evidence_store.tables.claims import claims, reports
from evidence_store.tables.evidence import evidence
from evidence_store.tables.runs import runs
from evidence_store.tables.sources import blobs, observations, resources, revisions
from evidence_store.tables.tasks import tasks


def count_rows(connection: ReadConnection, workspace: WorkspaceName, clearances: Clearances) -> Mapping[str, int]:
    """Rows by the name of what they are. Tasks have no labels, and are seen by everybody."""
    seen: Mapping[Table, ColumnElement[bool] | None] = {
        resources: sees_resource(clearances, resources.c.workspace, resources.c.name),
        revisions: sees_resource(clearances, revisions.c.workspace, revisions.c.resource),
        observations: sees_resource(clearances, observations.c.workspace, observations.c.resource),
        evidence: sees_resource(clearances, evidence.c.workspace, evidence.c.resource),
        tasks: None,
        runs: sees_run(clearances, runs.c.workspace, runs.c.task, runs.c.number),
        claims: sees_claim(clearances, claims.c.workspace, claims.c.task, claims.c.number),
        reports: sees_report(clearances, reports.c.workspace, reports.c.id),
    }
    found = {}
    for table, condition in seen.items():
        query = select(func.count()).select_from(table).where(table.c.workspace == workspace)
        found[table.name] = int(connection.execute(query if condition is None else query.where(condition)).scalar() or 0)
    return found


def sum_bytes(connection: ReadConnection, workspace: WorkspaceName, clearances: Clearances) -> Mapping[str, int]:
    """`raw` bytes of all revisions, and `stored` ones, which equal bytes and compression make fewer."""
    seen = sees_resource(clearances, revisions.c.workspace, revisions.c.resource)
    mine = (revisions.c.workspace == blobs.c.workspace) & (revisions.c.digest == blobs.c.digest)
    raw = select(func.sum(blobs.c.size)).select_from(revisions.join(blobs, mine)).where(revisions.c.workspace == workspace, seen)
    kept = select(func.sum(blobs.c.stored_size)).where(blobs.c.workspace == workspace, exists().where(mine & seen))
    return {name: int(connection.execute(query).scalar() or 0) for name, query in (("raw", raw), ("stored", kept))}
