"""openai-agents: `ToolOutputTrimmer` on the items of the Responses form. Runs in its environment (`peer_worker`)."""

from importlib import import_module
from typing import Any

from benchmarks.retention.peer_worker import Message, Tokens


class Trimmer:
    """The filter that the runner calls before each model call."""

    def __init__(self, options: Message) -> None:
        self.tools: list[Message] = []
        self.summary_tokens = 0
        extensions: Any = import_module("agents.extensions")
        self._run: Any = import_module("agents.run_config")
        self._trim = extensions.ToolOutputTrimmer(**options)
        self._system: Message = {}
        self._items: list[Message] = []

    def start(self, system: Message) -> None:
        self._system, self._items = system, []

    def take(self, new: list[Message]) -> None:
        for message in new:
            if message["role"] == "tool":
                self._items.append({"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]})
                continue
            self._items.append({"role": message["role"], "content": message["content"]})
            for call in message.get("tool_calls", ()):
                self._items.append({"type": "function_call", "call_id": call["id"], **call["function"]})

    def make(self) -> Any:
        data = self._run.ModelInputData(input=list(self._items), instructions=self._system["content"])
        return self._trim(self._run.CallModelData(model_data=data, agent=None, context=None))

    def plain(self, made: Any) -> list[Message]:
        messages: list[Message] = [{"role": "system", "content": made.instructions}]
        for item in made.input:
            if "role" in item:
                messages.append(dict(item))
            elif item["type"] == "function_call":
                function = {"name": item["name"], "arguments": item["arguments"]}
                messages[-1].setdefault("tool_calls", []).append({"id": item["call_id"], "type": "function", "function": function})
            else:
                messages.append({"role": "tool", "tool_call_id": item["call_id"], "content": item["output"]})
        return messages

    def grep(self, key: str) -> str:
        return ""


def adapter(strategy: str, tokens: Tokens) -> Trimmer:
    return Trimmer({} if strategy == "default" else {"recent_turns": 1})
