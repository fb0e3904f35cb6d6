"""An edited or lost row of tasks, claims and reports is found, since the journal says what was recorded."""

import sqlite3
from pathlib import Path

import pytest

from evidence_store.model import LabelPolicy
from evidence_store.store import EvidenceStore
from tests.factories import TASK, put, tampering, verified_change

EDITS = [
    ("UPDATE claims SET text = 'It is fine.'", f"{TASK}/C1"),
    ("UPDATE claims SET author = 'somebody'", f"{TASK}/C1"),
    ("UPDATE citations SET role = 'context' WHERE position = 0", f"{TASK}/C1"),
    ("UPDATE claim_events SET standing = 'open' WHERE ordinal = 2", f"{TASK}/C1: standing"),
    ("UPDATE claim_events SET reason = 'because' WHERE ordinal = 1", f"{TASK}/C1: standing"),
    ("DELETE FROM claim_events WHERE ordinal = 2", f"{TASK}/C1: standing"),
    ("UPDATE task_revisions SET excluded = '[]'", f"{TASK}@1"),
    ("UPDATE judgements SET verdict = 'rejected'", f"{TASK}: judgements"),
    ("UPDATE reports SET body = 'All is well.'", "rp_"),
    ("UPDATE resources SET scope = 'beta'", "stable-v2/openapi.json"),
    ("DELETE FROM closings", "closings"),
    ("UPDATE label_policies SET policy = 'masked'", "secret"),
]


@pytest.fixture
def published(store: EvidenceStore) -> EvidenceStore:
    claimed = verified_change(store)
    store.claims.publish(store.claims.get_step(TASK, 1).run, "Report", "The limit is lower.\n", [claimed])
    put(store)
    store.permissions.set_policy("secret", LabelPolicy.HIDDEN, "human:ann")
    put(store, b"step 1\n", "run.log", complete=False)
    put(store, b"step 1\n", "run.log")
    return store


def test_nothing_is_said_of_a_store_that_nobody_touched(published: EvidenceStore) -> None:
    assert published.checks.verify(deep=True).faults == ()


@pytest.mark.parametrize(("edit", "subject"), EDITS, ids=[edit[:40] for edit, _ in EDITS])
def test_an_edited_row_is_named(published: EvidenceStore, folder: Path, edit: str, subject: str) -> None:
    with tampering(folder) as database:
        assert isinstance(database, sqlite3.Connection)
        assert database.execute(edit).rowcount > 0
    faults = published.checks.verify(deep=False).faults
    assert any(fault.code == "row_mismatch" and fault.subject.startswith(subject) for fault in faults), faults
