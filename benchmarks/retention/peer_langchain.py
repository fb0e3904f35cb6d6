"""langchain-core, langchain and deepagents as they are called by their own agents. Runs in their environment (`peer_worker`)."""

import json
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.retention.peer_worker import Message, Tokens
from benchmarks.retention.summaries import SUMMARIZERS

# As in benchmarks/retention/strategies.py, which needs our own packages.
CAP, DYNAMIC = 27_648, 23_648

messages_module: Any = import_module("langchain_core.messages")


class LangChain:
    """Keeps a history as LangChain messages; what is made of it is up to the subclasses."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.tools: list[Message] = []
        self.summary_tokens = 0
        self.system: Any = None
        self.history: list[Any] = []
        self._n_messages = 0

    def start(self, system: Message) -> None:
        self.system = messages_module.SystemMessage(content=system["content"], id="system")
        self.history = []

    def take(self, new: list[Message]) -> None:
        self.history += [self.native(message) for message in new]

    def native(self, message: Message) -> Any:
        self._n_messages += 1
        id_ = f"m{self._n_messages}"
        if message["role"] == "user":
            return messages_module.HumanMessage(content=message["content"], id=id_)
        if message["role"] == "tool":
            return messages_module.ToolMessage(content=message["content"], tool_call_id=message["tool_call_id"], id=id_)
        calls = [
            {"id": call["id"], "name": call["function"]["name"], "args": json.loads(call["function"]["arguments"])}
            for call in message.get("tool_calls", ())
        ]
        return messages_module.AIMessage(content=message["content"], tool_calls=calls, id=id_)

    def plain(self, made: Sequence[Any]) -> list[Message]:
        return [plain(message) for message in made]

    def count(self, messages: Sequence[Any]) -> int:
        """Exact, in place of the approximate default: four characters a token."""
        return sum(self.tokens.message((one.id, one.type, hash(str(one.content))), partial(plain, one)) for one in messages)

    def grep(self, key: str) -> str:
        return ""

    def summarizer(self, kind: str) -> Callable[[Sequence[Any]], str]:
        """Summarizes without a model; what it reads is counted."""

        def summarize(messages: Sequence[Any]) -> str:
            texts = [str(message.content) for message in messages]
            self.summary_tokens += sum(map(self.tokens.text, texts))
            return SUMMARIZERS[kind](texts)

        return summarize

    def request(self, state: Message) -> Any:
        types: Any = import_module("langchain.agents.middleware.types")
        return types.ModelRequest(
            model=fake_model(), messages=list(state["messages"]), system_message=self.system, tools=[], state=state, runtime=None
        )


def plain(message: Any) -> Message:
    """As OpenAI Chat has it."""
    if message.type == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}
    made: Message = {"role": {"human": "user", "ai": "assistant"}.get(message.type, message.type), "content": message.content}
    if getattr(message, "tool_calls", None):
        made["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": json.dumps(call["args"], ensure_ascii=False, separators=(",", ":"))},
            }
            for call in message.tool_calls
        ]
    return made


def fake_model() -> Any:
    models: Any = import_module("langchain_core.language_models")
    return models.FakeListChatModel(responses=["-"], profile={"max_input_tokens": CAP})


class Trimming(LangChain):
    """`trim_messages` over the whole history."""

    def __init__(self, tokens: Tokens, options: Message) -> None:
        super().__init__(tokens)
        self._options = options

    def make(self) -> Any:
        history = [self.system, *self.history]
        return messages_module.trim_messages(history, max_tokens=DYNAMIC, token_counter=self.count, strategy="last", **self._options)


class Clearing(LangChain):
    """`ContextEditingMiddleware` with `ClearToolUsesEdit`."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__(tokens)
        editing: Any = import_module("langchain.agents.middleware.context_editing")
        edit = editing.ClearToolUsesEdit(trigger=DYNAMIC, keep=3)
        self._middleware = editing.ContextEditingMiddleware(edits=[edit], token_counter=self.count)

    def make(self) -> Any:
        found: list[Any] = []
        self._middleware.wrap_model_call(self.request({"messages": self.history}), found.append)
        return [self.system, *found[0].messages]


class Summarizing(LangChain):
    """`SummarizationMiddleware`: with the head-and-tail summarizer as it is shipped, with the perfect one untrimmed."""

    def __init__(self, tokens: Tokens, kind: str) -> None:
        super().__init__(tokens)
        summarization: Any = import_module("langchain.agents.middleware.summarization")
        options = {"trim_tokens_to_summarize": None} if kind == "perfect" else {}
        self._middleware = summarization.SummarizationMiddleware(
            fake_model(), trigger=("tokens", DYNAMIC), token_counter=self.count, summarizer=self.summarizer(kind), **options
        )

    def make(self) -> Any:
        changed = self._middleware.before_model({"messages": self.history}, None)
        if changed is not None:
            self.history = [one for one in changed["messages"] if one.type != "remove"]
        return [self.system, *self.history]


class DeepAgents(LangChain):
    """deepagents: large results to files, dangling calls patched, history summarized and kept in a file; by its defaults."""

    def __init__(self, tokens: Tokens, kind: str, *, exact: bool) -> None:
        super().__init__(tokens)
        self._folder = tempfile.TemporaryDirectory()
        backends: Any = import_module("deepagents.backends")
        summarization: Any = import_module("deepagents.middleware.summarization")
        filesystem: Any = import_module("deepagents.middleware.filesystem")
        patch: Any = import_module("deepagents.middleware.patch_tool_calls")
        convert: Any = import_module("langchain_core.utils.function_calling").convert_to_openai_tool
        backend = backends.FilesystemBackend(root_dir=self._folder.name, virtual_mode=True)
        self._files = filesystem.FilesystemMiddleware(backend=backend)
        self._patch = patch.PatchToolCallsMiddleware()
        options = {"token_counter": self.count} if exact else {}
        self._middleware = summarization.create_summarization_middleware(fake_model(), backend, summarizer=self.summarizer(kind), **options)
        self.tools = [convert(tool) for tool in self._files.tools]
        self._state: Message = {}

    def start(self, system: Message) -> None:
        super().start(system)
        self._state = {}

    def native(self, message: Message) -> Any:
        made = super().native(message)
        return self._files._intercept_large_tool_result(made) if message["role"] == "tool" else made

    def take(self, new: list[Message]) -> None:
        super().take(new)
        if any(message["role"] == "user" for message in new):
            changed = self._patch.before_agent({"messages": self.history}, None)
            if changed is not None:
                self.history = [one for one in changed["messages"] if one.type != "remove"]

    def make(self) -> Any:
        types: Any = import_module("langchain.agents.middleware.types")
        found: list[Any] = []

        def handler(request: Any) -> Any:
            found.append(request)
            return types.ModelResponse(result=[messages_module.AIMessage(content="-")])

        answer = self._middleware.wrap_model_call(self.request({**self._state, "messages": self.history}), handler)
        update = getattr(getattr(answer, "command", None), "update", None) or {}
        replaced = {one.id: one for one in update.pop("messages", ())}
        self.history = [replaced.get(one.id, one) for one in self.history]
        self._state |= update
        return [found[-1].system_message, *found[-1].messages]

    def grep(self, key: str) -> str:
        files = [path for path in sorted(Path(self._folder.name).rglob("*")) if path.is_file()]
        lines = [line for path in files for line in path.read_text().splitlines() if key in line]
        return "\n".join(line[:1_000] for line in lines[:20])


def adapter(strategy: str, tokens: Tokens) -> LangChain:
    match strategy:
        case "trim":
            return Trimming(tokens, {})
        case "trim-human":
            return Trimming(tokens, {"include_system": True, "start_on": "human"})
        case "clear":
            return Clearing(tokens)
        case "summary-head-tail" | "summary-perfect":
            return Summarizing(tokens, strategy.removeprefix("summary-"))
        case "deepagents-head-tail" | "deepagents-perfect":
            return DeepAgents(tokens, strategy.removeprefix("deepagents-"), exact=False)
        case "deepagents-exact":
            return DeepAgents(tokens, "perfect", exact=True)
    raise ValueError(f"no strategy {strategy!r}")
