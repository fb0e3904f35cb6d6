"""One step under every strategy that the projector knows: what each would keep and leave out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evidence_store.errors import JsonValue
from projector.explain import MEANS
from projector.model import Outcome, Projected, Step
from projector.ports import EvidenceReader, Gate, TokenCounter
from projector.project import project
from projector.receipt import omitted_json, outcome_json, section_tokens, strategy_json
from projector.strategy import Strategy, StrategyName, changed_fields
from projector.strategy_json import STRATEGY_NAMES

COMPARED = tuple(name for name in STRATEGY_NAMES if name not in ("default", "auto"))
"""`default` is what an empty name stands for."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What came of a step under one strategy."""

    strategy: StrategyName | Strategy
    """The step's own where it brings one."""
    outcome: Outcome

    @property
    def label(self) -> str:
        return f"{self.strategy.name} (own)" if isinstance(self.strategy, Strategy) else self.strategy or "(none)"


def compare_strategies(step: Step, reader: EvidenceReader, counter: TokenCounter, gate: Gate) -> tuple[Compared, ...]:
    """The step under each named strategy, the one that it brings, and last `auto`; nothing of it is sent or kept."""
    own = (step.strategy,) if isinstance(step.strategy, Strategy) else ()
    asked: tuple[StrategyName | Strategy, ...] = (*COMPARED, *own, "auto")
    return tuple(Compared(one, project(replace(step, strategy=one), reader, counter, gate)) for one in asked)


def compared_json(found: Sequence[Compared]) -> list[dict[str, JsonValue]]:
    """For each strategy the outcome with its tokens, and what was kept and left out."""
    return [_one_json(one) for one in found]


def _one_json(one: Compared) -> dict[str, JsonValue]:
    asked = one.strategy
    name: JsonValue = {"name": asked.name, **changed_fields(asked)} if isinstance(asked, Strategy) else asked
    if not isinstance(one.outcome, Projected):
        return {"strategy": name, **outcome_json(one.outcome)}
    projection = one.outcome.projection
    receipt = projection.receipt
    return {
        "strategy": name,
        "used": strategy_json(receipt.strategy) if receipt.strategy else None,
        "outcome": "projected",
        "tokens": projection.tokens,
        "input_cap": receipt.budget.input_cap,
        "input_digest": receipt.input_digest,
        "sections": dict(section_tokens(receipt)),
        "kept": [{"section": line.section, "name": line.name, "tokens": line.tokens, "note": line.note} for line in receipt.kept],
        "omitted": [omitted_json(line) for line in receipt.omitted],
    }


def compared_text(found: Sequence[Compared]) -> str:
    """For people: a column for each strategy, and which of them `auto` takes."""
    auto = [one for one in found if one.strategy == "auto"]
    columns = [one for one in found if one not in auto]
    heads = ["", *(one.label for one in columns)]
    totals = [_sections(one.outcome) for one in columns]
    rows = [["outcome", *(str(outcome_json(one.outcome)["outcome"]) for one in columns)]]
    rows.append(["tokens", *(_figure(one.outcome) for one in columns)])
    rows += [[name, *(str(total.get(name, "-")) for total in totals)] for name in MEANS if any(name in total for total in totals)]
    rows.append(["kept", *(_pieces(one.outcome, kept=True) for one in columns)])
    rows.append(["left out", *(_pieces(one.outcome, kept=False) for one in columns)])
    widths = [max(len(row[at]) for row in (heads, *rows)) for at in range(len(heads))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in (heads, *rows)]
    texts = [f"{one.label}: {one.outcome.text}" for one in found if not isinstance(one.outcome, Projected)]
    return "".join(f"{line}\n" for line in (*lines, *texts, *map(_taken, auto)))


def _taken(auto: Compared) -> str:
    used = auto.outcome.projection.receipt.strategy if isinstance(auto.outcome, Projected) else None
    return f"auto takes {used.name}: {used.reason}" if used else "auto gives no input"


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
