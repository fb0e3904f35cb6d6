"""Evidence in other revisions: where it stands, and what is proposed, and recorded, where it is gone."""

from pathlib import Path

import pytest

from evidence_store.errors import IntegrityMismatch
from evidence_store.excerpts import NoLimit, show_receipt
from evidence_store.model import Currency, EvidenceId, Format, Kind, ResourceName, Selector
from evidence_store.records.sources import Resource
from evidence_store.store import EvidenceStore
from evidence_store.store.comparisons import SearchRequest
from evidence_store.store.found import whole_passage
from evidence_store.store.locations import LocateAnswer
from evidence_store.store.mint import mint
from tests.factories import put, put_all, read, tampering

LOG = ResourceName("run.log")
OLD = b"start\n12:00 worker 7 failed: timeout after 30 s\nend\n"
NEW = b"start\nmore\n12:09 worker 8 failed: timeout after 30 s\nend\n"


@pytest.fixture
def gone(store: EvidenceStore) -> LocateAnswer:
    put(store, OLD, LOG)
    put(store, NEW, LOG)
    cited = read(store, "2-2", LOG, kind="lines", revision=1)
    return store.locations.locate(cited.id, LOG, None, NoLimit())


def test_a_line_that_is_gone_is_relocated_as_evidence_of_its_own(store: EvidenceStore, gone: LocateAnswer) -> None:
    assert (gone.verdict, gone.packet) == (Currency.GONE, None)
    assert gone.relocation is not None
    made = gone.relocation.packet
    assert (made.revision, made.selector, made.excerpt) == (2, Selector("lines", "3-3"), NEW.decode().splitlines(keepends=True)[2])
    assert gone.relocation.relocated_from != made.id
    assert store.passages.get(made.id, NoLimit()).excerpt == made.excerpt


def test_that_it_was_relocated_stays_with_it(store: EvidenceStore, folder: Path, gone: LocateAnswer) -> None:
    assert gone.relocation is not None
    kept = store.locations.relocations(gone.relocation.packet.id)
    assert [(one.relocated_from, one.finder, one.score) for one in kept] == [
        (gone.relocation.relocated_from, "likeness/1", gone.relocation.score)
    ]
    store.locations.locate(gone.relocation.relocated_from, LOG, 2, NoLimit())
    assert len(store.locations.relocations(gone.relocation.packet.id)) == 1
    with tampering(folder) as database:
        assert database.execute("SELECT count(*) FROM events WHERE kind = 'evidence.relocated'").fetchone() == (1,)
    assert store.checks.verify(deep=True).faults == ()


def test_what_still_stands_is_not_relocated(store: EvidenceStore) -> None:
    put(store, OLD, LOG)
    put(store, b"more\n" + OLD, LOG)
    found = store.locations.locate(read(store, "2-2", LOG, kind="lines", revision=1).id, LOG, None, NoLimit())
    assert (found.verdict, found.relocation) == (Currency.MOVED, None)
    assert found.packet is not None


def test_what_stands_in_the_same_bytes_is_the_same(store: EvidenceStore) -> None:
    """Also where a repeated member would leave open what it means."""
    text = b"a: &x {k: 0}\nb:\n  c: *x\n  d: 1\n  d: 2\n"
    put(store, text, "a.yaml")
    put(store, b"a: 1\n", "a.yaml")
    put(store, text, "a.yaml")
    name = ResourceName("a.yaml")
    found = store.locations.locate(read(store, "/b", name, revision=1).id, name, 3, NoLimit())
    assert (found.verdict, found.packet is not None) == (Currency.SAME, True)


def test_a_node_under_another_name_is_found(store: EvidenceStore) -> None:
    name = ResourceName("a.json")
    put(store, b'{"user_name": {"maxLength": 50}}', name)
    put(store, b'{"username": {"maxLength": 50}}', name)
    found = store.locations.locate(read(store, "/user_name/maxLength", name, revision=1).id, name, None, NoLimit())
    assert (found.verdict, found.packet) == (Currency.GONE, None)
    assert found.relocation is not None
    assert found.relocation.packet.selector.text == "/username/maxLength"


def test_an_absence_is_never_relocated(store: EvidenceStore) -> None:
    """Derived evidence is a fact about one revision; what is like it in another proves nothing."""
    name = ResourceName("a.json")
    put(store, b'{"list_a": {"x": 1}}', name)
    put(store, b'{"list_b": {"x": 1}}', name)
    found = store.locations.locate(read(store, "/list_a", name, revision=1, view="keys").id, name, None, NoLimit())
    assert (found.verdict, found.relocation) == (Currency.GONE, None)


# -- derived evidence


KEYED = ResourceName("k.json")


def test_keys_are_current_while_they_are_the_same_keys(store: EvidenceStore) -> None:
    put(store, b'{"o": {"a": 1}}', KEYED)
    cited = read(store, "/o", KEYED, view="keys").id
    put(store, b'{"o": {"a": 2}}', KEYED)
    assert store.locations.currency(cited) is Currency.SAME
    assert store.locations.locate(cited, KEYED, 2, NoLimit()).packet is not None
    put(store, b'{"o": {"a": 2, "b": 1}}', KEYED)
    assert store.locations.currency(cited) is Currency.CHANGED


def receipt(store: EvidenceStore, pattern: str) -> EvidenceId:
    (found,) = store.comparisons.search([(LOG, None)], SearchRequest(pattern), NoLimit()).receipts
    return found.id


def test_an_absence_is_current_while_it_holds(store: EvidenceStore) -> None:
    put(store, OLD, LOG)
    absent = receipt(store, "panic")
    put(store, NEW, LOG)
    assert store.locations.currency(absent) is Currency.SAME
    again = store.locations.locate(absent, LOG, None, NoLimit()).packet
    assert again is not None
    assert (again.excerpt, again.revision, again.id) == ("0 hits", 2, receipt(store, "panic"))
    put(store, b"a panic\n", LOG)
    assert store.locations.currency(absent) is Currency.CHANGED
    assert store.locations.locate(absent, LOG, None, NoLimit()) == LocateAnswer(Currency.CHANGED, None)


def test_an_absence_is_not_known_of_a_revision_that_is_not_complete(store: EvidenceStore) -> None:
    put(store, OLD, LOG)
    absent = receipt(store, "panic")
    put(store, NEW, LOG, complete=False)
    assert store.locations.currency(absent) is Currency.UNKNOWN
    assert store.locations.locate(absent, LOG, None, NoLimit()) == LocateAnswer(Currency.UNKNOWN, None)
    put(store, OLD, LOG, complete=False)
    assert store.locations.currency(absent) is Currency.UNKNOWN, "the same bytes, and more is to come"
    put(store, b"a panic\n", LOG, complete=False)
    assert store.locations.currency(absent) is Currency.CHANGED, "a hit is one, whatever is to come"


@pytest.mark.parametrize(
    ("name", "newer"),
    [
        ("r.xml", b'<testsuite><testcase name="caf&#233;"/></testsuite>'),
        ("r.log", b"caf\xe9\nand \xff\x81 more\n"),
    ],
    ids=["as an entity", "not UTF-8"],
)
def test_an_absence_is_not_known_of_a_revision_that_may_hold_it_unseen(store: EvidenceStore, name: str, newer: bytes) -> None:
    """No hit in it proves nothing, so the receipt of the one before is not said to hold of it."""
    named = ResourceName(name)
    put(store, b"nothing\n", named, format=Format.TEXT)
    (found,) = store.comparisons.search([(named, None)], SearchRequest("café"), NoLimit()).receipts
    put(store, newer, named)
    assert store.comparisons.search([(named, None)], SearchRequest("café"), NoLimit()).receipts == ()
    assert store.locations.currency(found.id) is Currency.UNKNOWN


def test_a_passage_is_not_gone_from_a_revision_that_goes_on(store: EvidenceStore) -> None:
    put_all(store, OLD, name=LOG)
    cited = read(store, "2-2", LOG, kind="lines").id
    put(store, OLD[:4], LOG, complete=False)
    assert store.locations.currency(cited) is Currency.UNKNOWN
    put(store, OLD[:4], LOG)
    assert store.locations.currency(cited) is Currency.GONE, "the same bytes, closed"


def test_keys_that_may_still_come_are_neither_the_same_nor_gone(store: EvidenceStore) -> None:
    put(store, b'{"o": {"a": 1, "b": 2}, "p": {"c": 1}}', KEYED)
    cited, other = (read(store, pointer, KEYED, view="keys").id for pointer in ("/o", "/p"))
    for newer, verdict in ((b'{"o": {"a": 1}}', Currency.UNKNOWN), (b'{"o": {"a": 1, "x": 2}}', Currency.CHANGED)):
        put(store, newer, KEYED, complete=False)
        assert store.locations.currency(cited) is verdict
        assert store.locations.currency(other) is Currency.UNKNOWN
        assert store.locations.locate(cited, KEYED, None, NoLimit()) == LocateAnswer(verdict, None)


def test_keys_of_what_holds_none_any_more_are_changed(store: EvidenceStore) -> None:
    put(store, b'{"o": {"a": 1}}', KEYED)
    cited = read(store, "/o", KEYED, view="keys").id
    put(store, b'{"o": 5}', KEYED)
    assert store.locations.currency(cited) is Currency.CHANGED
    assert store.locations.locate(cited, KEYED, None, NoLimit()) == LocateAnswer(Currency.CHANGED, None)


def test_a_receipt_is_replayed_and_not_believed(store: EvidenceStore, folder: Path) -> None:
    """A record that says that there is no hit, with an id that fits it, over bytes that hold one."""
    put(store, OLD, LOG)
    resource, revision = Resource(LOG, Kind.OBSERVATION, "", ()), store.sources.get_revision(LOG, None)
    transform = 'search/1 {"ignore_case":false,"pattern":"worker","regex":false}'
    forged = whole_passage(resource, store.sources.get_reader(revision), show_receipt(transform), transform)
    (packet,) = mint(store.core, [forged])
    with pytest.raises(IntegrityMismatch, match="there is one"):
        store.passages.get(packet.id, NoLimit())
    assert any(fault.subject == packet.id for fault in store.checks.verify(deep=True).faults)


GROWN = {
    "went on": (b"l1\nstatus=1", b"l1\nstatus=100\n", "changed", "status=100\n"),
    "got its end": (b"l1\nstatus=1", b"l1\nstatus=1\nl3\n", "same", "status=1\n"),
    "got its end with CR": (b"l1\nstatus=1", b"l1\nstatus=1\r\n", "same", "status=1\r\n"),
    "drawn over": (b"l1\n10%", b"l1\n10%\r20%", "changed", "10%\r20%"),
    "begins within a line": (b"l1\nstatus=1\n", b"l1 status=1\n", "gone", None),
    "a piece of another line": (b"l1\nb\n", b"ab\nl1\nc\n", "gone", None),
    "moved": (b"l1\nstatus=1", b"l0\nl1\nstatus=1\n", "moved", "status=1\n"),
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("complete", [True, False], ids=["complete", "incomplete"])
@pytest.mark.parametrize(("old", "new", "verdict", "excerpt"), GROWN.values(), ids=GROWN)
def test_lines_are_followed_as_whole_lines(
    store: EvidenceStore, encoding: str, complete: bool, old: bytes, new: bytes, verdict: str, excerpt: str | None
) -> None:
    put(store, old.decode().encode(encoding), LOG, complete=complete)
    cited = read(store, "2-2", LOG, kind="lines")
    put(store, new.decode().encode(encoding), LOG, complete=complete)
    want = Currency("unknown" if verdict == "gone" and not complete else verdict)
    assert store.locations.currency(cited.id) is want
    found = store.locations.locate(cited.id, LOG, None, NoLimit())
    assert found.verdict is want
    shown = None if found.packet is None else found.packet.excerpt
    # Of UTF-16 a range of lines leaves its last end out.
    assert shown == (excerpt if excerpt is None or encoding == "utf-8" else excerpt.removesuffix("\n"))
