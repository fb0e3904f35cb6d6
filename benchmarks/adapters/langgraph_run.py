"""One run of 42 model calls through LangGraph with an SQLite checkpointer: `python -m benchmarks.adapters.langgraph_run ARM FOLDER`.

A log of about 28 000 tokens is read, then two versions of 40 operations side by side, two calls a turn of about 1 330 tokens each; the
last turn says what failed and what changed. The scripted model sees its input and nothing else: where a tool offers `pointer` or `grep`
(arm `filters`) it asks for the place that it needs, where it gets a packet without it (arm `reading`) it reads on, and else it looks in
the whole (arm `whole`).
"""

import json
import re
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.checkpoint.sqlite import SqliteSaver

from api.adapters import open_wrapper
from api.adapters.langchain import EvidenceMiddleware
from api.settings import Settings
from api.wiring import open_services
from api.wrap import ResultBudget, Switches, ToolRules, ToolWrapper, WrapRules

N_OPERATIONS, N_CHANGED, N_FIELDS, N_LINES = 40, 14, 28, 1_330
WINDOW = 32_768
PLACE = "/parameters/limit/maximum"
_VALUE = re.compile(r"^\| (\d+)$", re.MULTILINE)
_ERROR = re.compile(r"(?:^|\| |: )(2026\S+ ERROR .*)$", re.MULTILINE)
_ABOUT = re.compile(r"^resource: read_operation\?\S*number=(\d+)&version=(\w+)$", re.MULTILINE)


def read_operation(version: str, number: int) -> str:
    """An operation of one version of the document."""
    limit = 50 if version == "new" and number % 3 == 0 and number < 3 * N_CHANGED else 100
    said = "as clients of this version of the interface see it in each of its answers, with whatever they sent before"
    fields = {f"field_{n}": {"type": "string", "description": f"Field {n} of operation {number}, {said}."} for n in range(N_FIELDS)}
    about = {"number": number, "version": version, "parameters": {"limit": {"type": "integer", "maximum": limit}}}
    return json.dumps({**about, "responses": {"200": {"type": "object", "properties": fields}}})


def read_job_log() -> str:
    """The log of the job."""
    lines = [f"2026-11-30T10:{n // 60 % 60:02}:{n % 60:02} INFO step {n} took {n * 7 % 90} ms" for n in range(N_LINES)]
    lines.insert(700, "2026-11-30T10:11:40 ERROR upstream timed out after 30000 ms")
    return "\n".join(lines) + "\n"


class Script(GenericFakeChatModel):
    """Decides from its input alone what to do next."""

    offered: list[Any] = []  # noqa: RUF012 (a field of a pydantic model)
    n_calls: int = 0

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        self.offered[:] = [name for one in tools if isinstance(one, BaseTool) and one.name == "read_operation" for name in one.args]
        return self

    def _generate(self, messages: list[AnyMessage], *args: Any, **kwargs: Any) -> Any:
        self.n_calls += 1
        self.messages = iter([self.next_turn([one for one in messages if isinstance(one, ToolMessage)])])
        return super()._generate(messages, *args, **kwargs)

    def next_turn(self, results: list[ToolMessage]) -> AIMessage:
        filters = {"pointer": PLACE} if "pointer" in self.offered else {}
        asked = {one.tool_call_id for one in results}
        errors = [line for one in results for line in _ERROR.findall(one.text)]
        if not errors and "log" not in asked:
            return turn(("read_job_log", {"grep": "ERROR"} if filters else {}, "log"))
        if not errors:
            return turn(("search", {"resource": "read_job_log", "pattern": "ERROR"}, "log-more"))
        known, places = values_in(results), [(number, version) for number in range(N_OPERATIONS) for version in ("old", "new")]
        missing = [place for place in places if place not in known][:2]
        if missing and any(f"{number}-{version}" in asked for number, version in missing):
            return turn(*(("read_spec", self.place_of(results, *one), f"{one[0]}-{one[1]}-more") for one in missing))
        if missing:
            return turn(*(("read_operation", {"version": v, "number": n, **filters}, f"{n}-{v}") for n, v in missing))
        changed = [f"{n}: {known[n, 'old']} to {known[n, 'new']}" for n in range(N_OPERATIONS) if known[n, "old"] != known[n, "new"]]
        return AIMessage(f"{len(changed)} changed: {'; '.join(changed)}. {errors[0]}")

    def place_of(self, results: list[ToolMessage], number: int, version: str) -> dict[str, Any]:
        """The arguments that the marker of an offloaded result names, with the place."""
        text = next(one.text for one in results if one.tool_call_id == f"{number}-{version}")
        named: dict[str, Any] = json.loads(next(line for line in text.splitlines() if line.startswith("read: ")).split(" ", 2)[2])
        return {**named, "pointer": PLACE}


def values_in(results: list[ToolMessage]) -> dict[tuple[int, str], int]:
    """What the input says of each operation, in the whole of one or in a packet of the place."""
    found = {}
    for one in results:
        if one.text.startswith("{"):
            value = json.loads(one.text)
            found[value["number"], value["version"]] = value["parameters"]["limit"]["maximum"]
        elif f"pointer: {PLACE}\n" in one.text and (about := _ABOUT.search(one.text)) and (said := _VALUE.search(one.text)):
            found[int(about[1]), about[2]] = int(said[1])
    return found


def turn(*calls: tuple[str, dict[str, Any], str]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": id_} for name, args, id_ in calls])


def wrapper_of(arm: str, folder: Path) -> Any:
    if arm == "whole":
        return nullcontext(None)
    if arm == "filters":
        return open_wrapper(folder, window=WINDOW)
    rules = WrapRules(ResultBudget(WINDOW), Switches(filters=False), others=ToolRules(tokens=300, shown_tokens=300))
    return _Opened(folder, rules)


class _Opened:
    """A wrapper by rules of one's own, closed behind it."""

    def __init__(self, folder: Path, rules: WrapRules) -> None:
        self._services, self._rules = open_services(Settings(folder), create=True), rules

    def __enter__(self) -> ToolWrapper:
        return ToolWrapper(self._services, self._rules)

    def __exit__(self, *_: object) -> None:
        self._services.close()


def main(arm: str, folder: Path) -> None:
    model = Script(messages=iter(()), offered=[])
    with wrapper_of(arm, folder / "store") as wrapper, SqliteSaver.from_conn_string(str(folder / "checkpoints.db")) as saver:
        middleware = [] if wrapper is None else [EvidenceMiddleware(wrapper)]
        agent = create_agent(model, [read_operation, read_job_log], middleware=middleware, checkpointer=saver)
        config: Any = {"configurable": {"thread_id": "run"}, "recursion_limit": 1_000}
        answer = agent.invoke({"messages": [("user", "What changed, and what failed?")]}, config)["messages"][-1].text
        saver.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    n_bytes = sum(path.stat().st_size for path in folder.glob("checkpoints.db*"))
    n_stored = sum(path.stat().st_size for path in (folder / "store").rglob("*") if path.is_file())
    print(json.dumps({"answer": answer, "calls": model.n_calls, "bytes": n_bytes, "stored": n_stored}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
