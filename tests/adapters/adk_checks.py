"""What holds of the adapter for Google ADK, with a scripted subclass of its `BaseLlm`. Runs in its environment (`checks`)."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents import Agent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from api.adapters.adk import EvidencePlugin
from api.wrap import ToolWrapper
from projector import parse_packets
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
    is_packet,
    raised,
    require_told_apart,
    resources,
    room_for_results,
    run_page,
    search,
    stored,
    tokens,
)
from tests.adapters.checks import PODS as ALL_PODS

LOGS = ("get_logs", {"pod": "api"})
PODS = ("get_pods", {"namespace": "prod"})
COUNT = ("get_count", {"namespace": "prod"})


def get_pods(namespace: str) -> dict[str, Any]:
    """All pods of a namespace, as a value."""
    return ALL_PODS


class Script(BaseLlm):
    """Answers with turns of calls, then that it is done; keeps what it was asked."""

    turns: list[Any]
    asked: list[Any]
    offered: dict[str, Any]

    async def generate_content_async(self, llm_request: LlmRequest, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:
        self.asked.append(llm_request.contents)
        tools: Any = llm_request.config.tools or []
        self.offered.update({one.name: one for tool in tools for one in tool.function_declarations})
        calls = self.turns.pop(0) if self.turns else []
        parts = [types.Part.from_function_call(name=name, args=dict(args)) for name, args in calls]
        yield LlmResponse(content=types.Content(role="model", parts=parts or [types.Part(text="done")]))


def model_of(*turns: Any) -> Script:
    return Script(model="scripted", turns=list(turns), asked=[], offered={})


class Talk:
    """A session with an agent. The same session may go on with another plugin."""

    def __init__(self, model: Script, *tools: Any) -> None:
        self.model = model
        self._agent = Agent(name="a", model=model, tools=list(tools or (get_logs, get_pods, get_count)))
        self._services: Any = None

    async def say(self, wrapper: ToolWrapper | None, cap_tokens: int | None = None) -> Any:
        plugins = [] if wrapper is None else [EvidencePlugin(wrapper, cap_tokens=cap_tokens)]
        runner = InMemoryRunner(agent=self._agent, app_name="app", plugins=plugins)
        if self._services is None:
            self._services = runner.session_service
            await self._services.create_session(app_name="app", user_id="u", session_id="s")
        runner.session_service = self._services
        async for _ in runner.run_async(user_id="u", session_id="s", new_message=types.UserContent("why?")):
            pass
        return await self._services.get_session(app_name="app", user_id="u", session_id="s")


def answers(contents: Any) -> list[Any]:
    """What tools answered, in contents or in events."""
    found = [getattr(one, "content", one) for one in contents]
    return [part.function_response.response for one in found if one for part in one.parts if part.function_response]


async def check_a_large_result_is_a_packet_in_the_session_with_evidence_in_its_state(wrapper: ToolWrapper) -> None:
    talk = Talk(model_of([LOGS]))
    session = await talk.say(wrapper)
    (answer,) = answers(session.events)
    assert is_packet(answer["result"], "get_logs")
    assert tokens(wrapper, answer["result"]) <= ROOM
    assert answers(talk.model.asked[-1]) == [answer]
    (beside,) = [value for name, value in session.state.items() if name.startswith("evidence:")]
    assert beside["packets"] == [one.id for one in parse_packets(answer["result"])]
    assert stored(wrapper, "get_logs?pod=api") == get_logs("api")


async def check_several_calls_of_one_turn_share_a_budget_and_small_values_stay(wrapper: ToolWrapper) -> None:
    turn = [LOGS, PODS, COUNT, *[("get_logs", {"pod": str(n)}) for n in range(17)]]
    _, pods, count, *others = all_of = answers((await Talk(model_of(turn)).say(wrapper)).events)
    assert is_packet(pods["result"], "get_pods")
    assert count == {"result": SMALL}
    assert len(others) == 17
    assert sum(tokens(wrapper, one["result"]) for one in all_of) <= 2 * ROOM


async def check_a_saved_session_is_shown_as_packets_and_its_events_stay(wrapper: ToolWrapper) -> None:
    talk = Talk(model_of([LOGS, PODS]))
    before = answers((await talk.say(None)).events)
    after = answers((await talk.say(wrapper)).events)
    assert before == after == [{"result": get_logs("api")}, ALL_PODS]
    logs, pods = answers(talk.model.asked[-1])
    assert is_packet(logs["result"], "get_logs")
    assert is_packet(pods["result"], "get_pods")


async def check_failing_tools_end_as_they_do_without_us(wrapper: ToolWrapper) -> None:
    def get_broken(pod: str) -> dict[str, str]:
        """Fails."""
        if pod == "db":
            return {"error": "no such pod"}
        raise ConnectionError("the cluster is gone")

    talk = Talk(model_of([("get_broken", {"pod": "db"})], [("get_broken", {"pod": "api", "grep": "x"})]), get_broken)
    with raised(ConnectionError, "the cluster is gone"):
        await talk.say(wrapper)
    assert answers(talk.model.asked[-1]) == [{"error": "no such pod"}]


def check_in_a_synchronous_run_a_failing_call_leaves_those_beside_it_as_they_are(wrapper: ToolWrapper) -> None:
    def get_broken(pod: str) -> dict[str, str]:
        """Fails."""
        return {"error": "no such pod"}

    model = model_of([("get_broken", {"pod": "db"}), LOGS, ("get_events", {"namespace": "prod"})])
    agent = Agent(name="a", model=model, tools=[get_broken, get_logs, get_events])
    runner = InMemoryRunner(agent=agent, app_name="app", plugins=[EvidencePlugin(wrapper)])
    asyncio.run(runner.session_service.create_session(app_name="app", user_id="u", session_id="s"))
    broken, logs, events = answers(list(runner.run(user_id="u", session_id="s", new_message=types.UserContent("why?"))))
    assert broken == {"error": "no such pod"}
    assert is_packet(logs["result"], "get_logs")
    assert is_packet(events["result"], "get_events")


async def check_a_tool_that_is_named_like_ours_stays_the_agents_and_ours_goes_by_another_name(wrapper: ToolWrapper) -> None:
    talk = Talk(model_of([LOGS], [("search", {"q": "api"}), OURS]), get_logs, search)
    session = await talk.say(wrapper)
    require_told_apart(*(one["result"] for one in answers(session.events)))
    assert [one for one in talk.model.offered if one.startswith("evidence_")] == ["evidence_search"]


async def check_a_result_that_cannot_be_stored_is_an_error(wrapper: ToolWrapper) -> None:
    with broken_store(wrapper):
        (answer,) = answers((await Talk(model_of([LOGS])).say(wrapper)).events)
    assert answer["error"].startswith("[error store_unwritable]")


async def check_filters_are_offered_and_applied_and_the_event_keeps_the_call(wrapper: ToolWrapper) -> None:
    call = ("get_pods", {"namespace": "prod", "pointer": "/items/42", "fields": ["phase"]})
    talk = Talk(model_of([("get_pods", {"namespace": "prod", "grep": "("})], [call]))
    session = await talk.say(wrapper)
    wrong, right = answers(session.events)
    assert "retry: yes" in wrong["error"]
    assert '| "Failed"' in right["result"]
    made = [part.function_call.args for event in session.events for part in event.content.parts if part.function_call]
    assert made[1] == call[1]
    declared = talk.model.offered["get_pods"]
    names = declared.parameters.properties if declared.parameters else declared.parameters_json_schema["properties"]
    assert set(names) == {"namespace", "grep", "tail_n", "fields", "pointer"}


async def check_the_model_reads_on_with_our_tools(wrapper: ToolWrapper) -> None:
    read = ("read_log", {"resource": "get_logs?pod=api", "lines": "tail:1"})
    session = await Talk(model_of([LOGS], [read])).say(wrapper)
    answer = answers(session.events)[-1]
    assert {"packets": [one.id for one in parse_packets(answer["result"])]} in session.state.values()
    assert f"| {ERROR_LINE} in api" in answer["result"]
    assert resources(wrapper) == {"get_logs?pod=api": 1}


async def check_long_runs_stay_under_a_cap(wrapper: ToolWrapper) -> None:
    talk = Talk(model_of(*[[("get_page", {"n": n})] for n in range(30)]), get_page)
    session = await talk.say(wrapper, cap_tokens=CAP)
    assert max(sum(tokens(wrapper, one["result"]) for one in answers(asked)) for asked in talk.model.asked) <= room_for_results(wrapper)
    assert all(len(one["result"]) > 3_000 for one in answers(session.events))


async def check_the_page_runs_as_it_is_written(wrapper: ToolWrapper) -> None:
    model = model_of([LOGS])
    await run_page("adk", model=model)
    (answer,) = answers(model.asked[-1])
    assert is_packet(answer["result"], "get_logs")
