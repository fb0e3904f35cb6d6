"""What a model was sent and what it answered, call by call, in a file of JSON lines; and the figures that only a transcript has."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

import orjson

from api.loop import Chat
from api.loop.faults import ProviderError, find_fault
from api.loop.model import JsonObjects
from api.loop.replies import Reply, read_reply
from projector import TokenCounter

REQUEST_TOKENS = 12
"""Of the count rule (docs/formats/token-count.md), beside the texts."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One call of the model."""

    messages: JsonObjects
    tokens: int
    """Of messages and tools, by our count."""
    shared: int
    """Of these, at the beginning of the call before, too."""
    reply: Reply | None
    """None where there was none to read."""
    fault: str


@dataclass(slots=True)
class Transcript:
    """Stands between a run and its model."""

    chat: Chat
    counter: TokenCounter
    file: Path
    asked: list[Asked] = field(default_factory=list)

    def __call__(self, messages: JsonObjects, tools: JsonObjects) -> Any:
        """Asks, and keeps both sides, faults included."""
        try:
            answer = self.chat(messages, tools)
        except Exception as why:
            fault = find_fault(why)
            self._keep(messages, tools, None, fault.line if fault else repr(why))
            raise
        try:
            reply, fault_text = read_reply(answer), ""
        except ProviderError as why:
            reply, fault_text = None, why.fault.line
        self._keep(messages, tools, reply, fault_text, answer)
        return answer

    def _keep(self, messages: JsonObjects, tools: JsonObjects, reply: Reply | None, fault: str, answer: object = None) -> None:
        whole = self._count(list(messages)) + (self._count(list(tools)) if tools else 0) + REQUEST_TOKENS
        before = self.asked[-1].messages if self.asked else ()
        same = [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(messages, before, strict=False))]
        shared = min(whole, self._count(same) + (self._count(list(tools)) if tools else 0)) if same else 0
        self.asked.append(Asked(tuple(messages), whole, shared, reply, fault))
        line: Mapping[str, object] = {"messages": messages, "n_tools": len(tools), "tokens": whole, "answer": answer, "fault": fault}
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, default=str) + "\n")

    def _count(self, value: list[Any]) -> int:
        return self.counter.count(orjson.dumps(value).decode())
