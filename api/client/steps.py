"""Operations of one step of a run: its input, its calls, what was sent and billed. `opening` as in `runs`."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from api.client.operation import Operation, Pages, ask, get, named, pages, post
from api.client.reading import packet_of
from api.client.runs import path_of
from api.client.values import ListedInput, ReplayedInput
from api.client.work_reading import input_of, replayed_of
from api.tools import ToolAnswer
from evidence_store.errors import JsonValue
from evidence_store.model import Digest, Outcome
from evidence_store.records.runs import Shown, StepKey
from evidence_store.records.usages import NewUsage
from evidence_store.store.runs import ClosedCall, NewCompaction, NewProjection, OpenCall
from projector import Receipt, receipt_from_json


def step_path(step: StepKey) -> str:
    return f"{path_of(step.run.task, step.run.number)}/steps/{step.number}"


def _post(step: StepKey, what: str, asked: Mapping[str, object], opening: int | None, key: str | None) -> Operation[None]:
    return post(f"{step_path(step)}/{what}", asked, lambda _: None, key, query={"opening": opening})


def store_projection(
    step: StepKey, new: NewProjection, *, opening: int | None = None, idempotency_key: str | None = None
) -> Operation[Digest]:
    """Keeps the input of a step with its receipt, and that its evidence was projected; gives the digest that `confirm_sent` takes."""
    asked: dict[str, object] = {"messages": new.messages, "tools": new.tools, "outside": dict(new.outside), "profile": dict(new.profile)}
    asked |= {"receipt": dict(new.receipt), "shown": list(map(_shown_json, new.shown))}
    path = f"{step_path(step)}/projection"
    return post(path, asked, lambda shown: Digest(shown["input_digest"]), idempotency_key, query={"opening": opening})


def list_projections(step: StepKey, limit: int = 100) -> Pages[ListedInput]:
    """Stored inputs of a step, with their token figures. Raises NotFound."""
    return pages(f"{step_path(step)}/projections", input_of, limit)


def get_receipt(step: StepKey, projection: int | None = None) -> Operation[Receipt]:
    """What an input kept and left out, the newest of the step without a number. Raises NotFound."""
    return get(f"{step_path(step)}/receipt", receipt_from_json, {"projection": projection})


def replay_step(step: StepKey, projection: int | None = None) -> Operation[ReplayedInput]:
    """A stored input given out again, with marks in place of evidence that may not be shown. Raises NotFound."""
    return get(f"{step_path(step)}/replay", replayed_of, {"projection": projection})


def confirm_sent(step: StepKey, input_digest: Digest, *, opening: int | None = None, idempotency_key: str | None = None) -> Operation[None]:
    """Says that a stored input was sent as it is. Raises InvalidInput for a digest of none."""
    return _post(step, "sent", {"input_digest": input_digest}, opening, idempotency_key)


def report_usage(step: StepKey, new: NewUsage, *, opening: int | None = None, idempotency_key: str | None = None) -> Operation[None]:
    """Keeps what a provider reported of the input of a step. Raises InvalidInput for figures that no input has."""
    asked = {"provider": new.provider, "model": new.model, "counter": new.counter}
    figures = {"counted": new.counted, "reported": new.reported, "said": dict(new.said)}
    return _post(step, "usage", {**asked, **figures}, opening, idempotency_key)


def record_compaction(
    step: StepKey, new: NewCompaction, *, opening: int | None = None, idempotency_key: str | None = None
) -> Operation[None]:
    """Keeps what became of the history before the input of a step was made."""
    lists = {"by_reference": list(new.by_reference), "left": list(new.left), "gone": list(new.gone)}
    figures = {"recap": new.recap, "tokens_before": new.tokens_before, "tokens": new.tokens}
    return _post(step, "compaction", {**lists, **figures}, opening, idempotency_key)


def open_calls(
    step: StepKey, text: str, calls: Sequence[OpenCall], *, opening: int | None = None, idempotency_key: str | None = None
) -> Operation[None]:
    """Keeps a turn of the agent and opens its calls. Raises Conflict for an id that names a call of the run."""
    asked = [{"call": one.call, "name": one.name, "arguments": dict(one.arguments)} for one in calls]
    return _post(step, "calls", {"text": text, "calls": asked}, opening, idempotency_key)


def close_calls(
    step: StepKey, results: Sequence[ClosedCall], *, opening: int | None = None, idempotency_key: str | None = None
) -> Operation[None]:
    """Closes calls with their results, and keeps that their packets were delivered. Raises InvalidInput for a call that is not open."""
    asked = [
        {
            "call": one.call,
            "outcome": one.outcome,
            "body": one.body,
            "complete": one.complete,
            "shown": list(map(_shown_json, one.shown)),
        }
        for one in results
    ]
    return _post(step, "results", {"results": asked}, opening, idempotency_key)


def _shown_json(one: Shown) -> dict[str, object]:
    return {"evidence": one.evidence, "digest": one.shown_digest, "transforms": list(one.transforms), "in_full": one.in_full}


def call_tool(step: StepKey, name: str, arguments: Mapping[str, JsonValue], *, idempotency_key: str | None = None) -> Operation[ToolAnswer]:
    """Makes a call of one of our tools on the server, in the name of the run's agent; what goes wrong is an answer. It is not kept."""
    return post(f"{step_path(step)}/tools/{named(name)}", {"arguments": dict(arguments)}, answer_of, idempotency_key)


def answer_of(shown: Any) -> ToolAnswer:
    """A tool's answer."""
    return ToolAnswer(shown["text"], tuple(map(packet_of, shown["packets"])), Outcome(shown["outcome"]), shown["facts"])


def project(step: Mapping[str, JsonValue]) -> Operation[Mapping[str, JsonValue]]:
    """Builds the input of a step that docs/formats/step.md describes, for the key; gives what `evidence project --json` prints."""
    return ask("/v1/projections", orjson.loads(orjson.dumps(step)), dict)
