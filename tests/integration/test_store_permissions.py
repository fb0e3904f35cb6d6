"""Labels of evidence and their policies: as they are at the moment of asking, and every change in the journal."""

from pathlib import Path

import pytest

from evidence_store.errors import InvalidInput
from evidence_store.model import EvidenceId, LabelPolicy
from evidence_store.store import EvidenceStore
from tests.factories import make_store, put, read, tampering

ANN = "human:ann"


def events(folder: Path) -> list[str]:
    with tampering(folder) as database:
        rows = database.execute("SELECT subject, payload FROM events WHERE kind = 'label.policy' ORDER BY number").fetchall()
    return [f"{subject} {'masked' if b'masked' in payload else 'hidden'}" for subject, payload in rows]


def test_the_newest_policy_of_a_label_counts_and_each_is_an_event(store: EvidenceStore, folder: Path) -> None:
    assert store.permissions.policies() == {}
    store.permissions.set_policy("pii", LabelPolicy.HIDDEN, ANN)
    store.permissions.set_policy("ops", LabelPolicy.MASKED, ANN)
    store.permissions.set_policy("pii", LabelPolicy.MASKED, ANN)
    assert store.permissions.policies() == {"pii": LabelPolicy.MASKED, "ops": LabelPolicy.MASKED}
    assert events(folder) == ["pii hidden", "ops masked", "pii masked"]
    assert store.checks.verify(deep=True).faults == ()


def test_a_policy_that_is_there_already_adds_nothing(store: EvidenceStore, folder: Path) -> None:
    for _ in range(2):
        store.permissions.set_policy("pii", LabelPolicy.HIDDEN, ANN)
    assert events(folder) == ["pii hidden"]


@pytest.mark.parametrize("label", ["", "x" * 257, "a\0b", "a\ud800"])
def test_what_no_label_can_be_is_refused(store: EvidenceStore, label: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        store.permissions.set_policy(label, LabelPolicy.HIDDEN, ANN)
    assert refused.value.error_code == "bad_name"


def test_labels_are_those_of_now(store: EvidenceStore) -> None:
    put(store)
    id_, unknown = read(store, "/limit").id, EvidenceId("ev_000000000000")
    assert store.permissions.labels_of([id_, unknown]) == {id_: frozenset()}
    put(store, labels=("pii", "ops"))
    assert store.permissions.labels_of([id_, id_]) == {id_: {"pii", "ops"}}


def test_any_number_of_evidence_can_be_asked_about(store: EvidenceStore) -> None:
    put(store, b"".join(b"line %d\n" % n for n in range(1100)), "a.log", labels=("pii",))
    ids = [read(store, f"{n}-{n}", "a.log", kind="lines").id for n in range(1, 4)]
    others = [EvidenceId(f"ev_{n:012d}") for n in range(1500)]
    assert store.permissions.labels_of([*others, *ids]) == dict.fromkeys(ids, frozenset({"pii"}))


def test_a_policy_holds_in_its_workspace_only(folder: Path) -> None:
    with make_store(folder, workspace="north") as north, make_store(folder, workspace="south") as south:
        north.permissions.set_policy("pii", LabelPolicy.MASKED, ANN)
        assert south.permissions.policies() == {}
