"""Blobs in a local folder.

    ROOT/tmp/RANDOM                        what is being written
    ROOT/HEX OF WORKSPACE/ab/cdef….zst     one file a blob, never changed

Order on commit: write, fsync of the file, link under the final name, fsync of its folder. A crash leaves at worst a file
in tmp/ or an unreferenced blob, never a half-written one under its name.
"""

import filecmp
import hashlib
import os
import tempfile
from pathlib import Path
from typing import BinaryIO

from evidence_store.blobs import BlobKey
from evidence_store.errors import IntegrityMismatch, StoreUnavailable
from evidence_store.model import Span


class LocalBlobs:
    """Blobs below one folder, which is made on the first write."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def open_writer(self) -> "LocalBlobWriter":
        return LocalBlobWriter(self._root)

    def read(self, key: BlobKey, span: Span) -> bytes:
        try:
            handle = os.open(blob_path(self._root, key), os.O_RDONLY)
            try:
                size = os.fstat(handle).st_size  # a reader makes room for what it is asked for, not for what is there
                return os.pread(handle, max(0, min(span.end, size) - span.start), min(span.start, size))
            finally:
                os.close(handle)
        except FileNotFoundError as why:
            raise IntegrityMismatch(f"blob {key.digest} is missing", {"blob": key.digest}, code="blob_missing") from why
        except OSError as why:
            raise StoreUnavailable(f"blob {key.digest} cannot be read: {why.strerror}", {"blob": key.digest}) from why

    def find_size(self, key: BlobKey) -> int | None:
        try:
            return blob_path(self._root, key).stat().st_size
        except FileNotFoundError:
            return None
        except OSError as why:
            raise StoreUnavailable(f"blob {key.digest} cannot be read: {why.strerror}", {"blob": key.digest}) from why

    def find_stamp(self, key: BlobKey) -> tuple[int, ...] | None:
        """Inode, size, and when content and name were changed last."""
        try:
            found = os.stat(blob_path(self._root, key))
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


class LocalBlobWriter:
    def __init__(self, root: Path) -> None:
        self._root = root
        self._path: Path | None = None
        self._file: BinaryIO | None = None
        try:
            folder = _make_folders(root / "tmp")
            handle, name = tempfile.mkstemp(dir=folder)
        except OSError as why:
            raise _unwritable(why) from why
        self._path, self._file = Path(name), os.fdopen(handle, "wb")

    def write(self, data: bytes) -> None:
        assert self._file is not None, "written after commit or abort"
        try:
            self._file.write(data)
        except OSError as why:
            self.abort()
            raise _unwritable(why) from why

    def read_back(self) -> bytes:
        assert self._file is not None and self._path is not None, "read back after commit or abort"
        try:
            self._file.flush()
            return self._path.read_bytes()
        except OSError as why:
            raise _unwritable(why) from why

    def commit(self, key: BlobKey) -> None:
        assert self._file is not None and self._path is not None, "committed twice"
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
            final = blob_path(self._root, key)
            _make_folders(final.parent)
            _link(self._path, final)
            _sync_folder(final.parent)
        except OSError as why:
            raise _unwritable(why) from why
        finally:
            self.abort()

    def abort(self) -> None:
        file, path = self._file, self._path
        self._file = self._path = None
        if file is not None:
            try:
                file.close()
            except OSError as why:  # a full disk shows itself once more at close; the file goes all the same
                raise _unwritable(why) from why
            finally:
                if path is not None:
                    path.unlink(missing_ok=True)


def blob_path(root: Path, key: BlobKey) -> Path:
    """Workspaces are hashed: their names may hold anything, and folders must not."""
    workspace = hashlib.sha256(key.workspace.encode()).hexdigest()[:16]
    name = key.digest.removeprefix("sha256:")
    return root / workspace / name[:2] / f"{name[2:]}.zst"


def _link(source: Path, final: Path) -> None:
    try:
        os.link(source, final)
    except FileExistsError:
        if not filecmp.cmp(source, final, shallow=False):
            os.replace(source, final)


def _make_folders(folder: Path) -> Path:
    """Makes missing folders durable one by one: an fsynced file in a lost folder is lost."""
    if not folder.is_dir():
        if folder.parent != folder:
            _make_folders(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync_folder(folder.parent)
    return folder


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _unwritable(why: OSError) -> StoreUnavailable:
    return StoreUnavailable(f"the store cannot be written: {why.strerror or why}", code="store_unwritable")
