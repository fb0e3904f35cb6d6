"""Values that only a client has: pairs of what the store answers with."""

from dataclasses import dataclass

from evidence_store.errors import EvidenceStoreError
from evidence_store.model import Digest, Packet, TaskName
from evidence_store.records.claims import PublishedClaim
from evidence_store.records.sources import Resource
from evidence_store.state import EvidenceState


@dataclass(frozen=True, slots=True)
class ListedResource:
    """A resource, and which revision of it is the newest."""

    resource: Resource
    newest: int
    digest: Digest
    """Of the newest revision's bytes."""


@dataclass(frozen=True, slots=True)
class FoundEvidence:
    """An evidence, and what speaks for or against it."""

    packet: Packet
    state: EvidenceState
    folded_from: str | None = None
    """The id as it was asked for, where its letters had to be folded."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """What became of one id of several that were asked for together."""

    asked: str
    found: FoundEvidence | None
    problem: EvidenceStoreError | None
    """Why there is none."""


@dataclass(frozen=True, slots=True)
class Report:
    """A published report."""

    id: str
    title: str
    task: TaskName
    task_revision: int
    digest: Digest
    claims: tuple[PublishedClaim, ...]
    body: str
