"""Sources: what a put adds, and that the bytes come back as they were."""

import io
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import zstandard

from evidence_store.blobs.local import blob_path
from evidence_store.canonical import digest_of
from evidence_store.documents.model import Limits
from evidence_store.errors import Conflict, InvalidInput, LimitExceeded, NotFound, RefusedDocument
from evidence_store.excerpts import NoLimit
from evidence_store.model import Format, Kind, ResourceName, Span, WorkspaceName
from evidence_store.store import BLOBS_NAME, EvidenceStore
from evidence_store.store.core import Core
from evidence_store.store.intake import INLINE_BYTES
from evidence_store.store.put_request import PutRequest
from tests.factories import API, API_BYTES, make_store, put, put_all, read, tampering
from tests.fakes import CharacterLimit

LOG = ResourceName("日志/run-1.log")
BIG = random.Random(7).randbytes(3 * 64 * 1024 + 11)


def rows(folder: Path, table: str) -> int:
    with tampering(folder) as database:
        return int(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


@pytest.mark.parametrize("data", [b"", b"\0", API_BYTES, b"\xff\xfe\r\n", BIG], ids=["empty", "nul", "json", "not utf-8", "big"])
def test_the_bytes_come_back_as_they_were(store: EvidenceStore, data: bytes) -> None:
    revision = put(store, data, "a.bin", format=Format.BYTES).revision
    assert store.sources.get_bytes(ResourceName("a.bin"), 1) == data
    assert (revision.digest, revision.size, revision.number) == (digest_of(data), len(data), 1)


def test_the_way_in_which_bytes_arrive_does_not_matter(store: EvidenceStore) -> None:
    request = PutRequest(ResourceName("a.bin"), format=Format.BYTES)
    pieces: Iterator[bytes] = (BIG[at : at + 999] for at in range(0, len(BIG), 999))
    assert store.sources.put(request, pieces).revision.digest == digest_of(BIG)
    assert not put(store, BIG, "a.bin", format=Format.BYTES).created


def test_other_bytes_are_the_next_revision(store: EvidenceStore) -> None:
    assert [one.number for one in put_all(store, b"[1]", b"[2]", b"[3]")] == [1, 2, 3]
    assert store.sources.get_bytes(API, 2) == b"[2]"
    assert store.sources.get_bytes(API, None) == b"[3]"


def test_going_back_to_an_earlier_state_is_a_revision_of_its_own(store: EvidenceStore, folder: Path) -> None:
    """A→B→A: what was seen third is the third revision, and the bytes are kept once."""
    put_all(store, b"[1]", b"[2]", b"[1]")
    first, _, third = store.sources.list_revisions(API)
    assert (third.number, third.digest) == (3, first.digest)
    assert rows(folder, "blobs") == 2


def test_equal_bytes_add_an_observation_and_no_revision(store: EvidenceStore, folder: Path) -> None:
    first = put(store)
    again = put(store)
    assert (first.created, again.created) == (True, False)
    assert again.revision == first.revision
    assert (rows(folder, "revisions"), rows(folder, "observations")) == (1, 2)


def test_a_put_on_what_the_caller_takes_for_the_newest_goes_through(store: EvidenceStore) -> None:
    assert put(store, b"[1]", if_newest=0).revision.number == 1
    assert put(store, b"[2]", if_newest=1).revision.number == 2


@pytest.mark.parametrize("believed", [0, 1, 3])
def test_a_late_put_is_refused_and_says_what_is_newest(store: EvidenceStore, folder: Path, believed: int) -> None:
    put_all(store, b"[1]", b"[2]")
    with pytest.raises(Conflict) as caught:
        put(store, b"[1]", if_newest=believed)
    assert (caught.value.error_code, caught.value.details) == ("not_newest", {"known": 2})
    assert (rows(folder, "revisions"), rows(folder, "observations")) == (2, 2)


def test_a_retry_with_its_key_gives_what_it_gave_before(store: EvidenceStore, folder: Path) -> None:
    """Also late: the newest revision stays what others have made it since."""
    first = put(store, b"[1]", key="call-1")
    put(store, b"[2]")
    again = put(store, b"[1]", key="call-1")
    assert (again.created, again.revision) == (False, first.revision)
    assert store.sources.get_revision(API, None).number == 2
    assert rows(folder, "observations") == 2


def test_a_key_counts_within_its_resource(store: EvidenceStore) -> None:
    put(store, b"[1]", "a.json", key="call-1")
    assert put(store, b"[2]", "b.json", key="call-1").created


def test_kind_scope_and_labels_are_those_of_the_first_put_and_labels_add_up(store: EvidenceStore) -> None:
    put(store, b"[1]", scope="stable API", kind=Kind.REFERENCE, labels=("b", "a"))
    put(store, b"[2]", labels=("c", "a"))
    resource, newest = store.sources.list_resources()[0]
    assert (resource.kind, resource.scope, resource.labels, newest.number) == (Kind.REFERENCE, "stable API", ("a", "b", "c"), 2)


def test_another_kind_or_scope_is_refused_and_nothing_is_stored(store: EvidenceStore) -> None:
    put(store, b"[1]", scope="stable API", kind=Kind.REFERENCE)
    for wrong in ({"kind": Kind.OBSERVATION}, {"scope": "beta API"}):
        with pytest.raises(Conflict) as refused:
            put(store, b"[2]", **wrong)
        assert refused.value.error_code == "resource_differs"
    assert store.sources.list_resources()[0][1].number == 1


def test_how_old_a_live_resource_may_be_is_that_of_the_first_put(store: EvidenceStore) -> None:
    put(store, b"[1]", max_age_s=3600)
    assert put(store, b"[2]").created
    for wrong in (60, 7200):
        with pytest.raises(Conflict) as refused:
            put(store, b"[3]", max_age_s=wrong)
        assert (refused.value.error_code, refused.value.details["max_age_s"]) == ("resource_differs", 3600)
    assert store.sources.list_resources()[0][0].max_age_s == 3600


def test_a_resource_does_not_become_live_later(store: EvidenceStore) -> None:
    put(store, b"[1]")
    with pytest.raises(Conflict, match="not live"):
        put(store, b"[2]", max_age_s=60)


def test_a_reference_is_not_live(store: EvidenceStore) -> None:
    with pytest.raises(InvalidInput) as refused:
        put(store, b"[1]", kind=Kind.REFERENCE, max_age_s=60)
    assert (refused.value.error_code, store.sources.list_resources()) == ("wrong_use", [])


def test_a_packet_of_a_live_resource_says_when_its_revision_was_seen_last(store: EvidenceStore) -> None:
    put(store, b"[1]", max_age_s=60)
    first = read(store, "/0")
    assert (first.max_age_s, first.age_s, first.observed_at is None) == (60, None, False)
    put(store, b"[1]")
    again = store.passages.get(first.id, NoLimit())
    assert again.id == first.id
    assert (again.observed_at or 0) > (first.observed_at or 0) > 0
    put(store, b"[2]")
    assert store.passages.get(first.id, NoLimit()).observed_at == again.observed_at
    put(store, b"[1]", "still.json")
    assert read(store, "/0", "still.json").observed_at is None


def test_resources_are_listed_by_name_in_pages(store: EvidenceStore) -> None:
    for name in ("c", "a", "b/x", "日志"):
        put(store, b"1", name)
    names = [one.name for one, _ in store.sources.list_resources()]
    assert names == ["a", "b/x", "c", "日志"]
    assert [one.name for one, _ in store.sources.list_resources(after="a", limit=2)] == ["b/x", "c"]


@pytest.mark.parametrize("name", ["../../etc/passwd", "/abs", "a@7", "a\nb", "日志/run-1.log", "-x", "x" * 1024, "con", "a\\b", " "])
def test_a_name_is_a_name_and_no_path(store: EvidenceStore, folder: Path, name: str) -> None:
    before = sorted(path.name for path in folder.parent.iterdir())
    put(store, b"one", name)
    assert store.sources.get_bytes(ResourceName(name), 1) == b"one"
    assert sorted(path.name for path in folder.parent.iterdir()) == before


@pytest.mark.parametrize("name", ["", "x" * 1025, "a\0b", "\ud800"])
def test_what_cannot_be_a_name_is_refused(store: EvidenceStore, folder: Path, name: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        put(store, b"one", name)
    assert caught.value.error_code == "bad_name"
    assert rows(folder, "resources") == 0


def test_a_refused_document_leaves_nothing(store: EvidenceStore, folder: Path) -> None:
    with pytest.raises(RefusedDocument):
        put(store, b'{"a": ', "a.json")
    with pytest.raises(RefusedDocument):
        put(store, b'{"a": ' + BIG.hex().encode(), "a.json")
    assert (rows(folder, "resources"), rows(folder, "blobs"), rows(folder, "events")) == (0, 0, 0)
    assert [path for path in folder.rglob("*") if path.is_file() and path.parent.name != "store"] == []


def test_an_input_past_the_limit_is_refused_while_it_arrives(folder: Path) -> None:
    seen = 0

    def pieces() -> Iterator[bytes]:
        nonlocal seen
        while True:
            seen += 1
            yield b"x" * 1000

    with make_store(folder) as store:
        bounded = EvidenceStore(Core(store.core.database, store.core.blobs, limits=Limits(max_bytes=10_500)))
        with pytest.raises(LimitExceeded) as caught:
            bounded.sources.put(PutRequest(ResourceName("a.txt")), pieces())
    assert (caught.value.details, seen) == ({"limit": 10_500}, 11)


def test_what_fails_while_it_arrives_leaves_nothing(store: EvidenceStore, folder: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield BIG
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        store.sources.put(PutRequest(ResourceName("a.bin"), format=Format.BYTES), pieces())
    assert rows(folder, "blobs") == 0
    assert [path for path in (folder / BLOBS_NAME).rglob("*") if path.is_file()] == []


def test_an_unknown_resource_or_revision_says_what_is_known(store: EvidenceStore) -> None:
    put_all(store, b"[1]", b"[2]")
    with pytest.raises(NotFound) as caught:
        store.sources.get_revision(ResourceName("b"), None)
    assert caught.value.details == {"known": [API]}
    with pytest.raises(NotFound) as caught:
        store.sources.get_bytes(API, 3)
    assert caught.value.details == {"known": [1, 2]}
    with pytest.raises(NotFound):
        store.sources.list_revisions(ResourceName("b"))


def test_small_blobs_live_in_the_database_and_large_ones_in_files(store: EvidenceStore, folder: Path) -> None:
    put(store, random.Random(1).randbytes(INLINE_BYTES - 200), "small", format=Format.BYTES)
    assert not (folder / BLOBS_NAME).exists()
    put(store, random.Random(1).randbytes(INLINE_BYTES + 200), "large", format=Format.BYTES)
    assert len([path for path in (folder / BLOBS_NAME).rglob("*.zst") if path.is_file()]) == 1


def test_an_ordinary_zstd_reader_restores_a_stored_file(store: EvidenceStore, folder: Path) -> None:
    put(store, BIG, "a.bin", format=Format.BYTES)
    path = blob_path(folder / BLOBS_NAME, store.core.key(digest_of(BIG)))
    with path.open("rb") as stored, zstandard.ZstdDecompressor().stream_reader(stored, read_across_frames=True) as reader:
        assert reader.read() == BIG


def test_an_ordinary_zstd_reader_restores_a_blob_of_the_database(store: EvidenceStore, folder: Path) -> None:
    put(store)
    with tampering(folder) as database:
        inline = database.execute("SELECT inline FROM blobs").fetchone()[0]
    with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(inline), read_across_frames=True) as reader:
        assert reader.read() == API_BYTES


@pytest.mark.parametrize(("start", "end"), [(0, 1), (0, 65_536), (65_535, 65_537), (65_536, 131_072), (1, 196_619), (196_618, 196_619)])
def test_a_ranged_read_gives_the_slice(store: EvidenceStore, start: int, end: int) -> None:
    revision = put(store, BIG, "a.bin", format=Format.BYTES).revision
    assert store.sources.get_span(revision, Span(start, end)) == BIG[start:end]


@pytest.mark.parametrize("size", [0, 1, 64 * 1024, 128 * 1024])
def test_an_empty_range_is_read_wherever_it_stands(store: EvidenceStore, size: int) -> None:
    """Also at the very end of bytes that fill their last frame, where no further frame begins."""
    revision = put(store, BIG[:size], "a.bin", format=Format.BYTES).revision
    for at in {0, size // 2, size}:
        assert store.sources.get_span(revision, Span(at, at)) == b""


def test_two_workspaces_over_one_database_do_not_see_each_other(folder: Path) -> None:
    with make_store(folder, workspace="first") as first, make_store(folder, workspace="second") as second:
        put(first, BIG, "a.bin", format=Format.BYTES)
        assert second.sources.list_resources() == []
        with pytest.raises(NotFound) as caught:
            second.sources.get_bytes(ResourceName("a.bin"), 1)
        assert caught.value.details == {"known": []}
        assert put(second, BIG, "a.bin", format=Format.BYTES).created
        assert put(second, b"other", "a.bin", format=Format.BYTES).revision.number == 2
        assert first.sources.get_bytes(ResourceName("a.bin"), None) == BIG
        assert len(list((folder / BLOBS_NAME).rglob("*.zst"))) == 2


def test_evidence_of_one_workspace_is_unknown_in_another(folder: Path) -> None:
    with make_store(folder, workspace="first") as first, make_store(folder, workspace="second") as second:
        put(first)
        put(second)
        mine, theirs = read(first, "/limit/maximum"), read(second, "/limit/maximum")
        assert mine.id != theirs.id
        with pytest.raises(NotFound):
            second.passages.find(mine.id)
        assert second.checks.verify(deep=True).counts == (("resources", 1), ("revisions", 1), ("blobs", 1), ("evidence", 1), ("events", 3))


def test_the_default_workspace_has_a_fixed_name(store: EvidenceStore) -> None:
    assert store.core.workspace == WorkspaceName("default")


@pytest.mark.parametrize("n_lines", [10, 20_000])
def test_a_text_in_latin_1_is_told_however_large_it_is(store: EvidenceStore, n_lines: int) -> None:
    """What is taken in as it comes is read back, where it is not plain UTF-8."""
    data = (b"plain line of a log\n" * n_lines) + "Größe: 5 m², café\n".encode("latin-1")
    revision = put(store, data, "ci/run.log").revision
    assert [note.code for note in revision.notes] == ["encoding"]
    assert revision.notes[0].text.startswith("cp1252, detected")
    line = n_lines + 1
    assert read(store, str(line), "ci/run.log", kind="lines").excerpt == "Größe: 5 m², café\n"
    assert put(store, data + b"\xc3\xa9\n", "ci/run.log").revision.notes[0].code == "not_utf8"


def test_a_single_line_is_the_same_evidence_as_its_range(store: EvidenceStore) -> None:
    put(store, b"one\ntwo\n", "run.log")
    one, same = (read(store, text, "run.log", kind="lines") for text in ("2", "2-2"))
    assert one == same


def test_random_bytes_are_bytes_in_whatever_pieces_they_come(store: EvidenceStore) -> None:
    data = random.Random(3).randbytes(200_000)
    for pieces in ([data], [data[at : at + 999] for at in range(0, len(data), 999)]):
        request = PutRequest(ResourceName("blob"))
        assert store.sources.put(request, pieces).revision.format is Format.BYTES


def test_the_resource_name_decides_before_the_file_name(store: EvidenceStore) -> None:
    request = PutRequest(ResourceName("g.jsonl"), file_name="gotest.out")
    assert store.sources.put(request, [b'{"a":1}\n']).revision.format is Format.JSONL
    request = PutRequest(ResourceName("g"), file_name="gotest.jsonl")
    assert store.sources.put(request, [b'{"a":1}\n']).revision.format is Format.JSONL


@pytest.mark.parametrize("encoding", ["iso8859-1", "utf-16le"])
def test_a_case_of_a_report_in_another_encoding_is_evidence_of_its_bytes(store: EvidenceStore, encoding: str) -> None:
    text = "<?xml version='1.0' encoding='ISO-8859-1'?>\n<testsuite name='s'>\n<testcase name='für'/>\n</testsuite>\n"
    put(store, text.encode(encoding), "r.xml", format=Format.JUNIT)
    packet = read(store, "/s/für", "r.xml")
    assert (packet.excerpt, packet.lines.first) == ("<testcase name='für'/>", 3)
    assert packet.transforms == (f"decoded/1={encoding}",)
    assert read(store, "/s/für/name", "r.xml").value == '"für"'.encode()
    outlined = read(store, "/s/für", "r.xml", limit=CharacterLimit(10)).outline
    assert outlined is not None
    assert outlined.entries[0].scalar == "für"
    assert store.checks.verify(deep=True).faults == ()


def test_a_name_in_any_script_is_found_again(store: EvidenceStore) -> None:
    put(store, "Größe: 日志\n".encode(), LOG)
    assert store.sources.get_revision(LOG, None).format is Format.TEXT


@pytest.mark.parametrize(("name", "line"), [("a.log", b"x"), ("a.jsonl", b'"x"'), ("a.csv", b"x")])
def test_a_line_past_the_limit_is_refused_with_nothing_stored(folder: Path, name: str, line: bytes) -> None:
    """Also one that comes in many pieces, and one that is too long only in the middle of a long text."""
    with make_store(folder) as store:
        core = replace(store.core, limits=Limits(max_line_bytes=1000))
        bounded = EvidenceStore(core)
        long = b'"' + b"y" * 1500 + b'"'
        for data in (line + b"\n" + long + b"\n" + line, (line + b"\n") * 50_000 + long):
            pieces = [data[at : at + 777] for at in range(0, len(data), 777)]
            with pytest.raises(LimitExceeded) as caught:
                bounded.sources.put(PutRequest(ResourceName(name)), pieces)
            assert caught.value.error_code == "line_too_long"
            assert caught.value.details["line"] == data[: data.index(b"yy")].count(b"\n") + 1
        assert store.sources.list_resources() == []
        assert bounded.sources.put(PutRequest(ResourceName("a.json")), [b"[" + long + b"]"]).created


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ({}, {"media_type": "text/plain; charset=shift_jis"}),
        ({}, {"format": Format.JSONL}),
        ({"format": Format.JSONL}, {"format": Format.TEXT}),
    ],
)
def test_the_same_bytes_are_not_quietly_read_in_another_way(
    store: EvidenceStore, folder: Path, first: dict[str, Any], then: dict[str, Any]
) -> None:
    name, data = ResourceName("a.log"), b'{"a": 1}\n{"a": 2}\n'
    store.sources.put(PutRequest(name, **first), [data])
    with pytest.raises(Conflict) as caught:
        store.sources.put(PutRequest(name, **then), [data])
    assert caught.value.error_code == "format_differs"
    assert rows(folder, "observations") == 1
    assert not store.sources.put(PutRequest(name), [data]).created
