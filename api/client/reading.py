"""Values from the JSON that `api.presenters` makes of them. What does not fit raises LookupError, TypeError, ValueError or InvalidInput."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from api.client.values import (
    CheckedIntegrity,
    CheckedReport,
    CitationVerdict,
    FoundEvidence,
    ListedReport,
    ListedResource,
    Report,
    ShownTo,
)
from api.tools.outputs import next_option
from evidence_store.access import ApiKey, Grant
from evidence_store.documents.model import Note
from evidence_store.model import (
    Basis,
    Currency,
    Digest,
    EvidenceId,
    Format,
    Integrity,
    JudgementState,
    Kind,
    LabelPolicy,
    Lifecycle,
    Packet,
    ResourceName,
    Selector,
    Standing,
    TaskName,
    WorkspaceName,
)
from evidence_store.records.claims import PublishedClaim
from evidence_store.records.evidence import Relocation
from evidence_store.records.sources import Observation, Resource, Revision
from evidence_store.report_check import Uncited
from evidence_store.state import EvidenceState
from evidence_store.store.comparisons import DiffAnswer, EvidencePair, SearchAnswer
from evidence_store.store.doubts import Doubt, Unproven
from evidence_store.store.locations import LocateAnswer, Relocated
from evidence_store.store.sources import PutResult
from evidence_store.trace import Trace, TraceHop
from projector import packet_from_json

Members = Mapping[str, Any]


def resource_of(shown: Members) -> ListedResource:
    name, labels = ResourceName(shown["resource"]), tuple(shown["labels"])
    resource = Resource(name, Kind(shown["kind"]), shown["scope"], labels, shown.get("max_age_s"))
    return ListedResource(resource, shown["newest"], Digest(shown["digest"]))


def revision_of(shown: Members) -> Revision:
    """When it was stored is not in the JSON."""
    return Revision(
        ResourceName(shown["resource"]),
        shown["revision"],
        Digest(shown["digest"]),
        shown["size"],
        shown["media_type"],
        Format(shown["format"]),
        shown.get("version_label"),
        shown["complete"],
        tuple(map(_note_of, shown["notes"])),
        None,
    )


def _note_of(shown: Members) -> Note:
    return Note(shown["code"], shown["text"], shown.get("line"), tuple(shown.get("lines") or ()), shown.get("pointer"), shown.get("byte"))


def stored_of(shown: Members) -> PutResult:
    return PutResult(revision_of(shown), shown["created"], shown["created"])


def observation_of(shown: Members) -> Observation:
    return Observation(shown["revision"], shown["observed_at"], shown["tool"], None)


def packet_of(shown: Members) -> Packet:
    """The packet as it was shown, but for its value, which repeats the excerpt."""
    following = shown["next"]
    option = next_option(following) if isinstance(following, Mapping) else following
    packet = packet_from_json({**shown, "next": option}, "")
    basis = Basis(shown["basis"]) if "basis" in shown else packet.basis
    if shown.get("selector") == "bytes":
        packet = replace(packet, selector=Selector("bytes", f"{packet.span.start}-{packet.span.end}"))
    return replace(packet, basis=basis, column=shown["column"])


def evidence_of(shown: Members) -> FoundEvidence:
    judged = shown.get("judgement")
    state = EvidenceState(
        Basis(shown["basis"]),
        Lifecycle(shown["lifecycle"]),
        Integrity(shown["integrity"]),
        Currency(shown["currency"]),
        None if judged is None else JudgementState(judged),
    )
    packet = packet_of(shown)
    relocated = tuple(
        Relocation(packet.id, EvidenceId(one["id"]), one["finder"], one["score"]) for one in shown.get("relocated_from") or ()
    )
    return FoundEvidence(packet, state, shown.get("folded_from"), relocated)


def found_packets_of(shown: Members) -> tuple[Packet, ...]:
    """One packet, or several where members of a node were asked for."""
    return tuple(map(packet_of, shown["packets"])) if "packets" in shown else (packet_of(shown),)


def search_of(shown: Members) -> SearchAnswer:
    receipts = shown.get("receipts") or ([shown["receipt"]] if shown.get("receipt") else [])
    unproven = [Unproven(ResourceName(one["resource"]), one["revision"], Doubt(one["why"])) for one in shown.get("unproven") or ()]
    return SearchAnswer(tuple(map(packet_of, shown["packets"])), shown["more"], tuple(map(packet_of, receipts)), tuple(unproven))


def diff_of(shown: Members) -> DiffAnswer:
    pairs = tuple(EvidencePair(one["change"], *(_maybe(one[side]) for side in ("old", "new", "absent"))) for one in shown["pairs"])
    noise = shown.get("noise")
    return DiffAnswer(pairs, shown["more"], None if noise is None else tuple(noise.items()))


def locate_of(shown: Members) -> LocateAnswer:
    found = shown.get("relocation")
    relocation = None
    if found is not None:
        relocation = Relocated(packet_of(found), EvidenceId(found["relocated_from"]), found["finder"], found["score"])
    return LocateAnswer(Currency(shown["verdict"]), _maybe(shown["packet"]), relocation)


def _maybe(shown: Members | None) -> Packet | None:
    return None if shown is None else packet_of(shown)


def shown_to_of(shown: Members) -> ShownTo:
    return ShownTo(shown["run"], shown["step"], shown["grade"], Digest(shown["shown_digest"]), shown["in_full"])


def integrity_of(shown: Members) -> CheckedIntegrity:
    return CheckedIntegrity(EvidenceId(shown["id"]), Integrity(shown["integrity"]), shown["text"])


def listed_report_of(shown: Members) -> ListedReport:
    digest, task = Digest(shown["digest"]), TaskName(shown["task"])
    return ListedReport(shown["report"], shown["title"], task, shown["task_revision"], digest, shown["published_at"])


def report_of(shown: Members) -> Report:
    claims = tuple(PublishedClaim(one["claim"], Standing(one["standing"])) for one in shown["claims"])
    return Report(listed_report_of(shown), claims, shown["body"])


def checked_report_of(shown: Members) -> CheckedReport:
    citations = tuple(
        CitationVerdict(one["id"], one["verdict"], one["quote"], one["where"], one.get("folded") is True, one.get("text") or "")
        for one in shown["citations"]
    )
    uncited = tuple(Uncited(one["line"], one["text"]) for one in shown["uncited"])
    return CheckedReport(shown["ok"], citations, uncited, shown["published"])


def policies_of(shown: Members) -> dict[str, LabelPolicy]:
    return {one["label"]: LabelPolicy(one["policy"]) for one in shown["data"]}


def key_of(shown: Members) -> ApiKey:
    clearances = shown["clearances"]
    return ApiKey(
        shown["id"],
        shown["name"],
        WorkspaceName(shown["workspace"]),
        frozenset(map(Grant, shown["grants"])),
        None if clearances is None else frozenset(clearances),
        shown["sees_secrets"],
        shown["created_at"],
        shown["expires_at"],
        shown["revoked"],
        shown["used_hour"],
    )


def trace_of(shown: Members) -> Trace:
    return Trace(shown["subject"], tuple(TraceHop(one["kind"], one["id"], one["check"], one["text"]) for one in shown["hops"]))
