"""Runs: what an agent was shown, step by step, and what it called.

Calls open and close as rows. A run is pinned to the revision of a resource that it used first.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType

import orjson
import zstandard

from evidence_store.canonical import canonical_bytes, digest_of
from evidence_store.database import WriteConnection
from evidence_store.errors import Conflict, IntegrityMismatch, InvalidInput, JsonValue, NotFound
from evidence_store.model import Digest, EvidenceId, Grade, Outcome, ResourceName, TaskName
from evidence_store.records import runs, usages
from evidence_store.records.events import append_event
from evidence_store.records.runs import (
    Exposure,
    MessageRow,
    ProjectionRow,
    RunKey,
    Shown,
    StepInput,
    StepKey,
    run_name,
    step_name,
)
from evidence_store.records.usages import CountedModel, NewUsage, StoredUsage
from evidence_store.store.core import Core
from evidence_store.store.holding import Hold, require_held, take
from evidence_store.store.run_access import require_seen, require_shown, require_step
from evidence_store.store.run_access import shown_of as shown_of
from evidence_store.store.sources import require_revision
from evidence_store.store.tasks import require_task_revision

KNOWN_RUNS = 10
"""Runs that are named where one is not found."""


@dataclass(frozen=True, slots=True)
class NewProjection:
    """The input of a step, as the projector built it."""

    messages: Sequence[JsonValue]
    tools: Sequence[JsonValue]
    profile: Mapping[str, JsonValue]
    receipt: Mapping[str, JsonValue]
    counter: str
    exactness: str
    cap_tokens: int
    used_tokens: int
    shown: tuple[Shown, ...]
    outside: Mapping[str, JsonValue] = field(default_factory=lambda: MappingProxyType({}))
    """What goes beside the message list."""


@dataclass(frozen=True, slots=True)
class OpenCall:
    call: str
    name: str
    arguments: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class ClosedCall:
    call: str
    outcome: Outcome
    body: str
    """What the model is told; packets in it are named by `shown`."""
    complete: bool
    shown: tuple[Shown, ...] = ()


@dataclass(frozen=True, slots=True)
class NewCompaction:
    """How the history that a run's inputs are made from became smaller. Turns and results stay as they are stored."""

    by_reference: tuple[str, ...]
    """Calls whose results stand by reference from now on."""
    left: tuple[str, ...]
    """Calls whose exchanges progress stands for from now on."""
    gone: tuple[int, ...]
    """0-based places, in the history before, of all that stands in it no more; that of the recap before among them."""
    recap: str
    """What was added to the recap, in its text form; empty where nothing was."""
    tokens_before: int
    tokens: int
    """Of all that the step holds, were nothing left out."""


class Runs:
    """Runs of one workspace."""

    def __init__(self, core: Core, hold: Hold | None = None) -> None:
        self._core = core
        self._hold = hold

    def take(self, key: RunKey) -> Hold:
        """Takes a run from whoever holds it. Raises NotFound, and Conflict for a run that has ended."""
        with self._core.database.writing() as connection:
            return take(connection, self._core, key)

    def held_by(self, hold: Hold) -> "Runs":
        """The same for the writes of who holds a run. They raise Conflict (`run_taken`) once another has taken it."""
        return Runs(self._core, hold)

    @contextmanager
    def _writing(self) -> Iterator[WriteConnection]:
        with self._core.database.writing() as connection:
            if self._hold is not None:
                require_held(connection, self._hold)
            yield connection

    def start(self, task: TaskName, agent: str, request: str | None = None) -> RunKey:
        """Begins the next run of a task, with the first turn of the user where there is one. Raises NotFound."""
        core = self._core
        with core.database.writing() as connection:
            require_task_revision(connection, core, task, None)
            at = core.clock()
            key = runs.insert_run(connection, core.workspace, task, agent, at)
            append_event(connection, core.workspace, "run.started", run_name(key), {"agent": agent}, at)
            if request is not None:
                self._add_user_message(connection, key, request, at)
        return key

    def require(self, key: RunKey) -> None:
        """Raises NotFound unless there is such a run."""
        with self._core.database.reading() as connection:
            require_seen(connection, self._core, key)

    def require_step(self, step: StepKey) -> str:
        """The agent of the run. Raises NotFound unless there is such a step."""
        with self._core.database.reading() as connection:
            require_step(connection, self._core, step)
            return require_seen(connection, self._core, step.run)

    def pinned(self, key: RunKey, resource: ResourceName, number: int | None) -> int:
        """The revision that this run reads: the one named, else the one it is pinned to, else the newest, now pinned.

        Raises NotFound. A run may name several revisions of one resource, as a comparison does; each is a pin.
        """
        core = self._core
        with core.database.reading() as connection:
            require_seen(connection, core, key)
            known = runs.list_pins(connection, key, resource)
        if number in known or (number is None and known):
            return number if number is not None else known[0]
        with core.database.writing() as connection:
            known = runs.list_pins(connection, key, resource)  # again: another call of the run may have come first
            if number is None and known:
                return known[0]
            revision = require_revision(connection, core, resource, number)
            if revision.number not in known:
                at = core.clock()
                runs.insert_pin(connection, key, resource, revision.number, at)
                append_event(
                    connection, core.workspace, "run.pinned", run_name(key), {"resource": resource, "revision": revision.number}, at
                )
        return revision.number

    def add_user_message(self, key: RunKey, text: str) -> int:
        """Keeps a turn of the user; gives its 1-based place among the messages of the run. Raises NotFound."""
        with self._writing() as connection:
            require_seen(connection, self._core, key)
            return self._add_user_message(connection, key, text, self._core.clock())

    def _add_user_message(self, connection: WriteConnection, key: RunKey, text: str, at: int) -> int:
        body = canonical_bytes({"role": "user", "content": text})
        ordinal = runs.insert_message(connection, key, None, "user", body.decode(), at)
        data: dict[str, JsonValue] = {"role": "user", "digest": digest_of(body)}
        append_event(connection, self._core.workspace, "message.added", run_name(key), data, at)
        return ordinal

    def open_step(self, key: RunKey) -> StepKey:
        """Begins the next step under the newest task revision. Raises NotFound."""
        core = self._core
        with self._writing() as connection:
            require_seen(connection, core, key)
            revision = require_task_revision(connection, core, key.task, None)
            at = core.clock()
            step = runs.insert_step(connection, key, revision.number, at)
            append_event(connection, core.workspace, "step.opened", step_name(step), {"task_revision": revision.number}, at)
        return step

    def record_projection(self, step: StepKey, new: NewProjection) -> Digest:
        """Keeps the input of a step with its receipt, and that its evidence was projected. Gives the input's digest.

        Raises NotFound, and InvalidInput for an evidence that is not known.
        """
        core = self._core
        text = orjson.dumps({"messages": new.messages, "tools": new.tools} | ({"outside": dict(new.outside)} if new.outside else {}))
        digest = digest_of(text)
        row = ProjectionRow(
            digest,
            zstandard.compress(text),
            canonical_bytes(new.profile).decode(),
            canonical_bytes(new.receipt).decode(),
            new.counter,
            new.exactness,
            new.cap_tokens,
            new.used_tokens,
        )
        with self._writing() as connection:
            require_step(connection, core, step)
            require_shown(connection, core, new.shown)
            at = core.clock()
            runs.insert_projection(connection, step, row, at)
            runs.insert_exposures(connection, step, Grade.PROJECTED, new.shown, at)
            data: dict[str, JsonValue] = {
                "input": digest,
                "used_tokens": new.used_tokens,
                "cap_tokens": new.cap_tokens,
                "evidence": _shown_json(new.shown),
            }
            append_event(connection, core.workspace, "step.projected", step_name(step), data, at)
        return digest

    def confirm_sent(self, step: StepKey, input_digest: Digest) -> None:
        """Raises the grade of what the step's input showed to *sent*: the caller sent exactly these bytes.

        Raises NotFound, and InvalidInput when no projection of the step has this digest.
        """
        core = self._core
        with self._writing() as connection:
            require_step(connection, core, step)
            exposed = runs.list_step_exposures(connection, step, Grade.PROJECTED)
            if input_digest not in runs.list_input_digests(connection, step):
                raise InvalidInput(f"{step_name(step)} has no projection {input_digest}", code="unknown_projection")
            at = core.clock()
            runs.insert_exposures(connection, step, Grade.SENT, exposed, at)
            append_event(connection, core.workspace, "step.sent", step_name(step), {"input": input_digest}, at)

    def record_compaction(self, step: StepKey, new: NewCompaction) -> None:
        """Keeps what became of the history before the input of a step was made, beside the turns that it was made of. Raises NotFound."""
        core = self._core
        figures: dict[str, JsonValue] = {
            "by_reference": new.by_reference,
            "left": new.left,
            "gone": new.gone,
            "tokens_before": new.tokens_before,
            "tokens": new.tokens,
        }
        body = canonical_bytes({"role": "assistant", "content": new.recap, "compaction": figures})
        with self._writing() as connection:
            require_step(connection, core, step)
            at = core.clock()
            runs.insert_message(connection, step.run, step.number, "assistant", body.decode(), at)
            append_event(connection, core.workspace, "history.compacted", step_name(step), figures | {"digest": digest_of(body)}, at)

    def list_messages(self, key: RunKey) -> Sequence[MessageRow]:
        """The turns of a run as they came, and between them its compactions, in order."""
        with self._core.database.reading() as connection:
            require_seen(connection, self._core, key)
            return runs.list_messages(connection, key)

    def report_usage(self, step: StepKey, new: NewUsage) -> None:
        """Keeps what a provider reported of the input of a step, beside what was counted of it.

        Raises InvalidInput for figures that no input has, and for a step without a stored input.
        """
        core = self._core
        if isinstance(new.counted, bool) or isinstance(new.reported, bool) or new.counted <= 0 or new.reported <= 0:
            raise InvalidInput(f"no usage of an input: counted {new.counted}, reported {new.reported}", code="bad_usage")
        with self._writing() as connection:
            require_step(connection, core, step)
            if not runs.list_input_digests(connection, step):
                raise InvalidInput(f"{step_name(step)} has no stored input", code="unknown_projection")
            at = core.clock()
            usages.insert_usage(connection, step, new, at)
            data: dict[str, JsonValue] = {
                "provider": new.provider,
                "model": new.model,
                "counter": new.counter,
                "counted": new.counted,
                "reported": new.reported,
            }
            append_event(connection, core.workspace, "usage.reported", step_name(step), data, at)

    def list_usages(self, key: RunKey) -> Sequence[StoredUsage]:
        """What was reported of the inputs of a run, in order of steps."""
        with self._core.database.reading() as connection:
            require_seen(connection, self._core, key)
            return usages.list_usages(connection, key)

    def list_recent_usages(self, key: RunKey, model: CountedModel, limit: int) -> Sequence[NewUsage]:
        """The newest that was reported of a model, in the runs of the task up to this one; the newest last."""
        with self._core.database.reading() as connection:
            require_seen(connection, self._core, key)
            return usages.list_recent_usages(connection, key, model, limit)

    def open_calls(self, step: StepKey, text: str, calls: Sequence[OpenCall]) -> None:
        """Keeps an assistant turn and opens its calls.

        Raises NotFound, and Conflict for an id that names a call of the run, or two of these.
        """
        core = self._core
        body: dict[str, JsonValue] = {
            "role": "assistant",
            "content": text,
            "calls": [{"call": c.call, "name": c.name, "arguments": c.arguments} for c in calls],
        }
        with self._writing() as connection:
            require_step(connection, core, step)
            twice = [call for call, n in Counter(one.call for one in calls).items() if n > 1]
            twice += runs.list_calls_among(connection, step.run, [one.call for one in calls])
            if twice:
                raise Conflict(f"{twice[0][:80]!r} names a call of {run_name(step.run)} already", {"call": twice[0]}, code="call_known")
            at = core.clock()
            runs.insert_message(connection, step.run, step.number, "assistant", canonical_bytes(body).decode(), at)
            for call in calls:
                runs.insert_tool_call(connection, step, call.call, call.name, canonical_bytes(call.arguments).decode(), at)
            data: dict[str, JsonValue] = {"digest": digest_of(canonical_bytes(body)), "calls": [[c.call, c.name] for c in calls]}
            append_event(connection, core.workspace, "turn.added", step_name(step), data, at)

    def close_calls(self, step: StepKey, results: Sequence[ClosedCall]) -> None:
        """Closes calls with their results and keeps that their packets were delivered.

        Raises NotFound, and InvalidInput for a call that is not open, or an evidence that is not known.
        """
        core = self._core
        with self._writing() as connection:
            require_step(connection, core, step)
            require_shown(connection, core, [shown for one in results for shown in one.shown])
            at = core.clock()
            still_open = set(runs.list_open_calls(connection, step.run))
            for one in results:
                if one.call not in still_open:
                    raise InvalidInput(
                        f"{one.call[:80]!r} is no open call of {run_name(step.run)}", {"call": one.call}, code="call_not_open"
                    )
                still_open.discard(one.call)
                runs.insert_tool_result(connection, step.run, one.call, one.outcome, one.complete, one.body, at)
                runs.insert_message(connection, step.run, step.number, "tool", canonical_bytes({"call": one.call}).decode(), at)
                runs.insert_exposures(connection, step, Grade.DELIVERED, one.shown, at)
            data: dict[str, JsonValue] = {
                "results": [[one.call, one.outcome.value, digest_of(one.body.encode("utf-8", "replace"))] for one in results],
                "evidence": _shown_json(tuple(shown for one in results for shown in one.shown)),
            }
            append_event(connection, core.workspace, "calls.closed", step_name(step), data, at)

    def list_open_calls(self, key: RunKey) -> Sequence[str]:
        with self._core.database.reading() as connection:
            require_seen(connection, self._core, key)
            return runs.list_open_calls(connection, key)

    def get_run(self, task: TaskName, number: int, agent_prefix: str = "") -> RunKey:
        """The run of this number of a task, of an agent whose name begins so.

        Raises NotFound, naming the newest such runs that the caller is cleared for.
        """
        core = self._core
        key = RunKey(core.workspace, task, number)
        with core.database.reading() as connection:
            agent = runs.find_agent(connection, key)
            if agent is None or not agent.startswith(agent_prefix) or not runs.sees(connection, key, core.clearances):
                known = runs.list_newest_runs(connection, core.workspace, KNOWN_RUNS, core.clearances, agent_prefix)
                raise NotFound(f"there is no run {run_name(key)!r}", {"known": [run_name(one) for one in known]})
        return key

    def list_projections(self, key: RunKey) -> Sequence[ProjectionRow]:
        """The stored inputs of a run with their receipts, in order of steps."""
        return [one.row for one in self.list_step_inputs(key)]

    def list_step_inputs(
        self, key: RunKey, step: int | None = None, after: tuple[int, int] = (0, 0), limit: int | None = None
    ) -> Sequence[StepInput]:
        """The same with their steps, or those of one step, behind a step and place in it; one projected more than once has as many."""
        with self._core.database.reading() as connection:
            require_seen(connection, self._core, key)
            return runs.list_step_inputs(connection, key, step, after, limit)

    def list_exposures(self, id_: EvidenceId, key: RunKey | None = None) -> Sequence[Exposure]:
        """Where an evidence was shown, in one run or in all that are seen."""
        with self._core.database.reading() as connection:
            return runs.list_exposures(connection, self._core.workspace, id_, key, self._core.clearances)


def input_of(row: ProjectionRow) -> Mapping[str, JsonValue]:
    """Messages and tools of a stored projection, and what stands outside the list where anything does."""
    found: dict[str, JsonValue] = orjson.loads(input_bytes(row))
    return found


def input_bytes(row: ProjectionRow) -> bytes:
    """The stored JSON of an input, held against its digest. Raises IntegrityMismatch."""
    try:
        raw = zstandard.decompress(row.input)
    except zstandard.ZstdError as why:
        raise IntegrityMismatch(f"the stored input {row.input_digest} cannot be decompressed: {why}") from why
    if digest_of(raw) != row.input_digest:
        raise IntegrityMismatch(f"the stored input is not {row.input_digest}")
    return raw


def _shown_json(shown: Sequence[Shown]) -> list[JsonValue]:
    return [[one.evidence, one.shown_digest, one.in_full] for one in shown]
