"""LlamaIndex: `Memory` and `ChatMemoryBuffer`, with an exact tokenizer. Runs in its environment (`peer_worker`)."""

from functools import cache
from importlib import import_module
from typing import Any

from benchmarks.retention.peer_worker import Message, Tokens
from projector.tokens.encodings import load_encoding

# As in benchmarks/retention/strategies.py, which needs our own packages.
DYNAMIC = 23_648
MEMBERS = ("role", "tool_call_id", "content", "tool_calls")

memory: Any = import_module("llama_index.core.memory")
llms: Any = import_module("llama_index.core.llms")


class Memory:
    """What the memory gives for each model call, behind the system message."""

    def __init__(self, kind: str) -> None:
        self.tools: list[Message] = []
        self.summary_tokens = 0
        self._kind = kind
        self._system: Message = {}
        self._memory: Any = None
        encoding = load_encoding("o200k_base")
        # whole histories are counted as one text: too much to remember
        self._encode = cache(encoding.encode_ordinary) if kind == "memory" else encoding.encode_ordinary

    def start(self, system: Message) -> None:
        self._system = system
        made = memory.Memory if self._kind == "memory" else memory.ChatMemoryBuffer
        self._memory = made.from_defaults(token_limit=DYNAMIC, tokenizer_fn=self._encode)

    def take(self, new: list[Message]) -> None:
        for message in new:
            more = {name: message[name] for name in ("tool_calls", "tool_call_id") if name in message}
            self._memory.put(llms.ChatMessage(role=message["role"], content=message["content"], additional_kwargs=more))

    def make(self) -> Any:
        return self._memory.get()

    def plain(self, made: Any) -> list[Message]:
        found = [{"role": one.role.value, "content": one.content or "", **one.additional_kwargs} for one in made]
        return [self._system, *({name: one[name] for name in MEMBERS if name in one} for one in found)]

    def grep(self, key: str) -> str:
        return ""


def adapter(strategy: str, tokens: Tokens) -> Memory:
    return Memory(strategy)
