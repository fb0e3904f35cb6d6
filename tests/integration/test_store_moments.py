"""Whether anything changed since; and reading what belongs together in one state of the store."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from evidence_store.database import ReadConnection, remember, remembered
from evidence_store.errors import NotFound, StoreFault
from evidence_store.excerpts import NoLimit
from evidence_store.model import DEFAULT_WORKSPACE, EvidenceId, ResourceName, Selector, WorkspaceName
from evidence_store.store import EvidenceStore, init_store, open_store
from evidence_store.store.moments import Moments
from evidence_store.store.passages import Place
from evidence_store.store.put_request import PutRequest

NAME = ResourceName("a.json")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EvidenceStore]:
    init_store(tmp_path)
    with open_store(tmp_path) as opened:
        opened.sources.put(PutRequest(NAME), [b'{"a": 1, "b": 2}'])
        yield opened


def read(store: EvidenceStore, pointer: str) -> EvidenceId:
    return store.passages.read(Place(NAME, None, Selector("pointer", pointer)), NoLimit()).id


def test_the_moment_stays_while_only_is_read(store: EvidenceStore) -> None:
    moments, id_ = Moments(store.core.database), read(store, "/a")
    first = moments.now(DEFAULT_WORKSPACE)
    store.passages.get(id_, NoLimit())
    assert moments.now(DEFAULT_WORKSPACE) == first


def test_another_process_is_seen_too(store: EvidenceStore, tmp_path: Path) -> None:
    moments = Moments(store.core.database)
    first = moments.now(DEFAULT_WORKSPACE)
    with open_store(tmp_path) as other:
        other.sources.put(PutRequest(NAME), [b"[]"])
    after = moments.now(DEFAULT_WORKSPACE)
    assert (after.mark != first.mark, after.number > first.number) == (True, True)


def test_another_workspace_changes_the_mark_and_not_the_number(store: EvidenceStore) -> None:
    moments = Moments(store.core.database)
    first = moments.now(DEFAULT_WORKSPACE)
    store.of_workspace(WorkspaceName("other")).sources.put(PutRequest(NAME), [b"[]"])
    after = moments.now(DEFAULT_WORKSPACE)
    assert (after.mark != first.mark, after.number) == (True, first.number)


def test_within_a_snapshot_one_state_is_seen(store: EvidenceStore, tmp_path: Path) -> None:
    with store.core.database.snapshot():
        assert store.sources.get_revision(NAME, None).number == 1
        with open_store(tmp_path) as other:
            other.sources.put(PutRequest(NAME), [b"[]"])
        assert store.sources.get_revision(NAME, None).number == 1
    assert store.sources.get_revision(NAME, None).number == 2


def test_what_is_remembered_is_read_once_within_a_snapshot(store: EvidenceStore) -> None:
    asked = []

    @remembered
    def ask(connection: ReadConnection, what: str) -> str:
        asked.append(what)
        return what.upper()

    database = store.core.database
    for _ in range(2):
        with database.reading() as connection:
            assert ask(connection, "a") == "A"
    assert asked == ["a", "a"]
    with database.snapshot():
        for _ in range(2):
            with database.snapshot(), database.reading() as connection:
                assert (ask(connection, "b"), ask(connection, "c")) == ("B", "C")
        remember(connection, ask, ("d",), "other")
        assert ask(connection, "d") == "other"
    assert asked == ["a", "a", "b", "c"]


def test_what_goes_wrong_in_a_snapshot_is_not_taken_for_a_fault_of_the_store(store: EvidenceStore) -> None:
    with pytest.raises(ValueError, match="mine"), store.core.database.snapshot():
        raise ValueError("mine")
    with store.core.database.snapshot(), pytest.raises(StoreFault), store.core.database.reading() as connection:
        connection.exec_driver_sql("SELECT * FROM nothing")


def test_reading_ahead_gives_what_reading_one_by_one_does(store: EvidenceStore) -> None:
    ids = [read(store, "/a"), read(store, "/b"), read(store, "")]
    alone = [(store.passages.get(id_, NoLimit()), store.passages.selectors(id_), store.locations.relocations(id_)) for id_ in ids]
    states = [store.checks.state(id_, None) for id_ in ids]
    with store.core.database.snapshot():
        store.passages.read_ahead([*ids, EvidenceId("ev_000000000000")])
        ahead = [(store.passages.get(id_, NoLimit()), store.passages.selectors(id_), list(store.locations.relocations(id_))) for id_ in ids]
        assert ahead == [(packet, ways, list(moved)) for packet, ways, moved in alone]
        assert [store.checks.state(id_, None, anew=False) for id_ in ids] == states
        with pytest.raises(NotFound):
            store.passages.find(EvidenceId("ev_000000000000"))


def test_reading_ahead_shows_nothing_of_what_is_hidden(store: EvidenceStore) -> None:
    id_ = read(store, "/a")
    store.permissions.add_labels(NAME, ["red"], "human:ann")
    outsider = store.seen_by(frozenset())
    with outsider.core.database.snapshot():
        outsider.passages.read_ahead([id_])
        with pytest.raises(NotFound):
            outsider.passages.find(id_)
