"""Sources: taking tool outputs in, listing them, and giving their bytes back."""

import re
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from threading import Lock

from evidence_store.collector import collector_paused
from evidence_store.database import ReadConnection, WriteConnection
from evidence_store.documents.detect import HEAD_BYTES, STRUCTURED, Inspection, no_structure, open_document
from evidence_store.documents.model import Document
from evidence_store.errors import Conflict, InvalidInput, JsonValue, NotFound, NotPermitted
from evidence_store.frames import Encoded
from evidence_store.model import Digest, Format, Kind, ResourceName, Span
from evidence_store.records import sources
from evidence_store.records.events import append_event
from evidence_store.records.sources import Observation, Resource, Revision
from evidence_store.store.blob_frames import GrowingFrames, find_growing
from evidence_store.store.core import Core, is_unmasked, read_blob, read_span
from evidence_store.store.index import StoredIndex
from evidence_store.store.intake import LARGE_BYTES, Intake, Staged
from evidence_store.store.put_request import PutRequest, require_name, require_no_secret, require_same_reading, require_same_resource
from evidence_store.store.reader import RevisionReader

GLOB = re.compile(r"[*?\[]")
CACHED_BYTES = 64 * 1024 * 1024
"""Raw bytes of the documents that are kept parsed."""
KEPT_TREES = 8
KEPT_READERS = 32


@dataclass(frozen=True, slots=True)
class PutResult:
    revision: Revision
    created: bool
    """False when the bytes were those of the newest revision: then an observation was added."""
    made: bool
    """As `created`; of a put that repeats an earlier one with its idempotency key, what that one was told."""


@dataclass(frozen=True, slots=True)
class Opened:
    """Revisions of one workspace that were read last, whoever asked: who gets at one was let see it before."""

    documents: OrderedDict[tuple[ResourceName, int], Document] = field(default_factory=OrderedDict)
    trees: OrderedDict[tuple[ResourceName, int], Document] = field(default_factory=OrderedDict)
    lock: Lock = field(default_factory=Lock)


class Sources:
    """Resources and their revisions in one workspace."""

    def __init__(self, core: Core, opened: Opened | None = None) -> None:
        self._core = core
        self.opened = opened or Opened()
        self._documents, self._trees, self._lock = self.opened.documents, self.opened.trees, self.opened.lock
        self._readers: OrderedDict[tuple[ResourceName, int], RevisionReader] = OrderedDict()

    def put(self, request: PutRequest, pieces: Iterable[bytes]) -> PutResult:
        """Stores bytes as the next revision; byte-equal to the newest one, they are one more observation of it.

        Bytes first, rows second: a failure leaves at worst an unreferenced blob. Raises InvalidInput (name, refused
        document, a bound; `secret_in_name`), Conflict (`if_newest`), StoreFault.
        """
        require_name(request.resource)
        require_no_secret(self._core, request)
        self._require_writable(request)
        if request.kind is Kind.REFERENCE and request.max_age_s is not None:
            raise InvalidInput("a reference is not live: nothing in it tells how things are", code="wrong_use")
        staged = Staged(self._core, self._growing(request.resource))
        try:
            intake = Intake(
                request.resource,
                request.file_name,
                request.media_type,
                request.format,
                self._core.limits,
                complete=request.complete,
                charset=request.charset,
            )
            for piece in pieces:
                staged.add(piece, self._core.limits.max_bytes)
                intake.add(piece)
            staged.finish()
            if request.digest not in (None, staged.encoded.digest):
                text = f"the bytes have the digest {staged.encoded.digest}, and not {request.digest}"
                raise InvalidInput(text, {"digest": staged.encoded.digest}, code="digest_mismatch")
            with collector_paused():
                inspection = intake.inspect(staged)
                staged.index(intake.raw, inspection)
            staged.make_durable()
            with self._core.database.writing() as connection:
                return self._record(connection, request, staged, inspection)
        finally:
            staged.discard()

    def _require_writable(self, request: PutRequest) -> None:
        """Raises NotPermitted (`name_unavailable`) for a name under which there is what the caller does not see.

        The one place that tells of it: two things cannot have one name.
        """
        core = self._core
        if core.clearances is None:
            return
        with core.database.reading() as connection:
            known = sources.find_resource(connection, core.workspace, request.resource)
        if not core.clearances.issuperset((*request.labels, *(known.labels if known else ()))):
            raise NotPermitted(f"{request.resource[:200]!r} cannot be written with these labels", code="name_unavailable")

    def _growing(self, name: ResourceName) -> GrowingFrames | None:
        """The frames of the newest revision, where it is one that grows."""
        with self._core.database.reading() as connection:
            newest = sources.find_revision(connection, self._core.workspace, name, None)
            if newest is None or newest.complete:
                return None
            return find_growing(self._core, connection, newest.digest, newest.size)

    def _record(self, connection: WriteConnection, request: PutRequest, staged: Staged, found: Inspection) -> PutResult:
        core, name, at = self._core, request.resource, self._core.clock()
        if request.idempotency_key is not None:
            earlier = sources.find_observed(connection, core.workspace, name, request.idempotency_key)
            if earlier is not None:
                made = sources.find_first_key(connection, core.workspace, name, earlier) == request.idempotency_key
                return PutResult(require_revision(connection, core, name, earlier), created=False, made=made)
        newest = sources.find_revision(connection, core.workspace, name, None)
        number = 0 if newest is None else newest.number
        if request.if_newest is not None and request.if_newest != number:
            text = f"the newest revision of {name!r} is {number}, not {request.if_newest}"
            raise Conflict(text, {"known": number}, code="not_newest")
        created = newest is None or newest.digest != staged.encoded.digest
        if newest is not None and not created:
            require_same_reading(request, newest, found)
        self._keep_resource(connection, request, at)
        if created:
            staged.insert(connection, at)
            newest = _next_revision(request, staged.encoded, found, number + 1, at)
            sources.insert_revision(connection, core.workspace, newest)
            data: dict[str, JsonValue] = {
                "digest": newest.digest,
                "size": newest.size,
                "format": newest.format.value,
                "complete": newest.complete,
            }
            append_event(connection, core.workspace, "revision.added", f"{name}@{newest.number}", data, at)
        assert newest is not None
        seen = Observation(newest.number, at, request.origin, request.idempotency_key)
        sources.insert_observation(connection, core.workspace, name, seen)
        if not created:
            append_event(connection, core.workspace, "revision.observed", f"{name}@{newest.number}", {"digest": newest.digest}, at)
        if request.complete and not newest.complete:
            sources.insert_closing(connection, core.workspace, name, newest.number, at)
            append_event(connection, core.workspace, "revision.closed", f"{name}@{newest.number}", {"digest": newest.digest}, at)
            newest = replace(newest, complete=True)
        return PutResult(newest, created, created)

    def _keep_resource(self, connection: WriteConnection, request: PutRequest, at: int) -> None:
        workspace, name = self._core.workspace, request.resource
        known = sources.find_resource(connection, workspace, name)
        if known is None:
            new = Resource(name, request.kind or Kind.OBSERVATION, request.scope or "", request.labels, request.max_age_s)
            sources.insert_resource(connection, workspace, new, at)
            data: dict[str, JsonValue] = {"kind": new.kind.value, "scope": new.scope, "labels": list(new.labels)}
            if new.max_age_s is not None:
                data["max_age_s"] = new.max_age_s
            append_event(connection, workspace, "resource.added", name, data, at)
            return
        require_same_resource(request, known)
        more = tuple(label for label in request.labels if label not in known.labels)
        if more:
            sources.insert_labels(connection, workspace, name, more, at)
            append_event(connection, workspace, "resource.labelled", name, {"labels": list(more)}, at)

    def list_resources(self, after: str = "", limit: int = 1000) -> Sequence[tuple[Resource, Revision]]:
        """Resources by name, each with its newest revision, those that follow `after`."""
        with self._core.database.reading() as connection:
            found = sources.list_resources(connection, self._core.workspace, after, limit, self._core.clearances)
            return [(one, require_revision(connection, self._core, one.name, None)) for one in found]

    def find_resource(self, name: ResourceName) -> Resource | None:
        """A resource with its labels as they are now; None where there is none."""
        with self._core.database.reading() as connection:
            return sources.find_resource(connection, self._core.workspace, name, self._core.clearances)

    def get_resource(self, name: ResourceName) -> Resource:
        """A resource with its labels as they are now. Raises NotFound."""
        with self._core.database.reading() as connection:
            return require_resource(connection, self._core, name)

    def list_observations(self, name: ResourceName, number: int, after: int, limit: int) -> Sequence[tuple[int, Observation]]:
        """When a revision was seen, each with its ordinal within the resource, those that follow `after`. Raises NotFound."""
        with self._core.database.reading() as connection:
            require_revision(connection, self._core, name, number)
            return sources.list_observations(connection, self._core.workspace, name, number, after, limit)

    def list_matching(self, name: str) -> Sequence[ResourceName]:
        """The resource of that name; where there is none, those that it matches as a pattern (`*`, `?`, `[…]`). Raises NotFound."""
        with self._core.database.reading() as connection:
            core, asked = self._core, ResourceName(name)
            if not GLOB.search(name) or sources.find_resource(connection, core.workspace, asked, core.clearances) is not None:
                return [require_resource(connection, core, asked).name]
            known = sources.list_resources(connection, core.workspace, "", 2**31, core.clearances)
            names = [one.name for one in known if is_unmasked(core, one.labels)]
        found = [one for one in names if fnmatchcase(one, name)]
        if not found:
            raise NotFound(f"no resource matches {name[:200]!r}", {"known": list(names[:20])})
        return found

    def list_revisions(self, name: ResourceName) -> Sequence[Revision]:
        """All revisions of a resource, oldest first. Raises NotFound."""
        with self._core.database.reading() as connection:
            require_resource(connection, self._core, name)
            return sources.list_revisions(connection, self._core.workspace, name)

    def get_revision(self, name: ResourceName, number: int | None) -> Revision:
        """One revision, the newest without a number. Raises NotFound, with the numbers that there are."""
        with self._core.database.reading() as connection:
            return require_revision(connection, self._core, name, number)

    def get_revision_of(self, digest: Digest) -> Revision:
        """The first revision, by name and number, that has these bytes. Raises NotFound."""
        with self._core.database.reading() as connection:
            found = sources.find_revision_of(connection, self._core.workspace, digest, self._core.clearances)
        if found is None:
            raise NotFound(f"there is no blob {digest[:80]!r}")
        return found

    def get_bytes(self, name: ResourceName, number: int | None) -> bytes:
        """The stored bytes, unchanged, checked as a whole. Raises NotFound, NotPermitted where they are masked."""
        with self._core.database.reading() as connection:
            require_unmasked(self._core, require_resource(connection, self._core, name))
            revision = require_revision(connection, self._core, name, number)
        return self.get_whole(revision)

    def require_unmasked(self, name: ResourceName) -> None:
        """Raises NotFound, or NotPermitted where what the resource holds is masked for the caller."""
        with self._core.database.reading() as connection:
            require_unmasked(self._core, require_resource(connection, self._core, name))

    def get_whole(self, revision: Revision) -> bytes:
        """The stored bytes of a revision that was got, checked as a whole; for who shows no more of them than may be seen."""
        with self._core.database.reading() as connection:
            return read_blob(self._core, connection, revision.digest)

    def get_span(self, revision: Revision, span: Span) -> bytes:
        """A slice of a revision's bytes, its frames checked."""
        with self._core.database.reading() as connection:
            return read_span(self._core, connection, revision.digest, span)

    def get_reader(self, revision: Revision) -> RevisionReader:
        """Reads a revision in parts."""
        key = (revision.resource, revision.number)
        with self._lock:
            if key not in self._readers:
                self._readers[key] = RevisionReader(self._core, revision)
                if len(self._readers) > KEPT_READERS:
                    self._readers.popitem(last=False)
            return self._readers[key]

    def get_tree(self, revision: Revision) -> Document:
        """A revision as a tree to read single places of: through its index where it has one, else parsed as a whole."""
        key = (revision.resource, revision.number)
        with self._lock:
            known = self._trees.get(key)
        if known is None:
            known = self._indexed(revision) or self.get_document(revision)
            with self._lock:
                self._trees[key] = known
                if len(self._trees) > KEPT_TREES:
                    self._trees.popitem(last=False)
        return known

    def _indexed(self, revision: Revision) -> Document | None:
        """The revision over its span index; None where it has none, as all small ones."""
        if revision.format not in (Format.JSON, Format.JSONL) or revision.size <= LARGE_BYTES:
            return None
        # Start-up cost: the JSON reader.
        from evidence_store.documents.jsonl import IndexedLines
        from evidence_store.documents.span_rows import LINES
        from evidence_store.documents.spans import IndexedDocument

        index, reader = StoredIndex(self._core, revision.digest), self.get_reader(revision)
        may_repeat = any(note.code == "duplicate_key" for note in revision.notes)
        root = index.find_container(LINES if revision.format is Format.JSONL else 0)
        if root is None:
            return None
        if revision.format is Format.JSONL:
            return IndexedLines(root, reader, may_repeat=may_repeat)
        return IndexedDocument(index, reader.read, may_repeat=may_repeat, line_of=lambda at: reader.lines_of(Span(at, at)).first)

    def get_document(self, revision: Revision) -> Document:
        """A revision parsed as a whole, for who walks over all of it. Raises NotFound (`no_structure`) for formats without nodes."""
        key = (revision.resource, revision.number)
        with self._lock:
            if key in self._documents:
                self._documents.move_to_end(key)
                return self._documents[key]
        if revision.format not in STRUCTURED:
            # All of a log is not read to say that it has no nodes.
            raise no_structure(revision.format, self.get_reader(revision).read(Span(0, min(HEAD_BYTES, revision.size))), revision.notes)
        document = open_document(self.get_whole(revision), revision.format, revision.notes, limits=self._core.limits)
        with self._lock:
            self._documents[key] = document
            while len(self._documents) > 1 and sum(len(d.raw) for d in self._documents.values()) > CACHED_BYTES:
                self._documents.popitem(last=False)
        return document


def require_resource(connection: ReadConnection, core: Core, name: ResourceName) -> Resource:
    found = sources.find_resource(connection, core.workspace, name, core.clearances)
    if found is None:
        known = [one.name for one in sources.list_resources(connection, core.workspace, "", 20, core.clearances)]
        raise NotFound(f"there is no resource {name[:200]!r}", {"known": known})
    return found


def require_unmasked(core: Core, resource: Resource) -> None:
    """Raises NotPermitted for a resource that is seen and whose content is masked: where something stands in it would give it away."""
    if not is_unmasked(core, resource.labels):
        raise NotPermitted(f"what {resource.name!r} holds is masked: read places of it by pointer, lines or bytes", code="masked")


def require_revision(connection: ReadConnection, core: Core, name: ResourceName, number: int | None) -> Revision:
    found = sources.find_revision(connection, core.workspace, name, number, core.clearances)
    if found is None:
        require_resource(connection, core, name)
        known = [one.number for one in sources.list_revisions(connection, core.workspace, name)][-20:]
        raise NotFound(f"{name!r} has no revision {number}", {"known": known})
    return found


def _next_revision(request: PutRequest, blob: Encoded, found: Inspection, number: int, at: int) -> Revision:
    return Revision(
        request.resource,
        number,
        blob.digest,
        blob.size,
        found.media_type,
        found.format,
        request.version_label,
        request.complete,
        found.notes,
        at,
    )
