"""Rows of evidence, its parts, the ways it was found, and its lifecycle."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Select, bindparam, insert, select

from evidence_store.database import KEPT_STATEMENTS, ReadConnection, WriteConnection, remember, remembered
from evidence_store.errors import IntegrityMismatch
from evidence_store.ids import FORMAT_VERSION, SHORT_LENGTH, short_id
from evidence_store.model import Clearances, Digest, EvidenceId, Hop, Lifecycle, ResourceName, Selector, Span, WorkspaceName
from evidence_store.records.sight import sees_resource
from evidence_store.tables.evidence import evidence, evidence_events, parts, relocations, selectors

_BEHIND_IDS = "{"
"""In ASCII behind every character of an id."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """That this passage stood in this revision; nothing in it says who saw it."""

    id: EvidenceId
    digest: Digest
    """The identity in full."""
    resource: ResourceName
    revision: int
    blob: Digest
    span: Span
    hops: tuple[Hop, ...]
    transform: str | None
    excerpt_digest: Digest
    """Of the source bytes of all parts, one after the other."""


@dataclass(frozen=True, slots=True)
class Relocation:
    """That an evidence was named in place of one that is gone from a revision."""

    evidence: EvidenceId
    relocated_from: EvidenceId
    finder: str
    """Name and version of what found it."""
    score: int
    """0 to 100."""


def _seen(clearances: Clearances) -> ColumnElement[bool]:
    return sees_resource(clearances, evidence.c.workspace, evidence.c.resource)


_COLUMNS = (
    evidence.c.id,
    evidence.c.digest,
    evidence.c.resource,
    evidence.c.revision,
    evidence.c.blob,
    evidence.c.transform,
    evidence.c.excerpt_digest,
)
_MINE = (evidence.c.workspace == bindparam("workspace"), evidence.c.id == bindparam("id"))
_PARTS = (
    select(parts.c.byte_start, parts.c.byte_end, parts.c.hop)
    .where(parts.c.workspace == bindparam("workspace"), parts.c.evidence == bindparam("id"))
    .order_by(parts.c.position)
)


@lru_cache(KEPT_STATEMENTS)
def _evidence_query(clearances: Clearances) -> Select[Any]:
    return select(*_COLUMNS).where(*_MINE, _seen(clearances))


@remembered
def find_evidence(connection: ReadConnection, workspace: WorkspaceName, id_: EvidenceId, clearances: Clearances = None) -> Evidence | None:
    """The record of an evidence, None when there is none. Raises IntegrityMismatch for one without parts."""
    row = connection.execute(_evidence_query(clearances), {"workspace": workspace, "id": id_}).first()
    return None if row is None else _evidence(tuple(row), connection.execute(_PARTS, {"workspace": workspace, "id": id_}).all())


def _evidence(row: tuple[Any, ...], spans: Sequence[Any]) -> Evidence:
    """Of a row of `_COLUMNS`, and start, end and hop of each part. Raises IntegrityMismatch."""
    if not spans:
        raise IntegrityMismatch(f"the record of {row[0]} has lost its parts", {"id": row[0]})
    (start, end, _), *more = spans
    hops = tuple(Hop(hop, Span(first, last)) for first, last, hop in more)
    blob, excerpt = Digest(row[4]), Digest(row[6])
    return Evidence(EvidenceId(row[0]), Digest(row[1]), ResourceName(row[2]), row[3], blob, Span(start, end), hops, row[5], excerpt)


def remember_evidence(connection: ReadConnection, workspace: WorkspaceName, ids: Sequence[EvidenceId], clearances: Clearances) -> None:
    """Reads all that is asked of these evidences one by one (at most 500) at once, for the snapshot that this is called in."""

    rows = connection.execute(select(*_COLUMNS).where(evidence.c.workspace == workspace, evidence.c.id.in_(ids), _seen(clearances))).all()
    # Nothing is read of what is hidden, so that it takes no longer than what is absent.
    seen = [row[0] for row in rows]

    def mine(table: FromClause) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
        return table.c.workspace == workspace, table.c.evidence.in_(seen)

    spans: dict[str, list[Any]] = {}
    found = select(parts.c.evidence, parts.c.byte_start, parts.c.byte_end, parts.c.hop).where(*mine(parts))
    for id_, *span in connection.execute(found.order_by(parts.c.position)):
        spans.setdefault(id_, []).append(span)
    ways: dict[str, list[Selector]] = {}
    for id_, kind, text in connection.execute(select(selectors.c.evidence, selectors.c.kind, selectors.c.text).where(*mine(selectors))):
        ways.setdefault(id_, []).append(Selector(kind, text))
    events = select(evidence_events.c.evidence, evidence_events.c.lifecycle).where(*mine(evidence_events))
    lifecycles = {id_: Lifecycle(one) for id_, one in connection.execute(events.order_by(evidence_events.c.ordinal))}
    moved = set(connection.execute(select(relocations.c.evidence).where(*mine(relocations))).scalars())
    for row in rows:
        if row[0] not in spans:
            continue
        id_, one = EvidenceId(row[0]), _evidence(tuple(row), spans[row[0]])
        remember(connection, find_evidence, (workspace, id_, clearances), one)
        remember(connection, find_id, (workspace, one.digest), id_)
        remember(connection, list_selectors, (workspace, id_), _in_order(ways.get(id_, [])))
        remember(connection, find_lifecycle, (workspace, id_), lifecycles.get(id_, Lifecycle.ACTIVE))
        if id_ not in moved:
            remember(connection, list_relocations, (workspace, id_), ())


def list_evidence_ids(connection: ReadConnection, workspace: WorkspaceName) -> Sequence[EvidenceId]:
    return [EvidenceId(i) for i in connection.execute(select(evidence.c.id).where(evidence.c.workspace == workspace)).scalars()]


def list_ids_from(connection: ReadConnection, workspace: WorkspaceName, beginning: str, limit: int) -> Sequence[EvidenceId]:
    """In their order, at most so many of those that begin so."""
    begins = (evidence.c.id >= beginning, evidence.c.id < beginning + _BEHIND_IDS)
    query = select(evidence.c.id).where(evidence.c.workspace == workspace, *begins).order_by(evidence.c.id).limit(limit)
    return [EvidenceId(id_) for id_ in connection.execute(query).scalars()]


def list_ids_by_place(connection: ReadConnection, workspace: WorkspaceName) -> Sequence[EvidenceId]:
    """The same by resource, revision and place in it, so that neighbours are read from the same frames."""
    first = (parts.c.workspace == evidence.c.workspace) & (parts.c.evidence == evidence.c.id) & (parts.c.position == 0)
    query = select(evidence.c.id).outerjoin(parts, first).where(evidence.c.workspace == workspace)
    ordered = query.order_by(evidence.c.resource, evidence.c.revision, parts.c.byte_start, evidence.c.id)
    return [EvidenceId(id_) for id_ in connection.execute(ordered).scalars()]


def list_known_ids(
    connection: ReadConnection, workspace: WorkspaceName, ids: Sequence[EvidenceId], clearances: Clearances = None
) -> frozenset[EvidenceId]:
    """Which of these are stored."""
    query = select(evidence.c.id).where(evidence.c.workspace == workspace, evidence.c.id.in_(ids), _seen(clearances))
    return frozenset(EvidenceId(id_) for id_ in connection.execute(query).scalars()) if ids else frozenset()


_BY_DIGEST = select(evidence.c.id).where(evidence.c.workspace == bindparam("workspace"), evidence.c.digest == bindparam("digest"))


@remembered
def find_id(connection: ReadConnection, workspace: WorkspaceName, digest: Digest) -> EvidenceId | None:
    """The id under which an identity is stored."""
    found = connection.execute(_BY_DIGEST, {"workspace": workspace, "digest": digest}).scalar()
    return None if found is None else EvidenceId(found)


def free_id(connection: ReadConnection, workspace: WorkspaceName, digest: Digest) -> EvidenceId:
    """The shortest id for a new identity: two more characters for each collision of the short form."""
    length = SHORT_LENGTH
    while find_evidence(connection, workspace, short_id(digest, length)) is not None:
        length += 2
    return short_id(digest, length)


def insert_evidence(connection: WriteConnection, workspace: WorkspaceName, new: Evidence, at: int) -> None:
    row = {
        "workspace": workspace,
        "id": new.id,
        "digest": new.digest,
        "resource": new.resource,
        "revision": new.revision,
        "blob": new.blob,
        "transform": new.transform,
        "excerpt_digest": new.excerpt_digest,
        "format_version": FORMAT_VERSION,
        "created_at": at,
    }
    connection.execute(insert(evidence).values(row))
    spans = [(new.span, None), *((hop.span, hop.kind) for hop in new.hops)]
    connection.execute(
        insert(parts),
        [
            {"workspace": workspace, "evidence": new.id, "position": n, "byte_start": s.start, "byte_end": s.end, "hop": hop}
            for n, (s, hop) in enumerate(spans)
        ],
    )


def insert_selector(connection: WriteConnection, workspace: WorkspaceName, id_: EvidenceId, selector: Selector) -> None:
    row = {"workspace": workspace, "evidence": id_, "kind": selector.kind, "text": selector.text}
    connection.execute(insert(selectors).values(row))


@remembered
def list_selectors(connection: ReadConnection, workspace: WorkspaceName, id_: EvidenceId) -> Sequence[Selector]:
    """The ways in which an evidence was found, in a fixed order: pointers first."""
    return _in_order([Selector(kind, text) for kind, text in connection.execute(_SELECTORS, {"workspace": workspace, "id": id_})])


def _in_order(found: Sequence[Selector]) -> Sequence[Selector]:
    return sorted(found, key=lambda s: (_ORDER.index(s.kind), len(s.text), s.text))


_SELECTORS = select(selectors.c.kind, selectors.c.text).where(
    selectors.c.workspace == bindparam("workspace"), selectors.c.evidence == bindparam("id")
)
_ORDER = ("pointer", "lines", "quote", "bytes")


def insert_relocation(connection: WriteConnection, workspace: WorkspaceName, new: Relocation, at: int) -> bool:
    """Adds what a finder named; False where it is known."""
    row = {
        "workspace": workspace,
        "evidence": new.evidence,
        "relocated_from": new.relocated_from,
        "finder": new.finder,
        "score": new.score,
        "at": at,
    }
    key = ("workspace", "evidence", "relocated_from", "finder")
    known = select(relocations.c.score).where(*(relocations.c[name] == row[name] for name in key))
    if connection.execute(known).first() is not None:
        return False
    connection.execute(insert(relocations).values(row))
    return True


_RELOCATIONS = (
    select(relocations.c.evidence, relocations.c.relocated_from, relocations.c.finder, relocations.c.score)
    .where(relocations.c.workspace == bindparam("workspace"), relocations.c.evidence == bindparam("id"))
    .order_by(relocations.c.at)
)


@remembered
def list_relocations(connection: ReadConnection, workspace: WorkspaceName, id_: EvidenceId) -> Sequence[Relocation]:
    """What an evidence was named in place of."""
    rows = connection.execute(_RELOCATIONS, {"workspace": workspace, "id": id_})
    return [Relocation(EvidenceId(one), EvidenceId(other), finder, score) for one, other, finder, score in rows]


_LIFECYCLE = (
    select(evidence_events.c.lifecycle)
    .where(evidence_events.c.workspace == bindparam("workspace"), evidence_events.c.evidence == bindparam("id"))
    .order_by(evidence_events.c.ordinal.desc())
    .limit(1)
)


@remembered
def find_lifecycle(connection: ReadConnection, workspace: WorkspaceName, id_: EvidenceId) -> Lifecycle:
    """The newest state; active without any event."""
    found = connection.execute(_LIFECYCLE, {"workspace": workspace, "id": id_}).scalar()
    return Lifecycle.ACTIVE if found is None else Lifecycle(found)
