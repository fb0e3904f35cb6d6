"""Evidence in other revisions: where it stands, and what is proposed, and recorded, where it is gone."""

from pathlib import Path

import pytest

from evidence_store.excerpts import NoLimit
from evidence_store.model import Currency, ResourceName, Selector
from evidence_store.store import EvidenceStore
from evidence_store.store.locations import LocateAnswer
from tests.factories import put, read, tampering

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
