"""Halo: a value as a tree of nodes named by their hashes, over files. Runs in its environment (`worker`)."""

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.peers.worker import Kept, Wanted


class Halo:
    """What the model gets is the envelope: shape and handles. It walks down by handles; a log is given as the list of its lines."""

    def __init__(self, folder: Path) -> None:
        self._halo: Any = import_module("halo_format")
        self._store = self._halo.FileStore(str(folder / "nodes"))

    def keep(self, name: str, call: str, text: str) -> Kept:
        value = json.loads(text) if name.endswith(".json") else text.split("\n")
        envelope = self._halo.encode(value, self._store)
        envelope = envelope.get("envelope", envelope)
        return Kept(json.dumps(envelope, ensure_ascii=False, separators=(",", ":")), envelope["root"])

    def read(self, handle: str, wanted: Wanted) -> Iterator[str]:
        if wanted["line"] is not None:
            yield from self._down(handle, [str((wanted["line"] - 1) // LINES_A_NODE)])
        else:
            yield from self._down(handle, wanted["tokens"])

    def _down(self, handle: str, tokens: list[str]) -> Iterator[str]:
        """One call a level; a branch answers with the handles of its children, a leaf with its value."""
        for token in [*tokens, ""]:
            try:
                node = self._halo.walk(handle, self._store)
            except self._halo.WrongKind:
                yield json.dumps(self._halo.fetch(handle, self._store), ensure_ascii=False)
                return
            except self._halo.HaloError as why:
                yield f"{type(why).__name__}: {why}"
                return
            yield json.dumps(node, ensure_ascii=False, separators=(",", ":"))
            if token not in node["branches"]:
                return
            handle = node["branches"][token]

    def errors(self, handle: str) -> list[str]:
        """It has no search."""
        return []

    def cite(self, handle: str, wanted: Wanted) -> str:
        return handle

    def close(self) -> None:
        """Nothing to close."""


LINES_A_NODE = 25
"""Items of a list that its default carves into one node."""


def keeper(variant: str, folder: Path) -> Halo:
    return Halo(folder)
