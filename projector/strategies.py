"""One step under every strategy that the projector knows: what each would keep and leave out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args

from evidence_store.errors import JsonValue
from projector.explain import MEANS
from projector.model import Outcome, Projected, Step, Strategy
from projector.ports import EvidenceReader, Gate, TokenCounter
from projector.project import project
from projector.receipt import omitted_json, outcome_json, section_tokens

STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)


@dataclass(frozen=True, slots=True)
class Compared:
    """What came of a step under one strategy."""

    strategy: Strategy
    outcome: Outcome


def compare_strategies(step: Step, reader: EvidenceReader, counter: TokenCounter, gate: Gate) -> tuple[Compared, ...]:
    """The step under each strategy, whatever its own; nothing of it is sent or kept."""
    return tuple(Compared(name, project(replace(step, strategy=name), reader, counter, gate)) for name in STRATEGIES)


def compared_json(found: Sequence[Compared]) -> list[dict[str, JsonValue]]:
    """For each strategy the outcome with its tokens, and what was kept and left out."""
    return [_one_json(one) for one in found]


def _one_json(one: Compared) -> dict[str, JsonValue]:
    if not isinstance(one.outcome, Projected):
        return {"strategy": one.strategy, **outcome_json(one.outcome)}
    projection = one.outcome.projection
    receipt = projection.receipt
    return {
        "strategy": one.strategy,
        "outcome": "projected",
        "tokens": projection.tokens,
        "input_cap": receipt.budget.input_cap,
        "input_digest": receipt.input_digest,
        "sections": dict(section_tokens(receipt)),
        "kept": [{"section": line.section, "name": line.name, "tokens": line.tokens, "note": line.note} for line in receipt.kept],
        "omitted": [omitted_json(line) for line in receipt.omitted],
    }


def compared_text(found: Sequence[Compared]) -> str:
    """For people: a column for each strategy."""
    heads = ["", *(one.strategy or "(none)" for one in found)]
    totals = [_sections(one.outcome) for one in found]
    rows = [["outcome", *(str(outcome_json(one.outcome)["outcome"]) for one in found)]]
    rows.append(["tokens", *(_figure(one.outcome) for one in found)])
    rows += [[name, *(str(total.get(name, "-")) for total in totals)] for name in MEANS if any(name in total for total in totals)]
    rows.append(["kept", *(_pieces(one.outcome, kept=True) for one in found)])
    rows.append(["left out", *(_pieces(one.outcome, kept=False) for one in found)])
    widths = [max(len(row[at]) for row in (heads, *rows)) for at in range(len(heads))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in (heads, *rows)]
    texts = [f"{one.strategy or '(none)'}: {one.outcome.text}" for one in found if not isinstance(one.outcome, Projected)]
    return "".join(f"{line}\n" for line in (*lines, *texts))


def _sections(outcome: Outcome) -> dict[str, int]:
    return section_tokens(outcome.projection.receipt) if isinstance(outcome, Projected) else {}


def _figure(outcome: Outcome) -> str:
    if isinstance(outcome, Projected):
        return f"{outcome.projection.tokens} of {outcome.projection.receipt.budget.input_cap}"
    return f"{outcome.must_tokens} for a room of {outcome.room_tokens}"


def _pieces(outcome: Outcome, *, kept: bool) -> str:
    if not isinstance(outcome, Projected):
        return "-"
    receipt = outcome.projection.receipt
    n = len(receipt.kept) if kept else sum(len(line.names) for line in receipt.omitted)
    return f"{n} piece{'' if n == 1 else 's'}"
