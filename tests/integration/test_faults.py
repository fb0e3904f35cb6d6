"""Faults below the store: torn and damaged blobs, crashes between bytes and rows, rows that were lost."""

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evidence_store.blobs.local import blob_path
from evidence_store.canonical import digest_of
from evidence_store.errors import IntegrityMismatch, StoreFault, StoreMissing, StoreUnavailable
from evidence_store.excerpts import NoLimit
from evidence_store.model import Format, Packet, ResourceName, Span
from evidence_store.store import BLOBS_NAME, DATABASE_NAME, EvidenceStore, init_store, open_store
from evidence_store.store.put_request import PutRequest
from tests.factories import API, API_BYTES, encode, make_store, put, read, tampering
from tests.fakes import Crash, CrashingClock, MemoryBlobs

NAME = ResourceName("a.bin")
RAW = random.Random(5).randbytes(3 * 64 * 1024 + 99)
STORED = encode(RAW).stored
FRAMES = encode(RAW).encoded.frames


def put_raw(store: EvidenceStore) -> bool:
    return put(store, RAW, NAME, format=Format.BYTES).created


def read_raw(store: EvidenceStore, start: int, end: int) -> Packet:
    return read(store, f"{start}-{end}", NAME, kind="bytes")


def path_of(folder: Path) -> Path:
    with make_store(folder) as store:
        return blob_path(folder / BLOBS_NAME, store.core.key(digest_of(RAW)))


def damage(path: Path, at: int) -> None:
    stored = bytearray(path.read_bytes())
    stored[at] ^= 1
    path.write_bytes(stored)


def faults(folder: Path, *, deep: bool = True) -> list[tuple[str, str]]:
    with make_store(folder) as store:
        return [(fault.code, fault.subject) for fault in store.checks.verify(deep=deep).faults]


@pytest.fixture
def stored(folder: Path) -> Path:
    """A store with one large blob, closed; its file."""
    with make_store(folder) as store:
        put_raw(store)
    return path_of(folder)


EVERYWHERE = [
    0,
    5,
    len(STORED) // 3,
    FRAMES[1].stored.start,
    FRAMES[-1].stored.end - 1,
    FRAMES[-1].stored.end,
    len(STORED) - 9,
    len(STORED) - 1,
]


@pytest.mark.parametrize("at", EVERYWHERE)
def test_one_flipped_byte_anywhere_in_a_stored_file_is_named(folder: Path, stored: Path, at: int) -> None:
    damage(stored, at)
    assert faults(folder) == [("integrity_mismatch", digest_of(RAW))]


@pytest.mark.parametrize("at", [at for at in EVERYWHERE if at < FRAMES[-1].stored.end])
def test_damaged_bytes_are_never_given_out_whole(folder: Path, stored: Path, at: int) -> None:
    damage(stored, at)
    with make_store(folder) as store, pytest.raises(IntegrityMismatch):
        store.sources.get_bytes(NAME, 1)


@pytest.mark.parametrize("at", EVERYWHERE)
def test_a_ranged_read_gives_the_right_bytes_or_none(folder: Path, stored: Path, at: int) -> None:
    damage(stored, at)
    for start in range(0, len(RAW) - 10, 30_000):
        with make_store(folder) as store:
            revision = store.sources.get_revision(NAME, 1)
            try:
                given = store.sources.get_span(revision, Span(start, start + 10))
            except IntegrityMismatch:
                continue
            assert given == RAW[start : start + 10]


def test_a_fault_names_the_frame_that_holds_it(folder: Path, stored: Path) -> None:
    damage(stored, FRAMES[1].stored.start + 20)
    with make_store(folder) as store:
        revision = store.sources.get_revision(NAME, 1)
        with pytest.raises(IntegrityMismatch) as caught:
            store.sources.get_span(revision, Span(70_000, 70_010))
    assert caught.value.details["bytes"] == [65_536, 131_072]


@pytest.mark.parametrize("kept", [0, 1, len(STORED) // 2, FRAMES[-1].stored.end, len(STORED) - 1])
def test_a_torn_blob_is_found_by_verify_and_replaced_by_the_same_put(folder: Path, stored: Path, kept: int) -> None:
    stored.write_bytes(STORED[:kept])
    assert [code for code, _ in faults(folder, deep=False)] == ["blob_missing"]
    assert [subject for _, subject in faults(folder)] == [digest_of(RAW)]
    with make_store(folder) as store:
        assert not put_raw(store)
    assert stored.read_bytes() == STORED
    assert faults(folder) == []


@pytest.mark.parametrize("at", EVERYWHERE)
def test_a_damaged_blob_of_the_right_length_is_replaced_by_the_same_put(folder: Path, stored: Path, at: int) -> None:
    damage(stored, at)
    with make_store(folder) as store:
        put_raw(store)
    assert stored.read_bytes() == STORED


def test_bytes_behind_a_blob_are_named_and_taken_off_by_the_same_put(folder: Path, stored: Path) -> None:
    stored.write_bytes(STORED + b"more")
    assert [subject for _, subject in faults(folder)] == [digest_of(RAW)]
    with make_store(folder) as store:
        put_raw(store)
    assert stored.read_bytes() == STORED


def test_a_lost_blob_is_named_and_brought_back_by_the_same_put(folder: Path, stored: Path) -> None:
    stored.unlink()
    assert faults(folder, deep=False) == [("blob_missing", digest_of(RAW))]
    with make_store(folder) as store:
        with pytest.raises(IntegrityMismatch) as caught:
            store.sources.get_bytes(NAME, None)
        assert caught.value.error_code == "blob_missing"
        put_raw(store)
        assert store.sources.get_bytes(NAME, None) == RAW


def test_a_torn_file_under_the_final_name_of_a_new_blob_is_replaced(folder: Path) -> None:
    path = path_of(folder)
    path.parent.mkdir(parents=True)
    path.write_bytes(STORED[:100])
    with make_store(folder) as store:
        assert put_raw(store)
    assert path.read_bytes() == STORED
    assert faults(folder) == []


def test_a_damaged_blob_of_the_database_is_named_and_not_served(folder: Path) -> None:
    with make_store(folder) as store:
        put(store)
        id_ = read(store, "/limit/maximum").id
    with tampering(folder) as database:
        inline = bytearray(database.execute("SELECT inline FROM blobs").fetchone()[0])
        inline[10] ^= 1
        database.execute("UPDATE blobs SET inline = ?", (bytes(inline),))
    with make_store(folder) as store:
        for attempt in (lambda: store.sources.get_bytes(API, 1), lambda: store.passages.get(id_, NoLimit()), lambda: read(store, "/limit")):
            with pytest.raises(IntegrityMismatch):
                attempt()
    assert faults(folder) == [("integrity_mismatch", digest_of(API_BYTES)), ("evidence_mismatch", id_)]


def test_a_put_is_not_reported_as_stored_over_damaged_rows(folder: Path) -> None:
    """Rows do not change, so the same bytes cannot be made whole again: that is an error and no `unchanged`."""
    with make_store(folder) as store:
        put(store)
    with tampering(folder) as database:
        database.execute("UPDATE blobs SET inline = zeroblob(length(inline))")
    with make_store(folder) as store, pytest.raises(IntegrityMismatch):
        put(store)


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_a_lost_frame_row_never_shifts_the_bytes(folder: Path, stored: Path, number: int) -> None:
    with tampering(folder) as database:
        database.execute("DELETE FROM frames WHERE number = ?", (number,))
    with make_store(folder) as store:
        revision = store.sources.get_revision(NAME, 1)
        for span in (Span(0, len(RAW)), Span(65_536 * number, 65_536 * number + 9)):
            with pytest.raises(IntegrityMismatch):
                store.sources.get_span(revision, span)
    assert [subject for _, subject in faults(folder)] == [digest_of(RAW)]


def test_a_crash_between_bytes_and_rows_leaves_a_store_that_verifies(folder: Path) -> None:
    """Bytes first, rows second: what is left is a blob that nothing refers to, and the next put takes it."""
    with make_store(folder, clock=CrashingClock()) as store, pytest.raises(Crash):
        put_raw(store)
    assert path_of(folder).read_bytes() == STORED
    with make_store(folder) as store:
        found = store.checks.verify(deep=True)
        assert (found.faults, dict(found.counts)["revisions"], dict(found.counts)["blobs"]) == ((), 0, 0)
        assert store.sources.list_resources() == []
        assert put_raw(store)
        assert store.sources.get_bytes(NAME, 1) == RAW
    assert faults(folder) == []


def test_a_crash_leaves_no_half_of_a_transaction(folder: Path) -> None:
    with make_store(folder) as store:
        put(store)
    with make_store(folder, clock=CrashingClock()) as store:
        with pytest.raises(Crash):
            put(store, b"[2]")
        with pytest.raises(Crash):
            read(store, "/limit")
    with make_store(folder) as store:
        assert dict(store.checks.verify(deep=True).counts) == {"resources": 1, "revisions": 1, "blobs": 1, "evidence": 0, "events": 2}


def test_the_store_checks_digests_whatever_keeps_its_blobs(folder: Path) -> None:
    blobs = MemoryBlobs()
    with make_store(folder, blobs=blobs) as store:
        put_raw(store)
        (key,) = blobs.kept
        whole = blobs.kept[key]
        blobs.kept[key] = whole[:20] + bytes([whole[20] ^ 1]) + whole[21:]
        with pytest.raises(IntegrityMismatch):
            store.sources.get_bytes(NAME, 1)
        put_raw(store)
        assert store.sources.get_bytes(NAME, 1) == RAW


def test_a_file_that_is_no_database_is_a_fault_of_the_store(folder: Path) -> None:
    folder.mkdir()
    (folder / DATABASE_NAME).write_bytes(b"not a database, but long enough to look like one" * 50)
    with pytest.raises(StoreFault):
        open_store(folder)


def test_a_damaged_page_of_the_database_is_a_fault_of_the_store(folder: Path) -> None:
    with make_store(folder) as store:
        put(store)
    path = folder / DATABASE_NAME
    raw = bytearray(path.read_bytes())
    raw[4096:] = bytes(len(raw) - 4096)
    path.write_bytes(raw)
    with pytest.raises(StoreFault):
        open_store(folder)


def test_an_absent_store_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing) as caught:
        open_store(tmp_path / "none")
    assert "evidence init" in caught.value.message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("version", "word"), [("0000", "upgrade"), ("9999", "newer")])
def test_a_store_of_another_schema_says_what_to_do(folder: Path, version: str, word: str) -> None:
    make_store(folder).close()
    with tampering(folder) as database:
        database.execute("UPDATE alembic_version SET version_num = ?", (version,))
    with pytest.raises(StoreUnavailable) as caught:
        open_store(folder)
    assert caught.value.error_code == "schema_mismatch"
    assert word in caught.value.message


def test_a_database_without_schema_is_no_store_yet(folder: Path) -> None:
    folder.mkdir()
    (folder / DATABASE_NAME).touch()
    with pytest.raises(StoreUnavailable):
        open_store(folder)
    init_store(folder)
    open_store(folder).close()


def test_a_store_cannot_be_made_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreUnavailable):
        init_store(tmp_path / "file" / "store")
    with pytest.raises(StoreMissing):
        open_store(tmp_path / "file" / "store")


# -- a store that goes, or is none


def test_a_store_that_is_deleted_while_it_is_open_takes_nothing_and_shows_nothing(folder: Path) -> None:
    with make_store(folder) as store:
        put(store)
        shutil.rmtree(folder)
        for _ in range(2):
            with pytest.raises(StoreUnavailable):
                put_raw(store)
            with pytest.raises(StoreUnavailable):
                put(store, b"small", "b")
            with pytest.raises(StoreUnavailable):
                store.sources.list_resources()
    assert not (folder / DATABASE_NAME).exists()


def test_a_store_that_goes_while_something_is_put_does_not_count_as_one_that_took_it(folder: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield RAW
        shutil.rmtree(folder)

    with make_store(folder) as store, pytest.raises(StoreUnavailable):
        store.sources.put(PutRequest(NAME), pieces())
    assert not (folder / DATABASE_NAME).exists()


def test_a_store_that_another_one_stands_in_place_of_is_opened_anew(folder: Path, tmp_path: Path) -> None:
    with make_store(tmp_path / "other") as other:
        put(other, b"of the other", "other")
    with make_store(folder) as store:
        put(store)
        shutil.rmtree(folder)
        shutil.copytree(tmp_path / "other", folder)
        with pytest.raises(StoreUnavailable):
            put(store, b"small", "b")
        assert [one.name for one, _ in store.sources.list_resources()] == ["other"]


def test_a_store_with_a_relative_path_is_found_wherever_the_process_goes(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_store(folder).close()
    monkeypatch.chdir(folder.parent)
    with open_store(Path(folder.name)) as store:
        monkeypatch.chdir("/")
        put(store, b"small", "b")
        assert len(store.sources.list_resources()) == 1


@pytest.mark.parametrize("raw", [b"garbage" * 1000, b"SQLite format 3\0" + b"\xff" * 4000], ids=["no database", "a damaged one"])
@pytest.mark.parametrize("door", [init_store, open_store], ids=["init", "open"])
def test_a_file_that_is_no_store_is_a_fault_at_every_door(folder: Path, raw: bytes, door: Callable[[Path], object]) -> None:
    folder.mkdir()
    (folder / DATABASE_NAME).write_bytes(raw)
    with pytest.raises(StoreFault):
        door(folder)
    assert (folder / DATABASE_NAME).read_bytes() == raw


def test_a_folder_in_place_of_the_database_is_a_fault(folder: Path) -> None:
    (folder / DATABASE_NAME).mkdir(parents=True)
    with pytest.raises(StoreUnavailable):
        init_store(folder)
