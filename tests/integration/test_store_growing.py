"""Revisions that grow: what was stored of a log is shared with what comes after, and nothing is proved by what is not there yet."""

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from evidence_store.blobs import BlobKey
from evidence_store.blobs.local import blob_path
from evidence_store.errors import IntegrityMismatch, InvalidInput, NotFound, RefusedDocument
from evidence_store.excerpts import NoLimit
from evidence_store.frames import FRAME_BYTES
from evidence_store.model import DEFAULT_WORKSPACE, Currency, LineRange, ResourceName, Selector, Span
from evidence_store.store import BLOBS_NAME, EvidenceStore
from evidence_store.store.blob_frames import MAX_SHARED_RUNS
from evidence_store.store.comparisons import SearchRequest
from evidence_store.store.passages import Place
from tests.factories import claim, deliver, make_store, open_step, put, read, tampering

RUN = ResourceName("ci/run.log")
CHANCE = random.Random(7)
LINES = b"".join(b"%06d %s\n" % (n, CHANCE.randbytes(24).hex().encode()) for n in range(12_000))
"""About 670 KB that hardly shrink: eleven frames."""


def poll(store: EvidenceStore, *sizes: int, complete: bool = False) -> None:
    for size in sizes:
        put(store, LINES[:size], RUN, complete=complete)


def file_of(folder: Path, store: EvidenceStore, number: int) -> Path:
    return blob_path(folder / BLOBS_NAME, BlobKey(DEFAULT_WORKSPACE, store.sources.get_revision(RUN, number).digest))


def restored(path: Path) -> bytes:
    return zstandard.ZstdDecompressor().stream_reader(path.read_bytes(), read_across_frames=True).read()


def stored_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in (folder / BLOBS_NAME).rglob("*.zst"))


def test_what_is_there_is_not_stored_again(store: EvidenceStore, folder: Path) -> None:
    poll(store, 400_000)
    once = stored_bytes(folder)
    poll(store, *range(410_000, 500_000, 10_000))
    whole = len(zstandard.compress(LINES[:490_000], 3))
    # The last frame of each poll is not full, and is stored anew: at most one frame a poll, where a copy would be seven.
    assert stored_bytes(folder) < once + whole // 4 + 9 * FRAME_BYTES // 2


def test_every_revision_gives_its_own_bytes(store: EvidenceStore, folder: Path) -> None:
    sizes = [100, 65_536, 65_537, 200_000, 200_001, 400_000, 399_000, 600_000]
    poll(store, *sizes)
    store.close()
    with make_store(folder) as again:
        for number, size in enumerate(sizes, 1):
            assert again.sources.get_bytes(RUN, number) == LINES[:size]
        assert again.checks.verify(deep=True).faults == ()


@given(st.lists(st.integers(0, 400_000), min_size=2, max_size=5), st.data())
def test_any_range_of_any_revision_is_read_as_it_was_stored(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], data: st.DataObject
) -> None:
    with make_store(tmp_path_factory.mktemp("growing")) as store:
        poll(store, *sizes)
        for revision in store.sources.list_revisions(RUN):
            raw = store.sources.get_bytes(RUN, revision.number)
            assert len(raw) == revision.size
            assert LINES.startswith(raw)
            start = data.draw(st.integers(0, revision.size))
            end = data.draw(st.integers(start, revision.size))
            assert store.sources.get_span(revision, Span(start, end)) == raw[start:end]
            assert store.sources.get_reader(revision).read(Span(start, end)) == raw[start:end]


def test_lines_are_counted_through_shared_frames(store: EvidenceStore) -> None:
    poll(store, 300_000, 500_000, 600_000)
    reader = store.sources.get_reader(store.sources.get_revision(RUN, 3))
    lines = LINES.splitlines(keepends=True)
    assert reader.read(reader.span_of_lines(LineRange(9000, 9002))) == b"".join(lines[8999:9002])


def test_what_does_not_begin_the_same_is_stored_whole(store: EvidenceStore, folder: Path) -> None:
    poll(store, 300_000)
    put(store, b"x" + LINES[:300_000], RUN)
    with tampering(folder) as database:
        assert database.execute("SELECT count(*) FROM shared_frames").fetchone() == (0,)
    assert store.sources.get_bytes(RUN, 2) == b"x" + LINES[:300_000]


def test_an_ordinary_tool_restores_the_files_one_after_the_other(store: EvidenceStore, folder: Path) -> None:
    """Own frames of a blob are a file in the public format; with those that it shares before them they are the whole."""
    poll(store, 400_000, 500_000)
    first, second = (restored(file_of(folder, store, number)) for number in (1, 2))
    assert first == LINES[:400_000]
    full = 400_000 // FRAME_BYTES * FRAME_BYTES
    assert first[:full] + second == LINES[:500_000]


def test_a_long_way_does_not_become_a_long_chain(store: EvidenceStore, folder: Path) -> None:
    sizes = [n * 1_700 for n in range(1, MAX_SHARED_RUNS * 12)]
    assert sizes[-1] < len(LINES)
    poll(store, *sizes)
    with tampering(folder) as database:
        runs = database.execute("SELECT max(n) FROM (SELECT count(*) AS n FROM shared_frames GROUP BY digest)").fetchone()[0]
    assert 1 < runs <= MAX_SHARED_RUNS
    assert store.sources.get_bytes(RUN, None) == LINES[: sizes[-1]]


def test_damage_is_not_shared(store: EvidenceStore, folder: Path) -> None:
    """What comes in is whole: where a frame that could be shared is damaged, it is stored anew."""
    poll(store, 400_000)
    path = file_of(folder, store, 1)
    damaged = bytearray(path.read_bytes())
    damaged[1000] ^= 1
    path.chmod(0o644)
    path.write_bytes(damaged)
    store.core.recent.forget()
    poll(store, 500_000)
    assert store.sources.get_bytes(RUN, 2) == LINES[:500_000]
    with pytest.raises(IntegrityMismatch):
        store.sources.get_bytes(RUN, 1)


def test_damage_of_the_shared_part_is_found(store: EvidenceStore, folder: Path) -> None:
    poll(store, 400_000, 500_000)
    file_of(folder, store, 1).unlink()
    store.core.recent.forget()
    with pytest.raises(IntegrityMismatch):
        store.sources.get_bytes(RUN, 2)
    digests = {store.sources.get_revision(RUN, n).digest for n in (1, 2)}
    assert {fault.subject for fault in store.checks.verify(deep=True).faults} >= digests


def test_a_growing_text_of_another_encoding_is_told_from_the_whole(store: EvidenceStore) -> None:
    """Bytes that are not UTF-8 are read back to see what they are, those of shared frames too."""
    start = b"plain text\n" * 7_000
    put(store, start, RUN, complete=False)
    put(store, start + "grün, größer\n".encode("latin-1") * 40, RUN, complete=False)
    notes = {note.code for note in store.sources.get_revision(RUN, 2).notes}
    assert notes & {"encoding", "not_utf8"}
    assert store.sources.get_bytes(RUN, 2).startswith(start)


# -- complete or not


def test_the_same_bytes_put_as_complete_close_a_revision(store: EvidenceStore) -> None:
    poll(store, 1000)
    assert not store.sources.get_revision(RUN, 1).complete
    closed = put(store, LINES[:1000], RUN)
    assert (closed.created, closed.revision.number, closed.revision.complete) == (False, 1, True)
    assert store.sources.get_revision(RUN, 1).complete
    assert store.sources.list_revisions(RUN)[0].complete
    assert store.checks.verify(deep=True).faults == ()


def test_a_closed_revision_stays_closed(store: EvidenceStore) -> None:
    poll(store, 1000)
    put(store, LINES[:1000], RUN)
    poll(store, 1000)
    put(store, LINES[:1000], RUN)
    assert store.sources.get_revision(RUN, 1).complete


def test_nothing_is_absent_from_a_revision_that_is_not_complete(store: EvidenceStore) -> None:
    poll(store, 1000)
    assert store.comparisons.search([(RUN, None)], SearchRequest("no such text"), NoLimit()).receipts == ()
    put(store, LINES[:1000], RUN)
    assert len(store.comparisons.search([(RUN, None)], SearchRequest("no such text"), NoLimit()).receipts) == 1


def test_keys_of_a_document_that_is_not_complete_are_no_evidence(store: EvidenceStore) -> None:
    put(store, b'{"a": 1}', "a.json", complete=False)
    place = Place(ResourceName("a.json"), 1, Selector("pointer", ""), "keys")
    with pytest.raises(InvalidInput) as caught:
        store.passages.read(place, NoLimit())
    assert caught.value.error_code == "incomplete_revision"
    put(store, b'{"a": 1}', "a.json")
    assert read(store, "", "a.json", view="keys").status == "derived"


def test_a_diff_with_a_document_that_is_not_complete_says_nothing_of_what_is_absent(store: EvidenceStore) -> None:
    name = ResourceName("a.json")
    put(store, b'{"a": 1, "b": 2}', name)
    put(store, b'{"a": 1}', name, complete=False)

    def pairs() -> Sequence[tuple[str, bool]]:
        found = store.comparisons.diff((name, 1), (name, 2), None, 10, NoLimit())
        return [(pair.change, pair.absent is not None) for pair in found.pairs]

    assert pairs() == [("removed", False)]
    put(store, b'{"a": 1}', name)
    assert pairs() == [("removed", True)]


# -- records that break off

EVENTS = ResourceName("ci/events.jsonl")
RECORDS = b"".join(b'{"n": %d, "s": "%s"}\n' % (n, b"x" * (n % 90)) for n in range(4_000))
"""About 250 KB: more than a small text, so that it has an index."""


@pytest.mark.parametrize("end", [10, 200, 65_000, 100_000, 200_003])
def test_half_a_record_is_kept_as_bytes_and_completed_by_what_follows(store: EvidenceStore, folder: Path, end: int) -> None:
    n_whole = RECORDS.count(b"\n", 0, end)
    first = put(store, RECORDS[:end], EVENTS, complete=False).revision
    assert (first.complete, first.notes[-1].code, first.notes[-1].line) == (False, "incomplete_line", n_whole + 1)
    assert store.sources.get_bytes(EVENTS, 1) == RECORDS[:end]
    with pytest.raises(NotFound):
        read(store, f"/{n_whole}", EVENTS)
    if n_whole:
        whole = read(store, f"/{n_whole - 1}", EVENTS)
        assert whole.value is not None
        assert json.loads(whole.value)["n"] == n_whole - 1
    torn = read(store, f"{n_whole + 1}-{n_whole + 1}", EVENTS, kind="lines")
    assert torn.excerpt == RECORDS[RECORDS.rfind(b"\n", 0, end) + 1 : end].decode()
    tree = store.sources.get_tree(first)
    assert sum(1 for _ in tree.children(tree.root)) == len(tree.children(tree.root)) == n_whole
    with pytest.raises(RefusedDocument):
        put(store, RECORDS[:end], EVENTS)

    second = put(store, RECORDS, EVENTS).revision
    assert (second.number, second.complete, second.notes) == (2, True, ())
    assert f'"n": {n_whole},' in read(store, f"/{n_whole}", EVENTS).excerpt
    assert read(store, "/3999/n", EVENTS).excerpt == "3999"
    if end > FRAME_BYTES:
        with tampering(folder) as database:
            assert database.execute("SELECT count(*) FROM shared_frames").fetchone() != (0,)
    assert store.locations.currency(torn.id) is Currency.CHANGED
    assert store.checks.verify(deep=True).faults == ()


def test_a_claim_does_not_rest_on_half_a_record(store: EvidenceStore) -> None:
    put(store, b'{"n": 1}\n{"n": ', EVENTS, complete=False)
    step = open_step(store)
    for lines, reasons in (("2-2", True), ("1-1", False)):
        packet = read(store, lines, EVENTS, kind="lines")
        deliver(store, step, packet, call=f"call_{lines}")
        assert (f"incomplete_line:{packet.id}" in claim(store, step, "`n` is 1.", ("support", packet)).reason) is reasons


def test_a_text_that_breaks_off_in_a_character_is_in_no_other_encoding(store: EvidenceStore) -> None:
    for text, name in (("start\ncafé", "short.log"), ("start\n" * 20_000 + "café", "long.log")):
        raw = text.encode()
        put(store, raw[:-1], name, complete=False)
        notes = {note.code for note in store.sources.get_revision(ResourceName(name), 1).notes}
        assert notes == {"incomplete_line"}
        put(store, raw, name, complete=False)
        assert len(store.comparisons.search([(ResourceName(name), None)], SearchRequest("café"), NoLimit()).packets) == 1
