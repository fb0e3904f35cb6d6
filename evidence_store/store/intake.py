"""Bytes on their way in: looked at, encoded and written as they come, and in no place under their name before they are whole."""

from functools import cached_property
from typing import TYPE_CHECKING

from evidence_store.blobs import BlobWriter
from evidence_store.database import ReadConnection, WriteConnection
from evidence_store.documents.detect import Detection, Inspection, can_stream, detect, inspect
from evidence_store.documents.model import Limits
from evidence_store.documents.text_scan import LineLengths, TextScan
from evidence_store.errors import IntegrityMismatch, LimitExceeded
from evidence_store.frames import Encoded, FrameEncoder, decode_frames
from evidence_store.model import Format, Span
from evidence_store.records import blobs
from evidence_store.store.blob_frames import GrowingFrames
from evidence_store.store.core import Core, require_sound_blob

if TYPE_CHECKING:
    from evidence_store.documents.span_rows import SpanIndex

INLINE_BYTES = 32 * 1024
"""Stored bytes up to which a blob lives in the database: a row costs less than a file."""
HEAD_BYTES = 64 * 1024
"""Bytes after which the format is decided; shorter inputs are looked at as a whole."""
MAX_GUESSED_BYTES = 8 * 1024 * 1024
"""Size up to which a text that is not plain UTF-8 is read back to see whether it is in another encoding; a larger one counts as UTF-8."""
LINED = (Format.TEXT, Format.JSONL, Format.CSV)
"""Formats that are read line by line, so that the length of a line is bounded."""
LARGE_BYTES = 64 * 1024
"""Size over which a JSON or JSON Lines document has an index (docs/formats/spans.md)."""


class Intake:
    """Looks at bytes as they come in. What has a structure is kept in memory, to be parsed as a whole; plain text is not."""

    def __init__(
        self,
        name: str,
        file_name: str | None,
        media_type: str | None,
        format: Format | None,
        limits: Limits,
        *,
        complete: bool,
        charset: str | None = None,
    ) -> None:
        self._complete, self._charset = complete, charset
        self._name, self._file_name, self._media_type, self._format = name, file_name or "", media_type, format
        self._kept = bytearray()
        self._detection: Detection | None = None
        self._scan: TextScan | None = None
        self._is_bytes = False
        self._limits = limits
        self._lines = LineLengths(limits.max_line_bytes)

    @cached_property
    def raw(self) -> bytes:
        """The bytes, as far as they were kept; all of them were added."""
        kept, self._kept = self._kept, bytearray()
        return bytes(kept)

    def add(self, piece: bytes) -> None:
        if self._scan is not None:
            self._scan.add(piece)
        elif not self._is_bytes:
            self._kept += piece
            if self._detection is None and len(self._kept) >= HEAD_BYTES:
                self._detect()
        if self._detection is None or self._detection.format in LINED:
            self._lines.add(piece)

    def _detect(self) -> Detection:
        head = bytes(self._kept[:HEAD_BYTES])
        found = detect(head, self._name, self._media_type, self._format, file_name=self._file_name, charset=self._charset)
        self._detection = found
        if len(self._kept) >= HEAD_BYTES and can_stream(found, self._media_type, head):
            self._is_bytes = found.format is Format.BYTES
            self._scan = None if self._is_bytes else TextScan()
            if self._scan is not None:
                self._scan.add(bytes(self._kept))
            self._kept.clear()
        return found

    def inspect(self, staged: "Staged") -> Inspection:
        """What the bytes are. A text that turned out not to be plain UTF-8 is read back, since its encoding shows in the whole."""
        found = self._detection or self._detect()
        if found.format in LINED:
            self._lines.require()
        if self._is_bytes:
            return Inspection(found.format, found.media_type)
        if self._scan is None:
            return inspect(self.raw, found, self._limits, complete=self._complete)
        notes = self._scan.finish(complete=self._complete)
        if not self._scan.is_plain and staged.size <= MAX_GUESSED_BYTES:
            return inspect(staged.read_back(), found, self._limits, complete=self._complete)
        return Inspection(found.format, found.media_type, notes)


class Staged:
    """Bytes on their way in: encoded as they come, in memory while they are small, else in the blob store's own writer."""

    def __init__(self, core: Core, known: GrowingFrames | None = None) -> None:
        self._core = core
        self._known = known
        self._encoder = FrameEncoder(known)
        self._memory = bytearray()
        self.size = 0
        self._writer: BlobWriter | None = None
        self._spans: SpanIndex | None = None
        self.encoded: Encoded

    def index(self, raw: bytes, found: Inspection) -> None:
        """Makes the span index of a large JSON or JSON Lines document."""
        if len(raw) <= LARGE_BYTES:
            return
        if found.format is Format.JSON:
            from evidence_store.documents.json import JsonDocument  # start-up cost: the JSON reader
            from evidence_store.documents.spans import build_index

            read = found.document
            self._spans = build_index(read if isinstance(read, JsonDocument) else JsonDocument(raw))
        elif found.format is Format.JSONL and not any(note.code in ("blank_lines", "bom") for note in found.notes):
            from evidence_store.documents.jsonl import end_of_records, lines_index

            self._spans = lines_index(raw[: end_of_records(found.notes)])

    def add(self, piece: bytes, max_bytes: int) -> None:
        """Encodes the next piece. Raises LimitExceeded as soon as there is too much."""
        self.size += len(piece)
        if self.size > max_bytes:
            raise LimitExceeded(f"the input is longer than {max_bytes} bytes", {"limit": max_bytes}, code="too_large")
        for stored in self._encoder.add(piece):
            self._write(stored)

    def finish(self) -> None:
        """Ends the encoding; `encoded` is there from now on."""
        for stored in self._encoder.finish():
            self._write(stored)
        self.encoded = self._encoder.encoded

    def _write(self, stored: bytes) -> None:
        if self._writer is None and len(self._memory) + len(stored) > INLINE_BYTES:
            self._writer = self._core.blobs.open_writer()
            self._writer.write(bytes(self._memory))
            self._memory.clear()
        if self._writer is None:
            self._memory += stored
        else:
            self._writer.write(stored)

    def make_durable(self) -> None:
        """Brings a large blob to its final name, unless a sound one is there. A damaged one is replaced by these bytes.

        Raises IntegrityMismatch for a damaged one that cannot be replaced: rows do not change.
        """
        with self._core.database.reading() as connection:
            known = blobs.find_blob(connection, self._core.workspace, self.encoded.digest)
            if known is not None and self._is_sound(connection):
                return
            span = Span(0, self.encoded.size)
            frames = tuple(blobs.list_frames(connection, self._core.workspace, self.encoded.digest, span))
        if known is not None and (known.inline is not None or self._writer is None or frames != self.encoded.frames):
            raise IntegrityMismatch(f"the record of blob {known.digest} is damaged; restore it from a backup", {"blob": known.digest})
        if self._writer is not None:
            self._writer.commit(self._core.key(self.encoded.digest))

    def _is_sound(self, connection: ReadConnection) -> bool:
        try:
            require_sound_blob(self._core, connection, self.encoded.digest)
        except IntegrityMismatch:
            return False
        return True

    def read_back(self) -> bytes:
        """The raw bytes, out of what was written so far."""
        stored = bytes(self._memory) if self._writer is None else self._writer.read_back()
        shared = b"" if self._known is None else self._known.read_shared(self.encoded.frames)
        return shared + decode_frames(self.encoded.own_frames, stored, self.encoded.digest)

    def insert(self, connection: WriteConnection, at: int) -> None:
        """The blob's rows, unless they are there."""
        if blobs.find_blob(connection, self._core.workspace, self.encoded.digest) is None:
            inline = bytes(self._memory) if self._writer is None else None
            stored_size = len(inline) if inline is not None else self._core.blobs.find_size(self._core.key(self.encoded.digest)) or 0
            number = blobs.insert_blob(connection, self._core.workspace, self.encoded, stored_size, inline, at)
            if self._spans is not None:
                blobs.insert_index(connection, self._core.workspace, number, self._spans)

    def discard(self) -> None:
        if self._writer is not None:
            self._writer.abort()
