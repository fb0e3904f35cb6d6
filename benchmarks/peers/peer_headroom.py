"""Headroom's `compress`, and its store of what was compressed, which answers with the whole. Runs in its environment (`worker`)."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.peers.worker import Kept, Wanted

MARK = re.compile(r"hash=([0-9a-f]{8,64})")


class Headroom:
    """By its defaults, but with nothing of the newest turns protected, so that the output itself is compressed."""

    def __init__(self) -> None:
        self._headroom: Any = import_module("headroom")
        self._store: Any = import_module("headroom.cache.compression_store").get_compression_store()

    def keep(self, name: str, call: str, text: str) -> Kept:
        asked = {"id": call, "type": "function", "function": {"name": "fetch", "arguments": "{}"}}
        messages = [
            {"role": "user", "content": "Compare the documents."},
            {"role": "assistant", "content": "", "tool_calls": [asked]},
            {"role": "tool", "tool_call_id": call, "content": text},
        ]
        made = str(self._headroom.compress(messages, model="gpt-4o", protect_recent=0).messages[-1]["content"])
        found = MARK.findall(made)
        return Kept(made, found[0] if found else "")

    def read(self, handle: str, wanted: Wanted) -> Iterator[str]:
        entry = self._store.retrieve(handle)
        yield "" if entry is None else str(entry.original_content)

    def errors(self, handle: str) -> list[str]:
        """It has no search but retrieval of the whole."""
        return list(self.read(handle, {})) if handle else []

    def cite(self, handle: str, wanted: Wanted) -> str:
        return handle

    def close(self) -> None:
        """Nothing to close."""


def keeper(variant: str, folder: Path) -> Headroom:
    return Headroom()
