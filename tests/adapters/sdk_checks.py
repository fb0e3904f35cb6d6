"""What holds of the loops around the SDKs of OpenAI and Anthropic, with their own clients against a loopback server (`sdk_server`)."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from anthropic import Anthropic, AsyncAnthropic
from openai import AsyncOpenAI, OpenAI

from api.adapters.anthropic_sdk import MessagesLoop
from api.adapters.openai_sdk import ChatLoop, ResponsesLoop
from api.wrap import ToolWrapper
from tests.adapters.checks import (
    CAP,
    ERROR_LINE,
    OURS,
    ROOM,
    SMALL,
    broken_store,
    get_count,
    get_logs,
    get_page,
    get_pods,
    is_packet,
    require_told_apart,
    resources,
    room_for_results,
    run_page,
    search,
    stored,
    tokens,
)
from tests.adapters.sdk_server import Server, Turn, serving

PARAMETERS: dict[str, Any] = {"type": "object", "properties": {"namespace": {"type": "string"}}, "required": ["namespace"]}
LOGS = ("get_logs", {"pod": "api"})
PODS = ("get_pods", {"namespace": "prod"})
COUNT = ("get_count", {"namespace": "prod"})
FUNCTIONS: dict[str, Callable[..., Any]] = {"get_logs": get_logs, "get_pods": get_pods, "get_count": get_count}
Asked = tuple[list[Any], list[str]]
"""The whole list of a conversation, and the texts of the results that the last request had."""


def chat(server: Server, wrapper: ToolWrapper, functions: dict[str, Any] = FUNCTIONS, cap_tokens: int | None = None) -> Asked:
    loop = ChatLoop(wrapper, functions, cap_tokens=cap_tokens)
    client = OpenAI(base_url=f"{server.url}/v1", api_key="k")
    functions_told = [("get_pods", "Pods."), ("get_page", get_page.__doc__)]
    told = [{"name": name, "description": said, "parameters": PARAMETERS} for name, said in functions_told]
    tools = loop.tools([{"type": "function", "function": one} for one in told])
    messages: list[Any] = [{"role": "user", "content": "why?"}]
    for _ in range(40):
        answer = client.chat.completions.create(model="m", messages=loop.seen(messages), tools=tools).choices[0].message
        results = loop.results([answer])
        messages += [answer, *results]
        if not results:
            break
    return messages, [one["content"] for one in server.requests[-1]["messages"] if one["role"] == "tool"]


async def responses(server: Server, wrapper: ToolWrapper, functions: dict[str, Any] = FUNCTIONS) -> Asked:
    loop, client = ResponsesLoop(wrapper, functions), AsyncOpenAI(base_url=f"{server.url}/v1", api_key="k")
    tools = loop.tools([{"type": "function", "name": "get_pods", "description": "Pods.", "parameters": PARAMETERS, "strict": False}])
    items: list[Any] = [{"role": "user", "content": "why?"}]
    for _ in range(40):
        output = (await client.responses.create(model="m", input=loop.seen(items), tools=tools)).output
        results = await loop.aresults(output)
        items += [*output, *results]
        if not results:
            break
    return items, [one["output"] for one in server.requests[-1]["input"] if one.get("type") == "function_call_output"]


async def claude(server: Server, wrapper: ToolWrapper, functions: dict[str, Any] = FUNCTIONS) -> Asked:
    loop, client = MessagesLoop(wrapper, functions), AsyncAnthropic(base_url=server.url, api_key="k")
    tools = loop.tools([{"name": "get_pods", "description": "Pods.", "input_schema": PARAMETERS}])
    messages: list[Any] = [{"role": "user", "content": "why?"}]
    for _ in range(40):
        answer = await client.messages.create(model="m", max_tokens=99, messages=loop.seen(messages), tools=tools)
        turn = {"role": "assistant", "content": answer.content}
        results = await loop.aresults([turn])
        messages += [turn, *results]
        if not results:
            break
    return messages, list(map(block_text, blocks(server.requests[-1])))


def blocks(request: Any) -> list[Any]:
    found = [block for one in request["messages"] if isinstance(one["content"], list) for block in one["content"]]
    return [block for block in found if block["type"] == "tool_result"]


def block_text(block: Any) -> str:
    """The text of a result, with that of the evidence in it."""
    content = block["content"]
    return content if isinstance(content, str) else "".join(one.get("text") or one["content"][0]["text"] for one in content)


async def asked_of_all(wrapper: ToolWrapper, turns: list[Turn], functions: dict[str, Any] = FUNCTIONS) -> list[Asked]:
    """The same turns in each of the three forms."""
    made = []
    with serving(*turns) as server:
        made.append(chat(server, wrapper, functions))
    with serving(*turns) as server:
        made.append(await responses(server, wrapper, functions))
    with serving(*turns) as server:
        made.append(await claude(server, wrapper, functions))
    return made


async def check_large_results_are_packets_in_each_form_alone_and_in_one_turn(wrapper: ToolWrapper) -> None:
    for _, texts in await asked_of_all(wrapper, [[LOGS], [LOGS, PODS, COUNT]]):
        first, logs, pods, count = texts
        assert is_packet(first, "get_logs")
        assert is_packet(logs, "get_logs")
        assert is_packet(pods, "get_pods")
        assert count == SMALL
        assert tokens(wrapper, logs) + tokens(wrapper, pods) <= 2 * ROOM
    assert stored(wrapper, "get_logs?pod=api") == get_logs("api")
    assert resources(wrapper) == {"get_logs?pod=api": 1, "get_pods?namespace=prod": 1}


async def check_failing_calls_are_answered_as_such(wrapper: ToolWrapper) -> None:
    async def get_broken(pod: str) -> str:
        raise ConnectionError("the cluster is gone")

    def get_wrong(pod: str) -> str:
        raise TimeoutError("too slow")

    functions: dict[str, Any] = {"get_logs": get_logs, "get_wrong": get_wrong}
    turn: Turn = [("get_wrong", {"pod": "api"}), ("get_logs", {"node": "x"}), ("get_none", {})]
    for _, (wrong, refused, unknown) in await asked_of_all(wrapper, [turn], functions):
        assert wrong.startswith("[error tool_timed_out]")
        assert refused.startswith("[error tool_failed]")
        assert unknown.startswith("[error unknown_tool]")
        assert '"get_logs"' in unknown
    with serving([("get_broken", {"pod": "api"}), LOGS]) as server:
        await claude(server, wrapper, {**functions, "get_broken": get_broken})
        broken, logs = blocks(server.requests[-1])
    assert (broken["is_error"], "is_error" in logs) == (True, False)
    assert "the cluster is gone" in broken["content"]


async def check_asynchronous_tools_run_side_by_side_and_a_failing_one_leaves_the_others(wrapper: ToolWrapper) -> None:
    both = asyncio.Barrier(2)

    async def get_slow(pod: str) -> str:
        await both.wait()
        return get_logs(pod)

    async def get_broken(pod: str) -> str:
        await both.wait()
        raise ConnectionError("the cluster is gone")

    functions: dict[str, Any] = {"get_slow": get_slow, "get_broken": get_broken, "get_pods": get_pods}
    turn: Turn = [("get_slow", {"pod": "api"}), ("get_broken", {"pod": "api"}), PODS]
    for way in (responses, claude):
        with serving(turn) as server:
            _, (slow, broken, pods) = await way(server, wrapper, functions)
        assert is_packet(slow, "get_slow")
        assert broken.startswith("[error tool_failed]")
        assert is_packet(pods, "get_pods")


async def check_a_result_that_cannot_be_stored_is_an_error(wrapper: ToolWrapper) -> None:
    with broken_store(wrapper):
        for _, (text,) in await asked_of_all(wrapper, [[LOGS]]):
            assert text.startswith("[error store_unwritable]")


async def check_filters_are_offered_and_applied_and_our_tools_answer(wrapper: ToolWrapper) -> None:
    turns: list[Turn] = [
        [("get_pods", {"namespace": "prod", "pointer": "/items/42", "fields": ["phase"]}), LOGS],
        [("read_log", {"resource": "get_logs?pod=api", "lines": "tail:1"})],
    ]
    for _, (pods, _, line) in await asked_of_all(wrapper, turns):
        assert '| "Failed"' in pods
        assert f"| {ERROR_LINE} in api" in line
    assert resources(wrapper) == {"get_logs?pod=api": 1, "get_pods?namespace=prod": 1}


async def check_a_tool_that_is_named_like_ours_stays_the_agents_and_ours_goes_by_another_name(wrapper: ToolWrapper) -> None:
    functions: dict[str, Any] = {"get_logs": get_logs, "search": search}
    for _, texts in await asked_of_all(wrapper, [[LOGS], [("search", {"q": "api"}), OURS]], functions):
        require_told_apart(*texts)
    offered = ChatLoop(wrapper, functions).tools([{"type": "function", "function": {"name": "search", "parameters": PARAMETERS}}])
    names = [one["function"]["name"] for one in offered]
    assert names.count("search") == 1
    assert "evidence_search" in names


def check_definitions_are_in_the_form_of_the_provider(wrapper: ToolWrapper) -> None:
    function = {"name": "get_pods", "description": "Pods.", "parameters": {**PARAMETERS, "additionalProperties": False}}
    strict = ChatLoop(wrapper, {}).tools([{"type": "function", "function": {**function, "strict": True}}])
    assert strict[0]["function"]["parameters"]["required"] == ["namespace", "grep", "tail_n", "fields", "pointer"]
    assert strict[0]["function"]["parameters"]["properties"]["grep"]["type"] == ["string", "null"]
    claude = MessagesLoop(wrapper, {}).tools([{"name": "get_pods", "input_schema": PARAMETERS}])
    assert set(claude[0]["input_schema"]["properties"]) == {"namespace", "grep", "tail_n", "fields", "pointer"}
    assert {"read_log", "search"} <= {one["name"] for one in claude}
    assert all("input_schema" in one for one in claude)


def check_a_saved_list_is_shown_as_packets_and_stays_as_it_is(wrapper: ToolWrapper) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "get_logs", "arguments": '{"pod": "api"}'}}
    saved: list[Any] = [
        {"role": "user", "content": "why?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": get_logs("api")},
    ]
    before = json.dumps(saved)
    seen = ChatLoop(wrapper, {}).seen(saved)
    assert json.dumps(saved) == before
    assert seen[:2] == saved[:2]
    assert is_packet(seen[2]["content"], "get_logs")


def check_long_runs_stay_under_a_cap(wrapper: ToolWrapper) -> None:
    with serving(*[[("get_page", {"n": n})] for n in range(30)]) as server:
        messages, _ = chat(server, wrapper, {"get_page": get_page}, cap_tokens=CAP)
        sent = [[one["content"] for one in asked["messages"] if one["role"] == "tool"] for asked in server.requests]
    assert max(sum(tokens(wrapper, text) for text in texts) for texts in sent) <= room_for_results(wrapper)
    assert all(len(one["content"]) > 3_000 for one in messages if isinstance(one, dict) and one["role"] == "tool")


async def check_the_page_runs_as_it_is_written(wrapper: ToolWrapper) -> None:
    with serving([LOGS]) as openai, serving([LOGS]) as anthropic:
        client, claude = OpenAI(base_url=f"{openai.url}/v1", api_key="k"), Anthropic(base_url=anthropic.url, api_key="k")
        await run_page("sdk", client=client, claude=claude)
        (text,) = [one["content"] for one in openai.requests[-1]["messages"] if one["role"] == "tool"]
        (block,) = blocks(anthropic.requests[-1])
    assert is_packet(text, "get_logs")
    assert is_packet(block_text(block), "get_logs")
    assert "search_result" in [one["type"] for one in block["content"]]
