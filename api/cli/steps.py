"""The command that looks back on the stored steps of a run: their tokens, what two of them differ in."""

from argparse import Namespace
from collections.abc import Sequence

import orjson

from api.cli.output import Output
from api.presenters import Json, plain
from api.settings import read_settings
from api.wiring import open_services
from evidence_store.errors import NotFound
from evidence_store.model import TaskName
from evidence_store.records.runs import StepInput
from evidence_store.store.runs import run_name
from projector import (
    Receipt,
    diff_receipts,
    explain_receipt_json,
    explain_receipt_text,
    receipt_diff_json,
    receipt_diff_text,
    receipt_from_json,
    section_tokens,
)


def run_steps(arguments: Namespace, output: Output) -> int:
    with open_services(read_settings(arguments.store)) as services:
        run = services.store.runs.get_run(TaskName(arguments.task), arguments.run_number)
        inputs = services.store.runs.list_step_inputs(run)
        name = run_name(run)
    if arguments.step is None:
        _list(name, inputs, output)
    elif arguments.other is None:
        receipt = receipt_of(find_step(name, inputs, arguments.step))
        output.value(plain({"step": arguments.step} | explain_receipt_json(receipt)), explain_receipt_text(receipt))
    else:
        old, new = (receipt_of(find_step(name, inputs, number)) for number in (arguments.step, arguments.other))
        found = diff_receipts(old, new)
        answer = {"steps": [arguments.step, arguments.other]} | receipt_diff_json(found)
        output.value(plain(answer), receipt_diff_text(found))
    return 0


def find_step(run: str, inputs: Sequence[StepInput], number: int) -> StepInput:
    """The newest input of a step. Raises NotFound, naming the steps that have one."""
    found = [one for one in inputs if one.step.number == number]
    if not found:
        known = sorted({one.step.number for one in inputs})
        raise NotFound(f"{run} has no stored input of a step {number}", {"known": known}, code="no_step")
    return found[-1]


def receipt_of(one: StepInput) -> Receipt:
    """The receipt that is stored with an input. Raises RefusedStep where another program wrote something else."""
    return receipt_from_json(orjson.loads(one.row.receipt))


def _list(run: str, inputs: Sequence[StepInput], output: Output) -> None:
    receipts = [receipt_of(one) for one in inputs]
    steps = [_step_json(one, receipt) for one, receipt in zip(inputs, receipts, strict=True)]
    lines = [_step_text(one, receipt) for one, receipt in zip(inputs, receipts, strict=True)]
    output.value({"run": run, "steps": steps}, "".join(lines) or f"{run} has no stored input\n")


def _step_json(one: StepInput, receipt: Receipt) -> dict[str, Json]:
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
    }


def _step_text(one: StepInput, receipt: Receipt) -> str:
    again = f" (projected again: {one.ordinal})" if one.ordinal > 1 else ""
    sections = ", ".join(f"{name} {tokens}" for name, tokens in section_tokens(receipt).items())
    return f"step {one.step.number}{again}: {one.row.used_tokens} of {one.row.cap_tokens} tokens: {sections}\n"
