"""An agent of your own over the store: any function from messages and tools to an assistant message will do.

    python examples/own_agent.py old.yaml

Here the model is scripted, so that the example runs as it is; put the call of your provider in its place.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from api.sessions import Session, ToolRequest
from api.settings import Settings
from api.wiring import DEFAULT_COUNTER, Services, open_services
from evidence_store.model import ResourceName, TaskName, TaskRevision
from evidence_store.store.sources import PutRequest
from projector import Profile

Chat = Callable[[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Any]]], Mapping[str, Any]]
"""Messages and tools in the form of OpenAI Chat to the assistant's message."""


def run(services: Services, goal: str, chat: Chat, max_steps: int = 50) -> str:
    """Lets the model work until it calls no more tools, and gives its last words."""
    task = services.store.tasks.add_revision(TaskRevision(TaskName("own-agent"), 1, goal, (), (), ()), "user:me")
    profile = Profile("openai", "my-model", 32_768, 4_096, 1_024, DEFAULT_COUNTER)
    session = Session(services, task, "agent:own/1", profile, "You read documents through tools and cite evidence ids.", goal)
    for _ in range(max_steps):
        projection = session.next_input()
        message = chat(projection.messages, projection.tools)
        calls = message.get("tool_calls") or []
        if not calls:
            return str(message.get("content") or "")
        requests = [ToolRequest(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls]
        session.act(str(message.get("content") or ""), requests)
    return "the step limit is reached"


def scripted(messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Stands in for a model: looks at what there is, then ends."""
    if any(message["role"] == "tool" for message in messages):
        return {"role": "assistant", "content": "I have seen the resources."}
    call = {"id": "1", "type": "function", "function": {"name": "list_resources", "arguments": "{}"}}
    return {"role": "assistant", "content": "I look at what there is.", "tool_calls": [call]}


def main(path: str) -> None:
    with open_services(Settings(Path(".evidence")), create=True) as services:
        services.store.sources.put(PutRequest(ResourceName(Path(path).name)), [Path(path).read_bytes()])
        print(run(services, "Say what resources there are.", scripted))


if __name__ == "__main__":
    main(sys.argv[1])
