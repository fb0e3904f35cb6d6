"""Commands that look into the window of a run, at work or at its end: what is in it, what fills it, what changed since the step before."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass

from api.cli.listing import end_json, end_text
from api.cli.output import Output
from api.cli.runs import CalledRun, find_called, find_place, show_call_tokens, show_calls
from api.cli.steps import find_step
from api.presenters import Json, plain
from api.settings import read_settings
from api.stored_inputs import billed, receipt_of
from api.wiring import open_services
from evidence_store.errors import NotFound
from evidence_store.records.runs import StepInput, run_name
from evidence_store.store.run_history import RunEnd
from projector import (
    Receipt,
    diff_receipts,
    explain_receipt_json,
    explain_receipt_text,
    receipt_diff_json,
    receipt_diff_text,
    section_tokens,
)

N_LARGEST = 10
BAR_CHARS = 30


@dataclass(frozen=True, slots=True)
class _Window:
    """One stored input of a run, those before it, and how the run stands."""

    name: str
    end: RunEnd | None
    inputs: tuple[StepInput, ...]
    """Up to the one that is looked at, which is the last."""

    @property
    def step(self) -> int:
        return self.inputs[-1].step.number

    @property
    def receipt(self) -> Receipt:
        return receipt_of(self.inputs[-1])

    def head(self) -> str:
        return f"{self.name} ({end_text(self.end)}), step {self.step}"

    def json(self) -> dict[str, Json]:
        return {"run": self.name, "step": self.step, "end": end_json(self.end)}


def run_context(arguments: Namespace, output: Output) -> int:
    window = _window(arguments)
    if isinstance(window, CalledRun):
        show_calls(window, output)
        return 0
    receipt, before = window.receipt, _before(window.inputs)
    answer = window.json() | explain_receipt_json(receipt)
    text = f"{window.head()}\n{explain_receipt_text(receipt)}"
    if before is None:
        answer["since"] = None
    else:
        found = diff_receipts(receipt_of(before), receipt)
        answer["since"] = {"step": before.step.number, **receipt_diff_json(found)}
        text += f"since step {before.step.number}:\n" + "".join(f"  {line}\n" for line in receipt_diff_text(found).splitlines())
    output.value(plain(answer), text)
    return 0


def run_tokens(arguments: Namespace, output: Output) -> int:
    window = _window(arguments)
    if isinstance(window, CalledRun):
        show_call_tokens(window, output)
        return 0
    receipt = window.receipt
    used, cap = receipt.used, receipt.budget.input_cap
    receipts = [receipt_of(one) for one in window.inputs]
    largest = sorted(receipt.kept, key=lambda line: (-line.tokens, line.section, line.name))[:N_LARGEST]
    sections = section_tokens(receipt)
    over: dict[str, Json] = {
        "n_inputs": len(receipts),
        "sum_tokens": sum(one.used for one in receipts),
        "billed_tokens": sum(map(billed, receipts)),
        "peak_tokens": max(one.used for one in receipts),
    }
    answer = window.json() | {
        "used_tokens": used,
        "cap_tokens": cap,
        "free_tokens": cap - used,
        "counter": receipt.counter,
        "exactness": receipt.exactness,
        "sections": [{"section": name, "tokens": tokens} for name, tokens in sections.items()],
        "largest": [{"section": line.section, "name": line.name, "tokens": line.tokens} for line in largest],
        "run_tokens": over,
    }
    lines = [f"{window.head()}: {used} of {cap} tokens ({100 * used // cap} %), {cap - used} free"]
    lines += [f"  {name:<14}{tokens:>8}  {_bar(tokens, cap)}".rstrip() for name, tokens in sections.items()]
    lines += ["the largest:", *(f"  {line.tokens:>8}  {line.section}: {line.name}" for line in largest)]
    so_far = f"{over['sum_tokens']} tokens, billed as {over['billed_tokens']}; the largest {over['peak_tokens']}"
    lines.append(f"{over['n_inputs']} inputs so far: {so_far}")
    output.value(plain(answer), "".join(f"{line}\n" for line in lines))
    return 0


def _bar(tokens: int, cap: int) -> str:
    return "#" * max(0, round(BAR_CHARS * tokens / cap))


def _window(arguments: Namespace) -> _Window | CalledRun:
    """The input that is looked at; of a run without one its calls."""
    with open_services(read_settings(arguments.store)) as services:
        place = find_place(services, arguments.task, (arguments.run_number, arguments.step))
        run, step = place.run, (*place.steps, None)[0]
        inputs = services.store.runs.list_step_inputs(run)
        if not inputs:
            called = find_called(services, run, step)
            if called is None:
                raise NotFound(f"{run_name(run)} has no stored input and no calls", {"known": []}, code="no_step")
            return called
        end = services.store.histories.get(run).end
    last = find_step(run_name(run), inputs, inputs[-1].step.number if step is None else step)
    return _Window(run_name(run), end, tuple(inputs[: inputs.index(last) + 1]))


def _before(inputs: Sequence[StepInput]) -> StepInput | None:
    """The newest input of an earlier step."""
    earlier = [one for one in inputs if one.step.number < inputs[-1].step.number]
    return earlier[-1] if earlier else None
