"""A run without a model, for the examples beside it: a tool is wrapped, passages are read, claims are recorded, and a report is published.

Each call is a step of the run, so that a claim can rest on what was shown before it.
"""

from collections.abc import Callable, Mapping, Sequence

from api.wiring import Services
from api.wrap import ResultBudget, ToolRules, ToolWrapper, WrappedResult, WrapRules
from evidence_store.errors import JsonValue
from evidence_store.model import Packet, TaskName, TaskRevision
from evidence_store.store.runs import OpenCall

AGENT = "agent:example/1"


class Notebook:
    """One run of one task."""

    def __init__(self, services: Services, task: str, goal: str) -> None:
        self._store = services.store
        self._wrapper = ToolWrapper(services, WrapRules(ResultBudget(window=32_768), others=ToolRules(keep_small=True)))
        self._task = self._store.tasks.add_revision(TaskRevision(TaskName(task), 1, goal, (), (), ()), "user:example")
        self._run = self._store.runs.start(self._task.task, AGENT)
        self._quotes: dict[str, list[str]] = {}

    def fetch(self, tool: str, function: Callable[..., object], **arguments: str) -> Packet:
        """Calls a tool that is not ours; its output is stored. Gives the packet in its place, or the summary of one within the budget."""
        result = self._step(tool, arguments, lambda: self._wrapper.call(tool, function, arguments))
        if result.packets:
            return result.packets[0]
        if result.revision is None:
            raise LookupError(result.text)
        return self.ask("summary", resource=result.revision.resource, revision=result.revision.number)[0]

    def ask(self, tool: str, **arguments: JsonValue) -> Sequence[Packet]:
        """The packets that one of the reading tools answers with. Raises LookupError with the text of an error."""
        answer = self._step(tool, arguments, lambda: self._wrapper.answer(tool, arguments))
        if answer.outcome != "ok":
            raise LookupError(answer.text)
        return answer.packets

    def claim(self, text: str, *cited: tuple[Packet, str, str]) -> None:
        """Records a conclusion: for each evidence the role that it has and the words of it that the report quotes."""
        first = cited[0][0]
        about: JsonValue = {"resource": first.resource, **({"pointer": first.pointer} if first.pointer else {})}
        citations: JsonValue = [{"evidence": packet.id, "role": role} for packet, role, _ in cited]
        arguments: dict[str, JsonValue] = {"about": about, "text": text, "citations": citations}
        answer = self._step("record_claim", arguments, lambda: self._wrapper.answer("record_claim", arguments, recording=True))
        self._quotes[answer.text.split()[1]] = [f'  - {role}: "{quote}" [{packet.id}]' for packet, role, quote in cited]

    def publish(self, title: str) -> str:
        """The report, stored for good. Each quote stands in the evidence that follows it, or the check of the report fails."""
        claims = self._store.claims.list_claims(self._task.task)
        lines = [f"# {title}", "", f"- Task: `{self._task.task}`, revision {self._task.number}", ""]
        for one in claims:
            lines += [f"- **{one.id}** {one.standing}: {one.text}{f' ({one.reason})' if one.reason else ''}", *self._quotes[one.id]]
        body = "\n".join(lines) + "\n"
        self._store.claims.publish(self._run, title, body, claims)
        failed = [one.text or one.verdict for one in self._store.checks.check_report(body) if not one.ok]
        return body + f"\nchecked: {len(failed)} citations do not hold{''.join(f'; {one}' for one in failed)}\n"

    def _step(self, tool: str, arguments: Mapping[str, JsonValue], call: Callable[[], WrappedResult]) -> WrappedResult:
        step = self._store.runs.open_step(self._run)
        name = f"call_{step.number}"
        self._store.runs.open_calls(step, "", [OpenCall(name, tool, arguments)])
        with self._wrapper.calls(1, step):
            result = call()
        self._store.runs.close_calls(step, [result.closed(name)])
        return result
