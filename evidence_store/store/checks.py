"""Checks: citations of a report, the walk from a claim to the bytes, the whole store. Each gives a report or raises."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import orjson

from evidence_store.database import ReadConnection
from evidence_store.deadline import Deadline
from evidence_store.documents.charset import encoding_of
from evidence_store.documents.escapes import SEARCHED_FORMATS
from evidence_store.documents.resolve import resolve
from evidence_store.documents.text import parse_bytes, parse_lines
from evidence_store.errors import EvidenceStoreError, IntegrityMismatch, InvalidInput, LimitExceeded, NotFound, StoreFault
from evidence_store.excerpts import NoLimit
from evidence_store.grounding import stands_quoted
from evidence_store.ids import Identity, read_id
from evidence_store.journal import Event
from evidence_store.model import Basis, Digest, EvidenceId, Integrity, Lifecycle, Selector, TaskName
from evidence_store.quotes import find_quote
from evidence_store.records import blobs as blob_records
from evidence_store.records import evidence as evidence_records
from evidence_store.records import runs as run_records
from evidence_store.records import sources as source_records
from evidence_store.records import tasks as task_records
from evidence_store.records.events import iter_events
from evidence_store.report_check import CitedPlace, find_citations, find_task
from evidence_store.state import EvidenceState
from evidence_store.store.claims import judgement_state
from evidence_store.store.core import Core, is_unmasked, require_sound_blob
from evidence_store.store.found import SEARCH
from evidence_store.store.locations import Locations
from evidence_store.store.passages import Passages
from evidence_store.store.recorded import Recorded
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


@dataclass(frozen=True, slots=True)
class Access:
    """What decides whether an evidence may be shown."""

    lifecycle: Lifecycle
    labels: tuple[str, ...]
    """Access labels of its resource: a principal needs clearance for all."""


class Checks:
    """Checks over one workspace."""

    def __init__(self, core: Core, sources: Sources, passages: Passages, locations: Locations) -> None:
        self._core = core
        self._sources = sources
        self._passages = passages
        self._locations = locations

    # -- reports

    def check_report(self, text: str) -> tuple[CheckedCitation, ...]:
        """One verdict for each citation of a report, in order. Raises LimitExceeded (`too_slow`)."""
        task, watch = find_task(text), Deadline(self._core.limits.max_seconds).check
        checked = []
        for place in find_citations(text):
            watch()
            checked.append(self._check_citation(place, task))
        return tuple(checked)

    def _check_citation(self, place: CitedPlace, task: str | None) -> CheckedCitation:
        try:
            asked = read_id(place.id)
            found = self._passages.find(asked.id)
        except (InvalidInput, NotFound):
            return CheckedCitation(place, "unknown_id", "none", False, f"{place.id} is not in this store")
        except IntegrityMismatch as why:
            return CheckedCitation(place, "integrity_mismatch", "none", False, why.message)
        integrity, fault = self.integrity(found.id)
        if integrity is Integrity.ERASED:
            return CheckedCitation(place, "erased", "none", asked.folded, fault)
        if integrity is not Integrity.OK:
            return CheckedCitation(place, "integrity_mismatch", "none", asked.folded, fault)
        if not is_unmasked(self._core, self._sources.get_resource(found.resource).labels):
            return CheckedCitation(place, "withheld", "none", asked.folded, f"what {found.id} holds is masked")
        quote = self._quote_verdict(found, place.quote)
        text = f"the quote {place.quote!r} does not stand in {found.id}" if quote == "not_found" else ""
        if task is not None and not self._exposed(found.id, task):
            return CheckedCitation(place, "not_exposed", quote, asked.folded, f"no run of task {task!r} was shown {found.id}")
        return CheckedCitation(place, "ok", quote, asked.folded, text)

    def _quote_verdict(self, found: evidence_records.Evidence, quote: str | None) -> QuoteVerdict:
        if quote is None:
            return "none"
        return "found" if stands_quoted(quote, self._passages.quotable_texts(found.id)) else "not_found"

    def _exposed(self, id_: EvidenceId, task: str) -> bool:
        with self._core.database.reading() as connection:
            return run_records.is_exposed(connection, self._core.workspace, TaskName(task), id_, self._core.clearances)

    # -- one evidence

    def integrity(self, id_: EvidenceId, *, anew: bool = True) -> tuple[Integrity, str]:
        """Whether identity, digests, pointer and lines of an evidence agree with the stored bytes, and what does not.

        `anew`: see `Passages.check`.
        """
        found = self._passages.find(id_)
        try:
            with self._core.database.reading() as connection:
                if evidence_records.find_lifecycle(connection, self._core.workspace, id_) is Lifecycle.ERASED:
                    return Integrity.ERASED, f"{id_} was erased"
                self._require_identity(connection, found)
            self._passages.check(found, anew=anew)
            self._require_selectors(found)
            if found.transform is not None and found.transform.partition(" ")[0] == SEARCH:
                self._passages.get(found.id, NoLimit())  # searches again
        except IntegrityMismatch as why:
            return (Integrity.MISSING if why.error_code == "blob_missing" else Integrity.MISMATCH), why.message
        except LimitExceeded as why:
            return Integrity.NOT_CHECKED, f"{id_} was not looked at: {why.message}"
        except (InvalidInput, NotFound) as why:
            return Integrity.MISMATCH, f"{id_} is not found again where it was found: {why.message}"
        return Integrity.OK, ""

    def state(self, id_: EvidenceId, task: TaskName | None, *, anew: bool = True) -> EvidenceState:
        """What speaks for or against an evidence now; its judgement only within a task. Raises NotFound.

        `anew`: see `Passages.check`.
        """
        found = self._passages.find(id_)
        judgement = None
        with self._core.database.reading() as connection:
            lifecycle = evidence_records.find_lifecycle(connection, self._core.workspace, id_)
            if task is not None:
                newest = require_task_revision(connection, self._core, task, None)
                judged = task_records.find_judgement(connection, self._core.workspace, task, "evidence", id_)
                judgement = judgement_state(judged, newest.number)
        basis = Basis.DERIVED if found.transform else Basis.OBSERVED
        return EvidenceState(basis, lifecycle, self.integrity(id_, anew=anew)[0], self._locations.currency(id_), judgement)

    def access(self, ids: Sequence[EvidenceId]) -> Mapping[EvidenceId, Access]:
        """Of these evidences, whether each still counts and who may see it. One that is not known is left out."""
        core = self._core
        found = {}
        with core.database.reading() as connection:
            for id_ in ids:
                one = evidence_records.find_evidence(connection, core.workspace, id_)
                if one is not None:
                    labels = source_records.list_labels(connection, core.workspace, one.resource)
                    found[id_] = Access(evidence_records.find_lifecycle(connection, core.workspace, id_), labels)
        return found

    def _require_identity(self, connection: ReadConnection, found: evidence_records.Evidence) -> None:
        spans = (found.span, *(hop.span for hop in found.hops))
        identity = Identity(self._core.workspace, found.resource, found.revision, found.blob, spans, found.transform)
        revision = source_records.find_revision(connection, self._core.workspace, found.resource, found.revision, self._core.clearances)
        if revision is None or revision.digest != found.blob or identity.digest() != found.digest:
            raise IntegrityMismatch(f"the record of {found.id} does not agree with its identity", {"id": found.id})

    def _require_selectors(self, found: evidence_records.Evidence) -> None:
        for selector in self._passages.selectors(found.id):
            if not self._leads_to(selector, found):
                raise IntegrityMismatch(f"{selector.kind} {selector.text!r} do not lead to the bytes of {found.id}", {"id": found.id})

    def _leads_to(self, selector: Selector, found: evidence_records.Evidence) -> bool:
        revision = self._sources.get_revision(found.resource, found.revision)
        match selector.kind:
            case "pointer":
                return resolve(self._sources.get_tree(revision), selector.text).span == found.span
            case "bytes":
                return parse_bytes(selector.text) == found.span
            case "lines":
                return self._passages.get_reader(revision).span_of_lines(parse_lines(selector.text)) == found.span
            case "quote":
                passage = self._sources.get_span(revision, found.span)
                escaped = revision.format in SEARCHED_FORMATS
                quote = find_quote(passage, selector.text, encoding_of(revision.notes), escaped=escaped)
                return quote.span.length == found.span.length

    # -- the store

    def verify(self, *, deep: bool) -> Verification:
        """Looks through the store: rows against each other, blobs against their digests (all bytes when deep), the journal."""
        faults: list[Fault] = []
        with self._core.database.reading() as connection:
            blobs = blob_records.list_blobs(connection, self._core.workspace)
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
            faults += self._evidence_faults()
        counts = {
            "resources": len(resources),
            "revisions": len(revisions),
            "blobs": len(blobs),
            "evidence": len(ids),
            "events": n_events,
        }
        return Verification(tuple(faults), tuple(counts.items()))

    def _blob_faults(self, connection: ReadConnection, digest: Digest, deep: bool) -> list[Fault]:
        blob = blob_records.find_blob(connection, self._core.workspace, digest)
        assert blob is not None
        try:
            if deep:
                require_sound_blob(self._core, connection, digest)
            size = self._core.blobs.find_size(self._core.key(digest)) if blob.inline is None else len(blob.inline)
            if size != blob.stored_size:
                return [Fault("blob_missing", digest, f"blob {digest} is missing or of another length")]
        except StoreFault as why:
            return [Fault(why.error_code, digest, why.message)]
        return []

    def _evidence_faults(self) -> list[Fault]:
        """Of all evidence, by its place. Whole blobs were read right before, so each frame is read once more and not for each passage."""
        with self._core.database.reading() as connection:
            ids = evidence_records.list_ids_by_place(connection, self._core.workspace)
        self._core.recent.forget()
        faults = []
        for id_ in ids:
            try:
                integrity, why = self.integrity(id_, anew=False)
            except EvidenceStoreError as error:
                integrity, why = Integrity.MISMATCH, error.message
            if integrity not in (Integrity.OK, Integrity.ERASED):
                faults.append(Fault("evidence_mismatch", id_, why))
        return faults

    def _journal_faults(self, connection: ReadConnection, ids: set[EvidenceId], revisions: set[str]) -> tuple[int, list[Fault]]:
        """Events in order, each with its commitment, and what they say was made is there."""
        faults: list[Fault] = []
        made: dict[str, set[str]] = {"evidence.created": set(), "revision.added": set()}
        recorded = Recorded()
        number = 0
        for number, event in enumerate(iter_events(connection, self._core.workspace), 1):
            if event.number != number or not _is_as_written(event):
                faults.append(Fault("event_mismatch", f"event {number}", f"event {number} is missing or was changed"))
                break
            recorded.add(event)
            if event.kind in made:
                made[event.kind].add(event.subject)
        for id_ in sorted(made["evidence.created"] - ids):
            faults.append(Fault("evidence_missing", id_, f"the journal says that {id_} was created, and it is not there"))
        if not any(fault.code == "event_mismatch" for fault in faults):
            faults += [Fault("evidence_unrecorded", i, f"{i} is not in the journal") for i in sorted(ids - made["evidence.created"])]
            faults += [Fault("row_mismatch", one.subject, one.text) for one in recorded.faults(self._core, connection)]
            faults += [Fault("revision_unrecorded", r, f"{r} is not in the journal") for r in sorted(revisions - made["revision.added"])]
        for revision in sorted(made["revision.added"] - revisions):
            faults.append(Fault("revision_missing", revision, f"the journal says that {revision} was added, and it is not there"))
        return number, faults


def _is_as_written(event: Event) -> bool:
    """Whether the payload is the one that was committed to, and the columns beside it say what it says."""
    if not all(isinstance(one, bytes) for one in (event.payload, event.salt, event.commitment)) or not event.sound:
        return False  # SQLite keeps a text in a column of bytes, where someone writes one
    said = orjson.loads(event.payload)
    return (said["number"], said["kind"], said["subject"]) == (event.number, event.kind, event.subject)


def _number_faults(revisions: Sequence[source_records.Revision]) -> list[Fault]:
    if [r.number for r in revisions] == list(range(1, len(revisions) + 1)):
        return []
    name = revisions[0].resource if revisions else "?"
    return [Fault("revision_gap", name, f"revision numbers of {name!r} have a gap: {[r.number for r in revisions][:20]}")]
