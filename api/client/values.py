"""Values that only a client has: what the store keeps apart and the service answers together."""

from dataclasses import dataclass

from evidence_store.access import ApiKey
from evidence_store.errors import EvidenceStoreError
from evidence_store.model import Digest, EvidenceId, Integrity, Packet, TaskName
from evidence_store.records.claims import PublishedClaim
from evidence_store.records.sources import Resource
from evidence_store.report_check import Uncited
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
class ShownTo:
    """Where an evidence was shown."""

    run: str
    """`TASK/run N`."""
    step: int
    grade: str
    shown_digest: Digest
    in_full: bool


@dataclass(frozen=True, slots=True)
class CheckedIntegrity:
    id: EvidenceId
    integrity: Integrity
    text: str
    """What does not agree; empty where all does."""


@dataclass(frozen=True, slots=True)
class ListedReport:
    """A published report without its text."""

    id: str
    title: str
    task: TaskName
    task_revision: int
    digest: Digest
    published_at: int
    """Microseconds since 1970 UTC."""


@dataclass(frozen=True, slots=True)
class Report:
    """A published report."""

    listed: ListedReport
    claims: tuple[PublishedClaim, ...]
    body: str


@dataclass(frozen=True, slots=True)
class CitationVerdict:
    """What was found out about one citation of a report."""

    id: str
    verdict: str
    quote: str
    where: str
    """`line N`."""
    folded: bool
    text: str
    """What is wrong; empty where nothing is."""


@dataclass(frozen=True, slots=True)
class CheckedReport:
    ok: bool
    citations: tuple[CitationVerdict, ...]
    uncited: tuple[Uncited, ...]
    published: str | None
    """Id of the published report of exactly this text."""


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was made."""

    key: ApiKey
    secret: str | None
    """Shown once; None where the request was one that had been answered before."""
