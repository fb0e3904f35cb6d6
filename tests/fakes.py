"""Stand-ins for what a test does not want to pay for: blobs in a dict, a limit that counts characters, clocks that tick or fail."""

from dataclasses import dataclass, field

from evidence_store.blobs import BlobKey
from evidence_store.errors import IntegrityMismatch
from evidence_store.model import Span


@dataclass(slots=True)
class MemoryBlobs:
    """Blobs in a dict; keeps the contract of `BlobStore`, durability excepted."""

    kept: dict[BlobKey, bytes] = field(default_factory=dict)

    def open_writer(self) -> "MemoryBlobWriter":
        return MemoryBlobWriter(self.kept)

    def read(self, key: BlobKey, span: Span) -> bytes:
        if key not in self.kept:
            raise IntegrityMismatch(f"blob {key.digest} is missing", {"blob": key.digest}, code="blob_missing")
        return self.kept[key][span.start : span.end]

    def find_size(self, key: BlobKey) -> int | None:
        return len(self.kept[key]) if key in self.kept else None


class MemoryBlobWriter:
    def __init__(self, kept: dict[BlobKey, bytes]) -> None:
        self._kept = kept
        self._written = bytearray()

    def write(self, data: bytes) -> None:
        self._written += data

    def read_back(self) -> bytes:
        return bytes(self._written)

    def commit(self, key: BlobKey) -> None:
        self._kept[key] = bytes(self._written)

    def abort(self) -> None:
        self._written.clear()


class CharacterLimit:
    """A text fits by its characters; one token a character."""

    def __init__(self, n_chars: int) -> None:
        self._n_chars = n_chars

    def fits(self, text: str) -> bool:
        return len(text) <= self._n_chars

    @property
    def max_bytes(self) -> int | None:
        return None

    def prefix(self, text: str) -> int:
        return min(len(text), self._n_chars)

    def count(self, text: str) -> int | None:
        return len(text)


class TickingClock:
    """One microsecond a call, from a fixed start."""

    def __init__(self, start: int = 1_700_000_000_000_000) -> None:
        self._now = start

    def __call__(self) -> int:
        self._now += 1
        return self._now


class Crash(Exception):
    """What a test lets happen where a power cut would."""


class CrashingClock:
    """Fails when it is asked: between the bytes and the rows of a `put`, since rows carry a time and bytes do not."""

    def __call__(self) -> int:
        raise Crash
