"""A session: what one turn asks for never grows past what the next input can hold."""

from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from api.sessions import Session, ToolRequest
from api.settings import Settings
from api.wiring import DEFAULT_COUNTER, Services, open_services
from evidence_store.errors import InvalidInput, JsonValue, LimitExceeded
from evidence_store.model import Format, TaskName, TaskRevision
from evidence_store.store import EvidenceStore
from projector import Profile, UnknownProvider
from tests.factories import put

PROFILE = Profile("openai", "small", 16_384, 2_048, 512, DEFAULT_COUNTER)
READ: dict[str, JsonValue] = {"resource": "a.json", "pointer": "/lines", "max_tokens": 6_000}


@pytest.fixture
def session(tmp_path: Path) -> Session:
    services: Services = open_services(Settings(tmp_path / "store"), create=True)
    put(services.store, orjson.dumps({"lines": [f"line {n}: the job went on" for n in range(400)]}), "a.json", format=Format.JSON)
    task = services.store.tasks.add_revision(TaskRevision(TaskName("t"), 1, "Read.", (), (), ()), "user:u")
    return Session(services, task, "agent:a/1", PROFILE, "You read.", "Go on.")


def store_of(session: Session) -> EvidenceStore:
    store = session._store
    assert isinstance(store, EvidenceStore)
    return store


def test_a_session_refuses_a_provider_in_whose_form_it_keeps_no_messages(tmp_path: Path) -> None:
    with open_services(Settings(tmp_path / "store"), create=True) as services:
        task = services.store.tasks.add_revision(TaskRevision(TaskName("t"), 1, "Read.", (), (), ()), "user:u")
        with pytest.raises(UnknownProvider, match="anthropic"):
            Session(services, task, "agent:a/1", replace(PROFILE, provider="anthropic"), "You read.", "Go on.")


def test_answers_that_the_next_input_cannot_hold_are_refused_and_the_run_goes_on(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    session.next_input()
    session.act("I read.", [ToolRequest("read_spec", READ) for _ in range(4)])
    projection = session.next_input()
    answers = [str(message["content"]) for message in projection.messages if message.get("role") == "tool"]
    assert len(answers) == 4
    assert "line 1: the job went on" in answers[0]
    assert "over_budget" in answers[-1]
    assert caplog.messages[-1].startswith("refused the answer of 'read_spec': ")
    assert projection.tokens <= PROFILE.input_cap


def test_a_live_source_past_its_greatest_age_says_so_in_the_input(tmp_path: Path) -> None:
    with open_services(Settings(tmp_path / "store"), create=True) as services:
        put(services.store, b'{"errors": 17}', "live.json", format=Format.JSON, max_age_s=60)
        seen = services.store.core.clock()
        times = [seen, seen, seen + 600_000_000]
        task = services.store.tasks.add_revision(TaskRevision(TaskName("t"), 1, "Read.", (), (), ()), "user:u")
        session = Session(services, task, "agent:a/1", PROFILE, "You read.", "Go on.", clock=lambda: times.pop(0))
        first = session.next_input()
        session.act("I read.", [ToolRequest("read_spec", {"resource": "live.json", "pointer": "/errors"})])
        (id_,) = session.next_input().in_exchanges
        done: dict[str, JsonValue] = {"subject": "errors", "state": "doing", "evidence": [id_]}
        session.act("Noted.", [ToolRequest("record_progress", {"items": [done]})])
        last = session.next_input()
    assert "age:" not in str(first.messages)
    assert "over its maximum of 60 s" in str(last.messages)


def test_what_a_provider_reports_is_kept_and_tightens_the_next_plan(session: Session) -> None:
    first = session.next_input()
    warning = session.report_usage({"prompt_tokens": first.tokens * 2, "completion_tokens": 5})
    assert warning == f"counted {first.tokens} tokens, the provider reported {first.tokens * 2}"
    session.act("I read.", [ToolRequest("read_spec", READ)])
    second = session.next_input()
    assert second.receipt.budget.input_cap == PROFILE.input_cap // 2
    assert second.tokens <= PROFILE.input_cap // 2
    (kept,) = store_of(session).runs.list_usages(session.run)
    assert (kept.step.number, kept.usage.counted, kept.usage.reported) == (1, first.tokens, first.tokens * 2)
    assert (kept.usage.provider, kept.usage.counter, kept.usage.said["completion_tokens"]) == ("openai", first.receipt.counter, 5)
    assert [row.cap_tokens for row in store_of(session).runs.list_projections(session.run)] == [PROFILE.input_cap, PROFILE.input_cap // 2]


def test_a_report_below_our_count_loosens_nothing(session: Session) -> None:
    first = session.next_input()
    assert session.report_usage(first.tokens - 1) is None
    session.act("I read.", [])
    assert session.next_input().receipt.budget.input_cap == PROFILE.input_cap


def test_what_was_reported_in_an_earlier_run_of_the_task_counts_from_the_first_input_on(session: Session) -> None:
    first = session.next_input()
    session.report_usage(first.tokens * 2)
    later = Session(session._services, session._task, "agent:b/1", PROFILE, "You read.", "Go on.")
    assert later.next_input().receipt.budget.input_cap == PROFILE.input_cap // 2
    other = Session(session._services, session._task, "agent:b/1", replace(PROFILE, model="another"), "You read.", "Go on.")
    assert other.next_input().receipt.budget.input_cap == PROFILE.input_cap


def test_the_strategy_may_change_from_step_to_step(session: Session) -> None:
    names = []
    for name in ("externalise", "tool-heavy", "auto"):
        session.strategy = name
        used = session.next_input().receipt.strategy
        assert used is not None
        names.append((used.name, used.reason))
        session.act("I read.", [])
    assert [reason for _, reason in names] == [
        "the step names externalise",
        "the step names it",
        "no more than 24 messages, and nothing recorded yet",
    ]


def test_an_input_is_made_under_the_newest_revision_of_the_task(session: Session) -> None:
    first = session.next_input()
    session.act("I read.", [ToolRequest("read_spec", READ)])
    tasks, task = store_of(session).tasks, TaskName("t")
    tasks.add_revision(replace(tasks.get_revision(task), number=2, constraints=("only lines",)), "user:u")
    second = session.next_input()
    assert (first.receipt.task_revision, second.receipt.task_revision) == (1, 2)
    assert second.receipt.rebuilt == "another task revision"
    assert "constraint: only lines" in str(second.messages[0])


def test_a_constraint_that_the_user_states_is_proposed_and_stands_until_it_is_decided(session: Session) -> None:
    tasks, task = store_of(session).tasks, TaskName("t")
    session.say("Thanks. Never touch /beta.")
    session.say("Never touch /beta.")
    (proposal,) = tasks.list_proposals(task)
    assert (proposal.text, proposal.run, proposal.message) == ("Never touch /beta.", session.run.number, 2)
    assert "proposed: Never touch /beta." in str(session.next_input().messages[0])
    session.act("I read.", [])
    tasks.accept(task, proposal.ordinal, "user:u")
    accepted = session.next_input()
    assert "constraint: Never touch /beta." in str(accepted.messages[0])
    session.say("Never touch /beta.")
    session.say("Only read /lines.")
    tasks.decline(task, 2, "user:u")
    session.say("Only read /lines.")
    assert [one.decision for one in tasks.list_proposals(task)] == ["accepted", "declined"]


def test_what_a_model_writes_that_no_json_can_keep_is_answered(session: Session) -> None:
    session.next_input()
    odd: dict[str, JsonValue] = {"limit": 10**30, "resource": "\ud800", "pointer": float("nan")}
    session.act("half \udc00", [ToolRequest("list_claims", odd), ToolRequest("no\ud800", {})])
    told = str(session.next_input().messages)
    assert "bad_argument" in told
    assert "unknown_tool" in told


def test_a_turn_that_no_input_could_hold_is_refused_and_not_kept(session: Session) -> None:
    session.next_input()
    with pytest.raises(LimitExceeded, match="a turn of"):
        session.act("word " * 30_000, [])
    assert len(store_of(session).runs.list_messages(session.run)) == 1
    session.act("I read.", [])
    session.next_input()


def test_a_usage_without_figures_is_refused_and_not_kept(session: Session) -> None:
    session.next_input()
    for usage in ({"total": 3}, -1, 0, True, {"prompt_tokens": 0}):
        with pytest.raises(InvalidInput) as caught:
            session.report_usage(usage)
        assert caught.value.error_code == "bad_usage"
    assert store_of(session).runs.list_usages(session.run) == []


def test_the_inputs_of_a_session_grow_at_their_end(session: Session) -> None:
    first = session.next_input()
    session.act("I read.", [ToolRequest("read_spec", {**READ, "max_tokens": 500})])
    second = session.next_input()
    assert orjson.dumps(second.messages).startswith(orjson.dumps(first.messages)[:-1])
    assert (first.receipt.appended_to, second.receipt.appended_to) == ("", first.receipt.input_digest)
    reasons = []
    for number in range(9):
        put(store_of(session), orjson.dumps([f"{number}: the job went on {n}" for n in range(150)]), f"{number}.json", format=Format.JSON)
        session.act("I read.", [ToolRequest("read_spec", {"resource": f"{number}.json", "pointer": "", "max_tokens": 6_000})])
        made = session.next_input()
        assert made.tokens <= (PROFILE.input_cap if made.receipt.rebuilt else 0.8 * PROFILE.input_cap)
        reasons.append(made.receipt.rebuilt)
    assert set(reasons) == {"", "it would pass the threshold"}
