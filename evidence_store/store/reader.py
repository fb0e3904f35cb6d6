"""Reading a revision in parts: bytes, lines and columns, each from the one or two frames that hold them.

The table of frames is read once; a frame is read from where it is kept, checked, and kept for a while, since a passage, its
lines and its column lie in the same one or two.
"""

import hashlib
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property

from evidence_store.documents.text import require_lines
from evidence_store.errors import IntegrityMismatch, NotFound
from evidence_store.frames import FRAME_BYTES, Frame, decode_frames
from evidence_store.model import Digest, LineRange, Span
from evidence_store.records import blobs
from evidence_store.records.sources import Revision
from evidence_store.store.core import Core, require_blob

PIECE_BYTES = 1024 * 1024


class RevisionReader:
    """The bytes of one revision. Every frame that is read is checked; raises IntegrityMismatch for one that does not match."""

    def __init__(self, core: Core, revision: Revision) -> None:
        self._core = core
        self.revision = revision

    @property
    def size(self) -> int:
        return self.revision.size

    @cached_property
    def _frames(self) -> Sequence[Frame]:
        core, digest = self._core, self.revision.digest
        with core.database.reading() as connection:
            found = blobs.list_frames(connection, core.workspace, digest, Span(0, self.size))
        ends = [0, *(frame.raw.end for frame in found)]
        if [frame.raw.start for frame in found] != ends[:-1] or ends[-1] != self.size:
            raise IntegrityMismatch(f"frames of blob {digest} are missing", {"blob": digest}, code="blob_missing")
        return found

    @cached_property
    def _inline(self) -> bytes | None:
        with self._core.database.reading() as connection:
            return require_blob(self._core, connection, self.revision.digest).inline

    def read(self, span: Span) -> bytes:
        """The bytes of a range within the revision."""
        if span.end > self.size:
            digest = self.revision.digest
            raise IntegrityMismatch(f"blob {digest} has {self.size} bytes, {span.end} were asked for", {"blob": digest})
        if not span.length:
            return b""
        first, last = span.start // FRAME_BYTES, (span.end - 1) // FRAME_BYTES
        pieces = [self._raw(self._frames[number]) for number in range(first, last + 1)]
        pieces[-1] = pieces[-1][: span.end - last * FRAME_BYTES]
        pieces[0] = pieces[0][span.start - first * FRAME_BYTES :]
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def digest_of(self, spans: Sequence[Span]) -> Digest:
        """SHA-256 of these ranges one after the other, in constant memory."""
        sha256 = hashlib.sha256()
        for span in spans:
            for start in range(span.start, span.end, PIECE_BYTES):
                sha256.update(self.read(Span(start, min(span.end, start + PIECE_BYTES))))
        return Digest("sha256:" + sha256.hexdigest())

    def lines_of(self, span: Span) -> LineRange:
        """The lines of a byte range; an empty one stands on the line of its start."""
        last = max(span.start, span.end - 1)
        first_line = self._line_at(span.start)
        return LineRange(first_line, first_line if last == span.start else self._line_at(last))

    def column_of(self, at: int) -> int | None:
        """Characters before this byte in its line; None where the line starts before the byte's frame, as in minified text."""
        if not self.size:
            return 0
        frame = self._frame_of(at)
        before = self._raw(frame)[: at - frame.raw.start]
        line_feed = before.rfind(b"\n")
        if line_feed < 0 and frame.number:
            return None
        return len(before[line_feed + 1 :].decode("utf-8", "replace"))

    def span_of_lines(self, lines: LineRange) -> Span:
        """The bytes of these lines. Raises InvalidInput for no range, NotFound for one that begins past the end."""
        require_lines(lines)
        start = self._line_start(lines.first)
        if start is None:
            n_lines = self.count_lines()
            raise NotFound(f"line {lines.first} is past the end: there are {n_lines} lines", {"n_lines": n_lines})
        end = self._line_start(lines.last + 1)
        return Span(start, self.size if end is None else end)

    def count_lines(self) -> int:
        return self._line_at(self.size - 1) if self.size else 0

    def _line_at(self, at: int) -> int:
        """The line of a byte; past the last byte, the last line."""
        if not self.size:
            return 1
        at = min(at, self.size - 1)
        frame = self._frame_of(at)
        return frame.lines_before + self._raw(frame).count(b"\n", 0, at - frame.raw.start) + 1

    def _line_start(self, line: int) -> int | None:
        """Where a line starts; None for one past the end."""
        if line == 1:
            return 0 if self.size else None
        # The last frame with fewer line feeds before it holds the one after which the line starts.
        number = bisect_left(self._frames, line - 1, key=lambda frame: frame.lines_before) - 1
        if number < 0:
            return None
        frame = self._frames[number]
        raw, n_before = self._raw(frame), line - 1 - frame.lines_before
        pieces = raw.split(b"\n", n_before)
        if len(pieces) <= n_before:
            return None
        start = frame.raw.end - len(pieces[-1])
        return start if start < self.size else None

    def _frame_of(self, at: int) -> Frame:
        return self._frames[min(at, self.size - 1) // FRAME_BYTES]

    def _raw(self, frame: Frame) -> bytes:
        core, digest = self._core, self.revision.digest
        key = (core.workspace, digest, frame.number)
        known = core.recent.find(key)
        if known is None:
            inline = self._inline
            stored = core.blobs.read(core.key(digest), frame.stored) if inline is None else inline[frame.stored.start : frame.stored.end]
            known = decode_frames([frame], stored, digest)
            core.recent.keep(key, known)
        return known
