"""A run that is opened again from the store goes on as if nothing had happened, and what was interrupted is closed as that."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from api.sessions import Session, ToolRequest
from api.settings import Settings
from api.wiring import DEFAULT_COUNTER, Services, open_services
from evidence_store.errors import Conflict, JsonValue, NotFound
from evidence_store.model import Format, Outcome, TaskName, TaskRevision
from evidence_store.store.runs import OpenCall
from projector import Profile, Projection
from tests.factories import put, tampering

PROFILE = Profile("openai", "small", 8_192, 1_024, 256, DEFAULT_COUNTER)
TASK = TaskName("t")
N_STEPS = 12


def filled(folder: Path) -> Services:
    services = open_services(Settings(folder), create=True)
    lines = [{"text": f"line {n}: the job went on " + "and on " * 40} for n in range(N_STEPS * 3)]
    put(services.store, orjson.dumps({"lines": lines}), "a.json", format=Format.JSON)
    put(services.store, b"".join(b"%d: went on\n" % n for n in range(2_000)), "a.log", format=Format.TEXT)
    services.store.tasks.add_revision(TaskRevision(TASK, 1, "Read.", (), (), ()), "user:u")
    return services


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with filled(tmp_path / "store") as opened:
        yield opened


def begun(services: Services) -> Session:
    task = services.store.tasks.get_revision(TASK)
    return Session(services, task, "agent:a/1", PROFILE, "You read.", "Look at the lines only; do not read /secret.", rebuild_to=100)


def opened_again(services: Services, session: Session) -> Session:
    task = services.store.tasks.get_revision(TASK)
    return Session(services, task, "", PROFILE, "You read.", "", run=session.run, rebuild_to=100)


def took_a_turn(session: Session, made: Projection, step: int) -> None:
    """Whole packets, cut ones, outlines, hits, no hits, refusals, records; each third turn only talks."""
    if step % 3 == 2:
        session.act(f"It may be line {step}, not /lines/{step + 1}.", [])
        return
    done: JsonValue = [{"subject": f"lines of step {step}", "state": "done", "evidence": list(made.in_exchanges)}]
    reads: tuple[tuple[str, dict[str, JsonValue]], ...] = (
        ("record_progress", {"items": done}),
        ("read_spec", {"resource": "a.json", "pointer": f"/lines/{step}"}),
        ("read_spec", {"resource": "a.json", "pointer": "/lines", "max_tokens": 100}),
        ("read_log", {"resource": "a.log", "lines": f"{step + 1}-900", "max_tokens": 60}),
        ("search", {"resource": "a.log", "pattern": f"{step}99:"}),
        ("search", {"resource": "a.log", "pattern": "no such line"}),
        ("read_spec", {"resource": "a.json", "pointer": "/nothing"}),
        ("list_claims", {}),
    )
    session.act(f"Noted {step}." if step % 2 else "", [ToolRequest(name, arguments) for name, arguments in reads])


def test_a_run_opened_again_before_each_step_has_the_same_inputs(tmp_path: Path) -> None:
    """With compactions between them: byte for byte, with the same figures."""
    with filled(tmp_path / "one") as one, filled(tmp_path / "two") as two:
        whole, torn = begun(one), begun(two)
        n_compacted = 0
        for step in range(N_STEPS):
            torn = opened_again(two, torn)
            first, second = whole.next_input(), torn.next_input()
            assert orjson.dumps(first.messages) == orjson.dumps(second.messages), step
            assert (first.tools, first.receipt.kept) == (second.tools, second.receipt.kept)
            took_a_turn(whole, first, step)
            took_a_turn(torn, second, step)
            n_compacted = sum(b'"compaction"' in row.body.encode() for row in two.store.runs.list_messages(torn.run))
        assert n_compacted > 1
        assert (torn.spent.by_step, torn.spent.pasted, torn.n_steps) == (whole.spent.by_step, whole.spent.pasted, N_STEPS)
        assert two.store.checks.verify(deep=True).faults == ()


def test_a_step_without_the_agents_turn_is_made_once_more(services: Services) -> None:
    session = begun(services)
    first = session.next_input()
    again = opened_again(services, session)
    assert again.next_input().messages == first.messages
    assert again.n_steps == 1
    assert [one.ordinal for one in services.store.runs.list_step_inputs(session.run)] == [1, 2]


def test_a_step_under_an_older_revision_of_the_task_is_not_gone_on_with(services: Services) -> None:
    session = begun(services)
    session.next_input()
    services.store.tasks.add_revision(TaskRevision(TASK, 2, "Read on.", (), (), ()), "user:u")
    again = opened_again(services, session)
    assert again.next_input().receipt.task_revision == 2
    assert again.n_steps == 2


def test_calls_without_results_are_closed_as_interrupted_and_the_model_is_told(services: Services) -> None:
    session = begun(services)
    session.next_input()
    step = services.store.runs.list_step_inputs(session.run)[-1].step
    services.store.runs.open_calls(step, "I read.", [OpenCall("call_1", "list_resources", {}), OpenCall("call_2", "list_claims", {})])
    again = opened_again(services, session)
    assert again.reopened is not None
    assert again.reopened.interrupted == ("call_1", "call_2")
    assert services.store.runs.list_open_calls(session.run) == []
    assert {one.outcome for one in services.store.histories.get(session.run).results} == {Outcome.CANCELLED}
    assert str(again.next_input().messages).count("[error interrupted]") == 2
    again.act("Once more.", [ToolRequest("list_resources", {})])
    assert "call_3" in str(again.next_input().messages)
    assert opened_again(services, session).reopened is not None


def test_a_further_turn_of_the_user_may_come_with_it(services: Services) -> None:
    session = begun(services)
    task = services.store.tasks.get_revision(TASK)
    again = Session(services, task, "", PROFILE, "You read.", "And what of line 3?", run=session.run)
    assert "And what of line 3?" in str(again.next_input().messages[-1])


def test_a_run_that_ended_or_is_not_there_is_not_opened(services: Services) -> None:
    session = begun(services)
    end = services.store.histories.end(session.run, "concluded", "x" * 3_000)
    assert (end.how, len(end.reason), end.empty) == ("concluded", 2_000, True)
    assert services.store.histories.get(session.run).end == end
    for refused in (lambda: opened_again(services, session), lambda: services.store.histories.end(session.run, "limit", "")):
        with pytest.raises(Conflict) as caught:
            refused()
        assert caught.value.error_code == "run_ended"
    with pytest.raises(NotFound):
        Session(services, services.store.tasks.get_revision(TASK), "", PROFILE, "", "", run=replace(session.run, number=9))


def test_a_compaction_that_does_not_say_what_is_gone_is_made_again(tmp_path: Path) -> None:
    """As stores from before hold them."""
    with filled(tmp_path / "store") as services:
        session = begun(services)
        for step in range(N_STEPS):
            took_a_turn(session, session.next_input(), step)
        with tampering(tmp_path / "store") as connection:
            connection.execute("UPDATE messages SET body = replace(body, '\"gone\":', '\"was\":')")
        again = opened_again(services, session)
        assert again.reopened is not None
        assert len(again.reopened.messages) == len(again.reopened.turns)
        assert again.next_input().tokens <= PROFILE.input_cap
