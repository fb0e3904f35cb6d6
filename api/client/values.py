"""Values that only a client has: what the store keeps apart and the service answers together."""

from collections.abc import Mapping
from dataclasses import dataclass

from evidence_store.access import ApiKey
from evidence_store.errors import EvidenceStoreError, JsonValue
from evidence_store.model import ClaimView, Digest, EvidenceId, Integrity, Packet, Standing, TaskName
from evidence_store.records.claims import PublishedClaim, Ruling
from evidence_store.records.evidence import Relocation
from evidence_store.records.sources import Resource
from evidence_store.report_check import Uncited
from evidence_store.state import EvidenceState
from evidence_store.store.run_history import RunSummary


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
    relocated: tuple[Relocation, ...] = ()
    """Passages that are gone, in whose place it was named."""


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


@dataclass(frozen=True, slots=True)
class RunState:
    """Where a run stands."""

    summary: RunSummary
    n_steps: int
    open_calls: tuple[str, ...]
    """Calls without a result."""
    claims: tuple[str, ...]
    """Ids of those that it recorded, in order."""


@dataclass(frozen=True, slots=True)
class ListedInput:
    """A stored input with its token figures."""

    step: int
    projection: int
    """1-based: a step may have been projected more than once."""
    used_tokens: int
    cap_tokens: int
    counter: str
    exactness: str
    sections: Mapping[str, int]
    input_digest: Digest
    billed_tokens: int
    rebuilt: str
    reported_tokens: int | None


@dataclass(frozen=True, slots=True)
class ReplayedInput:
    """A stored input as its reader may see it."""

    step: int
    projection: int
    same: bool
    """Whether nothing is marked."""
    marks: Mapping[EvidenceId, str]
    input_digest: Digest
    messages: tuple[Mapping[str, JsonValue], ...]
    tools: tuple[Mapping[str, JsonValue], ...]
    outside: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class RuledClaim:
    """Where a claim stands, without what it says."""

    claim: str
    standing: Standing
    reason: str


@dataclass(frozen=True, slots=True)
class ClaimHistory:
    """A claim with the rulings on it, oldest first."""

    claim: ClaimView
    run: int
    step: int
    rulings: tuple[Ruling, ...]
