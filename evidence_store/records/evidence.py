"""Rows of evidence, its parts, the ways it was found, and its lifecycle."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, insert, select

from evidence_store.database import ReadConnection, WriteConnection
from evidence_store.errors import IntegrityMismatch
from evidence_store.ids import FORMAT_VERSION, SHORT_LENGTH, short_id
from evidence_store.model import Clearances, Digest, EvidenceId, Hop, HopKind, Lifecycle, ResourceName, Selector, Span, WorkspaceName
from evidence_store.records.sight import sees_resource
from evidence_store.tables import evidence, evidence_events, parts, relocations, selectors

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


def find_evidence(connection: ReadConnection, workspace: WorkspaceName, id_: EvidenceId, clearances: Clearances = None) -> Evidence | None:
    """The record of an evidence, None when there is none. Raises IntegrityMismatch for one without parts."""
    columns = (
        evidence.c.id,
        evidence.c.digest,
        evidence.c.resource,
        evidence.c.revision,
        evidence.c.blob,
        evidence.c.transform,
        evidence.c.excerpt_digest,
    )
    query = select(*columns).where(evidence.c.workspace == workspace, evidence.c.id == id_, _seen(clearances))
    row = connection.execute(query).first()
    if row is None:
        return None
    spans = _list_parts(connection, workspace, id_)
    if not spans:
        raise IntegrityMismatch(f"the record of {id_} has lost its parts", {"id": id_})
    hops = tuple(Hop(hop, span) for span, hop in spans[1:])
    return Evidence(id_, Digest(row[1]), ResourceName(row[2]), row[3], Digest(row[4]), spans[0][0], hops, row[5], Digest(row[6]))


def _list_parts(connection: ReadConnection, workspace: WorkspaceName, id_: EvidenceId) -> list[tuple[Span, HopKind]]:
    columns = (parts.c.byte_start, parts.c.byte_end, parts.c.hop)
    query = select(*columns).where(parts.c.workspace == workspace, parts.c.evidence == id_).order_by(parts.c.position)
    return [(Span(start, end), hop) for start, end, hop in connection.execute(query)]


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


def find_id(connection: ReadConnection, workspace: WorkspaceName, digest: Digest) -> EvidenceId | None:
    """The id under which an identity is stored."""
    found = connection.execute(select(evidence.c.id).where(evidence.c.workspace == workspace, evidence.c.digest == digest)).scalar()
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


def has_selector(connection: ReadConnection, workspace: WorkspaceName, id_: EvidenceId, selector: Selector) -> bool:
    query = select(selectors.c.kind).where(
        selectors.c.workspace == workspace,
        selectors.c.evidence == id_,
        selectors.c.kind == selector.kind,
        selectors.c.text == selector.text,
    )
    return connection.execute(query).first() is not None


def insert_selector(connection: WriteConnection, workspace: WorkspaceName, id_: EvidenceId, selector: Selector) -> None:
    row = {"workspace": workspace, "evidence": id_, "kind": selector.kind, "text": selector.text}
    connection.execute(insert(selectors).values(row))


def list_selectors(connection: ReadConnection, workspace: WorkspaceName, id_: EvidenceId) -> Sequence[Selector]:
    """The ways in which an evidence was found, in a fixed order: pointers first."""
    query = select(selectors.c.kind, selectors.c.text).where(selectors.c.workspace == workspace, selectors.c.evidence == id_)
    found = [Selector(kind, text) for kind, text in connection.execute(query)]
    return sorted(found, key=lambda s: (_ORDER.index(s.kind), len(s.text), s.text))


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


def list_relocations(connection: ReadConnection, workspace: WorkspaceName, id_: EvidenceId) -> Sequence[Relocation]:
    """What an evidence was named in place of."""
    columns = (relocations.c.evidence, relocations.c.relocated_from, relocations.c.finder, relocations.c.score)
    query = select(*columns).where(relocations.c.workspace == workspace, relocations.c.evidence == id_).order_by(relocations.c.at)
    return [Relocation(EvidenceId(one), EvidenceId(other), finder, score) for one, other, finder, score in connection.execute(query)]


def find_lifecycle(connection: ReadConnection, workspace: WorkspaceName, id_: EvidenceId) -> Lifecycle:
    """The newest state; active without any event."""
    query = (
        select(evidence_events.c.lifecycle)
        .where(evidence_events.c.workspace == workspace, evidence_events.c.evidence == id_)
        .order_by(evidence_events.c.ordinal.desc())
        .limit(1)
    )
    found = connection.execute(query).scalar()
    return Lifecycle.ACTIVE if found is None else Lifecycle(found)
