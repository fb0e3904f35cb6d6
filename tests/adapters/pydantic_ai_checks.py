"""What holds of the adapter for pydantic-ai, with the framework's own scripted model. Runs in its environment (`checks`)."""

from typing import Any

from pydantic_ai import Agent, BinaryContent, ModelRetry, ToolReturn
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from api.adapters.pydantic_ai import EvidenceCapability
from api.wrap import ToolWrapper
from projector import parse_packets
from tests.adapters.checks import (
    CAP,
    ERROR_LINE,
    LOG,
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
    resource_of,
    resources,
    room_for_results,
    run_page,
    search,
    stored,
    tokens,
)
from tests.adapters.checks import (
    PODS as ALL_PODS,
)

LOGS = ("get_logs", {"pod": "api"})
PODS = ("get_pods", {"namespace": "prod"})
COUNT = ("get_count", {"namespace": "prod"})


def get_pods(namespace: str) -> dict[str, Any]:
    """All pods of a namespace, as a value."""
    return ALL_PODS


class Script:
    """Turns for the framework's scripted model, and what it was asked."""

    def __init__(self, *turns: list[tuple[str, dict[str, Any]]]) -> None:
        self._turns = list(turns)
        self.asked: list[list[Any]] = []
        self.tools: dict[str, Any] = {}

    def __call__(self, messages: list[Any], info: AgentInfo) -> ModelResponse:
        self.asked.append(list(messages))
        self.tools = {one.name: one.parameters_json_schema for one in info.function_tools}
        at = len(self.asked)
        calls = self._turns[at - 1] if at <= len(self._turns) else []
        parts = [ToolCallPart(name, args, tool_call_id=f"call-{at}-{n}") for n, (name, args) in enumerate(calls)]
        return ModelResponse(parts=parts or [TextPart("done")])


def agent_of(wrapper: ToolWrapper | None, script: Script, *tools: Any, cap_tokens: int | None = None) -> Agent[None, str]:
    capabilities = [] if wrapper is None else [EvidenceCapability(wrapper, cap_tokens=cap_tokens)]
    return Agent(FunctionModel(script), tools=tools or (get_logs, get_pods, get_count), capabilities=capabilities)


def results(messages: Any) -> list[ToolReturnPart]:
    return [part for one in messages for part in one.parts if isinstance(part, ToolReturnPart)]


def texts(messages: Any) -> list[str]:
    return [part.model_response_str() for part in results(messages)]


def check_a_large_result_is_a_packet_with_evidence_beside_it(wrapper: ToolWrapper) -> None:
    script = Script([LOGS])
    (part,) = results(agent_of(wrapper, script).run_sync("why?").all_messages())
    assert is_packet(part.content, "get_logs")
    assert tokens(wrapper, part.content) <= ROOM
    assert texts(script.asked[-1]) == [part.content]
    assert part.metadata["evidence"]["packets"] == [one.id for one in parse_packets(part.content)]
    assert stored(wrapper, "get_logs?pod=api") == get_logs("api")


async def check_several_calls_of_one_turn_share_a_budget_and_small_values_stay_values(wrapper: ToolWrapper) -> None:
    run = await agent_of(wrapper, Script([LOGS, PODS, COUNT, *[("get_logs", {"pod": str(n)}) for n in range(17)]])).run("why?")
    logs, pods, count, *others = results(run.all_messages())
    assert is_packet(pods.content, "get_pods")
    assert (count.content, count.metadata) == (SMALL, None)
    assert sum(tokens(wrapper, one.content) for one in (logs, pods, count, *others)) <= 2 * ROOM


async def check_a_saved_history_is_shown_as_packets_and_stays_as_it_is(wrapper: ToolWrapper) -> None:
    before = (await agent_of(None, Script([LOGS, PODS])).run("why?")).all_messages()
    script = Script()
    after = (await agent_of(wrapper, script).run("and now?", message_history=before)).all_messages()
    assert [one.content for one in results(after)] == [get_logs("api"), ALL_PODS]
    logs, pods = texts(script.asked[-1])
    assert is_packet(logs, "get_logs")
    assert is_packet(pods, "get_pods")


async def check_failing_tools_end_as_they_do_without_us(wrapper: ToolWrapper) -> None:
    def get_broken(pod: str) -> str:
        """Fails once."""
        if pod == "db":
            raise ModelRetry("no such pod, try api")
        raise ConnectionError("the cluster is gone")

    for one in (wrapper, None):
        with raised(ConnectionError, "the cluster is gone"):
            await agent_of(one, Script([("get_broken", {"pod": "db"})], [("get_broken", {"pod": "api"})]), get_broken).run("why?")


def check_a_failing_call_leaves_those_beside_it_as_they_are(wrapper: ToolWrapper) -> None:
    def get_broken(pod: str) -> str:
        """Fails."""
        raise ModelRetry("no such pod, try db")

    script = Script([("get_broken", {"pod": "api"}), LOGS, ("get_events", {"namespace": "prod"})])
    run = agent_of(wrapper, script, get_broken, get_logs, get_events).run_sync("why?")
    broken, logs, events = results(run.all_messages())
    assert "no such pod, try db" in broken.model_response_str()
    assert is_packet(logs.content, "get_logs")
    assert is_packet(events.content, "get_events")
    assert resources(wrapper) == {"get_logs?pod=api": 1, "get_events?namespace=prod": 1}


async def check_a_tool_that_is_named_like_ours_stays_the_agents_and_ours_goes_by_another_name(wrapper: ToolWrapper) -> None:
    script = Script([LOGS], [("search", {"q": "api"}), OURS])
    run = await agent_of(wrapper, script, get_logs, search).run("why?")
    require_told_apart(*texts(run.all_messages()))
    assert [one for one in script.tools if one.startswith("evidence_")] == ["evidence_search"]


async def check_a_result_that_cannot_be_stored_is_an_error(wrapper: ToolWrapper) -> None:
    with broken_store(wrapper):
        run = await agent_of(wrapper, Script([LOGS])).run("why?")
    (part,) = results(run.all_messages())
    assert part.outcome == "failed"
    assert part.content.startswith("[error store_unwritable]")


async def check_filters_are_offered_and_applied_and_the_tool_does_not_see_them(wrapper: ToolWrapper) -> None:
    call = ("get_pods", {"namespace": "prod", "pointer": "/items/42", "fields": ["phase"]})
    script = Script([("get_pods", {"namespace": "prod", "grep": "("})], [call])
    run = await agent_of(wrapper, script).run("why?")
    (wrong, *_), (part, *_) = ([one for one in results(run.all_messages()) if one.tool_call_id == f"call-{n}-0"] for n in (1, 2))
    assert "bad" in wrong.model_response_str()
    assert '| "Failed"' in part.content
    assert set(script.tools["get_pods"]["properties"]) == {"namespace", "grep", "tail_n", "fields", "pointer"}
    assert "grep" not in script.tools["read_log"]["properties"]


async def check_the_model_reads_on_with_our_tools(wrapper: ToolWrapper) -> None:
    run = await agent_of(wrapper, Script([LOGS], [("read_log", {"resource": "get_logs?pod=api", "lines": "tail:1"})])).run("why?")
    assert f"| {ERROR_LINE} in api" in results(run.all_messages())[-1].content
    assert resources(wrapper) == {"get_logs?pod=api": 1}


async def check_metadata_content_and_files_of_a_tool_stay(wrapper: ToolWrapper) -> None:
    def get_shots(pod: str) -> Any:
        """A picture, or a log with more beside it."""
        picture = BinaryContent(b"\x89PNG" * 60_000, media_type="image/png")
        return picture if pod == "db" else ToolReturn(LOG, content="look closely", metadata={"rows": 7})

    run = await agent_of(wrapper, Script([("get_shots", {"pod": "api"}), ("get_shots", {"pod": "db"})]), get_shots).run("why?")
    log, picture = results(run.all_messages())
    assert is_packet(log.content, "get_shots")
    assert (log.metadata["rows"], resource_of(wrapper, log.metadata["evidence"])) == (7, "get_shots?pod=api")
    assert isinstance(picture.content, BinaryContent)
    assert resources(wrapper) == {"get_shots?pod=api": 1}


async def check_long_runs_stay_under_a_cap(wrapper: ToolWrapper) -> None:
    script = Script(*[[("get_page", {"n": n})] for n in range(30)])
    run = await agent_of(wrapper, script, get_page, cap_tokens=CAP).run("why?")
    assert max(sum(tokens(wrapper, text) for text in texts(asked)) for asked in script.asked) <= room_for_results(wrapper)
    assert all(len(text) > 3_000 for text in texts(run.all_messages()))


async def check_the_page_runs_as_it_is_written(wrapper: ToolWrapper) -> None:
    names = await run_page("pydantic-ai", model=FunctionModel(Script([LOGS])))
    (text,) = texts(names["result"].all_messages())
    assert is_packet(text, "get_logs")
