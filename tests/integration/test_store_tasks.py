"""Tasks: immutable revisions, and progress whose newest row counts."""

from dataclasses import replace
from pathlib import Path

import pytest

from evidence_store.errors import Conflict, InvalidInput, NotFound
from evidence_store.model import EvidenceId, ProgressItem, ProgressState, TaskName
from evidence_store.store import EvidenceStore
from tests.factories import TASK, make_store, open_step, put, read, tampering, task_revision

TODO, DOING, DONE, BLOCKED = ProgressState.TODO, ProgressState.DOING, ProgressState.DONE, ProgressState.BLOCKED


def item(subject: str, state: ProgressState = TODO, *evidence: EvidenceId) -> ProgressItem:
    return ProgressItem(subject, state, evidence)


def test_a_task_begins_with_its_first_revision(store: EvidenceStore) -> None:
    assert store.tasks.find_newest(TASK) is None
    added = store.tasks.add_revision(task_revision(), "human:ann")
    assert store.tasks.get_revision(TASK) == added == task_revision()


def test_an_older_revision_stays_as_it_was(store: EvidenceStore) -> None:
    store.tasks.add_revision(task_revision(), "human:ann")
    store.tasks.add_revision(task_revision(2, goal="another goal"), "human:ann")
    assert store.tasks.get_revision(TASK, 1) == task_revision()
    assert store.tasks.get_revision(TASK).goal == "another goal"


def test_the_same_content_again_is_no_new_revision(store: EvidenceStore) -> None:
    store.tasks.add_revision(task_revision(), "human:ann")
    assert store.tasks.add_revision(task_revision(2), "human:bob").number == 1


@pytest.mark.parametrize("number", [0, 1, 3, 7])
def test_a_revision_follows_the_newest_or_is_refused(store: EvidenceStore, number: int) -> None:
    """Whoever wrote it had another state before him."""
    store.tasks.add_revision(task_revision(), "human:ann")
    with pytest.raises(Conflict) as caught:
        store.tasks.add_revision(task_revision(number, goal="another goal"), "human:ann")
    assert caught.value.details == {"known": 1}


@pytest.mark.parametrize("name", ["", "x" * 1001])
def test_a_task_needs_a_name(store: EvidenceStore, name: str) -> None:
    with pytest.raises(InvalidInput):
        store.tasks.add_revision(replace(task_revision(), task=TaskName(name)), "human:ann")


def test_an_unknown_task_or_revision_is_not_found(store: EvidenceStore) -> None:
    with pytest.raises(NotFound):
        store.tasks.get_revision(TASK)
    with pytest.raises(NotFound):
        store.tasks.list_progress(TASK)
    store.tasks.add_revision(task_revision(), "human:ann")
    with pytest.raises(NotFound):
        store.tasks.get_revision(TASK, 2)


def test_progress_keeps_the_order_in_which_subjects_came_up(store: EvidenceStore) -> None:
    step = open_step(store)
    store.tasks.record_progress(TASK, [item("b"), item("a"), item("c")], step)
    store.tasks.record_progress(TASK, [item("a", DONE)], step)
    assert [(one.subject, one.state) for one in store.tasks.list_progress(TASK)] == [("b", TODO), ("a", DONE), ("c", TODO)]


def test_a_subject_that_is_found_again_stays_where_it_is(store: EvidenceStore) -> None:
    step = open_step(store)
    store.tasks.record_progress(TASK, [item("a", DONE)], step)
    added = store.tasks.record_progress(TASK, [item("a"), item("b"), item("b")], step)
    assert [one.subject for one in added] == ["b"]
    assert [(one.subject, one.state) for one in store.tasks.list_progress(TASK)] == [("a", DONE), ("b", TODO)]


def test_any_other_state_is_a_new_row_also_back_from_done(store: EvidenceStore) -> None:
    step = open_step(store)
    for state in (DONE, BLOCKED, DOING):
        store.tasks.record_progress(TASK, [item("a", state)], step)
    assert [one.state for one in store.tasks.list_progress(TASK)] == [DOING]


def test_progress_names_its_evidence_what_comes_next_and_what_it_uses(store: EvidenceStore) -> None:
    put(store)
    step = open_step(store)
    ids = (read(store, "/limit/maximum").id, read(store, "/limit").id)
    told = ProgressItem("a", DOING, ids, "compare 200", ("schema Order",))
    store.tasks.record_progress(TASK, [told], step)
    assert store.tasks.list_progress(TASK) == [told]


def test_progress_with_an_unknown_evidence_is_refused_as_a_whole(store: EvidenceStore) -> None:
    step = open_step(store)
    with pytest.raises(InvalidInput) as caught:
        store.tasks.record_progress(TASK, [item("a"), item("b", DONE, EvidenceId("ev_000000000000"))], step)
    assert caught.value.error_code == "unknown_id"
    assert store.tasks.list_progress(TASK) == []


@pytest.mark.parametrize("subject", ["", "x" * 1001])
def test_a_subject_needs_a_name(store: EvidenceStore, subject: str) -> None:
    with pytest.raises(InvalidInput):
        store.tasks.record_progress(TASK, [item(subject)], open_step(store))


def test_progress_without_a_step_is_kept_too(store: EvidenceStore) -> None:
    store.tasks.add_revision(task_revision(), "human:ann")
    store.tasks.record_progress(TASK, [item("a")])
    assert [one.subject for one in store.tasks.list_progress(TASK)] == ["a"]


def test_tasks_of_two_workspaces_do_not_see_each_other(folder: Path) -> None:
    with make_store(folder, workspace="first") as first, make_store(folder, workspace="second") as second:
        step = open_step(first)
        first.tasks.record_progress(TASK, [item("a")], step)
        assert second.tasks.find_newest(TASK) is None
        second.tasks.add_revision(task_revision(goal="another goal"), "human:bob")
        assert second.tasks.list_progress(TASK) == []
        assert first.tasks.get_revision(TASK).goal == task_revision().goal


def test_every_row_of_progress_is_kept(store: EvidenceStore, folder: Path) -> None:
    step = open_step(store)
    for state in (TODO, DOING, DONE):
        store.tasks.record_progress(TASK, [item("a", state)], step)
    with tampering(folder) as database:
        rows = database.execute("SELECT ordinal, state, run, step, task_revision FROM progress ORDER BY ordinal").fetchall()
    assert rows == [(1, "todo", 1, 1, 1), (2, "doing", 1, 1, 1), (3, "done", 1, 1, 1)]


# -- constraints that users state


def test_a_stated_constraint_waits_until_it_is_accepted(store: EvidenceStore) -> None:
    store.tasks.add_revision(task_revision(), "human:ann")
    with pytest.raises(NotFound):
        store.tasks.propose(TASK, "of a run that there is not", "human:bob", 1, 3)
    store.runs.start(TASK, "agent")
    made = store.tasks.propose(TASK, " Only the orders API. ", "human:bob", 1, 3)
    assert store.tasks.get_revision(TASK).proposed == ("Only the orders API.",)
    accepted = store.tasks.accept(TASK, made.ordinal, "human:ann")
    assert (accepted.number, accepted.constraints[-1], accepted.proposed) == (2, "Only the orders API.", ())
    assert store.tasks.get_revision(TASK, 1).constraints == task_revision().constraints
    (kept,) = store.tasks.list_proposals(TASK)
    assert (kept.decision, kept.task_revision, kept.run, kept.message, kept.author) == ("accepted", 2, 1, 3, "human:bob")
    assert store.checks.verify(deep=True).faults == ()


def test_an_accepted_constraint_may_be_a_rule_that_excludes(store: EvidenceStore) -> None:
    store.tasks.add_revision(task_revision(), "human:ann")
    store.tasks.propose(TASK, "tag=Admin", "human:bob")
    assert store.tasks.accept(TASK, 1, "human:ann", excluding=True).excluded[-1] == "tag=Admin"


def test_a_declined_constraint_is_gone_from_every_input(store: EvidenceStore) -> None:
    store.tasks.add_revision(task_revision(), "human:ann")
    store.tasks.propose(TASK, "one", "human:bob")
    store.tasks.propose(TASK, "two", "human:bob")
    store.tasks.decline(TASK, 1, "human:ann")
    assert store.tasks.get_revision(TASK).proposed == ("two",)
    assert store.tasks.get_revision(TASK).number == 1


def test_the_same_constraint_waits_once_and_is_decided_once(store: EvidenceStore) -> None:
    store.tasks.add_revision(task_revision(), "human:ann")
    assert store.tasks.propose(TASK, "one", "human:bob") == store.tasks.propose(TASK, "one", "human:ann")
    store.tasks.decline(TASK, 1, "human:ann")
    with pytest.raises(Conflict) as caught:
        store.tasks.accept(TASK, 1, "human:ann")
    assert caught.value.error_code == "decided"
    assert store.tasks.propose(TASK, "one", "human:bob").ordinal == 2


@pytest.mark.parametrize("text", ["", "  ", "x" * 1001])
def test_a_constraint_has_a_size(store: EvidenceStore, text: str) -> None:
    store.tasks.add_revision(task_revision(), "human:ann")
    with pytest.raises(InvalidInput):
        store.tasks.propose(TASK, text, "human:bob")


def test_what_was_never_proposed_is_not_found(store: EvidenceStore) -> None:
    with pytest.raises(NotFound):
        store.tasks.propose(TASK, "one", "human:bob")
    store.tasks.add_revision(task_revision(), "human:ann")
    with pytest.raises(NotFound):
        store.tasks.decline(TASK, 1, "human:ann")
