"""A receipt in words for people (docs/formats/receipt.md): where the tokens went, what stands in an input, what does not, and why.

Says nothing that the receipt or the outcome does not hold: the same receipt gives the same words.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from evidence_store.errors import JsonValue
from projector.model import Kept, MustExternalise, MustSplit, MustWait, Omitted, Outcome, Paused, Projected, Receipt, Section, StrategyUsed
from projector.receipt import omitted_json, section_tokens, strategy_json
from projector.render.scalars import format_json, format_value

MAX_LINES = 20
"""Lines of one section that are told to people; the JSON form has all."""
MAX_NAMES = 10
"""Names in one such line."""

MEANS: dict[Section, str] = {
    "system": "system text, task and instructions of the caller",
    "tools": "tool definitions, and the request as a whole",
    "dialogue": "recent turns and tool exchanges, each whole or not at all",
    "open_exchange": "the exchange that waits for results",
    "progress": "where each subject stands",
    "facts": "verified claims",
    "open": "open questions and conflicts",
    "excluded": "what is out of scope",
    "needs": "needs that are not met",
    "evidence": "evidence of this step",
    "background": "what a scorer found",
    "request": "what is asked now",
    "framing": "what stands between the pieces",
}
_WHY = {
    "no room": "it would not have fitted any more",
    "kept free to grow": "there would have been room, but it stays free for what the next steps append",
    "larger than one piece may be": "one piece of background may take a twentieth of the dynamic budget",
    "not reached": "it lies further back than anything that could have fitted",
    "not available": "there is no such evidence, or the principal may not see it",
    "evidence not available": "it cites evidence that does not exist, or that the principal may not see",
    "withdrawn": "the claim was withdrawn",
    "superseded": "another claim took its place",
    "shown in full in the dialogue": "it stands in full in a kept exchange already",
    "neither text nor calls": "there is nothing in the message to show",
    "not in use": "nothing that the step is about rests on it, and an input that is appended to says only what is new",
}
_WHY_BEFORE_COLON = {
    "result without a call": "no call is known that it answers",
    "call id missing or used twice": "its call cannot be told from others",
}


@dataclass(frozen=True, slots=True)
class SectionLines:
    """One section of a receipt with all that was kept and left out of it."""

    section: Section
    tokens: int
    kept: tuple[Kept, ...]
    omitted: tuple[Omitted, ...]


def sections_of(receipt: Receipt) -> tuple[SectionLines, ...]:
    """The sections in the order of the input; behind them those of which nothing was kept."""
    totals = section_tokens(receipt)
    names = dict.fromkeys((*(line.section for line in receipt.kept), *(line.section for line in receipt.omitted)))
    return tuple(
        SectionLines(
            name,
            totals.get(name, 0),
            tuple(line for line in receipt.kept if line.section == name),
            tuple(line for line in receipt.omitted if line.section == name),
        )
        for name in names
    )


def why(reason: str) -> str:
    """A reason of a receipt in words; empty where the reason says it all."""
    return _WHY.get(reason) or _WHY_BEFORE_COLON.get(reason.partition(":")[0], "")


def explain_json(outcome: Outcome) -> dict[str, JsonValue]:
    """What `explain_text` says, whole and by name."""
    match outcome:
        case Projected(projection):
            return explain_receipt_json(projection.receipt)
        case MustExternalise() | MustSplit() | MustWait() | Paused():
            over = outcome.must_tokens - outcome.room_tokens
            return {"must_tokens": outcome.must_tokens, "room_tokens": outcome.room_tokens, "over_tokens": over, "text": outcome.text}


def explain_receipt_json(receipt: Receipt) -> dict[str, JsonValue]:
    """The budget's terms, and the sections with what was kept and left out."""
    budget = receipt.budget
    terms: dict[str, JsonValue] = {
        "window": budget.window,
        "output": budget.output,
        "slack": budget.slack,
        "input_cap": budget.input_cap,
        "fixed": budget.fixed,
        "dynamic": budget.dynamic,
        "used": receipt.used,
        "dynamic_used": receipt.dynamic_used,
        "free": budget.input_cap - receipt.used,
    }
    strategy = strategy_json(receipt.strategy) if receipt.strategy else None
    return {"budget": terms, "strategy": strategy, "sections": [_section_json(one) for one in sections_of(receipt)]}


def _section_json(one: SectionLines) -> dict[str, JsonValue]:
    return {
        "section": one.section,
        "means": MEANS[one.section],
        "tokens": one.tokens,
        "kept": [{"name": line.name, "tokens": line.tokens, "note": line.note} for line in one.kept],
        "omitted": [omitted_json(line) | {"why": why(line.reason) or line.reason} for line in one.omitted],
    }


def explain_text(outcome: Outcome) -> str:
    """For people: what an input is made of, or why there is none."""
    match outcome:
        case Projected(projection):
            return explain_receipt_text(projection.receipt)
        case MustExternalise() | MustSplit() | MustWait() | Paused():
            said = f"no input: {outcome.must_tokens} tokens must stand, there is room for {outcome.room_tokens}\n{outcome.text}\n"
            reasons = outcome.reasons if isinstance(outcome, Paused) else ()
            return said + "".join(f"  {reason}\n" for reason in reasons)


def explain_receipt_text(receipt: Receipt) -> str:
    """For people: the budget's terms, then section by section."""
    return "".join(f"{line}\n" for line in (*_budget_lines(receipt), *_iter_section_lines(receipt)))


def _budget_lines(receipt: Receipt) -> tuple[str, ...]:
    budget = receipt.budget
    fixed_used = receipt.used - receipt.dynamic_used
    percent = 100 * receipt.used // budget.input_cap
    return (
        f"cap {budget.input_cap} tokens = window {budget.window} - output {budget.output} - slack {budget.slack}",
        f"used {receipt.used} ({percent} %), free {budget.input_cap - receipt.used}; counted by {receipt.counter} ({receipt.exactness})",
        f"fixed part: {budget.fixed} set aside, {fixed_used} used; what changes: room for {budget.dynamic}, {receipt.dynamic_used} used",
        *((f"begins with the input {receipt.appended_to}",) if receipt.appended_to else ()),
        *((f"made anew: {receipt.rebuilt}",) if receipt.rebuilt else ()),
        *([_strategy_line(receipt.strategy)] if receipt.strategy else []),
    )


def _strategy_line(used: StrategyUsed) -> str:
    changed = "".join(f", {name} {format_json(value)}" for name, value in used.changed.items())
    return f"strategy {used.name}{changed}: {used.reason}"


def _iter_section_lines(receipt: Receipt) -> Iterator[str]:
    for one in sections_of(receipt):
        yield f"{one.section}: {one.tokens} tokens ({MEANS[one.section]})"
        yield from _told([_kept_line(line) for line in one.kept], "kept")
        yield from _told([_omitted_line(line) for line in one.omitted], "left out")


def _told(lines: list[str], what: str) -> list[str]:
    """The first of the lines, and how many more there are."""
    more = len(lines) - MAX_LINES
    return lines[:MAX_LINES] + ([f"  {what}: {more} more, see --json"] if more > 0 else [])


def _kept_line(line: Kept) -> str:
    return f"  kept: {format_value(line.name)}, {line.tokens} tokens" + (f" ({line.note})" if line.note else "")


def _omitted_line(line: Omitted) -> str:
    more = len(line.names) - MAX_NAMES
    names = ", ".join(map(format_value, line.names[:MAX_NAMES])) + (f" and {more} more" if more > 0 else "")
    tokens = "not counted" if line.tokens is None else f"{line.tokens} tokens"
    words = why(line.reason)
    return f"  left out: {names}, {tokens}: {line.reason}" + (f" ({words})" if words else "")
