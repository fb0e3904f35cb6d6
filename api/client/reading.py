"""Values from the JSON that `api.presenters` makes of them. What does not fit raises LookupError, TypeError, ValueError or InvalidInput."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from api.client.values import FoundEvidence, ListedResource, Report
from evidence_store.documents.model import Note
from evidence_store.model import (
    Basis,
    Currency,
    Digest,
    Format,
    Integrity,
    JudgementState,
    Kind,
    Lifecycle,
    Packet,
    ResourceName,
    Selector,
    Standing,
    TaskName,
)
from evidence_store.records.claims import PublishedClaim
from evidence_store.records.sources import Observation, Resource, Revision
from evidence_store.state import EvidenceState
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
    return PutResult(revision_of(shown), shown["created"])


def observation_of(shown: Members) -> Observation:
    return Observation(shown["revision"], shown["observed_at"], shown["tool"], None)


def packet_of(shown: Members) -> Packet:
    """The packet as it was shown, but for its value, which repeats the excerpt."""
    packet = packet_from_json(shown, "")
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
    return FoundEvidence(packet_of(shown), state, shown.get("folded_from"))


def report_of(shown: Members) -> Report:
    claims = tuple(PublishedClaim(one["claim"], Standing(one["standing"])) for one in shown["claims"])
    digest, task = Digest(shown["digest"]), TaskName(shown["task"])
    return Report(shown["report"], shown["title"], task, shown["task_revision"], digest, claims, shown["body"])


def trace_of(shown: Members) -> Trace:
    return Trace(shown["subject"], tuple(TraceHop(one["kind"], one["id"], one["check"], one["text"]) for one in shown["hops"]))
