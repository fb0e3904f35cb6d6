"""Tasks, runs, steps and claims through the client are those of the store."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import pytest

from api.client import AsyncEvidenceClient, EvidenceClient, remote_services
from api.sessions import Session, ToolRequest
from evidence_store.canonical import digest_of
from evidence_store.errors import Conflict, InvalidInput, JsonValue, NotFound
from evidence_store.model import About, Citation, Grade, ProgressItem, ProgressState, ResourceName, Standing, TaskName, TaskRevision
from evidence_store.records.runs import StepKey
from evidence_store.store.claims import ClaimRequest
from evidence_store.store.rejudging import Verdict
from projector import Profile, receipt_json
from tests.unit.api.client.conftest import Served
from tests.unit.api.routes.sample import LIMIT, OLD_NAME, TASK

PROFILE = Profile("openai", "m", 32_768, 4_096, 1_024, "o200k_base")
WORK = TaskName("client/work: ü")


@pytest.fixture(scope="module")
def session(served: Served) -> Iterator[Session]:
    """One step with a read, and one after it."""
    with remote_services(EvidenceClient(served.url, served.key)) as services:
        task = services.store.tasks.add_revision(TaskRevision(WORK, 1, "Read.", ("/orders",), ("tag=Admin",), ("Be brief.",)), "human:ann")
        session = Session(services, task, "agent:a/1", PROFILE, "You read.", "Go on.", clock=lambda: 1)
        session.next_input()
        session.act("I read.", [ToolRequest("read_spec", {"resource": OLD_NAME, "pointer": f"{LIMIT}/schema/maximum"})])
        session.next_input()
        yield session


def test_tasks_by_revision(client: EvidenceClient, served: Served, session: Session) -> None:
    first = client.get_task(WORK)
    assert first == served.services.store.tasks.get_revision(WORK)
    second = client.add_task_revision(replace(first, number=2, goal="Read more."), "human:ann")
    assert list(client.list_task_revisions(WORK)) == [first, second]
    assert client.get_task_revision(WORK, 1) == first
    assert {WORK, TASK} <= {one.task for one in client.list_tasks(limit=1)}
    with pytest.raises(Conflict) as moved:
        client.add_task_revision(replace(first, number=2, goal="Read less."))
    assert (moved.value.error_code, moved.value.details["known"]) == ("state_changed", 2)
    with pytest.raises(Conflict):
        client.create_task(replace(first, goal="Another."))


def test_proposals_are_decided(client: EvidenceClient, served: Served, session: Session) -> None:
    one, two, three = (
        client.propose_constraint(WORK, text, "human:eve", run=1, message=1) for text in ("Only GET.", "tag=Beta", "No logs.")
    )
    assert client.accept_proposal(WORK, one.ordinal, "human:ann").constraints[-1] == "Only GET."
    assert client.accept_proposal(WORK, two.ordinal, excluding=True).excluded[-1] == "tag=Beta"
    assert client.decline_proposal(WORK, three.ordinal).proposed == ()
    assert list(client.list_proposals(WORK, limit=2)) == list(served.services.store.tasks.list_proposals(WORK))
    with pytest.raises(Conflict) as decided:
        client.decline_proposal(WORK, three.ordinal)
    assert decided.value.error_code == "decided"


def test_progress_and_judgements(client: EvidenceClient, served: Served, session: Session) -> None:
    item = ProgressItem("get /orders", ProgressState.DOING, (served.sample.old,), "read on", ("get /pets",))
    assert list(client.record_progress(WORK, [item], StepKey(session.run, 1))) == [item]
    assert list(client.record_progress(WORK, [replace(item, state=ProgressState.TODO)])) == []
    assert list(client.list_progress(WORK)) == list(served.services.store.tasks.list_progress(WORK)) == [item]
    assert client.record_judgements(WORK, [Verdict(served.sample.old, True, "it is about this")], "human:ann") == ()
    (judged,) = client.list_judgements(WORK)
    assert (judged.subject, judged.verdict, judged.reason) == (served.sample.old, "applies", "it is about this")


def test_a_run_with_its_turns_and_inputs(client: EvidenceClient, served: Served, session: Session) -> None:
    state = client.get_run(WORK, session.run.number)
    assert (state.summary.agent, state.n_steps, state.open_calls, state.claims) == ("agent:a/1", 2, (), ())
    assert [one.run.number for one in client.list_runs(WORK)] == [1]
    assert [one.message.role for one in client.list_messages(WORK, 1, limit=2)] == ["user", "assistant", "tool"]
    assert [one.number for one in client.list_steps(WORK, 1)] == [1, 2]
    stored = list(client.list_run_projections(WORK, 1))
    assert [(one.step, one.used_tokens) for one in stored] == [(n, tokens) for n, tokens in enumerate(session.spent.by_step, 1)]
    step = StepKey(session.run, 2)
    assert list(client.list_projections(step)) == stored[1:]
    replayed = client.replay_step(step)
    assert (replayed.same, replayed.marks) == (True, {})
    receipt = client.get_receipt(step)
    assert receipt_json(receipt)["input_digest"] == stored[1].input_digest
    assert {one.exposure.grade for one in client.list_run_exposures(WORK, 1)} >= {Grade.DELIVERED}
    with pytest.raises(InvalidInput) as other:
        client.confirm_sent(step, digest_of(b"another"))
    assert other.value.error_code == "unknown_projection"
    client.confirm_sent(step, replayed.input_digest)


def test_claims_are_recorded_disputed_and_published(client: EvidenceClient, served: Served, session: Session) -> None:
    found = client.get_evidence(served.sample.old).packet
    request = ClaimRequest(About(OLD_NAME, found.pointer, "maximum"), "The `maximum` is 100.", (Citation(found.id, "support"),), "somebody")
    claim = client.record_claim(StepKey(session.run, 1), request)
    assert claim in list(client.list_claims(WORK))
    assert (claim, claim.author) == (served.services.store.claims.get(WORK, int(claim.id[1:])), "agent:a/1")
    history = client.get_claim(WORK, claim.id)
    assert (history.claim, history.run, history.step) == (claim, 1, 1)
    disputed = client.dispute_claim(WORK, claim.id, "The unit changed, too.", "human:eve")
    assert (disputed.claim, disputed.standing) == (claim.id, Standing.OPEN)
    assert len(client.get_claim(WORK, claim.id).rulings) == len(history.rulings) + 1
    report = client.publish_report(session.run, "Orders", "# Orders\n\nNothing.\n", [claim.id])
    assert client.get_report(report).claims[0].id == claim.id
    with pytest.raises(NotFound):
        client.get_claim(WORK, "C999")


def test_the_input_of_a_step_is_built_for_the_key(client: EvidenceClient) -> None:
    profile: dict[str, JsonValue] = {"provider": "openai", "model": "m", "window": 32_768, "output": 4_096, "counter": "o200k_base"}
    outcome = client.project({"task": {"goal": "Read."}, "profile": profile})
    assert outcome["outcome"] == "projected"


def test_the_other_client_has_them_too(served: Served) -> None:
    async def run() -> None:
        async with AsyncEvidenceClient(served.url, served.key) as client:
            assert [one.task async for one in client.list_tasks() if one.task == TASK] == [TASK]
            assert (await client.get_run(TASK, 1)).summary.agent == "agent"
            answer = await client.call_reading_tool("read_spec", {"resource": ResourceName(OLD_NAME), "pointer": f"{LIMIT}/name"})
            assert answer.packets[0].excerpt == "limit"

    asyncio.run(run())
