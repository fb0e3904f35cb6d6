"""An agent of your own over the store: any function from messages and tools to an assistant message will do.

    python examples/own_agent.py old.yaml

Here the model is scripted, so that the example runs as it is; put the call of your provider in its place. Started again after a crash, it
goes on with the run that did not end; started beside one that still runs, it takes that run over. Tools of your own: `Runner(…, tools=…)`
(docs/loop.md).
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from api.loop import Bounds, Chat, Runner, RunReport
from api.settings import Settings
from api.wiring import DEFAULT_COUNTER, Services, open_services
from evidence_store.model import ResourceName, TaskName, TaskRevision
from evidence_store.store.put_request import PutRequest
from projector import Profile

PROFILE = Profile("openai", "my-model", 32_768, 4_096, 1_024, DEFAULT_COUNTER)
SYSTEM = "You read documents through tools, record claims and cite evidence ids."
TASK = TaskName("own-agent")


def run(services: Services, goal: str, chat: Chat, max_steps: int = 50) -> RunReport:
    """Lets the model work until it calls no more tools, or to the closing step at the limit."""
    runner = Runner(services, PROFILE, SYSTEM, Bounds(max_steps=max_steps))
    if interrupted := runner.unfinished(TASK):
        return runner.resume(interrupted[0], chat)
    task = services.store.tasks.find_newest(TASK)
    task = task or services.store.tasks.add_revision(TaskRevision(TASK, 1, goal, (), (), ()), "user:me")
    return runner.run(task, "agent:own/1", goal, chat)


def scripted(messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Stands in for a model: looks at what there is, then ends."""
    if any(message["role"] == "tool" for message in messages):
        return {"role": "assistant", "content": "I have seen the resources."}
    call = {"id": "1", "type": "function", "function": {"name": "list_resources", "arguments": "{}"}}
    return {"role": "assistant", "content": "I look at what there is.", "tool_calls": [call]}


def main(path: str) -> None:
    with open_services(Settings(Path(".evidence")), create=True) as services:
        services.store.sources.put(PutRequest(ResourceName(Path(path).name)), [Path(path).read_bytes()])
        report = run(services, "Say what resources there are.", scripted)
        print(report.text)
        for claim in report.claims:
            print(f"{claim.id} {claim.standing}: {claim.text}")
        if report.empty_run:
            print(f"no claim: {report.reason}", file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/own_agent.py DOCUMENT")
    main(sys.argv[1])
