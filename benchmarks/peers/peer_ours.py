"""evidence-store as an agent meets it: a wrapped tool, `read_spec`, `read_log`, `search`; a citation is an evidence id."""

from collections.abc import Iterator
from pathlib import Path

from api.settings import Settings
from api.wiring import open_services
from api.wrap import ResultBudget, ToolWrapper, WrapRules
from benchmarks.peers.worker import ERRORS, Kept, Wanted
from evidence_store.errors import JsonValue
from evidence_store.model import TaskName, TaskRevision
from evidence_store.store.runs import OpenCall

TASK = TaskName("peers")


class Ours:
    """One run; each kept output is a call of it."""

    def __init__(self, folder: Path) -> None:
        self._services = open_services(Settings(folder / "store"), create=True)
        runs, tasks = self._services.store.runs, self._services.store.tasks
        tasks.add_revision(TaskRevision(TASK, 1, "Compare.", (), (), ()), "user:bench")
        self._run = runs.start(TASK, "agent:bench")
        self._wrapper = ToolWrapper(self._services, WrapRules(ResultBudget(window=32_768)))
        self._ids: dict[str, str] = {}

    def keep(self, name: str, call: str, text: str) -> Kept:
        runs = self._services.store.runs
        step = runs.open_step(self._run)
        call = f"{call}_{step.number}"  # as in a session: ids of calls are its own, and an id that comes again does no harm
        runs.open_calls(step, "", [OpenCall(call, "fetch", {"name": name})])
        with self._wrapper.calls(1, step):
            result = self._wrapper.call("fetch", lambda name: text, {"name": name}, call=call)
        runs.close_calls(step, [result.closed(call)])
        assert result.revision is not None
        return Kept(result.text, f"{result.revision.resource}@{result.revision.number}")

    def read(self, handle: str, wanted: Wanted) -> Iterator[str]:
        if handle.startswith("ev_"):
            yield self._wrapper.answer("get_evidence", {"id": handle}).text
            return
        resource, _, revision = handle.rpartition("@")
        place: dict[str, JsonValue] = {"resource": resource, "revision": int(revision)}
        if wanted["line"] is not None:
            tool, place["lines"] = "read_log", f"{wanted['line']}-{wanted['line']}"
        else:
            tool, place["pointer"] = "read_spec", "".join(f"/{one.replace('~', '~0').replace('/', '~1')}" for one in wanted["tokens"])
        answer = self._wrapper.answer(tool, place)
        self._ids[wanted["text"]] = answer.packets[0].id if answer.packets else ""
        yield answer.text

    def errors(self, handle: str) -> list[str]:
        resource, _, revision = handle.rpartition("@")
        pattern = "|".join(one.replace("[", r"\[").replace("]", r"\]") for one in ERRORS)
        asked: dict[str, JsonValue] = {"resource": resource, "revision": int(revision), "pattern": pattern, "regex": True, "limit": 100}
        return [self._wrapper.answer("search", asked).text]

    def cite(self, handle: str, wanted: Wanted) -> str:
        return self._ids.get(wanted["text"], handle)

    def close(self) -> None:
        self._services.close()


def keeper(variant: str, folder: Path) -> Ours:
    return Ours(folder)
