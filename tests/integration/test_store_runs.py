"""Runs: pins, steps and their inputs, calls that open and close, and what was shown in which grade."""

from dataclasses import replace
from pathlib import Path

import orjson
import pytest
import zstandard

from evidence_store.canonical import digest_of
from evidence_store.errors import Conflict, EvidenceStoreError, IntegrityMismatch, InvalidInput, JsonValue, NotFound
from evidence_store.model import DEFAULT_WORKSPACE, Digest, Grade, Outcome, ResourceName, TaskName
from evidence_store.records.runs import RunKey, Shown, StepKey
from evidence_store.records.usages import NewUsage
from evidence_store.store import EvidenceStore
from evidence_store.store.runs import ClosedCall, NewProjection, OpenCall, input_of
from tests.factories import API, TASK, deliver, open_step, put, put_all, read, shown, tampering, task_revision

MESSAGES: list[JsonValue] = [{"role": "system", "content": "read only"}, {"role": "user", "content": "what breaks? 日志"}]
TOOLS: list[JsonValue] = [{"type": "function", "function": {"name": "diff"}}]


def projection(*exposed: Shown) -> NewProjection:
    return NewProjection(MESSAGES, TOOLS, {"model": "m"}, {"kept": []}, "o200k_base", "exact", 27_648, 100, exposed)


def test_runs_and_steps_are_numbered_in_order(store: EvidenceStore) -> None:
    first, second = open_step(store), open_step(store)
    third = store.runs.open_step(second.run)
    assert [(one.run.number, one.number) for one in (first, second, third)] == [(1, 1), (2, 1), (2, 2)]


def test_a_run_needs_a_task(store: EvidenceStore) -> None:
    with pytest.raises(NotFound):
        store.runs.start(TASK, "agent")


def test_an_unknown_run_is_not_found(store: EvidenceStore) -> None:
    step = open_step(store)
    store.runs.require(step.run)
    with pytest.raises(NotFound):
        store.runs.require(RunKey(DEFAULT_WORKSPACE, TaskName("other"), 1))


def test_a_run_reads_the_revision_that_it_read_first(store: EvidenceStore) -> None:
    put(store, b"[1]")
    run = open_step(store).run
    assert store.runs.pinned(run, API, None) == 1
    put(store, b"[2]")
    assert store.runs.pinned(run, API, None) == 1
    assert store.runs.pinned(open_step(store).run, API, None) == 2


def test_a_run_may_name_other_revisions_without_losing_its_pin(store: EvidenceStore) -> None:
    put_all(store, b"[1]", b"[2]", b"[3]")
    run = open_step(store).run
    assert [store.runs.pinned(run, API, number) for number in (2, 1, 3, None)] == [2, 1, 3, 2]


def test_a_pin_is_kept_and_told_once(store: EvidenceStore, folder: Path) -> None:
    put(store, b"[1]")
    run = open_step(store).run
    for number in (None, 1, None):
        store.runs.pinned(run, API, number)
    with tampering(folder) as database:
        assert database.execute("SELECT revision FROM pins").fetchall() == [(1,)]
        assert database.execute("SELECT count(*) FROM events WHERE kind = 'run.pinned'").fetchone() == (1,)


def test_what_is_not_there_cannot_be_pinned(store: EvidenceStore) -> None:
    put(store, b"[1]")
    run = open_step(store).run
    with pytest.raises(NotFound):
        store.runs.pinned(run, API, 2)
    with pytest.raises(NotFound):
        store.runs.pinned(run, ResourceName("other"), None)


def test_a_call_is_open_until_it_has_its_result(store: EvidenceStore) -> None:
    step = open_step(store)
    store.runs.open_calls(step, "I look.", [OpenCall("call_1", "diff", {"resource": API}), OpenCall("call_2", "search", {})])
    assert store.runs.list_open_calls(step.run) == ["call_1", "call_2"]
    store.runs.close_calls(step, [ClosedCall("call_1", Outcome.OK, "text", True)])
    assert store.runs.list_open_calls(step.run) == ["call_2"]
    store.runs.close_calls(step, [ClosedCall("call_2", Outcome.TIMED_OUT, "", False)])
    assert store.runs.list_open_calls(step.run) == []


def test_call_and_result_are_rows_of_their_own(store: EvidenceStore, folder: Path) -> None:
    step = open_step(store)
    store.runs.open_calls(step, "", [OpenCall("call_1", "diff", {"b": 1, "a": "ü"})])
    store.runs.close_calls(step, [ClosedCall("call_1", Outcome.ERROR, "no", False)])
    with tampering(folder) as database:
        assert database.execute("SELECT call, name, arguments FROM tool_calls").fetchall() == [("call_1", "diff", '{"a":"ü","b":1}')]
        assert database.execute("SELECT call, outcome, complete, body FROM tool_results").fetchall() == [("call_1", "error", 0, "no")]


def test_a_call_has_one_result(store: EvidenceStore, folder: Path) -> None:
    step = open_step(store)
    deliver(store, step)
    with pytest.raises(EvidenceStoreError):
        store.runs.close_calls(step, [ClosedCall("call_1", Outcome.ERROR, "another", True)])
    with tampering(folder) as database:
        assert database.execute("SELECT outcome, body FROM tool_results").fetchall() == [("ok", "packets")]


def test_a_result_without_its_call_is_refused(store: EvidenceStore) -> None:
    step = open_step(store)
    with pytest.raises(EvidenceStoreError):
        store.runs.close_calls(step, [ClosedCall("call_9", Outcome.OK, "", True)])


def test_two_calls_of_a_run_do_not_share_an_id(store: EvidenceStore) -> None:
    step = open_step(store)
    with pytest.raises(EvidenceStoreError):
        store.runs.open_calls(step, "", [OpenCall("call_1", "diff", {}), OpenCall("call_1", "search", {})])
    assert store.runs.list_open_calls(step.run) == []


def test_the_input_of_a_step_can_be_replayed_byte_for_byte(store: EvidenceStore) -> None:
    step = open_step(store)
    digest = store.runs.record_projection(step, projection())
    (kept,) = store.runs.list_projections(step.run)
    again = input_of(kept)
    assert again == {"messages": MESSAGES, "tools": TOOLS}
    assert digest_of(orjson.dumps(again)) == digest == kept.input_digest
    assert (kept.counter, kept.exactness, kept.cap_tokens, kept.used_tokens) == ("o200k_base", "exact", 27_648, 100)


def test_what_stands_outside_the_list_is_kept_with_the_input(store: EvidenceStore) -> None:
    store.runs.record_projection(step := open_step(store), replace(projection(), outside={"system": "read only"}))
    (kept,) = store.runs.list_step_inputs(step.run)
    assert (kept.step, kept.ordinal) == (step, 1)
    assert input_of(kept.row) == {"messages": MESSAGES, "tools": TOOLS, "outside": {"system": "read only"}}


def test_a_stored_input_that_was_changed_is_not_given_out(store: EvidenceStore) -> None:
    store.runs.record_projection(step := open_step(store), projection())
    (kept,) = store.runs.list_projections(step.run)
    for changed in (zstandard.compress(b"{}"), kept.input[:-3], b""):
        with pytest.raises(IntegrityMismatch):
            input_of(replace(kept, input=changed))


def test_the_same_input_has_the_same_digest_in_another_step(store: EvidenceStore) -> None:
    digests = {store.runs.record_projection(open_step(store), projection()) for _ in range(2)}
    assert len(digests) == 1


def test_a_call_has_an_id_of_its_own_in_its_run(store: EvidenceStore) -> None:
    put(store)
    step = open_step(store)
    store.runs.open_calls(step, "", [OpenCall("c1", "read_spec", {})])
    for calls in (["c1"], ["c2", "c2"]):
        with pytest.raises(Conflict) as caught:
            store.runs.open_calls(step, "", [OpenCall(call, "read_spec", {}) for call in calls])
        assert (caught.value.error_code, caught.value.details["call"]) == ("call_known", calls[0])
    assert len(store.runs.list_messages(step.run)) == 1


def test_an_evidence_is_delivered_projected_and_sent(store: EvidenceStore) -> None:
    put(store)
    packet = read(store, "/limit/maximum")
    first = open_step(store)
    deliver(store, first, packet)
    second = store.runs.open_step(first.run)
    digest = store.runs.record_projection(second, projection(shown(packet)))
    store.runs.confirm_sent(second, digest)
    exposures = store.runs.list_exposures(packet.id, first.run)
    assert [(one.step.number, one.grade, one.in_full) for one in exposures] == [
        (1, Grade.DELIVERED, True),
        (2, Grade.PROJECTED, True),
        (2, Grade.SENT, True),
    ]
    assert {one.shown_digest for one in exposures} == {digest_of(b"50")}


def test_only_an_input_of_the_step_can_be_confirmed(store: EvidenceStore) -> None:
    put(store)
    packet = read(store, "/limit/maximum")
    step = open_step(store)
    digest = store.runs.record_projection(step, projection(shown(packet)))
    other = StepKey(step.run, store.runs.open_step(step.run).number)
    for where, what in ((step, Digest("sha256:" + "0" * 64)), (other, digest)):
        with pytest.raises(InvalidInput) as caught:
            store.runs.confirm_sent(where, what)
        assert caught.value.error_code == "unknown_projection"
    assert [one.grade for one in store.runs.list_exposures(packet.id)] == [Grade.PROJECTED]


def test_usages_are_kept_in_order_of_steps_and_told_to_the_journal(store: EvidenceStore) -> None:
    step = open_step(store)
    store.runs.record_projection(step, projection())
    usages = [NewUsage("openai", "m", "o200k_base", 100, reported, {"prompt_tokens": reported}) for reported in (90, 110)]
    for one in usages:
        store.runs.report_usage(step, one)
    assert [(one.step, one.usage) for one in store.runs.list_usages(step.run)] == [(step, one) for one in usages]
    assert store.checks.verify(deep=True).faults == ()


def test_a_usage_needs_a_stored_input_and_figures(store: EvidenceStore) -> None:
    step = open_step(store)
    good = NewUsage("openai", "m", "o200k_base", 100, 90, {})
    bad = [replace(good, counted=0), replace(good, counted=True), *(replace(good, reported=one) for one in (-1, 0, True))]
    for one, code in ((good, "unknown_projection"), *((one, "bad_usage") for one in bad)):
        with pytest.raises(InvalidInput) as caught:
            store.runs.report_usage(step, one)
        assert caught.value.error_code == code
    assert store.runs.list_usages(step.run) == []


def test_what_one_run_was_shown_no_other_run_was(store: EvidenceStore) -> None:
    put(store)
    packet = read(store, "/limit/maximum")
    first, second = open_step(store), open_step(store)
    deliver(store, first, packet)
    assert store.runs.list_exposures(packet.id, second.run) == []
    assert len(store.runs.list_exposures(packet.id)) == 1


def test_a_step_belongs_to_the_newest_task_revision(store: EvidenceStore, folder: Path) -> None:
    run = open_step(store).run
    store.tasks.add_revision(task_revision(2, goal="another goal"), "human:ann")
    store.runs.open_step(run)
    with tampering(folder) as database:
        assert database.execute("SELECT number, task_revision FROM steps").fetchall() == [(1, 1), (2, 2)]


def test_messages_are_kept_in_order_and_results_by_reference(store: EvidenceStore, folder: Path) -> None:
    step = open_step(store)
    store.runs.add_user_message(step.run, "what breaks?")
    store.runs.open_calls(step, "I look.", [OpenCall("call_1", "diff", {})])
    store.runs.close_calls(step, [ClosedCall("call_1", Outcome.OK, "a long text", True)])
    with tampering(folder) as database:
        rows = database.execute("SELECT ordinal, role, body FROM messages ORDER BY ordinal").fetchall()
    assert [(ordinal, role) for ordinal, role, _ in rows] == [(1, "user"), (2, "assistant"), (3, "tool")]
    assert orjson.loads(rows[2][2]) == {"call": "call_1"}
