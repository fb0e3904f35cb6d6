"""ctxtual's `Offload` on a FastMCP server, over SQLite, called by a client in this process. Runs in its environment (`worker`)."""

import asyncio
import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.peers.worker import ERRORS, Kept, Wanted

RESULT = re.compile(r'"result_id":\s*"([^"]+)"')
HIT = re.compile(r'"offset":\s*(\d+),\s*"page":\s*(\d+)')


class Ctxtual:
    """By its defaults; the default store is memory, SQLite is the one that lasts."""

    def __init__(self, folder: Path) -> None:
        fastmcp: Any = import_module("fastmcp")
        ctxtual: Any = import_module("ctxtual")
        offload: Any = import_module("ctxtual.mcp").Offload
        self._text = ""
        folder.mkdir(parents=True, exist_ok=True)
        server = fastmcp.FastMCP("bench")
        server.add_middleware(offload(store=ctxtual.SQLiteStore(str(folder / "ctxtual.db"))))
        server.tool(lambda name: self._text, name="fetch")
        self._server, self._client = server, fastmcp.Client

    def keep(self, name: str, call: str, text: str) -> Kept:
        self._text = text
        shown = self._call("fetch", {"name": name})
        found = RESULT.search(shown)
        return Kept(shown, found[1] if found else "")

    def read(self, handle: str, wanted: Wanted) -> Iterator[str]:
        """A line by the text of its beginning; else on from where the two names stand, page by page."""
        if wanted["line"] is not None:
            yield self._call("result_search", {"result_id": handle, "query": wanted["text"][:60], "max_results": 1})
            return
        page, offset = 0, 0
        for name in wanted["names"]:
            answer = self._call("result_search", {"result_id": handle, "query": f'"{name}":', "max_results": 50})
            yield answer
            hits = [(int(at), int(on)) for at, on in HIT.findall(answer)]
            offset, page = next((hit for hit in sorted(hits) if hit[0] >= offset), (offset, page))
        while True:
            yield self._call("result_read", {"result_id": handle, "page": page})
            page += 1

    def errors(self, handle: str) -> list[str]:
        return [self._call("result_search", {"result_id": handle, "query": one, "max_results": 50}) for one in ERRORS]

    def cite(self, handle: str, wanted: Wanted) -> str:
        return handle

    def close(self) -> None:
        """Nothing to close."""

    def _call(self, tool: str, arguments: dict[str, Any]) -> str:
        return asyncio.run(self._ask(tool, arguments))

    async def _ask(self, tool: str, arguments: dict[str, Any]) -> str:
        async with self._client(self._server) as client:
            answer = await client.call_tool(tool, arguments, raise_on_error=False)
        return "\n".join(getattr(block, "text", json.dumps(str(block))) for block in answer.content)


def keeper(variant: str, folder: Path) -> Ctxtual:
    return Ctxtual(folder)
