"""Reading a revision in parts: bytes, lines and columns, each from the one or two frames that hold them."""

import hashlib
from bisect import bisect_left
from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Self

from evidence_store.documents.charset import encoding_of
from evidence_store.documents.text import require_lines
from evidence_store.errors import IntegrityMismatch, NotFound
from evidence_store.frames import FRAME_BYTES, Frame
from evidence_store.model import Digest, LineRange, Span
from evidence_store.records.sources import Revision
from evidence_store.store.blob_frames import BlobFrames
from evidence_store.store.core import Core

if TYPE_CHECKING:
    from evidence_store.secrets import Masking

PIECE_BYTES = 1024 * 1024


class RevisionReader:
    """The bytes of one revision. Every frame that is read is checked; raises IntegrityMismatch for one that does not match."""

    def __init__(self, core: Core, revision: Revision) -> None:
        self._blob = BlobFrames(core, revision.digest, revision.size)
        self.revision = revision
        self._shows_secrets = core.show_secrets

    @property
    def size(self) -> int:
        return self.revision.size

    @property
    def masking(self) -> "Masking":
        """What of the revision is masked where it is shown."""
        # Start-up cost: most commands show nothing of a source.
        from evidence_store.masking import source_masking
        from evidence_store.secrets import SHOW_SECRETS

        if self._shows_secrets:
            return SHOW_SECRETS
        notes, format = self.revision.notes, self.revision.format
        return source_masking(self.read, self.size, encoding_of(notes), format)

    def showing_secrets(self) -> Self:
        """The same reader for who compares and proves, and shows nothing."""
        showing = copy(self)
        showing._shows_secrets = True
        return showing

    def read(self, span: Span) -> bytes:
        """The bytes of a range within the revision."""
        if span.end > self.size:
            digest = self.revision.digest
            raise IntegrityMismatch(f"blob {digest} has {self.size} bytes, {span.end} were asked for", {"blob": digest})
        if not span.length:
            return b""
        first, last = span.start // FRAME_BYTES, (span.end - 1) // FRAME_BYTES
        pieces = [self._blob.raw(self._blob.all[number]) for number in range(first, last + 1)]
        pieces[-1] = pieces[-1][: span.end - last * FRAME_BYTES]
        pieces[0] = pieces[0][span.start - first * FRAME_BYTES :]
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def files_of(self, span: Span) -> Sequence[Digest]:
        """The blobs outside the database that hold the bytes of a range."""
        return self._blob.files_of(span)

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
        before = self._blob.raw(frame)[: at - frame.raw.start]
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

    def has_line_ends(self) -> bool:
        """Whether the text has a line end at all, so that its CRs may draw over lines."""
        return self.count_lines() > 1 or self.read(Span(max(0, self.size - 1), self.size)) == b"\n"

    def count_lines(self) -> int:
        return self._line_at(self.size - 1) if self.size else 0

    def _line_at(self, at: int) -> int:
        """The line of a byte; past the last byte, the last line."""
        if not self.size:
            return 1
        at = min(at, self.size - 1)
        frame = self._frame_of(at)
        return frame.lines_before + self._blob.raw(frame).count(b"\n", 0, at - frame.raw.start) + 1

    def _line_start(self, line: int) -> int | None:
        """Where a line starts; None for one past the end."""
        if line == 1:
            return 0 if self.size else None
        # The last frame with fewer line feeds before it holds the one after which the line starts.
        number = bisect_left(self._blob.all, line - 1, key=lambda frame: frame.lines_before) - 1
        if number < 0:
            return None
        frame = self._blob.all[number]
        raw, n_before = self._blob.raw(frame), line - 1 - frame.lines_before
        pieces = raw.split(b"\n", n_before)
        if len(pieces) <= n_before:
            return None
        start = frame.raw.end - len(pieces[-1])
        return start if start < self.size else None

    def _frame_of(self, at: int) -> Frame:
        return self._blob.all[min(at, self.size - 1) // FRAME_BYTES]
