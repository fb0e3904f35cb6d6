"""What a tool gives, taken in as it comes: in memory while it is small, else in a file without a name. No size costs more memory."""

import codecs
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import IO

from evidence_store.errors import LimitExceeded, StoreUnavailable

MEMORY_BYTES = 1024 * 1024
PIECE_BYTES = 256 * 1024


class Spool:
    """Bytes in their order. Close it; what came is not gone before."""

    def __init__(self, max_bytes: int) -> None:
        self._file: IO[bytes] = SpooledTemporaryFile(max_size=MEMORY_BYTES)  # noqa: SIM115 (closed by who made it)
        self._max_bytes = max_bytes
        self.size = 0

    def write(self, piece: bytes) -> None:
        """Adds a piece. Raises LimitExceeded (`too_large`) past the bound, where the piece is not taken, and StoreUnavailable."""
        if self.size + len(piece) > self._max_bytes:
            raise LimitExceeded(f"the output is longer than {self._max_bytes} bytes", {"limit": self._max_bytes}, code="too_large")
        try:
            self._file.seek(0, 2)
            self._file.write(piece)
        except OSError as why:
            raise StoreUnavailable(
                "an output could not be taken in: the temporary folder cannot be written", code="store_unwritable"
            ) from why
        self.size += len(piece)

    def pieces(self) -> Iterator[bytes]:
        """All bytes from the beginning, at most `PIECE_BYTES` at a time. May be asked for again."""
        self._file.seek(0)
        while piece := self._file.read(PIECE_BYTES):
            yield piece

    def text(self) -> str:
        """All of it as text: bytes that are no UTF-8 as U+FFFD, halves of surrogate pairs as they came."""
        raw = b"".join(self.pieces())
        try:
            return raw.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return codecs.decode(raw, "utf-8", "replace")

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> "Spool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def spool_of(raw: bytes) -> Spool:
    """Of bytes that are there already."""
    made = Spool(len(raw))
    made.write(raw)
    return made
