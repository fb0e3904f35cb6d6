"""The walk from a report or a claim to the bytes, each hop with the outcome of its check."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from evidence_store.canonical import digest_of
from evidence_store.errors import IntegrityMismatch, InvalidInput, NotFound, StoreFault
from evidence_store.ids import read_id
from evidence_store.model import ClaimView, Digest, EvidenceId, Grade, Integrity, Standing, TaskName
from evidence_store.records.runs import RunKey, run_name, step_name
from evidence_store.store import EvidenceStore
from evidence_store.store.claims import report_id

HopKind = Literal["report", "claim", "citation", "evidence", "exposure", "revision", "blob"]


@dataclass(frozen=True, slots=True)
class TraceHop:
    kind: HopKind
    id: str
    check: str
    """`ok`, or a word for what is wrong."""
    text: str


@dataclass(frozen=True, slots=True)
class Trace:
    subject: str
    hops: tuple[TraceHop, ...]

    @property
    def ok(self) -> bool:
        return all(hop.check == "ok" for hop in self.hops)


def trace(store: EvidenceStore, subject: str) -> Trace:
    """From `rp_…`, `TASK/C1` or `ev_…` to the bytes. Raises NotFound, and InvalidInput for what is none of these."""
    if subject[:3].lower() == "ev_":
        id_ = read_id(subject).id
        return Trace(id_, tuple(_evidence(store, id_)))
    if subject.startswith("rp_"):
        return Trace(subject, tuple(_report(store, subject)))
    task, slash, claim = subject.rpartition("/C")
    if slash and claim.isascii() and claim.isdecimal() and len(claim) < 16:
        return Trace(subject, tuple(_claim(store, TaskName(task), store.claims.get(TaskName(task), int(claim)))))
    raise InvalidInput(f"{subject[:80]!r} is no report (rp_…), claim (TASK/C1) or evidence (ev_…)", code="unknown_subject")


def _report(store: EvidenceStore, id_: str) -> Iterator[TraceHop]:
    report = store.claims.get_report(id_)
    sound = digest_of(report.body.encode()) == report.body_digest and report_id(report.body) == id_
    yield TraceHop("report", id_, "ok" if sound else "mismatch", f"{report.title}, published of task {report.run.task}")
    for claim in store.claims.list_report_claims(id_):
        yield from _claim(store, report.run.task, store.claims.get(report.run.task, int(claim.id[1:])))


def _claim(store: EvidenceStore, task: TaskName, claim: ClaimView) -> Iterator[TraceHop]:
    step = store.claims.get_step(task, int(claim.id[1:]))
    checked = f", checked by {claim.checker}" if claim.checker else f", {claim.reason}" if claim.reason else ""
    said = f"{claim.standing.value}{checked}; by {claim.author} in {step_name(step)}: {claim.text}"
    yield TraceHop("claim", f"{task}/{claim.id}", "ok" if claim.standing is not Standing.CONFLICTING else "conflicting", said)
    for citation in claim.citations:
        yield TraceHop("citation", citation.evidence, "ok", citation.role)
        try:
            yield from _evidence(store, citation.evidence)
        except (NotFound, IntegrityMismatch) as error:
            yield TraceHop("evidence", citation.evidence, Integrity.MISSING.value, error.message)


def _evidence(store: EvidenceStore, id_: EvidenceId) -> Iterator[TraceHop]:
    found = store.passages.find(id_)
    integrity, why = store.checks.integrity(id_)
    selectors = ", ".join(f"{s.kind} {s.text}" for s in store.passages.shown_selectors(id_))
    place = f"{found.resource}@{found.revision} bytes {found.span.start}-{found.span.end}"
    derived = f", derived by {store.core.masked(found.transform)}" if found.transform else ""
    text = store.core.masked(why) or f"{place} ({selectors}){derived}"
    yield TraceHop("evidence", id_, integrity.value, text)
    yield from _exposures(store, id_)
    try:
        revision = store.sources.get_revision(found.resource, found.revision)
        same = revision.digest == found.blob
        text = f"{revision.format.value}, {revision.size} bytes, {revision.digest}"
        yield TraceHop("revision", f"{revision.resource}@{revision.number}", "ok" if same else "mismatch", text)
        store.sources.get_whole(revision)
        yield TraceHop("blob", found.blob, "ok", "all bytes match the digest")
    except (NotFound, StoreFault) as error:
        yield TraceHop("blob", found.blob, Integrity.MISMATCH.value, error.message)


def _exposures(store: EvidenceStore, id_: EvidenceId) -> Iterator[TraceHop]:
    """One hop for each text and grade in which a run was shown the evidence, with the steps."""
    groups: dict[tuple[RunKey, Grade, Digest, bool], list[int]] = {}
    for one in store.runs.list_exposures(id_):
        groups.setdefault((one.step.run, one.grade, one.shown_digest, one.in_full), []).append(one.step.number)
    for (run, grade, digest, in_full), steps in groups.items():
        word = "step" if len(set(steps)) == 1 else "steps"
        shown = "in full" if in_full else "in part"
        yield TraceHop("exposure", id_, "ok", f"{grade.value} in {run_name(run)}, {word} {format_numbers(steps)}, {shown}, text {digest}")


def format_numbers(numbers: Iterable[int]) -> str:
    """`1, 3-5, 9`."""
    ranges: list[list[int]] = []
    for number in sorted(set(numbers)):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)
