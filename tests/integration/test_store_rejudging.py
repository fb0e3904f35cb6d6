"""A new task revision: what is stale, what is judged again, and what reports keep."""

import pytest

from evidence_store.errors import InvalidInput, NotFound
from evidence_store.model import JudgementState, Standing, TaskName
from evidence_store.store import EvidenceStore
from evidence_store.store.rejudging import ToJudge, Verdict
from tests.factories import TASK, task_revision, verified_change


def test_nothing_is_to_be_judged_while_the_task_stays(store: EvidenceStore) -> None:
    verified_change(store)
    assert store.rejudging.list_to_judge(TASK) == []


def test_a_new_revision_leaves_evidence_and_claims_to_be_judged(store: EvidenceStore) -> None:
    claimed = verified_change(store)
    store.tasks.add_revision(task_revision(2, goal="another"), "human:ann")
    found = store.rejudging.list_to_judge(TASK)
    cited = {citation.evidence for citation in claimed.citations}
    assert {one.subject for one in found if one.kind == "evidence"} == cited
    assert all(one.used_by == (claimed.id,) and one.judged_under == 1 for one in found if one.kind == "evidence")
    assert found[-1] == ToJudge("claim", claimed.id, 1, "verified", ())
    assert all(store.checks.state(one, TASK).judgement is JudgementState.STALE for one in cited)


def test_judged_again_a_claim_is_verified_under_the_new_revision(store: EvidenceStore) -> None:
    claimed = verified_change(store)
    store.tasks.add_revision(task_revision(2, goal="another"), "human:ann")
    verdicts = [Verdict(citation.evidence, applies=True) for citation in claimed.citations]
    (again,) = store.rejudging.judge(TASK, verdicts, "human:ann")
    assert (again.standing, again.task_revision) == (Standing.VERIFIED, 2)
    assert store.rejudging.list_to_judge(TASK) == []
    assert store.checks.verify(deep=True).faults == ()


def test_half_judged_again_a_claim_is_open(store: EvidenceStore) -> None:
    claimed = verified_change(store)
    store.tasks.add_revision(task_revision(2, goal="another"), "human:ann")
    (again,) = store.rejudging.judge(TASK, [Verdict(claimed.citations[0].evidence, applies=True)], "human:ann")
    assert again.standing is Standing.OPEN
    assert f"not_judged:{claimed.citations[1].evidence}" in again.reason


def test_rejected_evidence_takes_its_claims_with_it_and_a_report_keeps_what_it_said(store: EvidenceStore) -> None:
    claimed = verified_change(store)
    report = store.claims.publish(store.claims.get_step(TASK, 1).run, "Report", "The limit is lower.\n", [claimed])
    evidence = claimed.citations[0].evidence
    (again,) = store.rejudging.judge(TASK, [Verdict(evidence, applies=False, reason="of the beta API")], "human:ann")
    assert (again.standing, f"rejected:{evidence}" in again.reason) == (Standing.OPEN, True)
    (published,) = store.claims.list_report_claims(report)
    assert published.standing is Standing.VERIFIED
    assert store.claims.get(TASK, 1).standing is Standing.OPEN


def test_a_judgement_needs_a_judge_a_task_and_known_evidence(store: EvidenceStore) -> None:
    claimed = verified_change(store)
    evidence = claimed.citations[0].evidence
    with pytest.raises(InvalidInput):
        store.rejudging.judge(TASK, [Verdict(evidence, applies=True)], " ")
    with pytest.raises(InvalidInput):
        store.rejudging.judge(TASK, [Verdict(type(evidence)("ev_000000000000"), applies=True)], "human:ann")
    with pytest.raises(NotFound):
        store.rejudging.list_to_judge(TaskName("other"))
