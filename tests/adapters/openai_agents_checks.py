"""What holds of the adapter for openai-agents, with the framework's own scripted model. Runs in its environment (`checks`)."""

import json
from itertools import count
from typing import Any

from agents import Agent, RunConfig, Runner, SQLiteSession, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call

from api.adapters.openai_agents import EvidenceSession, evidence_tools, input_filter
from api.wrap import ToolWrapper
from projector import parse_packets, validate
from tests.adapters.checks import (
    CAP,
    ERROR_LINE,
    OURS,
    ROOM,
    SMALL,
    broken_store,
    get_count,
    get_events,
    get_logs,
    get_page,
    get_pods,
    is_packet,
    raised,
    require_told_apart,
    resource_of,
    resources,
    room_for_results,
    run_page,
    search,
    stored,
    tokens,
)

TOOLS = [function_tool(one) for one in (get_logs, get_pods, get_count)]
IDS = count()
LOGS = ("get_logs", {"pod": "api"})
PODS = ("get_pods", {"namespace": "prod"})
COUNT = ("get_count", {"namespace": "prod"})


def turn(*calls: tuple[str, dict[str, Any]]) -> list[Any]:
    return [function_call(name, args, call_id=f"call-{next(IDS)}") for name, args in calls]


def model_of(*turns: list[Any]) -> ScriptedModel:
    return ScriptedModel([*turns, [assistant_message("done")]])


def config(wrapper: ToolWrapper, cap_tokens: int | None = None) -> RunConfig:
    return RunConfig(tracing_disabled=True, call_model_input_filter=input_filter(wrapper, cap_tokens=cap_tokens))


PLAIN = RunConfig(tracing_disabled=True)


def outputs(items: Any) -> list[str]:
    """The texts of results in a list of input items."""
    return [one["output"] for one in items if one.get("type") == "function_call_output"]


def sent(model: ScriptedModel, at: int = -1) -> list[Any]:
    return list(model.calls[at].input)


async def check_a_wrapped_tool_hands_on_a_packet_and_evidence_beside_it(wrapper: ToolWrapper) -> None:
    model = model_of(turn(LOGS))
    result = await Runner.run(Agent("a", tools=evidence_tools(wrapper, TOOLS), model=model), "why?", run_config=PLAIN)
    (text,) = outputs(sent(model))
    assert is_packet(text, "get_logs")
    assert tokens(wrapper, text) <= ROOM
    (item,) = [one for one in result.new_items if one.type == "tool_call_output_item"]
    assert resource_of(wrapper, item.custom_data["evidence"]) == "get_logs?pod=api"
    assert item.custom_data["evidence"]["packets"] == [one.id for one in parse_packets(text)]
    assert stored(wrapper, "get_logs?pod=api") == get_logs("api")


def check_two_calls_of_one_turn_and_a_synchronous_run(wrapper: ToolWrapper) -> None:
    model = model_of(turn(LOGS, PODS, COUNT))
    Runner.run_sync(Agent("a", tools=evidence_tools(wrapper, TOOLS), model=model), "why?", run_config=PLAIN)
    logs, pods, counted = outputs(sent(model))
    assert is_packet(logs, "get_logs")
    assert is_packet(pods, "get_pods")
    assert counted == SMALL


async def check_the_filter_holds_the_calls_of_one_turn_to_a_budget(wrapper: ToolWrapper) -> None:
    model = model_of(turn(*[("get_logs", {"pod": f"api-{n}"}) for n in range(20)]))
    agent = Agent("a", tools=evidence_tools(wrapper, TOOLS), model=model)
    await Runner.run(agent, "why?", run_config=config(wrapper))
    assert sum(tokens(wrapper, one) for one in outputs(sent(model))) <= 2 * ROOM
    assert set(resources(wrapper).values()) == {1}


async def check_the_filter_alone_leaves_session_and_result_as_they_are(wrapper: ToolWrapper) -> None:
    model, session = model_of(turn(LOGS, PODS)), SQLiteSession("1")
    result = await Runner.run(Agent("a", tools=TOOLS, model=model), "why?", run_config=config(wrapper), session=session)
    logs, pods = outputs(sent(model))
    assert is_packet(logs, "get_logs")
    assert is_packet(pods, "get_pods")
    whole = [get_logs("api"), get_pods("prod")]
    assert outputs(await session.get_items()) == whole
    assert outputs(result.to_input_list()) == whole
    assert not validate(sent(model), "openai-responses")


async def check_a_session_in_front_of_another_saves_packets_and_changes_nothing_that_is_there(wrapper: ToolWrapper) -> None:
    inner = SQLiteSession("1")
    await Runner.run(Agent("a", tools=TOOLS, model=model_of(turn(LOGS))), "why?", run_config=PLAIN, session=inner)
    before = await inner.get_items()
    session, model = EvidenceSession(inner, wrapper), model_of(turn(PODS))
    await Runner.run(Agent("a", tools=TOOLS, model=model), "and now?", run_config=config(wrapper), session=session)
    after = await inner.get_items()
    assert after[: len(before)] == before
    saved = outputs(after)
    assert saved[0] == get_logs("api")
    assert is_packet(saved[1], "get_pods")
    assert is_packet(outputs(sent(model))[0], "get_logs")
    assert await session.get_items() == after
    assert await session.pop_item() == after[-1]
    await session.clear_session()
    assert await inner.get_items() == []


async def check_failing_tools_end_as_they_do_without_us(wrapper: ToolWrapper) -> None:
    def get_broken(pod: str) -> str:
        """Fails."""
        raise ConnectionError("the cluster is gone")

    call = turn(("get_broken", {"pod": "api"}))
    said, models = list[list[str]](), (model_of(call), model_of(call))
    for model, tools in zip(models, ([function_tool(get_broken)], evidence_tools(wrapper, [function_tool(get_broken)])), strict=True):
        await Runner.run(Agent("a", tools=tools, model=model), "why?", run_config=PLAIN)
        said.append(outputs(sent(model)))
    assert said[0] == said[1]
    assert "error" in said[0][0]
    hard = evidence_tools(wrapper, [function_tool(get_broken, failure_error_function=None)])
    with raised(Exception, "the cluster is gone"):
        await Runner.run(Agent("a", tools=hard, model=model_of(call)), "why?", run_config=PLAIN)


async def check_in_a_streamed_run_a_failing_call_leaves_those_beside_it_as_they_are(wrapper: ToolWrapper) -> None:
    def get_broken(pod: str) -> str:
        """Fails."""
        raise ConnectionError("the cluster is gone")

    model = model_of(turn(("get_broken", {"pod": "api"}), LOGS, ("get_events", {"namespace": "prod"})))
    tools = evidence_tools(wrapper, [*TOOLS, function_tool(get_broken), function_tool(get_events)])
    run = Runner.run_streamed(Agent("a", tools=tools, model=model), "why?", run_config=config(wrapper))
    async for _ in run.stream_events():
        pass
    broken, logs, events = outputs(sent(model))
    assert "error" in broken
    assert is_packet(logs, "get_logs")
    assert is_packet(events, "get_events")


async def check_a_tool_that_is_named_like_ours_stays_the_agents_and_ours_goes_by_another_name(wrapper: ToolWrapper) -> None:
    model = model_of(turn(LOGS), turn(("search", {"q": "api"}), OURS))
    tools = evidence_tools(wrapper, [function_tool(get_logs), function_tool(search)])
    await Runner.run(Agent("a", tools=tools, model=model), "why?", run_config=config(wrapper))
    require_told_apart(*outputs(sent(model)))
    assert [one.name for one in tools if one.name.startswith("evidence_")] == ["evidence_search"]


async def check_a_result_that_cannot_be_stored_is_an_error(wrapper: ToolWrapper) -> None:
    model = model_of(turn(LOGS))
    with broken_store(wrapper):
        await Runner.run(Agent("a", tools=evidence_tools(wrapper, TOOLS), model=model), "why?", run_config=PLAIN)
    (text,) = outputs(sent(model))
    assert text.startswith("[error store_unwritable]")


async def check_filters_are_offered_to_strict_and_other_tools_and_applied(wrapper: ToolWrapper) -> None:
    loose = function_tool(get_pods, strict_mode=False, name_override="get_loose")
    filters = {"grep": None, "tail_n": None, "pointer": "/items/42", "fields": ["phase"]}
    calls = turn(("get_pods", {"namespace": "prod", **filters}), ("get_loose", {"namespace": "prod", "pointer": "/items/42"}))
    model = model_of(calls, turn(("get_pods", {"namespace": "prod", "grep": "("})))
    tools = evidence_tools(wrapper, [function_tool(get_pods), loose])
    await Runner.run(Agent("a", tools=tools, model=model), "why?", run_config=PLAIN)
    strict, other, wrong = outputs(sent(model))
    assert '| "Failed"' in strict
    assert '"api-42"' in other
    assert "retry: yes" in wrong
    schemas = {one.name: one.params_json_schema for one in model.calls[0].tools}
    assert schemas["get_pods"]["required"] == ["namespace", "grep", "tail_n", "fields", "pointer"]
    assert schemas["get_loose"]["required"] == ["namespace"]


async def check_the_model_reads_on_with_our_tools(wrapper: ToolWrapper) -> None:
    read = ("read_log", {"resource": "get_logs?pod=api", "lines": "tail:1"})
    model = model_of(turn(LOGS), turn(read))
    result = await Runner.run(Agent("a", tools=evidence_tools(wrapper, TOOLS), model=model), "why?", run_config=config(wrapper))
    assert f"| {ERROR_LINE} in api" in outputs(sent(model))[-1]
    item = [one for one in result.new_items if one.type == "tool_call_output_item"][-1]
    assert item.custom_data["evidence"]["packets"] == [one.id for one in parse_packets(item.output)]
    assert resources(wrapper) == {"get_logs?pod=api": 1}


async def check_long_runs_stay_under_a_cap_and_keep_their_pairs(wrapper: ToolWrapper) -> None:
    model = model_of(*[turn(("get_page", {"n": n})) for n in range(30)])
    agent = Agent("a", tools=[function_tool(get_page)], model=model)
    result = await Runner.run(agent, "why?", run_config=config(wrapper, CAP), max_turns=40)
    counts = [sum(tokens(wrapper, text) for text in outputs(one.input)) for one in model.calls]
    assert max(counts) <= room_for_results(wrapper)
    assert len(outputs(result.to_input_list())) == 30
    assert all(len(one) > 3_000 for one in outputs(result.to_input_list()))
    assert not any(validate(list(one.input), "openai-responses") for one in model.calls)


async def check_the_answer_is_the_same_with_and_without(wrapper: ToolWrapper) -> None:
    said = []
    for tools, extra in (
        (TOOLS, []),
        (evidence_tools(wrapper, TOOLS), turn(("read_log", {"resource": "get_logs?pod=api", "lines": "tail:1"}))),
    ):
        steps = [turn(LOGS), *([extra] if extra else []), [assistant_message("unused")]]
        model = ScriptedModel(steps[:-1])

        def answer(call: Any) -> Any:
            lines = [line for text in outputs(call.input) for line in text.splitlines() if ERROR_LINE in line]
            return [assistant_message(lines[-1].removeprefix("| "))]

        model.enqueue(_responding(answer))
        said.append((await Runner.run(Agent("a", tools=tools, model=model), "why?", run_config=PLAIN)).final_output)
    assert said == [f"{ERROR_LINE} in api"] * 2


def _responding(answer: Any) -> Any:
    from agents.testing import ModelStep

    return ModelStep.respond(answer)


async def check_the_page_runs_as_it_is_written(wrapper: ToolWrapper) -> None:
    model = model_of(turn(LOGS))
    names = await run_page("openai-agents", model=model)
    assert is_packet(outputs(sent(model))[0], "get_logs")
    assert json.loads(json.dumps(names["result"].final_output)) == "done"
