"""The frames of one blob, read one by one; and those of a blob that grows, which the next one may share.

The table of frames is read once. A frame is read from where it is kept, checked, and kept for a while, since a passage, its
lines and its column lie in the same one or two.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from evidence_store.database import ReadConnection
from evidence_store.errors import IntegrityMismatch
from evidence_store.frames import FRAME_BYTES, Frame, decode_frames
from evidence_store.model import Digest, Span
from evidence_store.records import blobs
from evidence_store.store.core import Core, require_blob

MAX_SHARED_RUNS = 32
"""Blobs that one blob may share frames with; the next one is stored whole, so that no chain of them grows without end."""


class BlobFrames:
    """Raises IntegrityMismatch for frames that are missing or do not match."""

    def __init__(self, core: Core, digest: Digest, size: int) -> None:
        self._core, self._digest, self._size = core, digest, size
        self._inline: dict[Digest, bytes | None] = {}

    @cached_property
    def all(self) -> Sequence[Frame]:
        """In order, without a gap."""
        core, digest = self._core, self._digest
        with core.database.reading() as connection:
            found = blobs.list_frames(connection, core.workspace, digest, Span(0, self._size))
        ends = [0, *(frame.raw.end for frame in found)]
        if [frame.raw.start for frame in found] != ends[:-1] or ends[-1] != self._size:
            raise IntegrityMismatch(f"frames of blob {digest} are missing", {"blob": digest}, code="blob_missing")
        return found

    def raw(self, frame: Frame) -> bytes:
        """Raw bytes of a frame, checked when they were read."""
        key = (self._core.workspace, self._digest, frame.number)
        known = self._core.recent.find(key)
        if known is None:
            known = self.read(frame)
            self._core.recent.keep(key, known)
        return known

    def files_of(self, span: Span) -> Sequence[Digest]:
        """The blobs outside the database that hold the frames of a range."""
        if not self._size:
            return ()
        held = self.all[span.start // FRAME_BYTES : max(span.start, span.end - 1) // FRAME_BYTES + 1]
        return [home for home in dict.fromkeys(frame.home or self._digest for frame in held) if self._inline_of(home) is None]

    def read(self, frame: Frame) -> bytes:
        """The same, read anew from where it is kept."""
        home = frame.home or self._digest
        inline = self._inline_of(home)
        place = frame.stored
        stored = self._core.blobs.read(self._core.key(home), place) if inline is None else inline[place.start : place.end]
        return decode_frames([frame], stored, self._digest)

    def _inline_of(self, home: Digest) -> bytes | None:
        if home not in self._inline:
            with self._core.database.reading() as connection:
                self._inline[home] = require_blob(self._core, connection, home).inline
        return self._inline[home]


class GrowingFrames:
    """The frames of a blob that was not complete. Each is read before it is shared, so that no damage is taken over."""

    def __init__(self, core: Core, digest: Digest, size: int) -> None:
        self._digest = digest
        self._frames = BlobFrames(core, digest, size)

    def find(self, number: int, sha256: bytes) -> Frame | None:
        """See `frames.KnownFrames`."""
        try:
            if number >= len(self._frames.all) or self._frames.all[number].sha256 != sha256:
                return None
            frame = self._frames.all[number]
            self._frames.read(frame)
        except IntegrityMismatch:
            return None  # the bytes at hand are whole: they are stored anew
        return frame if frame.home is not None else replace(frame, home=self._digest)

    def read_shared(self, frames: Sequence[Frame]) -> bytes:
        """Raw bytes of those of `frames` that were found here."""
        return b"".join(self._frames.read(frame) for frame in frames if frame.home is not None)


def find_growing(core: Core, connection: ReadConnection, digest: Digest, size: int) -> GrowingFrames | None:
    """The frames to share with what follows on this blob; None where it stands on too many others."""
    n_runs = blobs.count_shared_runs(connection, core.workspace, digest)
    return GrowingFrames(core, digest, size) if n_runs < MAX_SHARED_RUNS else None
