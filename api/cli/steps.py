"""The command that looks back on the stored steps of a run: their tokens, what two of them differ in, and the input itself."""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path

import orjson

from api.cli.output import Output
from api.cli.runs import find_called, find_place, show_calls
from api.errors import WrongUse
from api.presenters import Json, plain
from api.replay import Replayed, replay
from api.settings import read_settings
from api.stored_inputs import billed, receipt_of, step_json
from api.wiring import open_services
from evidence_store.errors import NotFound
from evidence_store.records.runs import StepInput, run_name
from evidence_store.records.usages import NewUsage
from projector import (
    Principal,
    Receipt,
    diff_receipts,
    explain_receipt_json,
    explain_receipt_text,
    receipt_diff_json,
    receipt_diff_text,
    section_tokens,
)


def run_steps(arguments: Namespace, output: Output) -> int:
    with open_services(read_settings(arguments.store)) as services:
        place = find_place(services, arguments.task, (arguments.run_number, arguments.step, arguments.other))
        run, (step, other) = place.run, (*place.steps, None, None)[:2]
        _require_use(arguments, step, other)
        inputs = services.store.runs.list_step_inputs(run)
        called = find_called(services, run, step) if not inputs and other is None and not _replays(arguments) else None
        if called is not None:
            show_calls(called, output)
            return 0
        usages = {one.step.number: one.usage for one in services.store.runs.list_usages(run)}
        name = run_name(run)
        if _replays(arguments):
            assert step is not None
            stored = find_step(name, inputs, step)
            _show_replayed(stored, replay(services.store, stored, _principal(arguments)), arguments.dump, output)
            return 0
    if step is None:
        _list(name, inputs, usages, output)
    elif other is None:
        receipt = receipt_of(find_step(name, inputs, step))
        output.value(plain({"step": step} | explain_receipt_json(receipt)), explain_receipt_text(receipt))
    else:
        old, new = (receipt_of(find_step(name, inputs, number)) for number in (step, other))
        found = diff_receipts(old, new)
        answer = {"steps": [step, other]} | receipt_diff_json(found)
        output.value(plain(answer), receipt_diff_text(found))
    return 0


def _replays(arguments: Namespace) -> bool:
    return arguments.replay or arguments.dump is not None


def _require_use(arguments: Namespace, step: int | None, other: int | None) -> None:
    replays = _replays(arguments)
    if replays and (step is None or other is not None):
        raise WrongUse("--replay and --dump stand beside one step")
    if arguments.clearance and not replays:
        raise WrongUse("--clearance stands beside --replay or --dump")


def _principal(arguments: Namespace) -> Principal | None:
    """On whose behalf: without `--clearance` the owner of the store; an empty clearance is none."""
    return Principal(tuple(filter(None, arguments.clearance))) if arguments.clearance else None


def _show_replayed(stored: StepInput, found: Replayed, folder: str | None, output: Output) -> None:
    marks = [{"evidence": id_, "mark": mark} for id_, mark in found.marks.items()]
    answer: dict[str, object] = {"step": stored.step.number, "projection": stored.ordinal, "same": not marks, "marks": marks}
    answer["input_digest"] = found.receipt["input_digest"]
    if folder is not None:
        files = _dump(found, Path(folder))
        output.value(plain(answer | {"files": files}), "".join(f"{name}\n" for name in files))
    elif output.json:
        members = {"messages": found.messages, "tools": found.tools, "outside": found.outside}
        output.value(plain(answer | members), "")
    else:
        output.bytes(found.raw)
    if not output.json:
        for id_, mark in found.marks.items():
            output.note(f"{mark}: {id_}")


def _dump(found: Replayed, folder: Path) -> list[str]:
    """Writes the parts of an input, each to a file of its name; files of these names are written over."""
    parts = {"messages": found.messages, "tools": found.tools, "outside": found.outside, "receipt": found.receipt}
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, value in parts.items():
        path = folder / f"{name}.json"
        path.write_bytes(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
        files.append(str(path))
    return files


def find_step(run: str, inputs: Sequence[StepInput], number: int) -> StepInput:
    """The newest input of a step. Raises NotFound, naming the steps that have one."""
    found = [one for one in inputs if one.step.number == number]
    if not found:
        known = sorted({one.step.number for one in inputs})
        raise NotFound(f"{run} has no stored input of a step {number}", {"known": known}, code="no_step")
    return found[-1]


def _list(run: str, inputs: Sequence[StepInput], usages: Mapping[int, NewUsage], output: Output) -> None:
    told = [(one, receipt_of(one), usages.get(one.step.number)) for one in inputs]
    lines = [_step_text(*each) for each in told]
    used, total = (sum(figures) for figures in ([one.used for _, one, _ in told], [billed(one) for _, one, _ in told]))
    if lines:
        lines.append(f"in all: {used} tokens, billed as {total}\n")
    answer: dict[str, Json] = {"run": run, "used_tokens": used, "billed_tokens": total, "steps": [step_json(*each) for each in told]}
    output.value(answer, "".join(lines) or f"{run} has no stored input\n")


def _step_text(one: StepInput, receipt: Receipt, usage: NewUsage | None) -> str:
    again = f" (projected again: {one.ordinal})" if one.ordinal > 1 else ""
    reported = "" if usage is None else f" (the provider reported {usage.reported})"
    sections = ", ".join(f"{name} {tokens}" for name, tokens in section_tokens(receipt).items())
    shared = f", {receipt.shared} as before" if receipt.shared else ""
    return f"step {one.step.number}{again}: {one.row.used_tokens} of {one.row.cap_tokens} tokens{shared}{reported}: {sections}\n"
