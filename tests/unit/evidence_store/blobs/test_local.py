"""Blobs in a folder: where files stand, and what is left when something fails."""

from pathlib import Path

import pytest

from evidence_store.blobs import BlobKey
from evidence_store.blobs.local import LocalBlobs, blob_path
from evidence_store.canonical import digest_of
from evidence_store.errors import StoreUnavailable
from evidence_store.model import DEFAULT_WORKSPACE, Span, WorkspaceName

KEY = BlobKey(DEFAULT_WORKSPACE, digest_of(b"a"))


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_one_file_a_blob_and_none_beside_it(tmp_path: Path) -> None:
    writer = LocalBlobs(tmp_path / "blobs").open_writer()
    writer.write(b"whole")
    writer.commit(KEY)
    assert files(tmp_path) == [blob_path(tmp_path / "blobs", KEY)]


def test_a_name_shows_the_digest_and_hides_the_workspace(tmp_path: Path) -> None:
    path = blob_path(tmp_path, BlobKey(WorkspaceName("../secret/team"), digest_of(b"a")))
    folder, start, name = path.relative_to(tmp_path).parts
    assert f"sha256:{start}{name.removesuffix('.zst')}" == digest_of(b"a")
    assert len(folder) == 16
    assert set(folder) <= set("0123456789abcdef")


def test_an_abort_leaves_no_file(tmp_path: Path) -> None:
    writer = LocalBlobs(tmp_path / "blobs").open_writer()
    writer.write(b"half")
    writer.abort()
    assert files(tmp_path) == []


def test_a_torn_blob_that_was_replaced_leaves_no_file_behind(tmp_path: Path) -> None:
    path = blob_path(tmp_path, KEY)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"torn")
    writer = LocalBlobs(tmp_path).open_writer()
    writer.write(b"whole")
    writer.commit(KEY)
    assert (files(tmp_path), path.read_bytes()) == ([path], b"whole")


def test_a_folder_that_cannot_be_made_is_a_fault_of_the_store(tmp_path: Path) -> None:
    (tmp_path / "blobs").write_bytes(b"a file")
    with pytest.raises(StoreUnavailable) as caught:
        LocalBlobs(tmp_path / "blobs").open_writer()
    assert caught.value.error_code == "store_unwritable"


def test_a_place_that_is_taken_by_a_folder_is_a_fault_of_the_store(tmp_path: Path) -> None:
    blob_path(tmp_path, KEY).mkdir(parents=True)
    writer = LocalBlobs(tmp_path).open_writer()
    with pytest.raises(StoreUnavailable):
        writer.commit(KEY)
    with pytest.raises(StoreUnavailable):
        LocalBlobs(tmp_path).read(KEY, Span(0, 1))
    assert files(tmp_path) == []


def test_nothing_is_made_before_the_first_write(tmp_path: Path) -> None:
    assert LocalBlobs(tmp_path / "blobs").find_size(KEY) is None
    assert list(tmp_path.iterdir()) == []
