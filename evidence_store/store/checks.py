"""Checks: citations of a report, the walk from a claim to the bytes, the whole store. Each gives a report or raises."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evidence_store.database import ReadConnection
from evidence_store.documents.resolve import resolve
from evidence_store.errors import EvidenceStoreError, IntegrityMismatch, InvalidInput, NotFound, StoreFault
from evidence_store.excerpts import NoLimit
from evidence_store.ids import Identity, read_id
from evidence_store.model import Basis, Digest, EvidenceId, Integrity, Lifecycle, TaskName
from evidence_store.records import evidence as evidence_records
from evidence_store.records import runs as run_records
from evidence_store.records import sources as source_records
from evidence_store.records import tasks as task_records
from evidence_store.records.events import iter_events
from evidence_store.report_check import CitedPlace, find_citations, find_task
from evidence_store.state import EvidenceState
from evidence_store.store.claims import judgement_state
from evidence_store.store.comparisons import Comparisons
from evidence_store.store.core import Core, read_blob, read_span
from evidence_store.store.passages import Passages, require_same_excerpt
from evidence_store.store.sources import Sources
from evidence_store.store.tasks import require_task_revision

Verdict = Literal["ok", "unknown_id", "not_exposed", "integrity_mismatch", "stale", "changed", "withheld", "erased"]
QuoteVerdict = Literal["found", "not_found", "ambiguous", "none"]


@dataclass(frozen=True, slots=True)
class CheckedCitation:
    place: CitedPlace
    verdict: Verdict
    quote: QuoteVerdict
    folded: bool
    """True when the id was read with its letters folded."""
    text: str
    """What is wrong, for people; empty when nothing is."""

    @property
    def ok(self) -> bool:
        return self.verdict == "ok" and self.quote in ("found", "none")


@dataclass(frozen=True, slots=True)
class Fault:
    code: str
    subject: str
    text: str


@dataclass(frozen=True, slots=True)
class Verification:
    faults: tuple[Fault, ...]
    counts: tuple[tuple[str, int], ...]


class Checks:
    """Checks over one workspace."""

    def __init__(self, core: Core, sources: Sources, passages: Passages, comparisons: Comparisons) -> None:
        self._core = core
        self._sources = sources
        self._passages = passages
        self._comparisons = comparisons

    # -- reports

    def check_report(self, text: str) -> tuple[CheckedCitation, ...]:
        """One verdict for each citation of a report, in order."""
        task = find_task(text)
        return tuple(self._check_citation(place, task) for place in find_citations(text))

    def _check_citation(self, place: CitedPlace, task: str | None) -> CheckedCitation:
        try:
            asked = read_id(place.id)
            found = self._passages.find(asked.id)
        except (InvalidInput, NotFound):
            return CheckedCitation(place, "unknown_id", "none", False, f"{place.id} is not in this store")
        integrity, why = self.integrity(found.id)
        if integrity is Integrity.ERASED:
            return CheckedCitation(place, "erased", "none", asked.folded, why)
        if integrity is not Integrity.OK:
            return CheckedCitation(place, "integrity_mismatch", "none", asked.folded, why)
        quote = self._quote_verdict(found, place.quote)
        text = f"the quote {place.quote!r} does not stand in {found.id}" if quote == "not_found" else ""
        if task is not None and not self._exposed(found.id, task):
            return CheckedCitation(place, "not_exposed", quote, asked.folded, f"no run of task {task!r} was shown {found.id}")
        return CheckedCitation(place, "ok", quote, asked.folded, text)

    def _quote_verdict(self, found: evidence_records.Evidence, quote: str | None) -> QuoteVerdict:
        if quote is None:
            return "none"
        shown = self._passages.get(found.id, NoLimit())
        scalars = self._passages.cited_texts(found.id)[:3] if found.transform is None else (shown.excerpt,)
        return "found" if any(quote in text for text in (shown.excerpt, *scalars)) else "not_found"

    def _exposed(self, id_: EvidenceId, task: str) -> bool:
        with self._core.database.reading() as connection:
            return run_records.is_exposed(connection, self._core.workspace, TaskName(task), id_)

    # -- one evidence

    def integrity(self, id_: EvidenceId) -> tuple[Integrity, str]:
        """Whether identity, digests, pointer and lines of an evidence agree with the stored bytes, and what does not."""
        found = self._passages.find(id_)
        try:
            with self._core.database.reading() as connection:
                if evidence_records.find_lifecycle(connection, self._core.workspace, id_) is Lifecycle.ERASED:
                    return Integrity.ERASED, f"{id_} was erased"
                self._require_identity(connection, found)
                spans = (found.span, *(hop.span for hop in found.hops))
                parts = b"".join(read_span(self._core, connection, found.blob, span) for span in spans)
            require_same_excerpt(found, parts)
            self._require_pointers(found)
        except IntegrityMismatch as why:
            return (Integrity.MISSING if why.error_code == "blob_missing" else Integrity.MISMATCH), why.message
        return Integrity.OK, ""

    def state(self, id_: EvidenceId, task: TaskName | None) -> EvidenceState:
        """What speaks for or against an evidence now; its judgement only within a task. Raises NotFound."""
        found = self._passages.find(id_)
        judgement = None
        with self._core.database.reading() as connection:
            lifecycle = evidence_records.find_lifecycle(connection, self._core.workspace, id_)
            if task is not None:
                newest = require_task_revision(connection, self._core, task, None)
                judged = task_records.find_judgement(connection, self._core.workspace, task, "evidence", id_)
                judgement = judgement_state(judged, newest.number)
        basis = Basis.DERIVED if found.transform else Basis.OBSERVED
        return EvidenceState(basis, lifecycle, self.integrity(id_)[0], self._comparisons.currency(id_), judgement)

    def _require_identity(self, connection: ReadConnection, found: evidence_records.Evidence) -> None:
        spans = (found.span, *(hop.span for hop in found.hops))
        identity = Identity(self._core.workspace, found.resource, found.revision, found.blob, spans, found.transform)
        revision = source_records.find_revision(connection, self._core.workspace, found.resource, found.revision)
        if revision is None or revision.digest != found.blob or identity.digest() != found.digest:
            raise IntegrityMismatch(f"the record of {found.id} does not agree with its identity", {"id": found.id})

    def _require_pointers(self, found: evidence_records.Evidence) -> None:
        revision = self._sources.get_revision(found.resource, found.revision)
        for selector in self._passages.selectors(found.id):
            if selector.kind == "pointer" and resolve(self._sources.get_document(revision), selector.text).span != found.span:
                raise IntegrityMismatch(f"pointer {selector.text!r} does not lead to the bytes of {found.id}", {"id": found.id})

    # -- the store

    def verify(self, *, deep: bool) -> Verification:
        """Looks through the store: rows against each other, blobs against their digests (all bytes when deep), the journal."""
        faults: list[Fault] = []
        with self._core.database.reading() as connection:
            blobs = source_records.list_blobs(connection, self._core.workspace)
            ids = evidence_records.list_evidence_ids(connection, self._core.workspace)
            resources = source_records.list_resources(connection, self._core.workspace, "", 2**31)
            revisions = [r for one in resources for r in source_records.list_revisions(connection, self._core.workspace, one.name)]
            for digest in blobs:
                faults += self._blob_faults(connection, digest, deep)
            for name in resources:
                faults += _number_faults([r for r in revisions if r.resource == name.name])
            n_events, event_faults = self._journal_faults(connection, set(ids), {f"{r.resource}@{r.number}" for r in revisions})
            faults += event_faults
        if deep:
            faults += self._evidence_faults(ids)
        counts = {
            "resources": len(resources),
            "revisions": len(revisions),
            "blobs": len(blobs),
            "evidence": len(ids),
            "events": n_events,
        }
        return Verification(tuple(faults), tuple(counts.items()))

    def _blob_faults(self, connection: ReadConnection, digest: Digest, deep: bool) -> list[Fault]:
        blob = source_records.find_blob(connection, self._core.workspace, digest)
        assert blob is not None
        try:
            if deep:
                read_blob(self._core, connection, digest)
            elif blob.inline is None and self._core.blobs.find_size(self._core.key(digest)) != blob.stored_size:
                return [Fault("blob_missing", digest, f"blob {digest} is missing or of another length")]
        except StoreFault as why:
            return [Fault(why.error_code, digest, why.message)]
        return []

    def _evidence_faults(self, ids: Sequence[EvidenceId]) -> list[Fault]:
        faults = []
        for id_ in ids:
            try:
                integrity, why = self.integrity(id_)
            except EvidenceStoreError as error:
                integrity, why = Integrity.MISMATCH, error.message
            if integrity not in (Integrity.OK, Integrity.ERASED):
                faults.append(Fault("evidence_mismatch", id_, why))
        return faults

    def _journal_faults(self, connection: ReadConnection, ids: set[EvidenceId], revisions: set[str]) -> tuple[int, list[Fault]]:
        """Events in order, each with its commitment, and what they say was made is there."""
        faults: list[Fault] = []
        made: dict[str, set[str]] = {"evidence.created": set(), "revision.added": set()}
        number = 0
        for number, event in enumerate(iter_events(connection, self._core.workspace), 1):
            if event.number != number or not event.sound:
                faults.append(Fault("event_mismatch", f"event {number}", f"event {number} is missing or was changed"))
                break
            if event.kind in made:
                made[event.kind].add(event.subject)
        for id_ in sorted(made["evidence.created"] - ids):
            faults.append(Fault("evidence_missing", id_, f"the journal says that {id_} was created, and it is not there"))
        if not any(fault.code == "event_mismatch" for fault in faults):
            faults += [Fault("evidence_unrecorded", i, f"{i} is not in the journal") for i in sorted(ids - made["evidence.created"])]
        for revision in sorted(made["revision.added"] - revisions):
            faults.append(Fault("revision_missing", revision, f"the journal says that {revision} was added, and it is not there"))
        return number, faults


def _number_faults(revisions: Sequence[source_records.Revision]) -> list[Fault]:
    if [r.number for r in revisions] == list(range(1, len(revisions) + 1)):
        return []
    name = revisions[0].resource if revisions else "?"
    return [Fault("revision_gap", name, f"revision numbers of {name!r} have a gap: {[r.number for r in revisions][:20]}")]
