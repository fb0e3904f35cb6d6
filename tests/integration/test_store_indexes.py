"""Large documents in the store: single places are read through an index, with the answers of the whole document."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from evidence_store.blobs import BlobKey
from evidence_store.blobs.local import blob_path
from evidence_store.documents.jsonl import IndexedLines, JsonLinesDocument
from evidence_store.documents.model import Document, Limits
from evidence_store.documents.outline import outline
from evidence_store.documents.spans import IndexedDocument
from evidence_store.errors import Ambiguous, LimitExceeded
from evidence_store.excerpts import NoLimit
from evidence_store.model import Format, ResourceName, Selector, Span
from evidence_store.store import BLOBS_NAME, EvidenceStore, init_store, open_store
from evidence_store.store.passages import Place
from tests.factories import make_store, put, read, tampering
from tests.fakes import MemoryBlobs

EVENTS = "events.jsonl"
LINES = b"".join(b'{"Action":"run","Test":"Test%d","Output":"%s"}\n' % (n, b"%x" % n**40) for n in range(4000))


def open_tree(store: EvidenceStore, name: str) -> Document:
    return store.sources.get_tree(store.sources.get_revision(ResourceName(name), None))


def frames_kept(store: EvidenceStore, revision: int = 1, name: str = EVENTS) -> int:
    found = store.sources.get_revision(ResourceName(name), revision)
    keys = [(store.core.workspace, found.digest, number) for number in range(found.size // 65_536 + 1)]
    return sum(store.core.recent.find(key) is not None for key in keys)


def test_a_record_of_json_lines_is_read_from_its_frames_alone(store: EvidenceStore) -> None:
    put(store, LINES, EVENTS)
    store.core.recent.forget()
    packet = read(store, "/3000/Test", EVENTS)
    assert (packet.excerpt, packet.lines.first) == ('"Test3000"', 3001)
    assert isinstance(open_tree(store, EVENTS), IndexedLines)
    assert len(LINES) > 4 * 65_536
    assert frames_kept(store) <= 2
    shown = outline(open_tree(store, EVENTS), open_tree(store, EVENTS).root, 0, 3)
    assert (shown.n_children, [entry.keys[1] for entry in shown.entries]) == (4000, ["Test"] * 3)


@pytest.mark.parametrize(("before", "code"), [(b"\n", "blank_lines"), (b"\xef\xbb\xbf", "bom")])
def test_with_blank_lines_or_a_mark_records_are_counted_in_the_whole(store: EvidenceStore, before: bytes, code: str) -> None:
    revision = put(store, before + LINES, EVENTS).revision
    assert [note.code for note in revision.notes] == [code]
    assert isinstance(open_tree(store, EVENTS), JsonLinesDocument)
    assert read(store, "/3000/Test", EVENTS).excerpt == '"Test3000"'


def test_equal_bytes_are_read_in_the_format_of_their_resource(store: EvidenceStore) -> None:
    """One line of JSON is JSON Lines, too: a blob has one index for both."""
    raw = b'{"list":[' + b"10," * 40_000 + b"1]}\n"
    for names in (("a.json", "a.jsonl"), ("b.jsonl", "b.json")):
        for name in names:
            put(store, raw.replace(b"list", names[0].encode()), name)
        for name in names:
            pointer = f"/{names[0]}/40000" if name.endswith("json") else f"/0/{names[0]}/40000"
            assert read(store, pointer, name).excerpt == "1"


def test_one_repeated_member_leaves_the_index_of_all_else(store: EvidenceStore) -> None:
    raw = json.dumps({"list": list(range(40_000)), "other": {"a": 1, "b": 2}}, indent=1).replace('"b"', '"a"').encode()
    assert [note.code for note in put(store, raw, "a.json").revision.notes] == ["duplicate_key"]
    assert isinstance(open_tree(store, "a.json"), IndexedDocument)
    store.core.recent.forget()
    assert read(store, "/list/30000", "a.json").excerpt == "30000"
    assert frames_kept(store, name="a.json") <= 2
    with pytest.raises(Ambiguous) as caught:
        read(store, "/other/a", "a.json")
    assert caught.value.details["lines"] == [40_005, 40_006]
    assert read(store, "/other", "a.json").value is None


def test_an_outline_of_a_wide_object_does_not_list_its_members(store: EvidenceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = json.dumps({f"n{n}": n for n in range(50_000)}).encode()
    put(store, raw, "wide.json")
    document = open_tree(store, "wide.json")
    monkeypatch.setattr(type(document._index), "list_entries", lambda *_: pytest.fail("all members were asked for"))  # type: ignore[attr-defined]
    shown = outline(document, document.root, 49_999, 500)
    assert (shown.n_children, [(entry.token, entry.scalar) for entry in shown.entries]) == (50_000, [("n49999", "49999")])
    assert read(store, "/n12345", "wide.json").excerpt == "12345"


def test_an_index_without_runs_is_read_as_before(folder: Path) -> None:
    with make_store(folder) as store:
        put(store, json.dumps({f"n{n}": n for n in range(10_000)}).encode(), "wide.json")
    with tampering(folder) as database:
        assert database.execute("DELETE FROM spans WHERE container = -2").rowcount > 0
    with make_store(folder) as store:
        document = open_tree(store, "wide.json")
        assert [entry.token for entry in outline(document, document.root, 9_998).entries] == ["n9998", "n9999"]


@pytest.mark.parametrize(("name", "raw"), [("a.json", b"[1, 2, 3]"), ("a.jsonl", b"1\n2\n3\n4\n"), ("a.yaml", b"[1, 2, 3]\n")])
def test_too_many_values_are_refused_and_nothing_is_stored(folder: Path, name: str, raw: bytes) -> None:
    init_store(folder)
    with open_store(folder, limits=Limits(max_nodes=3)) as store:
        with pytest.raises(LimitExceeded) as caught:
            put(store, raw, name)
        assert caught.value.error_code == "too_many_nodes"
        assert store.sources.list_resources() == []
        assert put(store, raw, name, format=Format.TEXT).created


class CountedBlobs(MemoryBlobs):
    """Counts what is read."""

    n_reads = 0

    def read(self, key: BlobKey, span: Span) -> bytes:
        self.n_reads += 1
        return super().read(key, span)


def every_line() -> Iterator[Place]:
    for line in range(1, 4001, 5):
        yield Place(ResourceName("a.log"), None, Selector("lines", f"{line}-{line}"))


def test_deep_verification_reads_a_frame_once_for_all_its_passages(folder: Path) -> None:
    blobs = CountedBlobs()
    with make_store(folder, blobs=blobs) as store:
        put(store, LINES, "a.log")
        packets = store.passages.read_all(list(every_line()), NoLimit())
        before = blobs.n_reads
        assert store.checks.verify(deep=True).faults == ()
        assert blobs.n_reads - before < 2 * (len(LINES) // 65_536 + 1) + 4 < len(packets) / 10


def test_deep_verification_finds_damage_in_frames_that_were_read_before(folder: Path) -> None:
    with make_store(folder) as store:
        digest = put(store, LINES, "a.log").revision.digest
        packets = store.passages.read_all(list(every_line()), NoLimit())
        assert store.checks.verify(deep=True).faults == ()
        path = blob_path(folder / BLOBS_NAME, store.core.key(digest))
        path.chmod(0o600)
        raw = bytearray(path.read_bytes())
        raw[100] ^= 1
        path.write_bytes(raw)
        subjects = [fault.subject for fault in store.checks.verify(deep=True).faults]
    assert digest in subjects
    assert packets[0].id in subjects
    assert packets[-1].id not in subjects
