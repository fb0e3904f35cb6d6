"""Stored inputs of steps: one of them, its receipt, what is told of it in a list, and one as it comes from elsewhere to be stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson

from api.presenters import Json
from evidence_store.errors import InvalidInput, JsonValue, NotFound
from evidence_store.records.runs import RunKey, Shown, StepInput, StepKey, step_name
from evidence_store.records.usages import NewUsage
from evidence_store.store import EvidenceStore
from evidence_store.store.runs import NewProjection
from projector import Receipt, input_digest, receipt_from_json, section_tokens

EXACTNESS = ("exact", "upper_bound", "estimate")


def get_step_input(store: EvidenceStore, step: StepKey, ordinal: int | None) -> StepInput:
    """The newest input of a step, or the one of this 1-based place in it. Raises NotFound."""
    store.runs.require_step(step)
    inputs = store.runs.list_step_inputs(step.run, step.number)
    found = [one for one in inputs if ordinal in (None, one.ordinal)]
    if not found:
        raise NotFound(f"{step_name(step)} has no such stored input", {"known": [one.ordinal for one in inputs]}, code="no_step")
    return found[-1]


@dataclass(frozen=True, slots=True)
class ListedInput:
    """A stored input in a list, with the newest that was reported of its step."""

    input: StepInput
    usage: NewUsage | None


def list_inputs(store: EvidenceStore, run: RunKey, step: int | None, after: tuple[int, int], limit: int) -> Sequence[ListedInput]:
    """The inputs of a run, or of one step, behind a step and a place in it. Raises NotFound."""
    usages = {one.step.number: one.usage for one in store.runs.list_usages(run)}
    return [ListedInput(one, usages.get(one.step.number)) for one in store.runs.list_step_inputs(run, step, after, limit)]


def stored_input_json(listed: ListedInput) -> dict[str, Json]:
    return step_json(listed.input, receipt_of(listed.input), listed.usage)


def received_projection(
    messages: Sequence[Mapping[str, JsonValue]],
    tools: Sequence[Mapping[str, JsonValue]],
    outside: Mapping[str, JsonValue],
    profile: Mapping[str, JsonValue],
    receipt: Mapping[str, JsonValue],
    shown: tuple[Shown, ...],
) -> NewProjection:
    """An input that was made elsewhere, with the figures of its receipt.

    Raises RefusedStep for a receipt that is none, InvalidInput for one of another input.
    """
    said, digest = receipt_from_json(receipt), input_digest(messages, tools, outside)
    if said.input_digest != digest:
        raise InvalidInput(f"the receipt is of another input: this one is {digest}", {"digest": digest}, code="digest_mismatch")
    if said.exactness not in EXACTNESS:
        raise InvalidInput(f"{said.exactness[:40]!r} says not how exact a count is", {"known": list(EXACTNESS)}, code="bad_argument")
    return NewProjection(messages, tools, profile, receipt, said.counter, said.exactness, said.budget.input_cap, said.used, shown, outside)


def receipt_of(one: StepInput) -> Receipt:
    """The receipt that is stored with an input. Raises RefusedStep where another program wrote something else."""
    return receipt_from_json(orjson.loads(one.row.receipt))


def billed(receipt: Receipt) -> int:
    """What the input costs, in tokens read plainly, rounded; the cache of its provider as its profile has it."""
    return round(receipt.profile.prices.billed(receipt.used, receipt.shared))


def step_json(one: StepInput, receipt: Receipt, usage: NewUsage | None) -> dict[str, Json]:
    """One line of the list of stored inputs."""
    return {
        "step": one.step.number,
        "projection": one.ordinal,
        "used_tokens": one.row.used_tokens,
        "cap_tokens": one.row.cap_tokens,
        "counter": one.row.counter,
        "exactness": one.row.exactness,
        "sections": dict(section_tokens(receipt)),
        "n_kept": len(receipt.kept),
        "n_omitted": sum(len(line.names) for line in receipt.omitted),
        "input_digest": receipt.input_digest,
        "shared_tokens": receipt.shared,
        "billed_tokens": billed(receipt),
        "rebuilt": receipt.rebuilt,
        "reported_tokens": None if usage is None else usage.reported,
    }
