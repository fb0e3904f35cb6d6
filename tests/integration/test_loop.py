"""The loop takes a run to its end, whatever its provider does, and says how it ended."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from api.loop import Agent, Bounds, FaultKind, ProviderError, Runner, RunReport, format_reports, report_of
from api.loop.replies import read_reply
from api.sessions import Session
from api.settings import Settings
from api.wiring import Services, open_services
from evidence_store.errors import Conflict
from evidence_store.model import Standing
from tests.integration.loop_agents import (
    PROFILE,
    SYSTEM,
    TASK,
    Objects,
    Scripted,
    add_task,
    filled,
    reads_and_claims,
    runner,
    say,
    text_of,
)

LIST: tuple[str, dict[str, Any]] = ("list_resources", {})


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with filled(tmp_path / "store") as opened:
        add_task(opened)
        yield opened


def ran(services: Services, model: Any, bounds: Bounds | None = None, waits: list[float] | None = None) -> RunReport:
    made = runner(services, bounds)
    made = made if waits is None else replace(made, sleep=waits.append)
    return made.run(services.store.tasks.get_revision(TASK), "agent:a/1", "State each maximum.", model)


def test_a_run_concludes_with_its_claims(services: Services) -> None:
    report = ran(services, reads_and_claims)
    assert (report.how, report.reason, report.text, report.empty_run) == ("concluded", "", "All stated.", False)
    assert [(claim.text, claim.standing) for claim in report.claims] == [
        ("maximum of alpha is 100", Standing.VERIFIED),
        ("maximum of beta is 250", Standing.VERIFIED),
        ("maximum of gamma is 999", Standing.VERIFIED),
    ]
    assert report.n_steps == 7
    assert 0 < report.peak_tokens < report.sum_tokens
    assert report_of(services.store, report.run) == report
    grades = {one.grade for one in services.store.runs.list_exposures(report.claims[0].citations[0].evidence, report.run)}
    assert grades == {"delivered", "projected", "sent"}


def test_a_run_without_a_claim_says_so_and_why(services: Services) -> None:
    report = ran(services, Scripted(say("Nothing to do.")))
    assert (report.how, report.empty_run, report.reason) == ("concluded", True, "the agent ended without recording a claim")


def test_at_the_limit_one_call_without_tools_concludes_from_what_is_there(services: Services) -> None:
    model = Scripted()
    report = ran(services, model, Bounds(max_steps=3))
    assert [bool(tools) for tools in model.tools] == [True, True, True, False]
    assert "This is the last step" in text_of(model.inputs[-1])
    assert (report.how, report.reason) == ("closed", "the limit of 3 steps was reached")
    assert [claim.text for claim in report.claims] == ["maximum of alpha is 100", "maximum of beta is 250"]
    assert [claim.standing for claim in report.claims] == [Standing.VERIFIED] * 2


def test_the_closing_step_can_be_switched_off(services: Services) -> None:
    model = Scripted()
    report = ran(services, model, Bounds(max_steps=3, closing_step=False))
    assert len(model.inputs) == 3
    assert (report.how, report.reason) == ("stopped", "the limit of 3 steps was reached")
    assert [claim.text for claim in report.claims] == ["maximum of alpha is 100"]


def test_conclusions_that_no_evidence_bears_out_stay_open_or_are_not_recorded(services: Services, caplog: pytest.LogCaptureFixture) -> None:
    read = say("I read.", ("read_spec", {"resource": "api.json", "pointer": "/alpha/maximum"}))
    unknown = "ev_000000000000"

    def model(messages: Objects, tools: Objects) -> Any:
        if tools:
            return read
        id_ = text_of(messages).split("[evidence ")[1][:15]
        return say(f"maximum of alpha is 101 [{id_}]\nmaximum of beta is 250 [{unknown}]\nmaximum of gamma is 999")

    with caplog.at_level(logging.WARNING):
        report = ran(services, model, Bounds(max_steps=1))
    assert [(claim.text, claim.standing, claim.reason) for claim in report.claims] == [
        ("maximum of alpha is 101", Standing.OPEN, "ungrounded:101")
    ]
    assert f"no such evidence: {unknown}" in caplog.text


@pytest.mark.parametrize("last", [say("", LIST), ProviderError(FaultKind.REFUSED, "no such model"), say(" ")])
def test_a_closing_step_that_fails_ends_the_run_with_what_is_recorded_and_marked_so(services: Services, last: Any) -> None:
    model = Scripted()
    limited = Bounds(max_steps=2, max_attempts=2)

    def chat(messages: Objects, tools: Objects) -> Any:
        if tools:
            return model(messages, tools)
        if isinstance(last, Exception):
            raise last
        return last

    report = ran(services, chat, limited)
    assert report.how == "closing_failed"
    assert report.reason.startswith("at the limit of 2 steps: ")
    assert [claim.text for claim in report.claims] == ["maximum of alpha is 100"]


def test_rate_limits_are_waited_for_as_the_provider_asks_and_else_ever_longer(services: Services) -> None:
    waits: list[float] = []
    busy = ProviderError(FaultKind.RATE_LIMITED, "busy")
    model = Scripted(ProviderError(FaultKind.RATE_LIMITED, "busy", 7.5), busy, ConnectionResetError("reset"), say("Done."))
    report = ran(services, model, waits=waits)
    assert waits == [7.5, 2.0, 4.0]
    assert report.how == "concluded"
    assert len({str(one) for one in model.inputs}) == 1


def test_a_provider_that_asks_for_more_time_than_there_is_ends_the_run(services: Services) -> None:
    report = ran(services, Scripted(ProviderError(FaultKind.RATE_LIMITED, "busy", 3_600.0)), waits=[])
    assert (report.how, report.reason, report.empty_run) == ("provider_failed", "rate_limited: busy", True)


def test_attempts_are_bounded(services: Services) -> None:
    waits: list[float] = []
    report = ran(services, Scripted(*(TimeoutError("late") for _ in range(9))), Bounds(max_attempts=3), waits)
    assert (report.how, report.reason, waits) == ("provider_failed", "unavailable: late", [1.0, 2.0])


def test_an_input_that_is_too_long_for_the_provider_is_made_smaller(services: Services) -> None:
    """By what older results take, and within the same step."""
    reads = [say("I read.", ("read_log", {"resource": "job.log", "lines": f"{1 + n * 500}-5000", "max_tokens": 3_000})) for n in range(3)]
    model = Scripted(*reads, ProviderError(FaultKind.OVERFLOW, "too long"), say("Done."))
    report = ran(services, model)
    inputs = services.store.runs.list_step_inputs(report.run)
    assert [(one.step.number, one.ordinal) for one in inputs] == [(1, 1), (2, 1), (3, 1), (4, 1), (4, 2)]
    assert inputs[-1].row.used_tokens <= inputs[-2].row.used_tokens * 4 // 5
    assert report.how == "concluded"


def test_an_input_that_cannot_be_smaller_ends_the_run_with_both_reasons(services: Services) -> None:
    report = ran(services, Scripted(*(ProviderError(FaultKind.OVERFLOW, "too long") for _ in range(9))), Bounds(max_attempts=9))
    assert report.how == "provider_failed"
    assert report.reason.startswith("overflow: too long; step 1 does not fit")


def test_torn_pairs_are_made_whole_once(services: Services) -> None:
    torn = ProviderError(FaultKind.TORN_PAIRS, "torn")
    model = Scripted(say("I look.", LIST), torn, say("Done."))
    assert ran(services, model).how == "concluded"
    assert len(model.inputs) == 3
    again = ran(services, Scripted(torn, torn, torn))
    assert (again.how, again.reason) == ("provider_failed", "torn_pairs: torn")


def test_what_asking_again_cannot_help_ends_the_run_at_once(services: Services) -> None:
    model = Scripted(ProviderError(FaultKind.REFUSED, "HTTP 401: no key"))
    report = ran(services, model)
    assert (report.how, report.reason, len(model.inputs)) == ("provider_failed", "refused: HTTP 401: no key", 1)


def test_arguments_that_are_no_json_are_answered_and_the_run_goes_on(services: Services) -> None:
    torn = {"function": {"name": "search", "arguments": '{"pattern": '}}
    model = Scripted({"role": "assistant", "content": None, "tool_calls": [torn]}, say("Done."))
    assert ran(services, model).how == "concluded"
    told = text_of(model.inputs[1])
    assert "[error bad_argument]" in told
    assert "search: the arguments are no JSON" in told


def test_an_answer_with_nothing_in_it_and_one_that_is_too_long_are_asked_again(services: Services) -> None:
    model = Scripted(say(""), say("word " * 30_000), say("Done."))
    report = ran(services, model)
    assert (report.how, len(model.inputs)) == ("concluded", 3)


def test_a_fault_of_the_program_is_raised_and_the_run_stays_to_be_resumed(services: Services) -> None:
    made = runner(services)
    model = Scripted(say("I look.", LIST), KeyError("mine"), say("Done."))
    task = services.store.tasks.get_revision(TASK)
    with pytest.raises(KeyError, match="mine"):
        made.run(task, "agent:a/1", "Look.", model)
    (run,) = made.unfinished(TASK)
    with pytest.raises(Conflict, match="has not ended"):
        report_of(services.store, run)
    report = made.resume(run, model)
    assert (report.how, report.n_steps, report.agent) == ("concluded", 2, "agent:a/1")
    assert made.unfinished(TASK) == ()
    assert made.resume(run, model) == report


def test_last_words_that_are_stored_without_an_end_are_the_end(services: Services) -> None:
    """Also those of a closing step, whose conclusions are recorded then."""
    task = services.store.tasks.get_revision(TASK)
    session = Session(services, task, "agent:a/1", PROFILE, SYSTEM, "State each maximum.")
    session.next_input()
    session.act("All stated.", [])
    report = runner(services).resume(session.run, Scripted(KeyError("nobody asks")))
    assert (report.how, report.text) == ("concluded", "All stated.")
    session = Session(services, task, "agent:a/1", PROFILE, SYSTEM, "State each maximum.")
    made = session.next_input()
    session.act("", read_reply(reads_and_claims(made.messages, made.tools)).requests)
    made = session.next_input(closing=True)
    session.act(reads_and_claims(made.messages, made.tools)["content"], [])
    report = runner(services, Bounds(max_steps=1)).resume(session.run, Scripted(KeyError("nobody asks")))
    assert (report.how, [claim.text for claim in report.claims]) == ("closed", ["maximum of alpha is 100"])


def test_a_run_that_is_opened_again_is_taken_from_who_was_at_work_on_it(services: Services, tmp_path: Path) -> None:
    """Over a connection of its own, as in another process: nothing of the one that lost it is written any more, and the other goes on as
    if it were alone.
    """
    made, task = runner(services), services.store.tasks.get_revision(TASK)
    taken: list[RunReport] = []

    def slow(messages: Objects, tools: Objects) -> Any:
        if not taken:
            with open_services(Settings(tmp_path / "store")) as others:
                (run,) = runner(others).unfinished(TASK)
                taken.append(runner(others).resume(run, reads_and_claims))
        return say("I look again.", LIST)

    with pytest.raises(Conflict) as caught:
        made.run(task, "agent:a/1", "State each maximum.", slow)
    assert caught.value.error_code == "run_taken"
    (report,) = taken
    assert (report.how, len(report.claims)) == ("concluded", 3)
    assert report_of(services.store, report.run) == report
    assert services.store.checks.verify(deep=False).faults == ()


def test_each_write_of_a_session_needs_its_run(services: Services) -> None:
    task = services.store.tasks.get_revision(TASK)
    session = Session(services, task, "agent:a/1", PROFILE, SYSTEM, "State each maximum.")
    session.next_input()
    session.act("I look.", read_reply(say("", LIST)).requests)
    session.next_input()
    again = Session(services, task, "", PROFILE, SYSTEM, "", run=session.run)
    writes: list[Callable[[], object]] = [
        lambda: session.say("More."),
        session.confirm_sent,
        lambda: session.report_usage(5_000),
        session.next_input,
        lambda: session.next_input(again=True),
        lambda: session.act("I look.", read_reply(say("", LIST)).requests),
        lambda: session.act("All stated.", []),
        lambda: services.store.histories.end(session.run, "concluded", "", session.hold),
    ]
    for write in writes:
        with pytest.raises(Conflict, match="another has opened"):
            write()
    again.next_input()
    again.act("All stated.", [])
    assert again.n_steps == 2


def test_usage_that_comes_with_a_completion_is_kept(services: Services) -> None:
    completion = {"choices": [{"message": say("Done.")}], "usage": {"prompt_tokens": 5_000, "completion_tokens": 3}}
    report = ran(services, Scripted(completion))
    (kept,) = services.store.runs.list_usages(report.run)
    assert kept.usage.reported == 5_000


# Several agents side by side


def agents() -> list[Agent]:
    return [
        Agent("agent:claims", "State each maximum.", reads_and_claims),
        Agent("agent:idle", "Look around.", Scripted(say("secret thoughts", LIST), say("I found nothing."))),
        Agent("agent:refused", "State each maximum.", Scripted(ProviderError(FaultKind.REFUSED, "no key"))),
    ]


def test_agents_side_by_side_have_runs_of_their_own_and_the_parent_reads_claims_alone(services: Services) -> None:
    task = services.store.tasks.get_revision(TASK)
    reports = runner(services).run_agents(task, agents())
    check_side_by_side(services, reports)
    told = format_reports(reports)
    parent = Scripted(say("I have read it."))
    runner(services).run(task, "agent:parent", f"These worked for you:\n{told}", parent)
    seen = str(parent.inputs)
    assert "maximum of alpha is 100" in seen
    assert reports[0].claims[0].citations[0].evidence in seen
    assert "secret thoughts" not in seen
    assert "I found nothing" not in seen
    assert "State each maximum.\\nState" not in seen


def check_side_by_side(services: Services, reports: tuple[RunReport, ...]) -> None:
    claims, idle, refused = reports
    assert len({one.run.number for one in reports}) == 3
    assert [one.agent for one in reports] == ["agent:claims", "agent:idle", "agent:refused"]
    assert (claims.how, len(claims.claims)) == ("concluded", 3)
    assert (idle.empty_run, idle.reason) == (True, "the agent ended without recording a claim")
    assert (refused.empty_run, refused.how, refused.reason) == (True, "provider_failed", "refused: no key")
    lines = format_reports(reports).splitlines()
    assert lines[0].startswith('- {"agent":"agent:claims","run":')
    assert lines[1].startswith('  - {"claim":"C1"')
    assert '"empty_run":"refused: no key"' in lines[-1]
    assert services.store.checks.verify(deep=False).faults == ()


def test_all_agents_are_taken_to_their_end_before_a_fault_of_the_program_is_raised(services: Services) -> None:
    task = services.store.tasks.get_revision(TASK)
    made = runner(services)
    with pytest.raises(ExceptionGroup) as caught:
        made.run_agents(task, [Agent("agent:broken", "Go.", Scripted(KeyError("mine"))), Agent("agent:whole", "Go.", reads_and_claims)])
    assert [type(one) for one in caught.value.exceptions] == [KeyError]
    assert len(made.unfinished(TASK)) == 1
    assert len(services.store.claims.list_claims(TASK)) == 3


# Asynchronously


async def reads_and_claims_later(messages: Objects, tools: Objects) -> Any:
    await asyncio.sleep(0)
    return reads_and_claims(messages, tools)


class Later:
    """A coroutine function as an object, as clients are."""

    def __init__(self, model: Any) -> None:
        self._model = model

    async def __call__(self, messages: Objects, tools: Objects) -> Any:
        return self._model(messages, tools)


def test_the_same_asynchronously_with_coroutine_functions_and_others(services: Services) -> None:
    task = services.store.tasks.get_revision(TASK)
    waits: list[float] = []

    async def pause(seconds: float) -> None:
        waits.append(seconds)

    made: Runner = replace(runner(services), pause=pause)

    async def all_of_them() -> tuple[RunReport, ...]:
        one = await made.run_async(task, "agent:a/1", "State each maximum.", reads_and_claims_later)
        two = await made.run_async(task, "agent:a/1", "Go.", Scripted(ProviderError(FaultKind.UNAVAILABLE, "", 3.0), say("Done.")))
        three = await made.run_async(task, "agent:a/1", "Go.", Later(Scripted(say("Done."))))
        with pytest.raises(KeyError):
            await made.run_async(task, "agent:a/1", "Go.", Later(Scripted(KeyError("mine"))))
        (open_run,) = made.unfinished(TASK)
        four = await made.resume_async(open_run, Scripted(say("Done.")))
        assert await made.resume_async(open_run, Scripted()) == four
        return one, two, three, four

    reports = asyncio.run(all_of_them())
    assert [one.how for one in reports] == ["concluded"] * 4
    assert len(reports[0].claims) == 3
    assert waits == [3.0]


def test_agents_side_by_side_asynchronously(services: Services) -> None:
    task = services.store.tasks.get_revision(TASK)
    check_side_by_side(services, asyncio.run(runner(services).run_agents_async(task, agents())))


def test_a_coroutine_function_is_refused_where_nothing_awaits_it(services: Services) -> None:
    with pytest.raises(TypeError, match="run_async"):
        ran(services, reads_and_claims_later)


@pytest.mark.parametrize("bounds", [{"max_steps": 0}, {"max_attempts": 0}, {"first_wait_s": -1.0}, {"max_wait_s": -1.0}])
def test_bounds_that_are_none_are_refused(bounds: Any) -> None:
    with pytest.raises(ValueError, match="no bounds"):
        Bounds(**bounds)
