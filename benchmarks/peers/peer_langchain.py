"""deepagents with its files on disk, and LangChain's middleware, which keeps no files. Runs in their environment (`worker`)."""

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.peers.worker import ERRORS, Kept, Wanted
from benchmarks.retention.peer_langchain import Clearing, Summarizing, Trimming
from benchmarks.retention.peer_worker import Tokens

Strategy = Clearing | Summarizing | Trimming
REQUEST = "Compare the documents."
LINE_NUMBER = re.compile(r"\s*(\d+)[:\t]")
PAGE_LINES = 100
"""The default of `read_file`."""


class DeepAgents:
    """`FilesystemMiddleware` by its defaults, over `FilesystemBackend`: the default backend keeps files in the state of the graph."""

    def __init__(self, folder: Path) -> None:
        filesystem: Any = import_module("deepagents.middleware.filesystem")
        backends: Any = import_module("deepagents.backends.filesystem")
        (folder / "files").mkdir(parents=True, exist_ok=True)
        self._middleware = filesystem.FilesystemMiddleware(backend=backends.FilesystemBackend(root_dir=str(folder / "files")))
        self._tools = {tool.name: tool for tool in self._middleware.tools}
        self._messages: Any = import_module("langchain_core.messages")
        self._nodes: Any = import_module("langgraph.prebuilt.tool_node")

    def keep(self, name: str, call: str, text: str) -> Kept:
        message = self._messages.ToolMessage(content=text, tool_call_id=call, name="fetch")
        request = self._nodes.ToolCallRequest(
            tool_call={"name": "fetch", "args": {"name": name}, "id": call}, tool=None, state={}, runtime=None
        )
        made = str(self._middleware.wrap_tool_call(request, lambda _: message).content)
        return Kept(made, f"/large_tool_results/{call}" if f"/large_tool_results/{call}" in made else "")

    def read(self, handle: str, wanted: Wanted) -> Iterator[str]:
        """By line where there is one, else on from where the two names stand."""
        if wanted["line"] is not None:
            yield self._call("read_file", file_path=handle, offset=wanted["line"] - 1, limit=1)
            yield self._grep(handle, wanted["text"][:60])  # a lone CR ends a line there, and numbers may differ
            return
        start = 1
        for name in wanted["names"]:
            answer = self._grep(handle, f'"{name}":')
            yield answer
            hits = [int(found[1]) for found in map(LINE_NUMBER.match, answer.split("\n")) if found]
            start = next((line for line in hits if line >= start), start)
        while True:
            yield self._call("read_file", file_path=handle, offset=start - 1, limit=PAGE_LINES)
            start += PAGE_LINES

    def errors(self, handle: str) -> list[str]:
        return [self._grep(handle, one) for one in ERRORS]

    def cite(self, handle: str, wanted: Wanted) -> str:
        return handle

    def close(self) -> None:
        """Nothing to close."""

    def _grep(self, handle: str, pattern: str) -> str:
        """In this file alone, which takes a pattern of names: `path` is a folder."""
        folder, _, name = handle.rpartition("/")
        return self._call("grep", pattern=pattern, path=folder, glob=name, output_mode="content")

    def _call(self, tool: str, **arguments: object) -> str:
        runtime = self._nodes.ToolRuntime(state={}, context=None, config={}, stream_writer=None, tool_call_id="read", store=None)
        return str(self._tools[tool].func(runtime=runtime, **arguments).content)


class History:
    """Each document in a history of its own, which is trimmed, cleared or summarized. What is left out of it is left out."""

    def __init__(self, make: Callable[[], Strategy]) -> None:
        self._make = make
        self._by_name: dict[str, Strategy] = {}

    def keep(self, name: str, call: str, text: str) -> Kept:
        strategy = self._by_name.get(name) or self._begun(name)
        asked = {"id": call, "type": "function", "function": {"name": "fetch", "arguments": f'{{"name":"{name}"}}'}}
        strategy.take([{"role": "assistant", "content": "", "tool_calls": [asked]}])
        strategy.take([{"role": "tool", "tool_call_id": call, "content": text}])
        left = strategy.plain(strategy.make())[1:]
        return Kept("\n".join(str(one["content"]) for one in left if one["content"] != REQUEST), "")

    def _begun(self, name: str) -> Strategy:
        made = self._by_name[name] = self._make()
        made.start({"role": "system", "content": "You read documents through tools."})
        made.take([{"role": "user", "content": REQUEST}])
        return made

    def read(self, handle: str, wanted: Wanted) -> Iterator[str]:
        yield from ()

    def errors(self, handle: str) -> list[str]:
        return []

    def cite(self, handle: str, wanted: Wanted) -> str:
        return ""

    def close(self) -> None:
        """Nothing to close."""


def keeper(variant: str, folder: Path) -> DeepAgents | History:
    tokens = Tokens()
    match variant:
        case "deepagents":
            return DeepAgents(folder)
        case "trim":
            return History(lambda: Trimming(tokens, {"include_system": True, "start_on": "human"}))
        case "clear":
            return History(lambda: Clearing(tokens))
        case _:
            return History(lambda: Summarizing(tokens, "head-tail"))
