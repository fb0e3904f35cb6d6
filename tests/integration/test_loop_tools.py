"""Tools of the program in a run: large results become packets that can be claimed from, and every end of a call is told."""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from api.loop import Agent, RunReport, WrappedTools
from api.wiring import Services
from api.wrap import ResultBudget, ToolRules, ToolWrapper, WrapRules
from evidence_store.errors import InvalidInput
from evidence_store.model import Outcome, ResourceName, Standing
from tests.integration.loop_agents import PROFILE, TASK, Objects, Scripted, add_task, filled, runner, say, text_of

LOG = "".join(f"{n}: the job went on\n" for n in range(5_000)) + "5000: the disk sda7 is full\n"


def get_logs(pod: str) -> str:
    if pod == "none":
        raise KeyError("no such pod")
    return LOG if pod == "api" else "short\n"


async def get_logs_soon(pod: str) -> str:
    await asyncio.sleep(0)
    return get_logs(pod)


def definition(name: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"pod": {"type": "string"}}, "required": ["pod"]}
    return {"type": "function", "function": {"name": name, "description": "Logs of a pod.", "parameters": schema}}


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with filled(tmp_path / "store") as opened:
        add_task(opened)
        yield opened


def tools_of(services: Services, functions: Mapping[str, Callable[..., object]], **rules: Any) -> WrappedTools:
    wrapper = ToolWrapper(services, WrapRules(ResultBudget(PROFILE.window), others=ToolRules(**rules)))
    return WrappedTools(wrapper, functions, [definition(name) for name in functions])


def ran(services: Services, tools: WrappedTools, model: Any) -> RunReport:
    made = replace(runner(services), tools=tools)
    return made.run(services.store.tasks.get_revision(TASK), "agent:a/1", "Why did the job end?", model)


def cause_of(name: str) -> Callable[[Objects, Objects], Any]:
    """Looks for what is full, and claims it."""

    def model(messages: Objects, tools: Objects) -> Any:
        found = re.search(r"\[evidence (ev_\w+)\]\n(?:(?!\[end).+\n)*?\| 5000: the disk sda7 is full", text_of(messages))
        if "the disk sda7 is full" in text_of([one for one in messages if one["role"] == "user"]):
            return say("Stated.")
        if found is None:
            return say("I look.", (name, {"pod": "api", "grep": "is full"}))
        about = {"resource": f"{name}?pod=api"}
        cited = [{"role": "support", "evidence": found[1]}]
        return say("I state it.", ("record_claim", {"text": "the disk sda7 is full", "about": about, "citations": cited}))

    return model


@pytest.mark.parametrize("function", [get_logs, get_logs_soon])
def test_a_claim_rests_on_what_a_tool_of_the_program_gave(services: Services, function: Callable[..., object]) -> None:
    report = ran(services, tools_of(services, {"get_logs": function}), cause_of("get_logs"))
    assert [(claim.text, claim.standing) for claim in report.claims] == [("the disk sda7 is full", Standing.VERIFIED)]
    assert services.store.sources.get_bytes(ResourceName("get_logs?pod=api"), 1) == LOG.encode()
    assert report.peak_tokens < PROFILE.input_cap
    assert services.store.checks.verify(deep=False).faults == ()


def test_the_same_asynchronously(services: Services) -> None:
    made = replace(runner(services), tools=tools_of(services, {"get_logs": get_logs_soon}))
    task = services.store.tasks.get_revision(TASK)
    report = asyncio.run(made.run_async(task, "agent:a/1", "Why did the job end?", cause_of("get_logs")))
    assert len(report.claims) == 1


def test_agents_side_by_side_use_the_same_tools_each_in_its_own_run(services: Services) -> None:
    made = replace(runner(services), tools=tools_of(services, {"get_logs": get_logs_soon}))
    task = services.store.tasks.get_revision(TASK)
    model = cause_of("get_logs")
    reports = made.run_agents(task, [Agent(f"agent:{n}", "Why did the job end?", model) for n in range(3)])
    assert [one.how for one in reports] == ["concluded"] * 3
    assert {claim.text for one in reports for claim in one.claims} == {"the disk sda7 is full"}
    assert services.store.checks.verify(deep=False).faults == ()


def test_tools_are_offered_beside_ours_with_filters_and_not_in_the_closing_step(services: Services) -> None:
    model = Scripted(say("Nothing to do."))
    ran(services, tools_of(services, {"get_logs": get_logs}), model)
    offered = {one["function"]["name"]: one["function"] for one in model.tools[0]}
    assert {"get_logs", "search", "record_claim"} <= set(offered)
    assert list(offered["get_logs"]["parameters"]["properties"]) == ["pod", "grep", "tail_n", "fields", "pointer"]


def test_calls_of_one_turn_share_its_budget_and_each_end_is_told(services: Services) -> None:
    pods = ("api", "web", "none", "api")
    model = Scripted(say("I look.", *(("get_logs", {"pod": pod}) for pod in pods), ("no_tool", {})), say("Done."))
    tools = tools_of(services, {"get_logs": get_logs})
    report = ran(services, tools, model)
    answers = [str(one["content"]) for one in model.inputs[1] if one["role"] == "tool"]
    assert [one.split(" ")[0] for one in answers] == ["[offloaded", "short\n", "[error", "[offloaded", "[error"]
    assert "tool_failed" in answers[2]
    assert "unknown_tool" in answers[4]
    results = services.store.histories.get(report.run).results
    assert [one.outcome for one in results] == [Outcome.OK, Outcome.OK, Outcome.ERROR, Outcome.OK, Outcome.ERROR]
    counter = services.counter()
    assert sum(map(counter.count, answers)) <= ResultBudget(PROFILE.window).step


def test_a_run_whose_results_are_more_than_its_window_goes_on(services: Services) -> None:
    """Results that were small enough to pass, too: twelve of them do not fit into one input."""
    text = "".join(f"{n}: all is well\n" for n in range(250))
    model = Scripted(*(say("I look.", ("get_logs", {"pod": f"web-{n}"})) for n in range(11)), say("Done."))
    report = ran(services, tools_of(services, {"get_logs": lambda pod: text}), model)
    assert (report.how, report.n_steps) == ("concluded", 12)
    assert report.peak_tokens <= PROFILE.input_cap


def test_a_run_opened_again_makes_no_call_of_the_program_twice(services: Services) -> None:
    """A call that the process ended in is closed as interrupted: what it does in the world is for the model to look at."""
    calls: list[str] = []

    def dying(pod: str) -> str:
        calls.append(pod)
        raise SystemExit

    made = replace(runner(services), tools=tools_of(services, {"get_logs": dying}))
    task = services.store.tasks.get_revision(TASK)
    with pytest.raises(SystemExit):
        made.run(task, "agent:a/1", "Go.", Scripted(say("I look.", ("get_logs", {"pod": "api"}))))
    (run,) = made.unfinished(TASK)
    model = Scripted(say("Done."))
    assert made.resume(run, model).how == "concluded"
    assert calls == ["api"]
    assert "[error interrupted]" in text_of(model.inputs[0])


@pytest.mark.parametrize(
    ("functions", "names"), [({"get_logs": get_logs}, ["get_pods"]), ({}, ["get_logs"]), ({"search": get_logs}, ["search"])]
)
def test_tools_that_are_not_told_apart_are_refused(
    services: Services, functions: Mapping[str, Callable[..., object]], names: list[str]
) -> None:
    wrapper = ToolWrapper(services, WrapRules(ResultBudget(PROFILE.window)))
    with pytest.raises(InvalidInput):
        WrappedTools(wrapper, functions, [definition(name) for name in names])
