"""Runs the checks of one framework in that framework's environment: `python -m tests.adapters.checks NAME_checks`.

A check is a function `check_…` of a wrapper over an empty store, plain or asynchronous; it asserts. One JSON line is printed for each.
"""

import asyncio
import inspect
import json
import re
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

from api.adapters import open_wrapper
from api.wrap import ToolWrapper
from evidence_store.errors import StoreFault
from evidence_store.model import ResourceName
from evidence_store.store import EvidenceStore

PAGES = Path(__file__).parents[2] / "docs" / "adapters"
WINDOW = 32_768
ROOM = WINDOW * 15 // 100
LINES = tuple(f"2026-11-30T10:{n // 60 % 60:02}:{n % 60:02} INFO request {n} took {n * 7 % 90} ms" for n in range(2_000))
LOG = "".join(f"{line}\n" for line in LINES)
"""About 100 000 characters, and more than one result may have."""
ERROR_LINE = "2026-11-30T10:59:59 ERROR upstream timed out after 30000 ms"
PODS = {"items": [{"name": f"api-{n}", "phase": "Failed" if n == 42 else "Running", "node": f"node-{n % 7}"} for n in range(2_000)]}
SMALL = "3 pods are running"


CAP = 12_000


def get_page(n: int) -> str:
    return "".join(f"page {n} line {at}: nothing of note\n" for at in range(100))


get_page.__doc__ = "A page. " + "Ask for one after the other. " * 600
"""A definition of about 3 600 tokens, which counts towards the cap."""


def get_logs(pod: str) -> str:
    """The log of a pod."""
    return f"{LOG}{ERROR_LINE} in {pod}\n"


def get_pods(namespace: str) -> str:
    """All pods of a namespace."""
    return json.dumps(PODS)


def get_count(namespace: str) -> str:
    """How many pods run."""
    return SMALL


def search(q: str) -> str:
    """A search of the agent's own, named like one of our tools."""
    return f"3 pages about {q}"


OURS = ("evidence_search", {"resource": "get_logs?pod=api", "pattern": "ERROR"})
"""A call of our search beside that one."""


def require_told_apart(first: str, theirs: str, ours: str) -> None:
    """That a packet names our search by its other name, and each of the two calls was answered by whom it was made to."""
    assert 'find: evidence_search {"resource":"get_logs?pod=api"' in first
    assert theirs == search("api")
    assert f"| {ERROR_LINE} in api" in ours
    assert ours.endswith("more: no\n")


async def get_events(namespace: str) -> str:
    """The events of a namespace, as an asynchronous tool."""
    await asyncio.sleep(0)
    return json.dumps(PODS)


def stored(wrapper: ToolWrapper, resource: str, number: int | None = None) -> str:
    """A revision's bytes as text."""
    store = wrapper.context.tools.store
    assert isinstance(store, EvidenceStore), "the store is here"
    return store.sources.get_bytes(ResourceName(resource), number).decode()


def resources(wrapper: ToolWrapper) -> dict[str, int]:
    """Resources with the number of their revisions."""
    sources = wrapper.context.tools.store.sources
    return {name: len(sources.list_revisions(ResourceName(name))) for name in _names(wrapper)}


def _names(wrapper: ToolWrapper) -> list[str]:
    answer = wrapper.answer("list_resources", {}).text
    return [json.loads(line[2:])["resource"] for line in answer.splitlines() if line.startswith("- ")]


def tokens(wrapper: ToolWrapper, text: str) -> int:
    return wrapper.context.counter().count(text)


def room_for_results(wrapper: ToolWrapper) -> int:
    """Tokens that the definition of `get_page` leaves of the cap."""
    return CAP - tokens(wrapper, get_page.__doc__ or "")


def is_packet(text: str, tool: str) -> bool:
    """Whether a text stands in place of a result of the tool, with a packet."""
    return text.startswith(f"[offloaded {tool}: ") and "\n[evidence ev_" in text and "stored whole" in text


def resource_of(wrapper: ToolWrapper, beside: Any) -> str:
    """The resource that the first packet beside a text leads to."""
    tools = wrapper.context.tools
    (packet,) = tools.store.passages.find_packets(beside["packets"][:1], tools.limit(100))
    return packet.resource


@contextmanager
def broken_store(wrapper: ToolWrapper) -> Iterator[None]:
    """Nothing can be stored meanwhile."""
    fault = StoreFault("no space is left for the store", code="store_unwritable")
    with patch.object(wrapper.context.tools.store.sources, "put", side_effect=fault):
        yield


@contextmanager
def raised(kind: type[BaseException], said: str) -> Iterator[None]:
    """What is done inside raises this; pytest is not in a framework's environment."""
    try:
        yield
    except kind as why:
        if said in str(why):
            return
        raise
    raise AssertionError(f"no {kind.__name__} was raised")


async def run_page(name: str, **names: Any) -> dict[str, Any]:
    """Runs the Python blocks of `docs/adapters/NAME.md` one after the other, as a reader would, in an empty folder; gives their names.

    A page leaves to its reader what is theirs: the model, as a name that is given here. It runs as a script does, without a loop.
    """
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert blocks, "a page without a block"
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for block in blocks:
            await asyncio.to_thread(exec, compile(block, f"{name}.md", "exec"), names)  # our own page
    return names


def run(module: Any) -> int:
    n_failed = 0
    for name, check in vars(module).items():
        if name.startswith("check_"):
            failure = _failure(check)
            n_failed += failure is not None
            print(json.dumps({"check": name, "failure": failure}), flush=True)  # noqa: T201 (what the test reads)
    return n_failed


def _failure(check: Callable[[ToolWrapper], Any]) -> str | None:
    with tempfile.TemporaryDirectory() as folder, open_wrapper(Path(folder) / "store", window=WINDOW) as wrapper:
        try:
            done = check(wrapper)
            if inspect.iscoroutine(done):
                asyncio.run(done)
        except Exception:
            return traceback.format_exc()
    return None


if __name__ == "__main__":
    sys.exit(1 if run(import_module(f"tests.adapters.{sys.argv[1]}")) else 0)
