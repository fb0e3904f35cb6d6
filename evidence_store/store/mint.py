"""From a passage that was found to a packet with an id: the one place where evidence comes into being.

Finding the same passage again adds nothing but a new way to it. Where the store cannot be written the packet is the same, with the
id that follows from its content, and says that it is not stored (docs/adr/0016-reading-an-archive.md).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from evidence_store.database import ReadConnection, WriteConnection
from evidence_store.excerpts import Shown
from evidence_store.ids import Identity
from evidence_store.model import Basis, Digest, EvidenceId, Hop, LineRange, Packet, ResourceName, Selector, Span, masked_packet
from evidence_store.records import evidence as records
from evidence_store.records.events import append_event
from evidence_store.records.evidence import Evidence
from evidence_store.records.sources import Resource, Revision, find_last_seen
from evidence_store.store.core import Core, is_unmasked

NOT_STORED: Final = "not_stored/1"
"""Transform of a packet whose evidence has no record, since the store cannot be written."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage as it was found, before it has an id."""

    resource: Resource
    revision: Revision
    selector: Selector
    span: Span
    hops: tuple[Hop, ...]
    transform: str | None
    """Of derived evidence: what was done to the passage. None: the passage itself is cited."""
    excerpt_digest: Digest
    """Of the source bytes of all parts, one after the other."""
    lines: LineRange
    column: int | None
    shown: Shown
    match: Span | None = None
    named: Selector | None = None
    """The selector as it may be shown, where that may be another than the one that is kept."""

    @property
    def spans(self) -> tuple[Span, ...]:
        return (self.span, *(hop.span for hop in self.hops))


def mint(core: Core, passages: Sequence[Passage]) -> tuple[Packet, ...]:
    """Packets for these passages, in their order. What is not stored yet is stored, in one transaction, where the store can be written."""
    with core.database.reading() as connection:
        ids = [_known(core, connection, passage) for passage in passages]
        if None in ids and core.database.is_read_only:
            made = [_unstored(core, connection, one) for one in passages]
            passages, ids = [one.passage for one in made], [one.id for one in made]
    if None in ids:
        with core.database.writing() as connection:
            ids = [_keep(core, connection, passage) for passage in passages]
    seen = _last_seen(core, passages)
    packets = (_packet(passage, id_, seen) for passage, id_ in zip(passages, ids, strict=True) if id_ is not None)
    return tuple(packet if is_unmasked(core, packet.labels) else masked_packet(packet) for packet in packets)


def _last_seen(core: Core, passages: Sequence[Passage]) -> dict[tuple[ResourceName, int], int | None]:
    """When the revisions of live resources were seen last."""
    live = {(one.revision.resource, one.revision.number) for one in passages if one.resource.max_age_s is not None}
    if not live:
        return {}
    with core.database.reading() as connection:
        return {place: find_last_seen(connection, core.workspace, *place) for place in live}


def _identity(core: Core, passage: Passage) -> Identity:
    revision = passage.revision
    return Identity(core.workspace, revision.resource, revision.number, revision.digest, passage.spans, passage.transform)


def _known(core: Core, connection: ReadConnection, passage: Passage) -> EvidenceId | None:
    """The id, when both the evidence and this way to it are stored."""
    id_ = records.find_id(connection, core.workspace, _identity(core, passage).digest())
    if id_ is None or passage.selector not in records.list_selectors(connection, core.workspace, id_):
        return None
    return id_


@dataclass(frozen=True, slots=True)
class _Found:
    passage: Passage
    id: EvidenceId | None


def _unstored(core: Core, connection: ReadConnection, passage: Passage) -> _Found:
    """The id of a passage that cannot be stored; one without a record says so."""
    digest = _identity(core, passage).digest()
    id_ = records.find_id(connection, core.workspace, digest)
    if id_ is not None:
        return _Found(passage, id_)
    new = _new(core, connection, passage, digest)
    core.unstored.keep(new, passage.selector)
    shown = replace(passage.shown, transforms=(*passage.shown.transforms, NOT_STORED))
    return _Found(replace(passage, shown=shown), new.id)


def _new(core: Core, connection: ReadConnection, passage: Passage, digest: Digest) -> Evidence:
    revision = passage.revision
    return Evidence(
        records.free_id(connection, core.workspace, digest),
        digest,
        revision.resource,
        revision.number,
        revision.digest,
        passage.span,
        passage.hops,
        passage.transform,
        passage.excerpt_digest,
    )


def _keep(core: Core, connection: WriteConnection, passage: Passage) -> EvidenceId:
    digest = _identity(core, passage).digest()
    id_ = records.find_id(connection, core.workspace, digest)
    if id_ is None:
        new = _new(core, connection, passage, digest)
        id_, at = new.id, core.clock()
        records.insert_evidence(connection, core.workspace, new, at)
        append_event(connection, core.workspace, "evidence.created", id_, {"digest": digest, "excerpt": new.excerpt_digest}, at)
    if passage.selector not in records.list_selectors(connection, core.workspace, id_):
        records.insert_selector(connection, core.workspace, id_, passage.selector)
    return id_


def _packet(passage: Passage, id_: EvidenceId, seen: Mapping[tuple[ResourceName, int], int | None]) -> Packet:
    shown, revision = passage.shown, passage.revision
    basis = Basis.DERIVED if passage.transform else Basis.OBSERVED
    return Packet(
        id=id_,
        resource=revision.resource,
        revision=revision.number,
        selector=passage.named or passage.selector,
        format=revision.format,
        excerpt=shown.text,
        scope=passage.resource.scope,
        status="derived" if basis is Basis.DERIVED else "observed",
        basis=basis,
        digest=revision.digest,
        span=passage.span,
        lines=passage.lines,
        column=passage.column,
        size=revision.size,
        hops=passage.hops,
        cut=shown.cut,
        outline=shown.outline,
        transforms=shown.transforms,
        next=shown.next,
        value=shown.value,
        match=passage.match,
        labels=passage.resource.labels,
        kind=passage.resource.kind,
        max_age_s=passage.resource.max_age_s,
        observed_at=seen.get((revision.resource, revision.number)),
    )
