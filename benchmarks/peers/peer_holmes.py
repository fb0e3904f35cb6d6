"""HolmesGPT's limiter of tool results, with the commands that its notice names. Runs in its environment (`worker`)."""

import json
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.peers.worker import ERRORS, Kept, Wanted, n_tokens

WINDOW = 32_768
LIMIT = WINDOW * 15 // 100
"""Tokens of one result: its default share of the window."""


class Counting:
    """What the limiter asks of a model, with an exact counter."""

    def count_tokens(self, messages: list[dict[str, Any]]) -> Any:
        figure: Any = import_module("types").SimpleNamespace
        return figure(total_tokens=sum(n_tokens(str(one["content"])) for one in messages))

    def get_max_token_count_for_single_tool(self) -> int:
        return LIMIT

    def get_context_window_size(self) -> int:
        return WINDOW


class Holmes:
    """One request: at its end the folder of the results is removed, as the package does it."""

    def __init__(self, folder: Path) -> None:
        storage: Any = import_module("holmes.core.tools_utils.filesystem_result_storage")
        storage.HOLMES_TOOL_RESULT_STORAGE_PATH = str(folder / "holmes")
        self._limiter: Any = import_module("holmes.core.tools_utils.tool_context_window_limiter")
        self._models: Any = import_module("holmes.core.models")
        self._tools: Any = import_module("holmes.core.tools")
        self._open = ExitStack()
        self._folder: Path = self._open.enter_context(storage.tool_result_storage())

    def keep(self, name: str, call: str, text: str) -> Kept:
        made = self._tools.StructuredToolResult(status=self._tools.StructuredToolResultStatus.SUCCESS, data=text)
        result = self._models.ToolCallResult(tool_call_id=call, tool_name="fetch", description=name, result=made)
        self._limiter.spill_oversized_tool_result(result, Counting(), self._folder)
        shown = str(result.result.data)
        saved = [line.removeprefix("Saved to: ") for line in shown.split("\n") if line.startswith("Saved to: ")]
        return Kept(shown, saved[0] if saved else "")

    def read(self, handle: str, wanted: Wanted) -> Iterator[str]:
        if wanted["line"] is not None:
            yield self._run(f"cat {shlex.quote(handle)} | head -n {wanted['line']} | tail -n 1")
            return
        tokens = wanted["tokens"]
        steps = [
            f"[{one}]" if one.isdigit() and before in LISTS else f"[{json.dumps(one)}]"
            for before, one in zip(["", *tokens], tokens, strict=False)
        ]
        path = "".join(steps)
        yield self._run(f"cat {shlex.quote(handle)} | jq {shlex.quote('.' + path)}")

    def errors(self, handle: str) -> list[str]:
        options = " ".join(f"-e {shlex.quote(one)}" for one in ERRORS)
        return [self._run(f"cat {shlex.quote(handle)} | grep -F {options}")]

    def cite(self, handle: str, wanted: Wanted) -> str:
        return handle

    def close(self) -> None:
        self._open.close()

    def _run(self, command: str) -> str:
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        return done.stdout + done.stderr


LISTS = ("allOf", "anyOf", "oneOf", "parameters", "enum", "tags", "servers", "required", "security", "examples")
"""Members of a specification that hold lists: `jq` tells a number from a name."""


def keeper(variant: str, folder: Path) -> Holmes:
    return Holmes(folder)
