"""A step from a file, projected with a store and without: who sees what."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from api.presenters import packet_json
from api.projecting import StoreReader, project_step
from api.settings import Settings
from api.wiring import Services
from evidence_store.model import LabelPolicy
from evidence_store.store import EvidenceStore
from projector import Projected, Withheld, counter_for
from tests.factories import put, read


def labelled(store: EvidenceStore) -> dict[str, Any]:
    put(store, b'{"password": "hunter2"}', "vault.json", labels=("secret",))
    found: dict[str, Any] = orjson.loads(orjson.dumps(packet_json(read(store, "/password", "vault.json"))))
    return found


def messages_for(store: EvidenceStore, folder: Path, clearances: list[str]) -> str:
    packet = labelled(store)
    call = {"id": "c1", "type": "function", "function": {"name": "read_spec", "arguments": "{}"}}
    history: list[dict[str, Any]] = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": f"[evidence {packet['id']}] hunter2"},
    ]
    step: Any = {"messages": history, "results": {"c1": [packet]}, "principal": {"clearances": clearances}}
    outcome = project_step(step, Settings(folder / "nowhere"))
    assert isinstance(outcome, Projected)
    return orjson.dumps(outcome.projection.messages).decode()


def test_a_result_whose_packet_is_labelled_is_shown_to_who_is_cleared(store: EvidenceStore, tmp_path: Path) -> None:
    assert "hunter2" in messages_for(store, tmp_path, ["secret"])


def test_a_result_whose_packet_is_labelled_is_shown_to_nobody_else(store: EvidenceStore, tmp_path: Path) -> None:
    assert "hunter2" not in messages_for(store, tmp_path, [])


def test_a_live_revision_that_was_seen_again_is_as_young_as_that(store: EvidenceStore) -> None:
    with Services(store, lambda: counter_for("o200k_base")) as services:
        put(store, b"errors 17\n", "errors.txt", max_age_s=60)
        id_ = read(store, "1-1", "errors.txt", kind="lines").id
        reader = StoreReader(services)
        first = reader.find_all([id_])[id_]
        put(store, b"errors 17\n", "errors.txt")
        again = reader.find_all([id_])[id_]
        assert (again.observed_at or 0) > (first.observed_at or 0) > 0
        assert again == replace(first, observed_at=again.observed_at)


ALERT = "run-1.log"
LOG = b"12:00 user ann@example.org was charged twice\n12:01 retry 3 of 3 failed\n"


def alert(store: EvidenceStore, folder: Path, *clearances: str) -> Projected:
    """The input of whoever is called by the alert: the log as evidence, by its id."""
    put(store, LOG, ALERT, labels=("pii",))
    id_ = read(store, "1-2", ALERT, kind="lines").id
    outcome = project_step({"evidence": [id_], "principal": {"clearances": clearances}}, Settings(folder))
    assert isinstance(outcome, Projected)
    return outcome


def test_the_same_alert_gives_an_engineer_the_log_and_an_intern_the_masked_one(store: EvidenceStore, tmp_path: Path) -> None:
    store.permissions.set_policy("pii", LabelPolicy.MASKED, "human:ann")
    engineer, intern = (str(alert(store, tmp_path, *cleared).projection.messages) for cleared in (("pii",), ()))
    assert "ann@example.org" in engineer
    assert "masked" not in engineer
    assert "| [masked]" in intern
    assert "ann@example.org" not in intern
    assert "retry 3" not in intern
    for said in (engineer, intern):
        assert "resource: run-1.log" in said
        assert "lines: 1-2" in said


def test_an_alert_under_a_label_that_hides_is_not_there_for_an_intern(store: EvidenceStore, tmp_path: Path) -> None:
    for policy in (None, LabelPolicy.HIDDEN):
        if policy is not None:
            store.permissions.set_policy("pii", LabelPolicy.MASKED, "human:ann")
            store.permissions.set_policy("pii", policy, "human:ann")
        found = alert(store, tmp_path)
        assert "run-1.log" not in str(found.projection.messages)
        assert found.projection.receipt.withheld == Withheld(not_available=1)


def test_a_packet_of_a_step_cannot_leave_its_labels_at_home(store: EvidenceStore, tmp_path: Path) -> None:
    packet = {name: value for name, value in labelled(store).items() if name != "labels"}
    outcome = project_step({"evidence": [packet]}, Settings(tmp_path))
    assert isinstance(outcome, Projected)
    assert "hunter2" not in str(outcome.projection.messages)
