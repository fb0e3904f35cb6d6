"""The walk from a report to the bytes: every hop there, each with its check."""

from pathlib import Path

import pytest

from evidence_store.errors import InvalidInput, NotFound
from evidence_store.model import EvidenceId
from evidence_store.store import EvidenceStore
from evidence_store.trace import Trace, format_numbers, trace
from tests.factories import API, TASK, claim, open_step, put, put_all, read, tampering, verified_change


@pytest.fixture
def report(store: EvidenceStore) -> str:
    claimed = verified_change(store)
    return store.claims.publish(store.claims.get_step(TASK, 1).run, "Report", "The limit is lower.\n", [claimed])


def kinds(found: Trace) -> list[str]:
    return [hop.kind for hop in found.hops]


def faulty(found: Trace) -> list[tuple[str, str]]:
    return [(hop.kind, hop.check) for hop in found.hops if hop.check != "ok"]


EVIDENCE = ["evidence", "exposure", "revision", "blob"]


def test_a_report_leads_to_the_bytes_of_both_sides(store: EvidenceStore, report: str) -> None:
    found = trace(store, report)
    assert found.ok
    assert kinds(found) == ["report", "claim", "citation", *EVIDENCE, "citation", *EVIDENCE]
    assert [hop.id for hop in found.hops if hop.kind == "revision"] == [f"{API}@1", f"{API}@2"]
    assert [hop.text for hop in found.hops if hop.kind == "citation"] == ["old", "new"]


def test_a_claim_says_where_it_stands_who_made_it_and_who_checked_it(store: EvidenceStore, report: str) -> None:
    found = trace(store, f"{TASK}/C1")
    assert kinds(found)[0] == "claim"
    for word in ("verified", "rule:grounding/1", "agent", "step 1", "from 100 to 50"):
        assert word in found.hops[0].text


def test_an_evidence_says_its_place_and_where_it_was_shown(store: EvidenceStore, report: str) -> None:
    id_ = read(store, "/limit/maximum", revision=2).id
    found = trace(store, id_)
    assert kinds(found) == EVIDENCE
    assert "bytes 22-24" in found.hops[0].text
    assert "pointer /limit/maximum" in found.hops[0].text
    assert "/run 1, step 1, in full" in found.hops[1].text


def test_an_evidence_nobody_was_shown_has_no_exposure(store: EvidenceStore) -> None:
    put(store)
    assert kinds(trace(store, read(store, "/limit").id)) == ["evidence", "revision", "blob"]


def test_an_id_is_read_folded(store: EvidenceStore) -> None:
    put(store)
    id_ = read(store, "/limit/maximum").id
    assert trace(store, id_.upper()).subject == id_


def test_an_open_claim_leads_on_all_the_same(store: EvidenceStore) -> None:
    put(store)
    claim(store, open_step(store), "It is 51.", ("support", read(store, "/limit/maximum")))
    found = trace(store, f"{TASK}/C1")
    assert "ungrounded:51" in found.hops[0].text
    assert kinds(found) == ["claim", "citation", "evidence", "revision", "blob"]


@pytest.mark.parametrize("subject", ["", "C1", "rp-1", "compare/C", "compare/C١", "compare/C1x", "notes"])
def test_what_is_no_subject_is_refused(store: EvidenceStore, report: str, subject: str) -> None:
    with pytest.raises(InvalidInput):
        trace(store, subject)


@pytest.mark.parametrize("subject", ["rp_000000000000", "ev_000000000000", "compare/C9", "other/C1", "/C1"])
def test_what_is_not_there_is_not_found(store: EvidenceStore, report: str, subject: str) -> None:
    with pytest.raises(NotFound):
        trace(store, subject)


def test_a_dropped_evidence_is_a_hop_that_fails(store: EvidenceStore, folder: Path, report: str) -> None:
    id_ = read(store, "/limit/maximum", revision=2).id
    with tampering(folder) as database:
        database.execute("DELETE FROM evidence WHERE id = ?", (id_,))
    found = trace(store, report)
    assert (found.ok, faulty(found)) == (False, [("evidence", "missing")])
    assert found.hops[-1].id == id_


def test_changed_bytes_fail_at_the_evidence_and_at_the_blob(store: EvidenceStore, folder: Path, report: str) -> None:
    with tampering(folder) as database:
        database.execute("UPDATE blobs SET inline = (SELECT inline FROM blobs LIMIT 1)")
    found = trace(store, report)
    assert not found.ok
    assert set(faulty(found)) == {("evidence", "mismatch"), ("blob", "mismatch")}


def test_a_revision_of_other_bytes_fails_at_the_revision(store: EvidenceStore, folder: Path, report: str) -> None:
    with tampering(folder) as database:
        database.execute("UPDATE revisions SET digest = (SELECT digest FROM revisions WHERE number = 1) WHERE number = 2")
    assert ("revision", "mismatch") in faulty(trace(store, report))


@pytest.mark.parametrize("column", ["body", "body_digest"])
def test_an_edited_report_fails_at_the_report(store: EvidenceStore, folder: Path, report: str, column: str) -> None:
    with tampering(folder) as database:
        database.execute(f"UPDATE reports SET {column} = 'The limit is higher.'")
    assert faulty(trace(store, report)) == [("report", "mismatch")]


def test_a_later_revision_does_not_break_an_older_trace(store: EvidenceStore, report: str) -> None:
    put_all(store, b"[]", b"{}")
    assert trace(store, report).ok


def test_a_collided_id_is_traced_by_its_longer_form(store: EvidenceStore) -> None:
    with pytest.raises(NotFound):
        trace(store, EvidenceId("ev_00000000000000"))


def test_numbers_in_a_row_are_told_as_a_range() -> None:
    assert format_numbers([5, 1, 3, 4, 9, 4]) == "1, 3-5, 9"
