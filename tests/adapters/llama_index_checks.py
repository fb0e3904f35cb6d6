"""What holds of wrapped functions and of our MCP server in LlamaIndex, with its own scripted model. Runs in its environment (`checks`)."""

import os
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM

from api.wrap import ToolWrapper, wrap
from tests.adapters.checks import ERROR_LINE, ROOM, SMALL, broken_store, get_count, get_logs, is_packet, resources, run_page, stored, tokens
from tests.adapters.checks import get_pods as get_all_pods

ROOT = Path(__file__).parents[2]
SERVER_PYTHON = os.environ.get("SERVER_PYTHON", sys.executable)
"""An interpreter with the MCP SDK that our server needs."""
LOGS = ("get_logs", {"pod": "api"})
PODS = ("get_pods", {"namespace": "prod"})
COUNT = ("get_count", {"namespace": "prod"})


async def get_pods(namespace: str) -> str:
    """All pods of a namespace."""
    return get_all_pods(namespace)


class Script:
    """Turns for the framework's scripted model, and what it was asked."""

    def __init__(self, *turns: list[tuple[str, dict[str, Any]]]) -> None:
        self._turns = list(turns)
        self.asked: list[list[ChatMessage]] = []
        self.llm = MockFunctionCallingLLM(response_generator=self._answer, is_chat_model=True)

    def _answer(self, messages: Any, **_: Any) -> ChatMessage:
        self.asked.append(list(messages))
        at = len(self.asked)
        calls = self._turns[at - 1] if at <= len(self._turns) else []
        blocks = [ToolCallBlock(tool_call_id=f"call-{at}-{n}", tool_name=name, tool_kwargs=args) for n, (name, args) in enumerate(calls)]
        return ChatMessage(role=MessageRole.ASSISTANT, blocks=blocks) if blocks else ChatMessage("done", role=MessageRole.ASSISTANT)

    @property
    def results(self) -> list[str]:
        """The texts of results that the last request had, by their calls: they stand there in the order in which they came."""
        found = [one for one in self.asked[-1] if one.role == MessageRole.TOOL]
        return [str(one.content) for one in sorted(found, key=lambda one: str(one.additional_kwargs["tool_call_id"]))]


async def run(wrapper: ToolWrapper, script: Script, *functions: Any) -> list[str]:
    wrapped = [wrap(wrapper, one) for one in functions or (get_logs, get_pods, get_count)]
    await FunctionAgent(tools=wrapped, llm=script.llm).run("why?")
    return script.results


async def check_large_results_are_packets_alone_and_in_one_turn_plain_and_asynchronous(wrapper: ToolWrapper) -> None:
    (alone,) = await run(wrapper, Script([LOGS]))
    logs, pods, count = await run(wrapper, Script([LOGS, PODS, COUNT]))
    assert is_packet(alone, "get_logs")
    assert is_packet(logs, "get_logs")
    assert is_packet(pods, "get_pods")
    assert count == SMALL
    assert tokens(wrapper, logs) <= ROOM
    assert stored(wrapper, "get_logs?pod=api") == get_logs("api")
    assert resources(wrapper) == {"get_logs?pod=api": 1, "get_pods?namespace=prod": 1}


async def check_failing_tools_and_a_failing_store_are_errors_of_the_tool(wrapper: ToolWrapper) -> None:
    def get_broken(pod: str) -> str:
        """Fails."""
        raise ConnectionError("the cluster is gone")

    (broken,) = await run(wrapper, Script([("get_broken", {"pod": "api"})]), get_broken)
    assert "the cluster is gone" in broken
    with broken_store(wrapper):
        (text,) = await run(wrapper, Script([LOGS]))
    assert "no space is left for the store" in text
    assert "INFO request" not in text


async def check_filters_are_taken(wrapper: ToolWrapper) -> None:
    call = ("get_pods", {"namespace": "prod", "pointer": "/items/42", "fields": ["phase"]})
    (text,) = await run(wrapper, Script([call]))
    assert '| "Failed"' in text


async def check_a_tool_that_is_named_like_ours_is_told_apart_in_packets(wrapper: ToolWrapper) -> None:
    def search(q: str) -> str:
        """A search of the agent's own."""
        return f"3 pages about {q}"

    logs, own = await run(wrapper, Script([LOGS, ("search", {"q": "api"})]), get_logs, search)
    assert "find: evidence_search {" in logs
    assert own == search("api")
    assert wrapper.names.of("search") == "evidence_search"


async def check_the_page_runs_as_it_is_written(wrapper: ToolWrapper) -> None:
    read = ("read_log", {"resource": "get_logs?pod=api", "lines": "tail:1"})
    script = Script([LOGS], [read])
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from api.cli import main; sys.exit(main())"
    with tempfile.TemporaryDirectory() as folder:
        command = Path(folder) / "evidence"
        command.write_text(f'#!/bin/sh\nexec {shlex.quote(SERVER_PYTHON)} -P -c {shlex.quote(code)} "$@"\n')
        command.chmod(0o755)
        with patch.dict(os.environ, {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}):
            await run_page("llama-index", llm=script.llm)
    logs, line = script.results
    assert is_packet(logs, "get_logs")
    assert line.startswith("[evidence ev_")
    assert f"| {ERROR_LINE}\n" in line
