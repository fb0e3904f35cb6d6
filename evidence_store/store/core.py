"""What every part of the store stands on: database, blob store, workspace and clock; and the checked reading of blobs.

Digests are checked here, for all blob stores: a frame's on every ranged read, the whole blob's when all of it is read.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias

from evidence_store.blobs import BlobKey, BlobStore
from evidence_store.canonical import digest_of
from evidence_store.database import Database, ReadConnection
from evidence_store.documents.model import DEFAULT_LIMITS, Limits
from evidence_store.errors import IntegrityMismatch
from evidence_store.frames import Frame, decode_frames, seek_table
from evidence_store.model import DEFAULT_WORKSPACE, ClaimLabels, Clearances, Digest, EvidenceId, Selector, Span, WorkspaceName
from evidence_store.records import blobs
from evidence_store.records.blobs import BlobRow

if TYPE_CHECKING:
    from evidence_store.records.evidence import Evidence  # start-up cost


def microseconds_now() -> int:
    """Microseconds since 1970 UTC."""
    return time.time_ns() // 1000


FrameKey: TypeAlias = tuple[WorkspaceName, Digest, int]
"""Workspace, blob, number of the frame."""


class RecentFrames:
    """Raw bytes of the frames that were read last."""

    def __init__(self, max_frames: int = 128) -> None:
        self._max_frames = max_frames
        self._kept: OrderedDict[FrameKey, bytes] = OrderedDict()
        self._lock = Lock()

    def find(self, key: FrameKey) -> bytes | None:
        with self._lock:
            return self._kept.get(key)

    def keep(self, key: FrameKey, raw: bytes) -> None:
        with self._lock:
            self._kept[key] = raw
            if len(self._kept) > self._max_frames:
                self._kept.popitem(last=False)

    def forget(self) -> None:
        """So that what is read next is read from where it is kept."""
        with self._lock:
            self._kept.clear()


class Unstored:
    """Evidence of a store that cannot be written, for as long as it is open: what was read last can be asked for by its id."""

    def __init__(self, max_kept: int = 10_000) -> None:
        self._max_kept = max_kept
        self._kept: OrderedDict[EvidenceId, tuple[Evidence, Selector]] = OrderedDict()
        self._lock = Lock()

    def find(self, id_: EvidenceId) -> "tuple[Evidence, Selector] | None":
        """The record that it would have, and the way in which it was found."""
        with self._lock:
            return self._kept.get(id_)

    def keep(self, found: "Evidence", selector: Selector) -> None:
        with self._lock:
            self._kept[found.id] = (found, selector)
            if len(self._kept) > self._max_kept:
                self._kept.popitem(last=False)


@dataclass(frozen=True, slots=True)
class Core:
    database: Database
    blobs: BlobStore
    workspace: WorkspaceName = DEFAULT_WORKSPACE
    clock: Callable[[], int] = microseconds_now
    limits: Limits = field(default=DEFAULT_LIMITS)
    recent: RecentFrames = field(default_factory=RecentFrames)
    unstored: Unstored = field(default_factory=Unstored)
    show_secrets: bool = False
    """Whether secrets are shown as they stand, to who may see them; else marks are shown in their place."""
    claim_labels: ClaimLabels = ClaimLabels.CITED
    clearances: Clearances = None
    """Of whoever asks: what they are not cleared for looks as if it were not there, or is masked."""

    def key(self, digest: Digest) -> BlobKey:
        return BlobKey(self.workspace, digest)

    def masked(self, text: str) -> str:
        """A text that may repeat what a source says, with marks in place of secrets."""
        # Start-up cost: only what went wrong asks for it.
        from evidence_store.secrets import mask_text

        return text if self.show_secrets else mask_text(text)


def is_unmasked(core: Core, labels: Iterable[str]) -> bool:
    """Whether the caller may see the content of what has these labels, where it sees it at all."""
    return core.clearances is None or core.clearances.issuperset(labels)


def read_span(core: Core, connection: ReadConnection, digest: Digest, span: Span) -> bytes:
    """Bytes of a blob, each frame checked. Raises IntegrityMismatch when they are not those that were stored."""
    blob = require_blob(core, connection, digest)
    if span.end > blob.size:
        raise IntegrityMismatch(f"blob {digest} has {blob.size} bytes, {span.end} were asked for", {"blob": digest})
    found = blobs.list_frames(connection, core.workspace, digest, span)
    gap = any(one.raw.end != following.raw.start for one, following in pairwise(found))
    if not found or gap or found[0].raw.start > span.start or found[-1].raw.end < span.end:
        raise IntegrityMismatch(f"frames of blob {digest} are missing", {"blob": digest}, code="blob_missing")
    raw = b"".join(_read_run(core, connection, digest, tuple(run)) for _, run in groupby(found, key=lambda frame: frame.home))
    return raw[span.start - found[0].raw.start : span.end - found[0].raw.start]


def _read_run(core: Core, connection: ReadConnection, digest: Digest, run: Sequence[Frame]) -> bytes:
    """Raw bytes of neighbouring frames that stand in the stored bytes of one blob."""
    home = require_blob(core, connection, run[0].home or digest)
    place = Span(run[0].stored.start, run[-1].stored.end)
    kept = core.blobs.read(core.key(home.digest), place) if home.inline is None else home.inline[place.start : place.end]
    return decode_frames(run, kept, digest)


def require_blob(core: Core, connection: ReadConnection, digest: Digest) -> BlobRow:
    """The record of a blob. Raises IntegrityMismatch (`blob_missing`) where there is none."""
    blob = blobs.find_blob(connection, core.workspace, digest)
    if blob is None:
        raise IntegrityMismatch(f"the record of blob {digest} is missing", {"blob": digest}, code="blob_missing")
    return blob


def require_sound_blob(core: Core, connection: ReadConnection, digest: Digest) -> None:
    """Reads all stored bytes of a blob, also what stands behind its frames. Raises IntegrityMismatch."""
    read_blob(core, connection, digest)
    blob = require_blob(core, connection, digest)
    own = [frame for frame in blobs.list_frames(connection, core.workspace, digest, Span(0, blob.size)) if frame.home is None]
    end = own[-1].stored.end if own else 0
    behind = Span(end, max(end, blob.stored_size) + 1)  # one byte more than there may be
    kept = core.blobs.read(core.key(digest), behind) if blob.inline is None else blob.inline[behind.start :]
    if kept != seek_table(own):
        raise IntegrityMismatch(f"stored bytes of blob {digest} are damaged behind its frames", {"blob": digest})


def read_blob(core: Core, connection: ReadConnection, digest: Digest) -> bytes:
    """All bytes of a blob, every frame and the whole checked, read anew from where they are kept."""
    raw = read_span(core, connection, digest, Span(0, require_blob(core, connection, digest).size))
    if digest_of(raw) != digest:
        raise IntegrityMismatch(f"stored bytes of blob {digest} do not match their digest", {"blob": digest})
    return raw
