"""Checks: a report against the store, and the store against itself; each fault is found and named."""

import random
from dataclasses import dataclass
from pathlib import Path

import pytest

from evidence_store.blobs.local import blob_path
from evidence_store.canonical import digest_of
from evidence_store.errors import StoreFault
from evidence_store.model import EvidenceId, Format, Integrity, TaskName
from evidence_store.store import BLOBS_NAME, EvidenceStore
from evidence_store.store.checks import CheckedCitation
from tests.factories import API, TASK, deliver, open_step, put, put_all, read, tampering, verified_change

RAW = random.Random(3).randbytes(200_000)


@dataclass(frozen=True, slots=True)
class Cited:
    """A report on the worked example, and what it cites."""

    text: str
    old: EvidenceId
    new: EvidenceId


@pytest.fixture
def cited(store: EvidenceStore) -> Cited:
    old, new = (one.evidence for one in verified_change(store).citations)
    text = f'# Report\n\n- Task: `{TASK}`, revision 1\n\n`maximum` went from "100" [{old}] to "50" [{new}].\n'
    return Cited(text, old, new)


def check(store: EvidenceStore, text: str) -> CheckedCitation:
    """The verdict on the only citation that is not in order."""
    (faulty,) = [one for one in store.checks.check_report(text) if not one.ok]
    return faulty


def faults(store: EvidenceStore, *, deep: bool = False) -> list[tuple[str, str]]:
    return [(fault.code, fault.subject) for fault in store.checks.verify(deep=deep).faults]


def swapped(id_: str) -> str:
    """The id with the first two neighbours that differ changed about."""
    at = next(n for n in range(3, len(id_) - 1) if id_[n] != id_[n + 1])
    return id_[:at] + id_[at + 1] + id_[at] + id_[at + 2 :]


# -- reports


def test_a_report_that_is_in_order(store: EvidenceStore, cited: Cited) -> None:
    checked = store.checks.check_report(cited.text)
    assert [(one.place.id, one.verdict, one.quote, one.ok) for one in checked] == [
        (cited.old, "ok", "found", True),
        (cited.new, "ok", "found", True),
    ]


@pytest.mark.parametrize("edited", ["51", "5", "500", "-50", " 50", "", "100"])
def test_an_edited_quote_is_found(store: EvidenceStore, cited: Cited, edited: str) -> None:
    faulty = check(store, cited.text.replace('"50"', f'"{edited}"'))
    assert (faulty.place.id, faulty.place.line, faulty.verdict, faulty.quote) == (cited.new, 5, "ok", "not_found")


def test_a_quote_from_the_way_to_a_passage_is_none_of_the_passage(store: EvidenceStore) -> None:
    put(store, b'{"paths": {"get": {"a": 1}}}')
    packet = read(store, "/paths/get")
    assert check(store, f'It says "paths" [{packet.id}].').quote == "not_found"
    assert store.checks.check_report(f'It says "a" [{packet.id}].')[0].ok


def test_a_quote_may_be_of_the_value_with_its_escapes_undone(store: EvidenceStore) -> None:
    put(store, b'{"note": "Gr\\u00f6\\u00dfe 5"}')
    assert store.checks.check_report(f"It says “Größe 5” [{read(store, '/note').id}].")[0].ok


def test_swapped_letters_of_an_id_are_found(store: EvidenceStore, cited: Cited) -> None:
    wrong = swapped(cited.new)
    faulty = check(store, cited.text.replace(cited.new, wrong))
    assert (faulty.place.id, faulty.verdict) == (wrong, "unknown_id")


def test_an_id_of_the_wrong_form_is_an_unknown_one(store: EvidenceStore, cited: Cited) -> None:
    assert check(store, cited.text.replace(cited.new, "ev_u")).verdict == "unknown_id"


def test_an_id_that_has_to_be_folded_is_read_and_marked(store: EvidenceStore, cited: Cited) -> None:
    checked = store.checks.check_report(cited.text.replace(cited.new, f"ev_{cited.new[3:].upper()}"))
    assert [(one.ok, one.folded) for one in checked] == [(True, False), (True, True)]


def test_citations_that_changed_places_are_found(store: EvidenceStore, cited: Cited) -> None:
    text = cited.text.replace(cited.old, "X").replace(cited.new, cited.old).replace("X", cited.new)
    assert [one.quote for one in store.checks.check_report(text)] == ["not_found", "not_found"]


def test_evidence_that_the_task_was_never_shown_is_named(store: EvidenceStore, cited: Cited) -> None:
    other = read(store, "/limit", revision=1)
    faulty = check(store, f"{cited.text}\nAlso [{other.id}].\n")
    assert (faulty.place.id, faulty.verdict) == (other.id, "not_exposed")


def test_a_report_without_a_task_asks_for_no_exposure(store: EvidenceStore, cited: Cited) -> None:
    other = read(store, "/limit", revision=1)
    assert store.checks.check_report(f"It is so [{other.id}].\n")[0].ok


def test_a_dropped_evidence_row_is_found_by_check_and_verify(store: EvidenceStore, folder: Path, cited: Cited) -> None:
    with tampering(folder) as database:
        database.execute("DELETE FROM evidence WHERE id = ?", (cited.new,))
    assert (check(store, cited.text).place.id, check(store, cited.text).verdict) == (cited.new, "unknown_id")
    assert faults(store) == [("evidence_missing", cited.new)]


def test_dropped_parts_are_found_by_check_and_verify(store: EvidenceStore, folder: Path, cited: Cited) -> None:
    with tampering(folder) as database:
        database.execute("DELETE FROM parts WHERE evidence = ?", (cited.new,))
    assert check(store, cited.text).verdict == "integrity_mismatch"
    assert faults(store, deep=True) == [("evidence_mismatch", cited.new)]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE parts SET byte_start = byte_start - 1 WHERE evidence = ?",
        "UPDATE evidence SET excerpt_digest = 'sha256:0' WHERE id = ?",
        "UPDATE evidence SET revision = 1 WHERE id = ?",
        "UPDATE evidence SET transform = 'keys/1' WHERE id = ?",
        "UPDATE evidence SET digest = 'sha256:0' WHERE id = ?",
        "UPDATE selectors SET text = '/limit' WHERE evidence = ?",
        "UPDATE selectors SET text = '/gone' WHERE evidence = ?",
        "UPDATE selectors SET text = 'slip' WHERE evidence = ?",
        "UPDATE selectors SET kind = 'lines', text = '1-1' WHERE evidence = ?",
        "UPDATE selectors SET kind = 'bytes', text = '0-1' WHERE evidence = ?",
        "UPDATE selectors SET kind = 'quote', text = '51' WHERE evidence = ?",
    ],
)
def test_a_record_that_was_edited_is_found_by_check_and_deep_verify(
    store: EvidenceStore, folder: Path, cited: Cited, statement: str
) -> None:
    with tampering(folder) as database:
        assert database.execute(statement, (cited.new,)).rowcount == 1
    faulty = check(store, cited.text)
    assert (faulty.place.id, faulty.verdict) == (cited.new, "integrity_mismatch")
    assert faults(store, deep=True) == [("evidence_mismatch", cited.new)]


def test_an_erased_evidence_says_so(store: EvidenceStore, folder: Path, cited: Cited) -> None:
    with tampering(folder) as database:
        database.execute("INSERT INTO evidence_events VALUES ('default', ?, 1, 'erased', 'asked', NULL, 'human:ann', 1)", (cited.new,))
    assert check(store, cited.text).verdict == "erased"
    assert store.checks.integrity(cited.new)[0] is Integrity.ERASED
    assert faults(store, deep=True) == []


def test_one_flipped_byte_is_found_by_check(store: EvidenceStore, folder: Path) -> None:
    put(store, RAW, "a.bin", format=Format.BYTES)
    packet = read(store, "0-10", "a.bin", kind="bytes")
    path = blob_path(folder / BLOBS_NAME, store.core.key(digest_of(RAW)))
    damaged = bytearray(path.read_bytes())
    damaged[100] ^= 1
    path.write_bytes(damaged)
    assert check(store, f"It is so [{packet.id}].").verdict == "integrity_mismatch"


# -- the store


def test_a_sound_store_verifies_and_counts(store: EvidenceStore) -> None:
    verified_change(store)
    put(store, RAW, "a.bin", format=Format.BYTES)
    for deep in (False, True):
        found = store.checks.verify(deep=deep)
        assert found.faults == ()
        assert dict(found.counts) == {"resources": 2, "revisions": 3, "blobs": 3, "evidence": 2, "events": dict(found.counts)["events"]}


def test_an_empty_store_verifies(store: EvidenceStore) -> None:
    assert dict(store.checks.verify(deep=True).counts) == {"resources": 0, "revisions": 0, "blobs": 0, "evidence": 0, "events": 0}


def n_events(store: EvidenceStore) -> int:
    return dict(store.checks.verify(deep=False).counts)["events"]


@pytest.mark.parametrize("at", [1, 2, 5])
@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM events WHERE number = ?",
        "UPDATE events SET payload = replace(payload, 'v\":1', 'v\":2') WHERE number = ?",
        "UPDATE events SET payload = CAST(replace(payload, 'v\":1', 'v\":2') AS BLOB) WHERE number = ?",
        "UPDATE events SET salt = zeroblob(32) WHERE number = ?",
        "UPDATE events SET commitment = zeroblob(32) WHERE number = ?",
        "UPDATE events SET subject = 'other' WHERE number = ?",
        "UPDATE events SET kind = 'other' WHERE number = ?",
    ],
)
def test_an_event_that_was_edited_or_removed_is_named(store: EvidenceStore, folder: Path, statement: str, at: int) -> None:
    verified_change(store)
    with tampering(folder) as database:
        assert database.execute(statement, (at,)).rowcount == 1
    assert faults(store)[0] == ("event_mismatch", f"event {at}")


def test_events_that_changed_places_are_named(store: EvidenceStore, folder: Path) -> None:
    verified_change(store)
    with tampering(folder) as database:
        for before, after in ((2, -2), (3, 2), (-2, 3)):
            database.execute("UPDATE events SET number = ? WHERE number = ?", (after, before))
    assert faults(store)[0] == ("event_mismatch", "event 2")


def test_an_evidence_that_the_journal_does_not_know_is_named(store: EvidenceStore, folder: Path) -> None:
    put(store)
    id_ = read(store, "/limit/maximum").id
    with tampering(folder) as database:
        database.execute("DELETE FROM events WHERE number = (SELECT max(number) FROM events)")
    assert faults(store) == [("evidence_unrecorded", id_)]


def test_a_revision_that_the_journal_does_not_know_is_named(store: EvidenceStore, folder: Path) -> None:
    put(store)
    with tampering(folder) as database:
        database.execute("DELETE FROM events WHERE kind = 'revision.added'")
    assert faults(store) == [("revision_unrecorded", f"{API}@1")]


def test_a_dropped_revision_is_named(store: EvidenceStore, folder: Path) -> None:
    put_all(store, b"[1]", b"[2]", b"[3]")
    with tampering(folder) as database:
        database.execute("DELETE FROM revisions WHERE number = 2")
    assert faults(store) == [("revision_gap", API), ("revision_missing", f"{API}@2")]


def test_a_dropped_newest_revision_is_named(store: EvidenceStore, folder: Path) -> None:
    put_all(store, b"[1]", b"[2]")
    with tampering(folder) as database:
        database.execute("DELETE FROM revisions WHERE number = 2")
    assert faults(store) == [("revision_missing", f"{API}@2")]


def test_a_revision_that_was_given_other_bytes_is_found(store: EvidenceStore, folder: Path, cited: Cited) -> None:
    with tampering(folder) as database:
        database.execute("UPDATE revisions SET digest = (SELECT digest FROM revisions WHERE number = 1) WHERE number = 2")
    assert check(store, cited.text).verdict == "integrity_mismatch"
    assert faults(store, deep=True) == [("evidence_mismatch", cited.new)]


def test_the_checks_of_one_workspace_leave_the_other_alone(store: EvidenceStore, folder: Path) -> None:
    verified_change(store)
    with tampering(folder) as database:
        database.execute("UPDATE events SET workspace = 'other' WHERE number = 1")
    assert faults(store)[0] == ("event_mismatch", "event 1")


def test_a_check_changes_nothing(store: EvidenceStore, cited: Cited) -> None:
    before = n_events(store)
    store.checks.check_report(cited.text)
    store.checks.state(cited.new, TaskName(TASK))
    store.checks.verify(deep=True)
    assert n_events(store) == before


def test_a_delivery_makes_a_citation_exposed(store: EvidenceStore, cited: Cited) -> None:
    other = read(store, "/limit", revision=1)
    deliver(store, open_step(store), other)
    assert all(one.ok for one in store.checks.check_report(f"{cited.text}\nAlso [{other.id}].\n"))


def test_a_claim_whose_citations_are_gone_is_told_as_damage(store: EvidenceStore, folder: Path, cited: Cited) -> None:
    with tampering(folder) as database:
        database.execute("DELETE FROM citations WHERE evidence IN (?, ?)", (cited.old, cited.new))
    with pytest.raises(StoreFault, match="evidence verify"):
        store.claims.list_claims(TASK)
