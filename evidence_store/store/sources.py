"""Sources: taking tool outputs in, listing them, and giving their bytes back."""

import re
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from threading import Lock

from evidence_store.collector import collector_paused
from evidence_store.database import ReadConnection, WriteConnection
from evidence_store.documents.charset import encoding_of
from evidence_store.documents.detect import HEAD_BYTES, STRUCTURED, Inspection, no_structure, open_document
from evidence_store.documents.model import Document
from evidence_store.errors import Conflict, InvalidInput, JsonValue, NotFound
from evidence_store.frames import Encoded
from evidence_store.model import Digest, Format, Kind, ResourceName, Span
from evidence_store.records import sources
from evidence_store.records.events import append_event
from evidence_store.records.sources import Observation, Resource, Revision
from evidence_store.store.blob_frames import GrowingFrames, find_growing
from evidence_store.store.core import Core, read_blob, read_span
from evidence_store.store.index import StoredIndex
from evidence_store.store.intake import LARGE_BYTES, Intake, Staged
from evidence_store.store.reader import RevisionReader

MAX_NAME_CHARS = 1024
GLOB = re.compile(r"[*?\[]")
CACHED_BYTES = 64 * 1024 * 1024
"""Raw bytes of the documents that are kept parsed."""
KEPT_TREES = 8
KEPT_READERS = 32


@dataclass(frozen=True, slots=True)
class PutRequest:
    """What a caller says of the bytes it puts."""

    resource: ResourceName
    kind: Kind | None = None
    """None: an observation, or what the resource is already."""
    scope: str | None = None
    """None: no label, or the one that the resource has."""
    labels: tuple[str, ...] = ()
    media_type: str | None = None
    format: Format | None = None
    file_name: str | None = None
    """Where the bytes came from; its suffix helps to tell the format."""
    version_label: str | None = None
    origin: str | None = None
    """The tool whose output it is, by which a kind of summary may be chosen."""
    complete: bool = True
    """False: more is to come, so that what is not there proves nothing. The same bytes put again as complete close the revision."""
    if_newest: int | None = None
    """Refuse unless this is the newest revision (0: unless there is none)."""
    idempotency_key: str | None = None
    max_age_s: int | None = None
    """Of a live resource: how old an observation may be to tell how things are now. None: as the resource is; a new one is not live."""
    charset: str | None = None
    """What the bytes are known to be text in where the media type names no encoding; None: told by the bytes."""


@dataclass(frozen=True, slots=True)
class PutResult:
    revision: Revision
    created: bool
    """False when the bytes were those of the newest revision: then an observation was added."""


class Sources:
    """Resources and their revisions in one workspace."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._documents: OrderedDict[tuple[ResourceName, int], Document] = OrderedDict()
        self._readers: OrderedDict[tuple[ResourceName, int], RevisionReader] = OrderedDict()
        self._trees: OrderedDict[tuple[ResourceName, int], Document] = OrderedDict()
        self._lock = Lock()

    def put(self, request: PutRequest, pieces: Iterable[bytes]) -> PutResult:
        """Stores bytes as the next revision; byte-equal to the newest one, they are one more observation of it.

        Bytes first, rows second: a failure leaves at worst an unreferenced blob. Raises InvalidInput (name, refused
        document, a bound; `secret_in_name`), Conflict (`if_newest`), StoreFault.
        """
        require_name(request.resource)
        _require_no_secret(self._core, request)
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
            with collector_paused():
                inspection = intake.inspect(staged)
                staged.index(intake.raw, inspection)
            staged.make_durable()
            with self._core.database.writing() as connection:
                return self._record(connection, request, staged, inspection)
        finally:
            staged.discard()

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
                return PutResult(require_revision(connection, core, name, earlier), created=False)
        newest = sources.find_revision(connection, core.workspace, name, None)
        number = 0 if newest is None else newest.number
        if request.if_newest is not None and request.if_newest != number:
            text = f"the newest revision of {name!r} is {number}, not {request.if_newest}"
            raise Conflict(text, {"known": number}, code="not_newest")
        created = newest is None or newest.digest != staged.encoded.digest
        if newest is not None and not created:
            _require_same_reading(request, newest, found)
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
        return PutResult(newest, created)

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
        _require_same_resource(request, known)
        more = tuple(label for label in request.labels if label not in known.labels)
        if more:
            sources.insert_labels(connection, workspace, name, more, at)
            append_event(connection, workspace, "resource.labelled", name, {"labels": list(more)}, at)

    def list_resources(self, after: str = "", limit: int = 1000) -> Sequence[tuple[Resource, Revision]]:
        """Resources by name, each with its newest revision, those that follow `after`."""
        with self._core.database.reading() as connection:
            found = sources.list_resources(connection, self._core.workspace, after, limit)
            return [(one, require_revision(connection, self._core, one.name, None)) for one in found]

    def find_resource(self, name: ResourceName) -> Resource | None:
        """A resource with its labels as they are now; None where there is none."""
        with self._core.database.reading() as connection:
            return sources.find_resource(connection, self._core.workspace, name)

    def list_matching(self, name: str) -> Sequence[ResourceName]:
        """The resource of that name; where there is none, those that it matches as a pattern (`*`, `?`, `[…]`). Raises NotFound."""
        with self._core.database.reading() as connection:
            if not GLOB.search(name) or sources.find_resource(connection, self._core.workspace, ResourceName(name)) is not None:
                return [require_resource(connection, self._core, ResourceName(name)).name]
            names = [one.name for one in sources.list_resources(connection, self._core.workspace, "", 2**31)]
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
            found = sources.find_revision_of(connection, self._core.workspace, digest)
        if found is None:
            raise NotFound(f"there is no blob {digest[:80]!r}")
        return found

    def get_bytes(self, name: ResourceName, number: int | None) -> bytes:
        """The stored bytes, unchanged, checked as a whole."""
        with self._core.database.reading() as connection:
            revision = require_revision(connection, self._core, name, number)
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
        document = open_document(self.get_bytes(*key), revision.format, revision.notes, limits=self._core.limits)
        with self._lock:
            self._documents[key] = document
            while len(self._documents) > 1 and sum(len(d.raw) for d in self._documents.values()) > CACHED_BYTES:
                self._documents.popitem(last=False)
        return document


def require_name(name: ResourceName) -> None:
    """Raises InvalidInput for a name that no resource can have."""
    if not name or len(name) > MAX_NAME_CHARS:
        raise InvalidInput(f"a resource name has 1 to {MAX_NAME_CHARS} characters, this one has {len(name)}", code="bad_name")
    if "\0" in name or any("\ud800" <= c <= "\udfff" for c in name):
        raise InvalidInput("a resource name holds neither NUL nor half a surrogate pair", code="bad_name")


def _require_no_secret(core: Core, request: PutRequest) -> None:
    """Raises InvalidInput (`secret_in_name`) for a name that would have to be masked: names are shown to be named again.

    Resources that have such a name already stay what they are, and are read by it.
    """
    names = {"resource": (request.resource,), "scope": (request.scope,), "label": request.labels}
    names |= {"version_label": (request.version_label,), "tool": (request.origin,)}
    for what, texts in names.items():
        if any(text and core.masked(text) != text for text in texts):
            text = f"the {what.replace('_', ' ')} holds a secret, and is shown with each passage: leave the secret out of it"
            raise InvalidInput(text, {"field": what}, code="secret_in_name")


def require_resource(connection: ReadConnection, core: Core, name: ResourceName) -> Resource:
    found = sources.find_resource(connection, core.workspace, name)
    if found is None:
        known = [one.name for one in sources.list_resources(connection, core.workspace, "", 20)]
        raise NotFound(f"there is no resource {name[:200]!r}", {"known": known})
    return found


def require_revision(connection: ReadConnection, core: Core, name: ResourceName, number: int | None) -> Revision:
    found = sources.find_revision(connection, core.workspace, name, number)
    if found is None:
        require_resource(connection, core, name)
        known = [one.number for one in sources.list_revisions(connection, core.workspace, name)][-20:]
        raise NotFound(f"{name!r} has no revision {number}", {"known": known})
    return found


def _require_same_resource(request: PutRequest, known: Resource) -> None:
    """Raises Conflict (`resource_differs`) where a resource is said to be something else than it was at its first revision."""
    same_age = request.max_age_s in (None, known.max_age_s)
    if request.kind in (None, known.kind) and request.scope in (None, known.scope) and same_age:
        return
    age = "not live" if known.max_age_s is None else f"live for {known.max_age_s} s"
    text = f"{known.name!r} is {known.kind.value} with scope {known.scope!r}, {age}; these are as at its first revision"
    raise Conflict(text, {"kind": known.kind.value, "scope": known.scope, "max_age_s": known.max_age_s}, code="resource_differs")


def _require_same_reading(request: PutRequest, newest: Revision, found: Inspection) -> None:
    """Raises Conflict (`format_differs`) where the same bytes are said to be something else than what they were stored as."""
    named = request.format is not None or request.media_type is not None
    if named and (found.format is not newest.format or encoding_of(found.notes) != encoding_of(newest.notes)):
        reading = f"{newest.format.value} in {encoding_of(newest.notes)}"
        text = f"these bytes are {newest.resource!r} revision {newest.number} already, read as {reading}: put them under another name"
        raise Conflict(text, {"revision": newest.number, "format": newest.format.value}, code="format_differs")


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
