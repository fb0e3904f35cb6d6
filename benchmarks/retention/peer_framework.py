"""Microsoft Agent Framework: `ContextWindowCompactionStrategy`. Runs in its environment (`peer_worker`)."""

import asyncio
from importlib import import_module
from typing import Any

from benchmarks.retention.peer_worker import Message, Tokens

# Window less slack, and output: its input budget is then our cap.
WINDOW, OUTPUT = 31_744, 4_096

framework: Any = import_module("agent_framework")
compaction: Any = import_module("agent_framework._compaction")


class _Counter:
    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def count_tokens(self, text: str) -> int:
        return self._tokens.text(text)


class Compaction:
    """Groups are marked as left out in the history itself, which is kept over the run."""

    def __init__(self, tokenizer: Any) -> None:
        self.tools: list[Message] = []
        self.summary_tokens = 0
        self._options = {"max_context_window_tokens": WINDOW, "max_output_tokens": OUTPUT, "tokenizer": tokenizer}
        self._tokenizer = tokenizer
        self._history: list[Any] = []
        self._strategy: Any = None

    def start(self, system: Message) -> None:
        self._history = [framework.Message("system", [system["content"]])]
        self._strategy = compaction.ContextWindowCompactionStrategy(**self._options)

    def take(self, new: list[Message]) -> None:
        content = framework.Content
        for message in new:
            if message["role"] == "tool":
                made = framework.Message("tool", [content.from_function_result(message["tool_call_id"], result=message["content"])])
            else:
                calls = [
                    content.from_function_call(call["id"], call["function"]["name"], arguments=call["function"]["arguments"])
                    for call in message.get("tool_calls", ())
                ]
                made = framework.Message(message["role"], [content.from_text(message["content"]), *calls])
            self._history.append(made)

    def make(self) -> Any:
        return asyncio.run(compaction.apply_compaction(self._history, strategy=self._strategy, tokenizer=self._tokenizer))

    def plain(self, made: Any) -> list[Message]:
        messages: list[Message] = []
        for one in made:
            results = [part for part in one.contents if part.type == "function_result"]
            messages += [{"role": "tool", "tool_call_id": part.call_id, "content": str(part.result)} for part in results]
            if results:
                continue
            plain: Message = {"role": str(one.role), "content": "".join(part.text for part in one.contents if part.type == "text")}
            calls = [
                {"id": part.call_id, "type": "function", "function": {"name": part.name, "arguments": part.arguments}}
                for part in one.contents
                if part.type == "function_call"
            ]
            messages.append({**plain, "tool_calls": calls} if calls else plain)
        return messages

    def grep(self, key: str) -> str:
        return ""


def adapter(strategy: str, tokens: Tokens) -> Compaction:
    return Compaction(_Counter(tokens) if strategy == "exact" else compaction.CharacterEstimatorTokenizer())
