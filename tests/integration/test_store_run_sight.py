"""Runs and claims as somebody sees them: another's run is no run, what was masked stays readable for its agent, and claims carry labels."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from evidence_store.errors import InvalidInput, NotFound, NotPermitted
from evidence_store.excerpts import NoLimit
from evidence_store.model import About, Citation, ClaimLabels, LabelPolicy, Outcome, Packet, ResourceName, Standing
from evidence_store.records.runs import RunKey, Shown, StepKey
from evidence_store.store import EvidenceStore
from evidence_store.store.claims import ClaimRequest
from evidence_store.store.rejudging import Verdict
from evidence_store.store.runs import ClosedCall, NewProjection, OpenCall, shown_of
from tests.factories import TASK, claim, deliver, make_store, open_step, put, read, verified_change

OPEN, RED, GREY = ResourceName("open.json"), ResourceName("red.json"), ResourceName("grey.json")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EvidenceStore]:
    with make_store(tmp_path) as opened:
        put(opened, b'{"limit": 50}\n', OPEN)
        put(opened, b'{"limit": 4711}\n', RED, labels=("red",))
        put(opened, b'{"limit": 123456789}\n', GREY, labels=("grey",))
        opened.permissions.set_policy("grey", LabelPolicy.MASKED, "human:ann")
        yield opened


def packet_of(store: EvidenceStore, name: str) -> Packet:
    return read(store, "/limit", name)


Ask = Callable[[EvidenceStore, StepKey], object]
ASKED: tuple[Ask, ...] = (
    lambda store, step: store.runs.require(step.run),
    lambda store, step: store.runs.require_step(step),
    lambda store, step: store.runs.get_run(step.run.task, step.run.number),
    lambda store, step: store.runs.open_step(step.run),
    lambda store, step: store.runs.add_user_message(step.run, "go on"),
    lambda store, step: store.runs.open_calls(step, "", [OpenCall("c9", "search", {})]),
    lambda store, step: store.runs.close_calls(step, [ClosedCall("c9", Outcome.OK, "", True)]),
    lambda store, step: store.runs.record_projection(step, NewProjection([], [], {}, {}, "c", "exact", 1, 1, ())),
    lambda store, step: store.runs.list_open_calls(step.run),
    lambda store, step: store.runs.list_usages(step.run),
    lambda store, step: store.runs.list_step_inputs(step.run),
    lambda store, step: store.histories.list_exposures(step.run, 0, 10),
    lambda store, step: store.runs.pinned(step.run, OPEN, None),
    lambda store, step: store.histories.get(step.run),
    lambda store, step: store.histories.get_summary(step.run),
    lambda store, step: store.histories.list_turns(step.run, 0, 10),
    lambda store, step: store.histories.list_steps(step.run),
    lambda store, step: store.histories.end(step.run, "closed", ""),
    lambda store, step: store.claims.rule_unruled(step.run),
    lambda store, step: store.claims.publish(step.run, "t", "# t", []),
)


@pytest.mark.parametrize("ask", ASKED)
def test_a_run_that_was_shown_what_is_hidden_is_refused_in_the_words_of_none(store: EvidenceStore, ask: Ask) -> None:
    step = open_step(store)
    deliver(store, step, packet_of(store, RED))
    outsider, absent = store.seen_by(frozenset()), StepKey(replace(step.run, number=77), 1)
    with pytest.raises(NotFound) as hidden:
        ask(outsider, step)
    with pytest.raises(NotFound) as unknown:
        ask(outsider, absent)
    assert hidden.value.message.replace("run 1", "run 77") == unknown.value.message
    assert hidden.value.details == unknown.value.details
    assert store.runs.list_open_calls(step.run) == []


def test_lists_leave_out_runs_that_are_not_seen(store: EvidenceStore) -> None:
    first, second = open_step(store), open_step(store)
    deliver(store, first, packet_of(store, RED))
    assert store.seen_by(frozenset()).histories.list_runs(TASK) == [second.run]
    assert [one.run for one in store.seen_by(frozenset()).histories.list_summaries(TASK, 0, 10)] == [second.run]
    assert len(store.seen_by(frozenset({"red"})).histories.list_runs(TASK)) == 2


def test_an_agent_sees_its_run_in_which_something_was_masked(store: EvidenceStore) -> None:
    outsider = store.seen_by(frozenset())
    step = open_step(store)
    packet = packet_of(outsider, GREY)
    deliver(outsider, step, packet)
    assert outsider.histories.get(step.run).agent == "agent"
    made = claim(outsider, step, "`limit` is 123456789.", ("support", packet))
    assert made.standing is Standing.OPEN
    assert f"not_exposed_in_full:{packet.id}" in made.reason
    other = claim(outsider, step, "`limit` is 5.", ("support", packet))
    assert made.reason.replace("123456789", "5") == other.reason, "a right guess reads as a wrong one"


def test_content_that_is_masked_cannot_be_said_to_have_been_shown(store: EvidenceStore) -> None:
    outsider, step = store.seen_by(frozenset()), open_step(store)
    packet = packet_of(outsider, GREY)
    outsider.runs.open_calls(step, "", [OpenCall("c1", "read_spec", {})])
    for shown in (replace(shown_of(packet), transforms=()), replace(shown_of(packet), in_full=True)):
        with pytest.raises(InvalidInput) as caught:
            outsider.runs.close_calls(step, [ClosedCall("c1", Outcome.OK, "", True, (shown,))])
        assert caught.value.error_code == "masked_evidence"


@pytest.mark.parametrize("name", [RED, "nothing"])
def test_what_is_hidden_cannot_be_shown_as_what_there_is_not(store: EvidenceStore, name: str) -> None:
    outsider, step = store.seen_by(frozenset()), open_step(store)
    id_ = packet_of(store, RED).id if name == RED else type(packet_of(store, RED).id)("ev_000000000000")
    outsider.runs.open_calls(step, "", [OpenCall("c1", "read_spec", {})])
    with pytest.raises(InvalidInput) as caught:
        outsider.runs.close_calls(step, [ClosedCall("c1", Outcome.OK, "", True, (Shown(id_, packet_of(store, OPEN).digest, (), True),))])
    assert (caught.value.error_code, caught.value.details) == ("unknown_id", {"id": id_})


@pytest.mark.parametrize(("setting", "hidden"), [(ClaimLabels.CITED, False), (ClaimLabels.STEP, True), (ClaimLabels.RUN, True)])
def test_a_claim_carries_the_labels_of_what_was_shown_as_the_workspace_has_it(
    store: EvidenceStore, setting: ClaimLabels, hidden: bool
) -> None:
    mine = EvidenceStore(replace(store.core, claim_labels=setting))
    step = open_step(mine)
    deliver(mine, step, packet_of(mine, OPEN), packet_of(mine, RED))
    claim(mine, step, "`limit` is 50.", ("support", packet_of(mine, OPEN)))
    assert (mine.seen_by(frozenset()).claims.list_claims(TASK) == []) is hidden
    later = mine.runs.open_step(step.run)
    claim(mine, later, "`limit` is 50, again.", ("support", packet_of(mine, OPEN)))
    assert len(mine.seen_by(frozenset()).claims.list_claims(TASK)) == {"cited": 2, "step": 1, "run": 0}[setting]


def test_a_disputed_claim_is_open_until_its_evidence_is_judged_anew(store: EvidenceStore) -> None:
    made = verified_change(store)
    disputed = store.claims.dispute(TASK, 1, " The unit changed, too. ", "human:eve")
    assert (disputed.standing, disputed.reason) == (Standing.OPEN, "disputed by human:eve: The unit changed, too.")
    assert [one.standing.value for one in store.claims.list_rulings(TASK, 1)] == ["open", "verified", "open"]
    assert store.checks.verify(deep=True).faults == ()
    store.rejudging.judge(TASK, [Verdict(made.citations[0].evidence, applies=True)], "human:ann")
    assert store.claims.get(TASK, 1).standing is Standing.VERIFIED


@pytest.mark.parametrize(("reason", "reader"), [("", "human:eve"), (" ", "human:eve"), ("x" * 2001, "human:eve"), ("why", " ")])
def test_a_dispute_has_a_reason_and_a_name(store: EvidenceStore, reason: str, reader: str) -> None:
    verified_change(store)
    with pytest.raises(InvalidInput) as caught:
        store.claims.dispute(TASK, 1, reason, reader)
    assert caught.value.error_code == "bad_dispute"
    assert store.claims.get(TASK, 1).standing is Standing.VERIFIED


def test_what_is_not_seen_cannot_be_disputed_or_judged(store: EvidenceStore) -> None:
    step, outsider = open_step(store), store.seen_by(frozenset())
    red, grey = packet_of(store, RED), packet_of(store, GREY)
    deliver(store, step, red, grey)
    claim(store, step, "`limit` is 4711.", ("support", red))
    with pytest.raises(NotFound):
        outsider.claims.dispute(TASK, 1, "why", "human:eve")
    with pytest.raises(InvalidInput):
        outsider.rejudging.judge(TASK, [Verdict(red.id, applies=False)], "human:eve")
    with pytest.raises(NotPermitted):
        outsider.rejudging.judge(TASK, [Verdict(grey.id, applies=False)], "human:eve")
    assert store.claims.get(TASK, 1).standing is Standing.VERIFIED


def test_a_judgement_rules_on_claims_that_its_judge_does_not_see(store: EvidenceStore) -> None:
    step, outsider = open_step(store), store.seen_by(frozenset())
    red, plain = packet_of(store, RED), packet_of(store, OPEN)
    deliver(store, step, red, plain)
    about = About(OPEN, None, "limit")
    store.claims.record(step, ClaimRequest(about, "50 and 4711.", (Citation(red.id, "support"), Citation(plain.id, "support")), "agent"))
    assert store.claims.get(TASK, 1).standing is Standing.VERIFIED
    assert outsider.rejudging.judge(TASK, [Verdict(plain.id, applies=False)], "human:eve") == []
    assert store.claims.get(TASK, 1).reason == f"rejected:{plain.id}"
    assert [one.judgement.subject for one in outsider.tasks.list_judgements(TASK, 0, 10)] == [plain.id]


def test_tasks_and_their_revisions_come_in_pages(store: EvidenceStore) -> None:
    open_step(store)
    assert [one.task for one in store.tasks.list_newest("", 10)] == [TASK]
    assert store.tasks.list_newest(TASK, 10) == []
    assert [one.number for one in store.tasks.list_revisions(TASK, 0, 10)] == [1]
    assert store.tasks.list_revisions(TASK, 1, 10) == []


def test_labels_of_what_is_hidden_are_not_told(store: EvidenceStore) -> None:
    red, grey = packet_of(store, RED).id, packet_of(store, GREY).id
    assert store.seen_by(frozenset()).permissions.labels_of([red, grey]) == {grey: frozenset({"grey"})}


def test_a_run_of_nowhere_is_none(store: EvidenceStore) -> None:
    open_step(store)
    with pytest.raises(NotFound):
        store.runs.open_step(RunKey(store.core.workspace, TASK, 9))
    assert store.passages.get(packet_of(store, OPEN).id, NoLimit()).excerpt == "50"
