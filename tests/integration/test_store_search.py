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


class Bytes:
    """At most so many bytes of text."""

    def __init__(self, n_bytes: int) -> None:
        self.max_bytes: int | None = n_bytes
        self._n_bytes = n_bytes

    def fits(self, text: str) -> bool:
        return len(text.encode()) <= self._n_bytes

    def prefix(self, text: str) -> int:
        return len(text.encode()[: self._n_bytes].decode("utf-8", "ignore"))

    def count(self, text: str) -> int | None:
        return len(text.encode())


def every(store: EvidenceStore, name: str, pattern: str, n_bytes: int, **options: bool) -> SearchAnswer:
    request = SearchRequest(pattern, limit=10_000, **options)
    return store.comparisons.search(names(name), request, Bytes(n_bytes))


MINIFIED = b"[" + b",".join(b'{"name":"test_%d","status":"passed"}' % n for n in range(400)) + b"]"


@pytest.mark.parametrize("n_bytes", [40, 100, 1_000, 20_000])
def test_each_match_of_one_long_line_is_shown_by_a_packet(store: EvidenceStore, n_bytes: int) -> None:
    put(store, MINIFIED, "tests.json")
    found = every(store, "tests.json", "passed", n_bytes)
    assert not found.more
    assert sum(one.excerpt.count("passed") for one in found.packets) >= 400
    assert {(one.id, one.span.start, one.span.end, one.lines.first) for one in found.packets} == {
        (found.packets[0].id, 0, len(MINIFIED), 1)
    }
    for one in found.packets:
        assert one.match is not None
        assert MINIFIED[one.match.start : one.match.end] == b"passed"
        shown = one.span if one.cut is None else one.cut.shown
        assert shown.start <= one.match.start < one.match.end <= shown.end
        assert one.excerpt == MINIFIED[shown.start : shown.end].decode()
    assert len({one.match for one in found.packets}) == len(found.packets)


def test_a_line_that_is_shown_whole_is_one_hit(store: EvidenceStore) -> None:
    put(store, b"pass pass pass\n" * 3, "run.log")
    found = every(store, "run.log", "pass", 100)
    assert [one.lines.first for one in found.packets] == [1, 2, 3]


def test_places_of_long_lines_share_the_limit_with_lines(store: EvidenceStore) -> None:
    put(store, MINIFIED, "a.json")
    put(store, b'"passed"', "b.json")
    some = store.comparisons.search(names("a.json", "b.json"), SearchRequest("passed", limit=7), Bytes(100))
    assert (len(some.packets), some.more) == (7, True)
    n_places = len(every(store, "a.json", "passed", 100).packets)
    exact = store.comparisons.search(names("a.json", "b.json"), SearchRequest("passed", limit=n_places + 1), Bytes(100))
    assert (len(exact.packets), exact.more) == (n_places + 1, False)


@pytest.mark.parametrize("n_bytes", [30, 300])
def test_places_behind_escapes_and_in_other_encodings_are_found_too(store: EvidenceStore, n_bytes: int) -> None:
    words = "".join(f"word {n} größe, " for n in range(200))
    put(store, words.encode("utf-16"), "wide.log")
    put(store, ('["' + words.replace("ö", "\\u00f6") + '"]').encode(), "escaped.json")
    for name in ("wide.log", "escaped.json"):
        found = every(store, name, "größe", n_bytes)
        assert sum(one.excerpt.count("größe") for one in found.packets) >= 200
        assert all("größe" in one.excerpt for one in found.packets)


def test_frames_that_were_drawn_over_are_places_of_their_line(store: EvidenceStore) -> None:
    put(store, b"x\n" + b"".join(b"%d%% of it\r" % n for n in range(9)) + b"9% of it\n", "run.log")
    found = every(store, "run.log", "of it", 100)
    assert [one.excerpt for one in found.packets] == [f"{n}% of it\n" for n in range(10)]


def test_an_evidence_of_a_long_line_is_stored_once(store: EvidenceStore) -> None:
    put(store, MINIFIED, "tests.json")
    ids = {one.id for one in every(store, "tests.json", "passed", 100).packets}
    assert len(ids) == 1
    assert dict(store.checks.verify(deep=False).counts)["evidence"] == 1
