"""Scripted models for the loop: each decides by its input alone, as a model does, and can break off in the ways of a provider."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from api.loop import Bounds, Runner
from api.settings import Settings
from api.wiring import DEFAULT_COUNTER, Services, open_services
from evidence_store.model import Format, TaskName, TaskRevision
from projector import Profile
from tests.factories import put

PROFILE = Profile("openai", "scripted", 16_384, 2_048, 512, DEFAULT_COUNTER)
TASK = TaskName("limits")
KEYS = ("alpha", "beta", "gamma")
VALUES = {"alpha": 100, "beta": 250, "gamma": 999}
SYSTEM = "You read documents through tools and cite evidence ids."
Objects = Sequence[Mapping[str, Any]]


def filled(folder: Path) -> Services:
    services = open_services(Settings(folder), create=True)
    put(services.store, json.dumps({key: {"maximum": value} for key, value in VALUES.items()}).encode(), "api.json", format=Format.JSON)
    put(services.store, b"".join(b"%d: the job went on\n" % n for n in range(5_000)), "job.log", format=Format.TEXT)
    return services


def add_task(services: Services) -> TaskRevision:
    return services.store.tasks.add_revision(TaskRevision(TASK, 1, "State each maximum.", (), (), ()), "user:u")


def runner(services: Services, bounds: Bounds | None = None, rebuild_to: int = 100) -> Runner:
    def never(seconds: float) -> None:
        raise AssertionError(f"a wait of {seconds} s")

    return Runner(services, PROFILE, SYSTEM, bounds or Bounds(max_steps=12), rebuild_to=rebuild_to, sleep=never)


def say(text: str, *calls: tuple[str, Mapping[str, Any]]) -> dict[str, Any]:
    functions = [
        {"id": f"x{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for n, (name, arguments) in enumerate(calls)
    ]
    return {"role": "assistant", "content": text, "tool_calls": functions} if calls else {"role": "assistant", "content": text}


def text_of(messages: Objects) -> str:
    return "\n".join(str(message.get("content")) for message in messages)


def shown(messages: Objects, key: str) -> str | None:
    """The id of the evidence of a maximum, where its packet stands in the input."""
    found = re.search(rf"\[evidence (ev_\w+)\]\n(?:(?!\[end).+\n)*?pointer: /{key}/maximum\n", text_of(messages))
    return found[1] if found else None


def is_claimed(messages: Objects, key: str) -> bool:
    return f"maximum of {key} is" in text_of([message for message in messages if message["role"] == "user"])


def reads_and_claims(messages: Objects, tools: Objects, keys: Sequence[str] = KEYS) -> dict[str, Any]:
    """Reads each maximum, claims it once it is shown, and ends when each is claimed."""
    if not tools:
        return say("\n".join(f"- maximum of {key} is {VALUES[key]} [{id_}]" for key in keys if (id_ := shown(messages, key))) or "Nothing.")
    for key in keys:
        if is_claimed(messages, key):
            continue
        id_ = shown(messages, key)
        if id_ is None:
            return say(f"I read {key}.", ("read_spec", {"resource": "api.json", "pointer": f"/{key}/maximum"}))
        return say(f"I state {key}.", ("record_claim", claim_of(key, id_)))
    return say("All stated.")


def claim_of(key: str, id_: str) -> dict[str, Any]:
    about = {"resource": "api.json", "pointer": f"/{key}/maximum", "aspect": "value"}
    return {"text": f"maximum of {key} is {VALUES[key]}", "about": about, "citations": [{"role": "support", "evidence": id_}]}


class Scripted:
    """A model that says one thing a call, or raises it; keeps what it was given."""

    def __init__(self, *says: Mapping[str, Any] | Exception) -> None:
        self._says = list(says)
        self.inputs: list[Objects] = []
        self.tools: list[Objects] = []

    def __call__(self, messages: Objects, tools: Objects) -> Any:
        self.inputs.append(messages)
        self.tools.append(tools)
        said = self._says.pop(0) if self._says else reads_and_claims(messages, tools)
        if isinstance(said, Exception):
            raise said
        return said
