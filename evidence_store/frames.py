"""Stored form of a blob: independent zstd frames over 64 KiB of raw bytes each, so that a range costs one or two frames.

The file is the public zstd seekable format (a skippable frame at its end holds the table of sizes), so `zstd -d` restores
it without this package. Where a frame stands, and the SHA-256 of its raw bytes, is kept beside the blob's row: a ranged
read checks what it hands out (docs/formats/blob.md).
"""

import hashlib
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import zstandard

from evidence_store.errors import IntegrityMismatch
from evidence_store.model import Digest, Span

FRAME_BYTES = 64 * 1024
LEVEL = 3
FORMAT_VERSION = 1
_SKIPPABLE_MAGIC = 0x184D2A5E
_SEEKABLE_MAGIC = 0x8F92EAB1


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame: the raw range it holds, the stored range it takes, and the digest of its raw bytes."""

    number: int
    raw: Span
    stored: Span
    lines_before: int
    """Line feeds of the blob before this frame."""
    sha256: bytes
    home: Digest | None = None
    """The blob whose stored bytes hold it; None: its own."""


class KnownFrames(Protocol):
    """Frames that are stored already, to be shared by a blob that begins with the same bytes."""

    def find(self, number: int, sha256: bytes) -> Frame | None:
        """The frame of that number if its raw bytes are these, with its home; None, and no later one is asked for."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """What encoding a stream came to."""

    digest: Digest
    size: int
    frames: tuple[Frame, ...]

    @property
    def own_frames(self) -> tuple[Frame, ...]:
        """Those whose stored bytes are the blob's own."""
        return tuple(frame for frame in self.frames if frame.home is None)


class FrameEncoder:
    """Turns a stream of raw bytes into stored bytes, one frame at a time, in constant memory.

    Feed with `add`, end with `finish`; both give stored bytes to write. `encoded` is there after `finish`. As long as the
    frames are `known` ones, they are shared, and nothing is written for them.
    """

    def __init__(self, known: KnownFrames | None = None) -> None:
        self._known = known
        self._pending = bytearray()
        self._sha256 = hashlib.sha256()
        self._frames: list[Frame] = []
        self._raw_end = self._stored_end = self._lines = 0
        self._compressor = zstandard.ZstdCompressor(level=LEVEL)

    def add(self, data: bytes) -> Iterator[bytes]:
        at = min(len(data), FRAME_BYTES - len(self._pending)) if self._pending else 0
        self._pending += data[:at]
        if len(self._pending) == FRAME_BYTES:
            yield self._frame(bytes(self._pending))
            self._pending.clear()
        while len(data) - at >= FRAME_BYTES:
            yield self._frame(data[at : at + FRAME_BYTES])
            at += FRAME_BYTES
        self._pending += data[at:]

    def finish(self) -> Iterator[bytes]:
        if self._pending or not self._frames:
            yield self._frame(bytes(self._pending))
            self._pending.clear()
        yield seek_table(self.encoded.own_frames)

    @property
    def encoded(self) -> Encoded:
        return Encoded(Digest("sha256:" + self._sha256.hexdigest()), self._raw_end, tuple(self._frames))

    def _frame(self, piece: bytes) -> bytes:
        self._sha256.update(piece)
        digest = hashlib.sha256(piece).digest()
        stored, frame = b"", self._find_known(digest)
        if frame is None:
            stored = self._compressor.compress(piece)
            place = Span(self._stored_end, self._stored_end + len(stored))
            frame = Frame(len(self._frames), Span(self._raw_end, self._raw_end + len(piece)), place, self._lines, digest)
            self._stored_end = place.end
        self._frames.append(frame)
        self._lines += piece.count(b"\n")
        self._raw_end += len(piece)
        return stored

    def _find_known(self, digest: bytes) -> Frame | None:
        frame = None if self._known is None else self._known.find(len(self._frames), digest)
        if frame is None:
            self._known = None
        return frame


def decode_frames(frames: Sequence[Frame], stored: bytes, blob: Digest) -> bytes:
    """Raw bytes of neighbouring frames, out of the stored bytes of just these frames.

    Every frame is checked against its digest. Raises IntegrityMismatch naming the blob and the frame.
    """
    base = frames[0].stored.start if frames else 0
    return b"".join(_decode(frame, stored[frame.stored.start - base : frame.stored.end - base], blob) for frame in frames)


def _decode(frame: Frame, stored: bytes, blob: Digest) -> bytes:
    try:
        # A damaged header may claim any size, and the decoder makes room for it at once.
        if zstandard.frame_content_size(stored) not in (-1, frame.raw.length):
            raise _mismatch(blob, frame)
        raw = zstandard.ZstdDecompressor().decompress(stored, max_output_size=frame.raw.length or 1)
    except zstandard.ZstdError as why:
        raise _mismatch(blob, frame) from why
    if len(raw) != frame.raw.length or hashlib.sha256(raw).digest() != frame.sha256:
        raise _mismatch(blob, frame)
    return raw


def _mismatch(blob: Digest, frame: Frame) -> IntegrityMismatch:
    text = f"stored bytes of blob {blob} do not match their digest (bytes {frame.raw.start}-{frame.raw.end})"
    return IntegrityMismatch(text, {"blob": blob, "bytes": [frame.raw.start, frame.raw.end]})


def seek_table(frames: Iterable[Frame]) -> bytes:
    """What stands behind the frames of a stored blob: the skippable frame with the sizes of all of them."""
    entries = b"".join(struct.pack("<II", frame.stored.length, frame.raw.length) for frame in frames)
    table = entries + struct.pack("<IBI", len(entries) // 8, 0, _SEEKABLE_MAGIC)
    return struct.pack("<II", _SKIPPABLE_MAGIC, len(table)) + table
