"""Search over one revision or many: hits in order, limits shared, and what is proved where there is no hit."""

import time
from dataclasses import replace

import pytest

from evidence_store.deadline import Deadline
from evidence_store.documents.model import DEFAULT_LIMITS
from evidence_store.errors import LimitExceeded, NotFound
from evidence_store.excerpts import NoLimit
from evidence_store.model import Integrity, ResourceName
from evidence_store.store import EvidenceStore
from evidence_store.store.comparisons import MAX_SEARCHED, SearchAnswer, SearchRequest, Target
from evidence_store.store.core import Core
from tests.factories import put


def find(store: EvidenceStore, targets: list[Target], pattern: str, limit: int = 20) -> SearchAnswer:
    return store.comparisons.search(targets, SearchRequest(pattern, limit=limit), NoLimit())


def names(*texts: str) -> list[Target]:
    return [(ResourceName(text), None) for text in texts]


@pytest.fixture
def logs(store: EvidenceStore) -> EvidenceStore:
    put(store, b"start\nerror 1\nerror 2\n", "ci/a.log")
    put(store, b"start\nerror 3\n", "ci/b.log")
    put(store, b"start\n", "ci/c.log")
    return store


def test_hits_come_in_the_order_of_the_revisions_that_were_named(logs: EvidenceStore) -> None:
    found = find(logs, names("ci/b.log", "ci/a.log", "ci/c.log"), "error")
    assert [(one.resource, one.lines.first) for one in found.packets] == [("ci/b.log", 2), ("ci/a.log", 2), ("ci/a.log", 3)]
    assert (found.more, found.receipts) == (False, ())


@pytest.mark.parametrize(("limit", "n_hits", "more"), [(1, 1, True), (2, 2, True), (3, 3, False), (4, 3, False)])
def test_all_revisions_share_one_limit(logs: EvidenceStore, limit: int, n_hits: int, more: bool) -> None:
    found = find(logs, names("ci/a.log", "ci/b.log", "ci/c.log"), "error", limit)
    assert (len(found.packets), found.more) == (n_hits, more)


def test_without_a_hit_there_is_a_receipt_for_each_complete_revision(logs: EvidenceStore) -> None:
    put(logs, b"start\nand", "ci/d.log", complete=False)
    found = find(logs, names("ci/a.log", "ci/c.log", "ci/d.log"), "nothing")
    assert [(one.resource, one.status, one.excerpt) for one in found.receipts] == [
        (n, "derived", "0 hits") for n in ("ci/a.log", "ci/c.log")
    ]
    assert found.packets == ()


def test_one_resource_in_all_its_revisions(store: EvidenceStore) -> None:
    for text in (b"1\n", b"2\nx\n", b"3\nx\n"):
        put(store, text, "a.log")
    found = find(store, [(ResourceName("a.log"), number) for number in (1, 2, 3)], "x")
    assert [one.revision for one in found.packets] == [2, 3]


def test_names_are_matched_as_a_pattern_unless_one_is_just_that(logs: EvidenceStore) -> None:
    assert logs.sources.list_matching("ci/?.log") == ["ci/a.log", "ci/b.log", "ci/c.log"]
    assert logs.sources.list_matching("ci/[ab]*") == ["ci/a.log", "ci/b.log"]
    put(logs, b"x", "ci/*")
    assert logs.sources.list_matching("ci/*") == ["ci/*"]


@pytest.mark.parametrize("name", ["ci/x*", "nowhere"])
def test_a_name_that_matches_nothing_is_not_found_and_says_what_there_is(logs: EvidenceStore, name: str) -> None:
    with pytest.raises(NotFound) as caught:
        logs.sources.list_matching(name)
    assert caught.value.details["known"] == ["ci/a.log", "ci/b.log", "ci/c.log"]


def test_too_many_revisions_are_refused(logs: EvidenceStore) -> None:
    with pytest.raises(LimitExceeded):
        find(logs, names("ci/a.log") * (MAX_SEARCHED + 1), "x")


def test_a_search_ends_when_its_time_is_over(logs: EvidenceStore) -> None:
    core: Core = replace(logs.core, limits=replace(DEFAULT_LIMITS, max_seconds=-1))
    with pytest.raises(LimitExceeded) as caught:
        find(EvidenceStore(core), names("ci/a.log"), "error")
    assert caught.value.error_code == "too_slow"


def test_what_searches_again_and_a_diff_by_lines_end_then_too(logs: EvidenceStore) -> None:
    (receipt,) = logs.comparisons.search(names("ci/a.log"), SearchRequest("nowhere", ignore_case=True), NoLimit()).receipts
    late = EvidenceStore(replace(logs.core, limits=replace(DEFAULT_LIMITS, max_seconds=-1)))
    with pytest.raises(LimitExceeded) as caught:
        late.passages.get(receipt.id, NoLimit())
    assert caught.value.error_code == "too_slow"
    with pytest.raises(LimitExceeded) as caught:
        late.comparisons.diff((ResourceName("ci/a.log"), None), (ResourceName("ci/b.log"), None), None, 10, NoLimit())
    assert caught.value.error_code == "too_slow"
    integrity, why = late.checks.integrity(receipt.id)
    assert (integrity, "more than" in why) == (Integrity.NOT_CHECKED, True)


def test_a_deadline_is_over_once_its_seconds_are_gone() -> None:
    now = [100.0]
    deadline = Deadline(5, lambda: now[0])
    now[0] = 105.0
    deadline.check()
    now[0] = 105.1
    with pytest.raises(LimitExceeded):
        deadline.check()
    assert Deadline(60, time.monotonic).check() is None  # type: ignore[func-returns-value]


def test_what_a_frame_of_a_hit_says_may_be_claimed(store: EvidenceStore) -> None:
    put(store, b"x\n10%\r20%\r30%\rdone\n", "run.log")
    (hit,) = find(store, names("run.log"), "20%").packets
    assert hit.excerpt == "20%\n"
    assert any("20%" in text for text in store.passages.quotable_texts(hit.id))
