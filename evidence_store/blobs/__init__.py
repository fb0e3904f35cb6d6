"""Where stored bytes of larger blobs live: a protocol, and its implementation on a local folder.

A blob is named by workspace and digest; the same bytes in two workspaces are two blobs, so that nobody learns by a digest
what another workspace holds.
"""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from evidence_store.model import Digest, Span, WorkspaceName


@dataclass(frozen=True, slots=True)
class BlobKey:
    workspace: WorkspaceName
    digest: Digest


class BlobWriter(Protocol):
    """Takes stored bytes before their name is known."""

    def write(self, data: bytes) -> None: ...

    def read_back(self) -> bytes:
        """All that was written so far. Not after `commit` or `abort`."""

    def commit(self, key: BlobKey) -> None:
        """Makes the bytes durable under `key`, whole or not at all; the last call on this writer.

        A sound blob of that name stays as it is. One of another length, or with other bytes, is replaced: it was torn.
        """

    def abort(self) -> None:
        """Leaves nothing behind. May be called after `commit`, and more than once."""


class BlobStore(Protocol):
    """Stored bytes by key. Checks no digest: `evidence_store.store` does, for every backend, in one place."""

    def open_writer(self) -> BlobWriter: ...

    def read(self, key: BlobKey, span: Span) -> bytes:
        """Stored bytes of `span`; fewer where the blob ends earlier. Raises IntegrityMismatch when the blob is missing."""

    def find_size(self, key: BlobKey) -> int | None:
        """Length of the stored bytes, None when there is no such blob."""


@runtime_checkable
class Stamped(Protocol):
    """A blob store that can tell whether what it keeps was touched, without reading it."""

    def find_stamp(self, key: BlobKey) -> tuple[int, ...] | None:
        """Another one after the stored bytes were written to, whoever did it; None when there is no such blob.

        It says nothing of a medium that loses bytes by itself.
        """


__all__ = ["BlobKey", "BlobStore", "BlobWriter", "Stamped"]
