"""Which run a command is about, and what was delivered to a run that has calls and no stored input, such as one over MCP."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from api.cli.listing import end_json, end_text
from api.cli.output import Output
from api.errors import WrongUse
from api.presenters import Json
from api.wiring import Services
from evidence_store.errors import NotFound
from evidence_store.model import EvidenceId, TaskName
from evidence_store.records.listings import CallRow
from evidence_store.records.runs import RunKey, run_name
from evidence_store.store.run_history import RunEnd

N_LARGEST = 10
N_IDS = 5
"""Ids of evidence in the line of a call."""
_NUMBERED = re.compile(r"(?s)(.+)/(?:run )?([1-9][0-9]{0,9})")
"""A run in one word, as `mcp serve` says it, or as these commands do."""


@dataclass(frozen=True, slots=True)
class RunPlace:
    run: RunKey
    steps: tuple[int, ...]
    """Numbers that stand behind the run."""


def find_place(services: Services, task: str, numbers: Sequence[int | None]) -> RunPlace:
    """The run that is meant, without a number the newest. Raises NotFound, and WrongUse for a number too many.

    `TASK/RUN` in one word is a run where there is no task of that whole name; the numbers behind it are steps, then.
    """
    given = [one for one in numbers if one is not None]
    one_word = _NUMBERED.fullmatch(task) if services.store.tasks.find_newest(TaskName(task)) is None else None
    if one_word is not None:
        if len(given) == len(numbers):
            raise WrongUse(f"{task[:80]!r} names the run, so {given[-1]} is one number too many")
        return RunPlace(services.store.runs.get_run(TaskName(one_word[1]), int(one_word[2])), tuple(given))
    runs = () if given else services.store.histories.list_runs(TaskName(task))
    run = runs[-1] if runs else services.store.runs.get_run(TaskName(task), given[0] if given else 1)
    return RunPlace(run, tuple(given[1:]))


@dataclass(frozen=True, slots=True)
class Delivered:
    """One call, and what the model was told for it."""

    call: CallRow
    n_bytes: int
    n_tokens: int
    evidence: tuple[EvidenceId, ...]
    """Delivered in its step."""

    def json(self) -> Json:
        return {
            "step": self.call.step,
            "call": self.call.call,
            "tool": self.call.tool,
            "outcome": None if self.call.outcome is None else self.call.outcome.value,
            "bytes": self.n_bytes,
            "tokens": self.n_tokens,
            "evidence": list(self.evidence),
        }

    def text(self) -> str:
        outcome = "no answer" if self.call.outcome is None else self.call.outcome.value
        more = f" and {len(self.evidence) - N_IDS} more" if len(self.evidence) > N_IDS else ""
        ids = f": {' '.join(self.evidence[:N_IDS])}{more}" if self.evidence else ""
        return f"step {self.call.step}: {self.call.tool} {outcome}, {self.n_bytes:,} bytes, {self.n_tokens} tokens{ids}\n"


@dataclass(frozen=True, slots=True)
class CalledRun:
    """A run without a stored input."""

    name: str
    end: RunEnd | None
    calls: tuple[Delivered, ...]

    @property
    def n_tokens(self) -> int:
        return sum(one.n_tokens for one in self.calls)

    def head(self) -> str:
        said = f"{len(self.calls)} calls, {self.n_tokens} tokens delivered, no stored input"
        return f"{self.name} ({end_text(self.end)}): {said}\n"

    def json(self) -> dict[str, Json]:
        return {"run": self.name, "end": end_json(self.end), "delivered_tokens": self.n_tokens}


def find_called(services: Services, run: RunKey, step: int | None = None) -> CalledRun | None:
    """The calls of a run up to a step, or all; None where it has none. Raises NotFound for a step without one."""
    found, end = services.store.listings.get_calls(run), services.store.histories.get(run).end
    known = sorted({one.step for one in found.calls})
    if not known:
        return None
    if step is not None and step not in known:
        raise NotFound(f"{run_name(run)} has no call in a step {step}", {"known": known[-100:]}, code="no_step")
    counter = services.counter()
    calls = [one for one in found.calls if step is None or one.step <= step]
    return CalledRun(
        run_name(run),
        end,
        tuple(
            Delivered(
                one,
                len(one.body.encode("utf-8", "surrogatepass")),
                counter.count(one.body),
                tuple(dict.fromkeys(id_ for number, id_ in found.delivered if number == one.step)),
            )
            for one in calls
        ),
    )


def show_calls(run: CalledRun, output: Output) -> None:
    """Every call in order: what the window of a client was given, which nobody else sees."""
    output.value(run.json() | {"calls": [one.json() for one in run.calls]}, run.head() + "".join(one.text() for one in run.calls))


def show_call_tokens(run: CalledRun, output: Output) -> None:
    """The tokens that were delivered, by tool, and the largest answers."""
    tokens, n_calls = Counter[str](), Counter(one.call.tool for one in run.calls)
    for one in run.calls:
        tokens[one.call.tool] += one.n_tokens
    largest = sorted(run.calls, key=lambda one: (-one.n_tokens, one.call.step, one.call.call))[:N_LARGEST]
    tools: list[Json] = [{"tool": name, "calls": n_calls[name], "tokens": n} for name, n in tokens.most_common()]
    lines = [f"  {name:<20}{n:>8}  in {n_calls[name]} calls\n" for name, n in tokens.most_common()]
    answer = run.json() | {"n_calls": len(run.calls), "tools": tools, "largest": [one.json() for one in largest]}
    output.value(answer, run.head() + "".join(lines) + "the largest:\n" + "".join(f"  {one.text()}" for one in largest))
