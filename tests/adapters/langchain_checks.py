"""What holds of the LangChain adapter, with the framework's own scripted model. Runs in its environment (`checks`)."""

from collections.abc import Sequence
from typing import Any

from deepagents import create_deep_agent
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import BaseTool, ToolException, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from api.adapters import open_wrapper
from api.adapters.langchain import EvidenceMiddleware
from api.wiring import Services
from api.wrap import ToolWrapper
from evidence_store.store import EvidenceStore
from projector import parse_packets
from tests.adapters.checks import (
    CAP,
    ERROR_LINE,
    LOG,
    OURS,
    ROOM,
    SMALL,
    WINDOW,
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
from tests.adapters.store_server import served_store

DEPLOY = "2026-11-30T10:30:00 INFO deploy 8841 began"


class Scripted(GenericFakeChatModel):
    """The framework's scripted model, which keeps what it was asked."""

    asked: list[list[AnyMessage]] = []  # noqa: RUF012 (a field of a pydantic model)
    offered: list[Any] = []  # noqa: RUF012

    def _generate(self, messages: list[AnyMessage], *args: Any, **kwargs: Any) -> Any:
        self.asked.append(list(messages))
        return super()._generate(messages, *args, **kwargs)

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        self.offered[:] = tools
        return self


def turn(*calls: tuple[str, dict[str, Any]]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"{name}-{n}"} for n, (name, args) in enumerate(calls)])


def model_of(*turns: AIMessage) -> Scripted:
    return Scripted(messages=iter([*turns, AIMessage("done")]), asked=[], offered=[])


def agent_of(wrapper: ToolWrapper | None, model: Scripted, *tools: Any, **options: Any) -> Any:
    cap = options.pop("cap_tokens", None)
    middleware = [] if wrapper is None else [EvidenceMiddleware(wrapper, cap_tokens=cap)]
    return create_agent(model, tools or [get_logs, get_pods, get_count], middleware=middleware, **options)


ASK: Any = {"messages": [HumanMessage("what is wrong?", id="ask")]}
LOGS = ("get_logs", {"pod": "api"})
PODS = ("get_pods", {"namespace": "prod"})
COUNT = ("get_count", {"namespace": "prod"})


def results(state: Any) -> list[ToolMessage]:
    return [one for one in state["messages"] if isinstance(one, ToolMessage)]


def check_a_large_result_is_a_packet_for_the_model_and_in_the_state(wrapper: ToolWrapper) -> None:
    model = model_of(turn(LOGS))
    (message,) = results(agent_of(wrapper, model).invoke(ASK))
    assert is_packet(message.text, "get_logs")
    assert tokens(wrapper, message.text) <= ROOM
    assert model.asked[-1][-1].text == message.text
    assert stored(wrapper, "get_logs?pod=api") == get_logs("api")


def check_the_same_holds_of_a_store_at_a_url(wrapper: ToolWrapper) -> None:
    with served_store() as (url, key), open_wrapper(url, window=WINDOW, key=key) as remote:
        read = ("read_log", {"resource": "get_logs?pod=api", "lines": "tail:1"})
        there = results(agent_of(remote, model_of(turn(LOGS), turn(read))).invoke(ASK))
        here = results(agent_of(wrapper, model_of(turn(LOGS), turn(read))).invoke(ASK))
    assert [one.text for one in there] == [one.text for one in here]
    assert is_packet(there[0].text, "get_logs")
    assert ERROR_LINE in there[1].text
    assert there[0].artifact == here[0].artifact


def check_the_packet_rides_beside_the_text(wrapper: ToolWrapper) -> None:
    (message,) = results(agent_of(wrapper, model_of(turn(LOGS))).invoke(ASK))
    beside = message.artifact["evidence"]
    assert resource_of(wrapper, beside) == "get_logs?pod=api"
    assert beside["packets"] == [one.id for one in parse_packets(message.text)]


async def check_the_same_holds_asynchronously_and_for_two_calls_of_one_turn(wrapper: ToolWrapper) -> None:
    model = model_of(turn(LOGS, PODS, COUNT))
    logs, pods, count = results(await agent_of(wrapper, model).ainvoke(ASK))
    assert is_packet(logs.text, "get_logs")
    assert is_packet(pods.text, "get_pods")
    assert (count.text, count.artifact) == (SMALL, None)
    assert [one.tool_call_id for one in (logs, pods, count)] == ["get_logs-0", "get_pods-1", "get_count-2"]


def check_the_calls_of_one_turn_share_a_budget(wrapper: ToolWrapper) -> None:
    state = agent_of(wrapper, model_of(turn(*[("get_logs", {"pod": f"api-{n}"}) for n in range(20)]))).invoke(ASK)
    assert sum(tokens(wrapper, one.text) for one in results(state)) <= 2 * ROOM


def check_a_result_within_its_budget_passes_unchanged(wrapper: ToolWrapper) -> None:
    with_it, without = (agent_of(one, model_of(turn(COUNT))).invoke(ASK) for one in (wrapper, None))
    assert results(with_it)[0].model_dump(exclude={"id"}) == results(without)[0].model_dump(exclude={"id"})
    assert resources(wrapper) == {}


def check_what_a_tool_raises_goes_on(wrapper: ToolWrapper) -> None:
    def get_broken(pod: str) -> str:
        """Fails."""
        raise ConnectionError("the cluster is gone")

    with raised(ConnectionError, "the cluster is gone"):
        agent_of(wrapper, model_of(turn(("get_broken", {"pod": "api"}))), get_broken).invoke(ASK)


async def check_an_error_that_the_framework_words_stays_one_and_a_long_one_is_stored_as_such(wrapper: ToolWrapper) -> None:
    @tool
    def get_broken(pod: str) -> str:
        """Fails."""
        raise ToolException("no such pod" if pod == "db" else get_logs(pod))

    get_broken.handle_tool_error = True
    calls = turn(("get_broken", {"pod": "db"}), ("get_broken", {"pod": "api"}))
    short, long = results(await agent_of(wrapper, model_of(calls), get_broken).ainvoke(ASK))
    assert (short.text, short.status) == ("no such pod", "error")
    assert is_packet(long.text, "get_broken")
    assert long.status == "error"
    assert resources(wrapper) == {"get_broken?pod=api#error": 1}


async def check_in_a_streamed_run_a_failing_call_leaves_those_beside_it_as_they_are(wrapper: ToolWrapper) -> None:
    @tool
    def get_broken(pod: str) -> str:
        """Fails."""
        raise ToolException("no such pod")

    get_broken.handle_tool_error = True
    calls = turn(("get_broken", {"pod": "db"}), LOGS, ("get_events", {"namespace": "prod"}))
    agent = agent_of(wrapper, model_of(calls), get_broken, get_logs, tool(get_events))
    states = [state async for state in agent.astream(ASK, stream_mode="values")]
    broken, logs, events = results(states[-1])
    assert (broken.text, broken.status) == ("no such pod", "error")
    assert is_packet(logs.text, "get_logs")
    assert is_packet(events.text, "get_events")


def check_a_tool_that_is_named_like_ours_stays_the_agents_and_ours_goes_by_another_name(wrapper: ToolWrapper) -> None:
    model = model_of(turn(LOGS), turn(("search", {"q": "api"}), OURS))
    state = agent_of(wrapper, model, get_logs, search).invoke(ASK)
    require_told_apart(*(one.text for one in results(state)))
    names = [one.name for one in model.offered]
    assert names.count("search") == 1
    assert [one for one in names if one.startswith("evidence_")] == ["evidence_search"]


def check_a_run_that_goes_on_with_its_tools_tells_them_apart(wrapper: ToolWrapper) -> None:
    """A run that was interrupted before its tools begins with them, and no model is asked before."""
    thread: Any = {"configurable": {"thread_id": "1"}}
    options = {"checkpointer": InMemorySaver(), "interrupt_before": ["tools"]}
    agent_of(wrapper, model_of(turn(LOGS)), get_logs, search, **options).invoke(ASK, thread)
    store = wrapper.context.tools.store
    assert isinstance(store, EvidenceStore)
    again = ToolWrapper(Services(store, wrapper.context.counter), wrapper.rules)
    state = agent_of(again, model_of(), get_logs, search, **options).invoke(None, thread)
    assert "find: evidence_search {" in results(state)[0].text


def check_errors_of_our_tools_are_errors(wrapper: ToolWrapper) -> None:
    call = ("read_log", {"resource": "nothing", "lines": "1-2"})
    (message,) = results(agent_of(wrapper, model_of(turn(call))).invoke(ASK))
    assert message.text.startswith("[error not_found]")
    assert message.status == "error"


def check_a_result_that_cannot_be_stored_is_an_error(wrapper: ToolWrapper) -> None:
    with broken_store(wrapper):
        (message,) = results(agent_of(wrapper, model_of(turn(LOGS))).invoke(ASK))
    assert message.status == "error"
    assert message.text.startswith("[error store_unwritable]")
    assert LOG[:60] not in message.text


def check_filters_are_offered_and_applied_and_the_tool_does_not_see_them(wrapper: ToolWrapper) -> None:
    call = ("get_pods", {"namespace": "prod", "pointer": "/items/42", "fields": ["phase"]})
    model = model_of(turn(call))
    (message,) = results(agent_of(wrapper, model).invoke(ASK))
    assert '| "Failed"' in message.text
    assert resource_of(wrapper, message.artifact["evidence"]) == "get_pods?namespace=prod"
    offered = {one.name: one.args for one in model.offered if isinstance(one, BaseTool)}
    assert set(offered["get_pods"]) == {"namespace", "grep", "tail_n", "fields", "pointer"}
    assert "grep" not in offered["read_log"]


def check_wrong_filters_are_answered_before_the_tool_is_called(wrapper: ToolWrapper) -> None:
    call = ("get_pods", {"namespace": "prod", "grep": "("})
    (message,) = results(agent_of(wrapper, model_of(turn(call))).invoke(ASK))
    assert message.status == "error"
    assert "retry: yes" in message.text
    assert resources(wrapper) == {}


async def check_the_model_reads_on_with_our_tools(wrapper: ToolWrapper) -> None:
    read = ("read_log", {"resource": "get_logs?pod=api", "lines": "tail:1"})
    state = await agent_of(wrapper, model_of(turn(LOGS), turn(read))).ainvoke(ASK)
    message = results(state)[-1]
    assert f"| {ERROR_LINE} in api" in message.text
    assert message.artifact["evidence"] == {"packets": [one.id for one in parse_packets(message.text)]}
    assert resources(wrapper) == {"get_logs?pod=api": 1}


def check_an_artifact_and_images_of_the_tool_stay(wrapper: ToolWrapper) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}

    @tool(response_format="content_and_artifact")
    def get_shots(pod: str) -> Any:
        """A log and a picture."""
        return [{"type": "text", "text": LOG}, image], {"rows": 7}

    (message,) = results(agent_of(wrapper, model_of(turn(("get_shots", {"pod": "api"}))), get_shots).invoke(ASK))
    assert message.artifact == {"rows": 7}
    assert resource_of(wrapper, message.additional_kwargs["evidence"]) == "get_shots?pod=api"
    assert is_packet(message.text, "get_shots")
    assert message.content[-1] == image


def check_a_text_behind_an_image_stays_behind_it(wrapper: ToolWrapper) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}

    @tool
    def get_shots(pod: str) -> Any:
        """A picture, its log, and another picture."""
        return [image, {"type": "text", "text": LOG}, image]

    (message,) = results(agent_of(wrapper, model_of(turn(("get_shots", {"pod": "api"}))), get_shots).invoke(ASK))
    assert [one["type"] for one in message.content] == ["image_url", "text", "image_url"]


def check_a_command_keeps_what_it_says(wrapper: ToolWrapper) -> None:
    @tool
    def hand_over(pod: str) -> Any:
        """Changes the state, too."""
        return Command(update={"messages": [ToolMessage(LOG, tool_call_id="hand_over-0"), SystemMessage("handed over")]})

    state = agent_of(wrapper, model_of(turn(("hand_over", {"pod": "api"}))), hand_over).invoke(ASK)
    assert is_packet(results(state)[0].text, "hand_over")
    assert "handed over" in [one.text for one in state["messages"]]


def check_results_of_a_saved_history_are_packets_for_the_model_and_stay_in_the_state(wrapper: ToolWrapper) -> None:
    saver, thread = InMemorySaver(), {"configurable": {"thread_id": "1"}}
    before = agent_of(None, model_of(turn(LOGS, PODS)), checkpointer=saver).invoke(ASK, thread)
    model = model_of()
    after = agent_of(wrapper, model, checkpointer=saver).invoke({"messages": [HumanMessage("and now?")]}, thread)
    assert [one.text for one in results(after)] == [one.text for one in results(before)] == [get_logs("api"), get_pods("prod")]
    logs, pods = (one for one in model.asked[-1] if isinstance(one, ToolMessage))
    assert is_packet(logs.text, "get_logs")
    assert is_packet(pods.text, "get_pods")


def check_older_results_become_references_near_the_cap_and_inputs_grow_at_their_end(wrapper: ToolWrapper) -> None:
    model = model_of(*[turn(("get_page", {"n": n})) for n in range(40)])
    state = agent_of(wrapper, model, get_page, cap_tokens=2 * CAP).invoke(ASK, {"recursion_limit": 200})
    sent = [sum(tokens(wrapper, one.text) for one in asked) for asked in model.asked]
    assert max(sent) <= CAP + room_for_results(wrapper)
    assert all(len(one.text) > 3_000 for one in results(state))
    pairs = list(zip(model.asked, model.asked[1:], strict=False))
    grown = [now[: len(was)] == was for was, now in pairs]
    assert grown.count(False) <= 8
    old = next(one for one in model.asked[-1] if isinstance(one, ToolMessage))
    id_ = parse_reference(old.text)
    assert "page 0 line 99" in wrapper.answer("get_evidence", {"id": id_}).text


def parse_reference(text: str) -> str:
    start = text.index("ev_")
    return text[start : start + 15]


def check_deepagents_takes_the_same_middleware(wrapper: ToolWrapper) -> None:
    model = model_of(turn(LOGS, COUNT))
    state = create_deep_agent(model, [get_logs, get_count], middleware=[EvidenceMiddleware(wrapper)]).invoke(ASK)
    logs, count = results(state)
    assert is_packet(logs.text, "get_logs")
    assert count.text == SMALL


class Reader(Scripted):
    """Answers with the line that it looks for: from what it sees, or after it has searched for it."""

    def _generate(self, messages: list[AnyMessage], *args: Any, **kwargs: Any) -> Any:
        lines = [line for one in messages if isinstance(one, ToolMessage) for line in one.text.splitlines() if DEPLOY in line]
        search = turn(("search", {"resource": "get_trace?pod=api", "pattern": DEPLOY}))
        said = turn(("get_trace", {"pod": "api"})) if len(messages) == 1 else AIMessage(lines[0].removeprefix("| ")) if lines else search
        self.messages = iter([said])
        return super()._generate(messages, *args, **kwargs)


def check_the_answer_is_the_same_with_and_without(wrapper: ToolWrapper) -> None:
    def get_trace(pod: str) -> str:
        """The line stands in the middle, which no preview shows."""
        return f"{LOG}{DEPLOY} of {pod}\n{LOG}"

    def run(one: ToolWrapper | None) -> Any:
        return agent_of(one, Reader(messages=iter(()), asked=[], offered=[]), get_trace).invoke(ASK)["messages"]

    with_it, without = run(wrapper), run(None)
    assert with_it[-1].text == without[-1].text == f"{DEPLOY} of api"
    assert (len(with_it), len(without)) == (6, 4)


async def check_the_page_runs_as_it_is_written(wrapper: ToolWrapper) -> None:
    model = model_of(turn(LOGS), turn(("read_log", {"resource": "get_logs?pod=api", "lines": "tail:1"})))
    names = await run_page("langchain", model=model)
    logs, line = results(names["state"])
    assert is_packet(logs.text, "get_logs")
    assert ERROR_LINE in line.text
