"""What every `BlobStore` must do, run on each implementation and on the stand-in that other tests use."""

from collections.abc import Callable
from pathlib import Path

import pytest

from evidence_store.blobs import BlobKey, BlobStore, Stamped
from evidence_store.blobs.local import LocalBlobs
from evidence_store.canonical import digest_of
from evidence_store.errors import IntegrityMismatch
from evidence_store.model import DEFAULT_WORKSPACE, Span, WorkspaceName
from tests.fakes import MemoryBlobs

STORES: dict[str, Callable[[Path], BlobStore]] = {"local": lambda folder: LocalBlobs(folder / "blobs"), "memory": lambda _: MemoryBlobs()}
ALL = Span(0, 1 << 40)


@pytest.fixture(params=STORES)
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> BlobStore:
    return STORES[request.param](tmp_path)


def key(data: bytes, workspace: str = DEFAULT_WORKSPACE) -> BlobKey:
    return BlobKey(WorkspaceName(workspace), digest_of(data))


def keep(blobs: BlobStore, at: BlobKey, *pieces: bytes) -> None:
    writer = blobs.open_writer()
    for piece in pieces:
        writer.write(piece)
    writer.commit(at)


def test_what_was_written_is_read_back(blobs: BlobStore) -> None:
    keep(blobs, key(b"a"), b"one ", b"", b"two\0\xff")
    assert blobs.read(key(b"a"), ALL) == b"one two\0\xff"


@pytest.mark.parametrize(
    ("span", "data"), [((0, 3), b"012"), ((3, 7), b"3456"), ((7, 100), b"789"), ((4, 4), b""), ((10, 20), b""), ((99, 100), b"")]
)
def test_a_range_is_half_open_and_ends_with_the_blob(blobs: BlobStore, span: tuple[int, int], data: bytes) -> None:
    keep(blobs, key(b"a"), b"0123456789")
    assert blobs.read(key(b"a"), Span(*span)) == data


def test_the_size_is_that_of_the_stored_bytes(blobs: BlobStore) -> None:
    keep(blobs, key(b"a"), b"12345")
    keep(blobs, key(b"b"))
    assert (blobs.find_size(key(b"a")), blobs.find_size(key(b"b"))) == (5, 0)


def test_a_missing_blob_has_no_size_and_cannot_be_read(blobs: BlobStore) -> None:
    assert blobs.find_size(key(b"a")) is None
    with pytest.raises(IntegrityMismatch) as caught:
        blobs.read(key(b"a"), ALL)
    assert (caught.value.error_code, caught.value.details) == ("blob_missing", {"blob": digest_of(b"a")})


def test_nothing_is_there_before_commit(blobs: BlobStore) -> None:
    writer = blobs.open_writer()
    writer.write(b"half")
    assert blobs.find_size(key(b"a")) is None
    writer.write(b" and whole")
    writer.commit(key(b"a"))
    assert blobs.read(key(b"a"), ALL) == b"half and whole"


def test_what_was_aborted_leaves_nothing(blobs: BlobStore) -> None:
    writer = blobs.open_writer()
    writer.write(b"half")
    writer.abort()
    writer.abort()
    assert blobs.find_size(key(b"a")) is None


def test_an_abort_after_commit_changes_nothing(blobs: BlobStore) -> None:
    writer = blobs.open_writer()
    writer.write(b"whole")
    writer.commit(key(b"a"))
    writer.abort()
    assert blobs.read(key(b"a"), ALL) == b"whole"


def test_the_same_bytes_again_change_nothing(blobs: BlobStore) -> None:
    keep(blobs, key(b"a"), b"whole")
    keep(blobs, key(b"a"), b"whole")
    assert blobs.read(key(b"a"), ALL) == b"whole"


@pytest.mark.parametrize("torn", [b"", b"who", b"wholx", b"whole and more"])
def test_a_torn_blob_is_replaced_by_a_sound_one(blobs: BlobStore, torn: bytes) -> None:
    keep(blobs, key(b"a"), torn)
    keep(blobs, key(b"a"), b"whole")
    assert blobs.read(key(b"a"), ALL) == b"whole"


def test_writers_at_the_same_time_do_not_mix(blobs: BlobStore) -> None:
    first, second = blobs.open_writer(), blobs.open_writer()
    first.write(b"1")
    second.write(b"2")
    first.write(b"1")
    second.commit(key(b"b"))
    first.commit(key(b"a"))
    assert (blobs.read(key(b"a"), ALL), blobs.read(key(b"b"), ALL)) == (b"11", b"2")


def test_the_same_digest_in_two_workspaces_is_two_blobs(blobs: BlobStore) -> None:
    """Nobody learns by a digest what another workspace holds."""
    keep(blobs, key(b"a", "first"), b"whole")
    assert blobs.find_size(key(b"a", "second")) is None
    keep(blobs, key(b"a", "second"), b"other")
    assert blobs.read(key(b"a", "first"), ALL) == b"whole"


@pytest.mark.parametrize("workspace", ["..", "../../x", "/etc", "a/b", "", "\0", "日志", "x" * 5000, "a\nb"])
def test_any_workspace_name_will_do(blobs: BlobStore, workspace: str) -> None:
    keep(blobs, key(b"a", workspace), b"whole")
    assert blobs.read(key(b"a", workspace), ALL) == b"whole"


def test_a_stamp_changes_when_the_stored_bytes_are_touched(blobs: BlobStore) -> None:
    if not isinstance(blobs, Stamped):
        assert not hasattr(blobs, "find_stamp")
        return
    assert blobs.find_stamp(key(b"a")) is None
    keep(blobs, key(b"a"), b"torn")
    first = blobs.find_stamp(key(b"a"))
    assert first is not None
    assert blobs.find_stamp(key(b"a")) == first
    keep(blobs, key(b"a"), b"whole")
    assert blobs.find_stamp(key(b"a")) != first
