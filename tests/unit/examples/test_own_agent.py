"""The example of an own agent: it runs as it is, and around any function from messages and tools to a message."""

import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from api.settings import Settings
from api.wiring import Services, open_services
from evidence_store.model import ResourceName, TaskName
from evidence_store.store.put_request import PutRequest
from tests.conftest import ROOT
from tests.e2e.command import environment

EXAMPLE = ROOT / "examples" / "own_agent.py"
DOCUMENT = b"limit:\n  maximum: 50\n"
GOAL = "Say how many items a page may have."

Messages = Sequence[Mapping[str, Any]]


@pytest.fixture(scope="module")
def own_agent() -> ModuleType:
    """The script as a module; `examples` is no package."""
    spec = importlib.util.spec_from_file_location("own_agent", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with open_services(Settings(tmp_path / "store"), create=True) as services:
        services.store.sources.put(PutRequest(ResourceName("page.yaml")), [DOCUMENT])
        yield services


def call(number: int, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """An assistant message with one tool call."""
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": str(number), "type": "function", "function": function}]}


class Recorded:
    """A model that says what it is told to, one message a step, and keeps what it was given."""

    def __init__(self, *says: Mapping[str, Any]) -> None:
        self._says = iter(says)
        self.inputs: list[Messages] = []
        self.tools: list[Messages] = []

    def __call__(self, messages: Messages, tools: Messages) -> Mapping[str, Any]:
        self.inputs.append(messages)
        self.tools.append(tools)
        return next(self._says)


def text_of(messages: Messages) -> str:
    return "\n".join(str(message.get("content")) for message in messages)


def test_the_script_runs_as_a_program_of_its_own(tmp_path: Path) -> None:
    """With nothing but a file: no key, no network, no settings."""
    (tmp_path / "page.yaml").write_bytes(DOCUMENT)
    words = [sys.executable, str(EXAMPLE), "page.yaml"]
    done = subprocess.run(words, cwd=tmp_path, env=environment(), capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout.decode(), done.stderr.decode()) == (
        0,
        "I have seen the resources.\n",
        "no claim: the agent ended without recording a claim\n",
    )
    assert (tmp_path / ".evidence").is_dir()


def test_the_scripted_model_sees_the_resources_before_it_ends(own_agent: ModuleType, services: Services) -> None:
    inputs: list[Messages] = []

    def chat(messages: Messages, tools: Messages) -> Mapping[str, Any]:
        inputs.append(messages)
        return own_agent.scripted(messages, tools)  # type: ignore[no-any-return]

    assert own_agent.run(services, GOAL, chat).text == "I have seen the resources."
    assert len(inputs) == 2
    assert "page.yaml" not in text_of(inputs[0])
    assert "page.yaml" in text_of(inputs[1])


def test_a_model_reads_records_a_claim_and_ends(own_agent: ModuleType, services: Services) -> None:
    """The whole way: the packet that a tool answered with is shown, cited, and the claim that rests on it is verified."""
    read = call(1, "read_spec", {"resource": "page.yaml", "pointer": "/limit/maximum"})

    def chat(messages: Messages, tools: Messages) -> Mapping[str, Any]:
        shown = re.findall(r"\[evidence (ev_\w+)\]\n(?:.+\n)*?\| 50\n", text_of(messages))
        if not shown:
            return read
        if '"claim":"C1"' in text_of(messages):
            return {"role": "assistant", "content": "Done."}
        about = {"resource": "page.yaml", "pointer": "/limit/maximum"}
        cited = [{"evidence": shown[0], "role": "support"}]
        return call(2, "record_claim", {"about": about, "text": "maximum is 50", "citations": cited})

    assert own_agent.run(services, GOAL, chat, max_steps=3).text == "Done."
    (recorded,) = services.store.claims.list_claims(TaskName("own-agent"))
    assert (recorded.text, recorded.standing) == ("maximum is 50", "verified"), recorded.reason


def test_a_wrong_call_is_answered_and_the_run_goes_on(own_agent: ModuleType, services: Services) -> None:
    wrong = call(1, "read_spec", {"resource": "page.yaml", "pointer": "/limit/minimum"})
    model = Recorded(wrong, {"role": "assistant", "content": "There is none."})
    assert own_agent.run(services, GOAL, model).text == "There is none."
    assert "[error not_found]" in text_of(model.inputs[1])


def test_the_step_limit_ends_a_model_that_never_does_with_a_closing_step(own_agent: ModuleType, services: Services) -> None:
    model = Recorded(*(call(number, "list_resources", {}) for number in range(3)), {"role": "assistant", "content": "I know of one."})
    report = own_agent.run(services, GOAL, model, max_steps=3)
    assert (report.how, report.text, len(model.tools[-1])) == ("closed", "I know of one.", 0)


def test_started_again_it_goes_on_with_the_run_that_did_not_end(own_agent: ModuleType, services: Services) -> None:
    with pytest.raises(StopIteration):
        own_agent.run(services, GOAL, Recorded(call(1, "list_resources", {})))
    report = own_agent.run(services, GOAL, Recorded({"role": "assistant", "content": "Done."}))
    assert (report.run.number, report.n_steps, report.text) == (1, 2, "Done.")


def test_the_tools_are_given_with_every_input(own_agent: ModuleType, services: Services) -> None:
    model = Recorded({"role": "assistant", "content": "Nothing to do."})
    own_agent.run(services, GOAL, model)
    names = [tool["function"]["name"] for tool in model.tools[0]]
    assert {"read_spec", "search", "record_claim"} <= set(names)
    assert GOAL in text_of(model.inputs[0])


def test_without_a_document_it_says_how_it_is_called() -> None:
    done = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, text=True, check=False, env=environment())
    assert (done.returncode, done.stderr) == (1, "usage: python examples/own_agent.py DOCUMENT\n")
