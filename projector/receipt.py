"""The receipt of a projection as JSON (docs/formats/receipt.md): everything kept and left out, with tokens and reason."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict

from evidence_store.errors import JsonValue
from projector.budget import Prices
from projector.minified import minified
from projector.model import (
    JsonObject,
    Kept,
    MustExternalise,
    MustSplit,
    MustWait,
    Omitted,
    Outcome,
    Paused,
    Projected,
    Projection,
    Receipt,
    StrategyUsed,
)
from projector.step_state import step_to_json

VERSION = 1


def input_digest(messages: Sequence[JsonObject], tools: Sequence[JsonObject], outside: JsonObject | None = None) -> str:
    """Names an input: SHA-256 over the minified JSON of the messages, a line end, and that of the tools.

    Where members stand beside the list, another line end and that of their object.
    """
    return digest_of_texts(minified(messages), tools, outside)


def digest_of_texts(messages: str, tools: Sequence[JsonObject], outside: JsonObject | None = None) -> str:
    """The same, of messages that are minified already."""
    text = messages + "\n" + minified(tools) + (f"\n{minified(outside)}" if outside else "")
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def with_framing(kept: Sequence[Kept], used: int) -> tuple[Kept, ...]:
    """The lines with one more for what stands between the pieces, so that they add up to what is used.

    It may be a little below zero for a counter whose figures of parts exceed that of the whole.
    """
    return (*kept, Kept("framing", "between the pieces", used - sum(line.tokens for line in kept)))


def section_tokens(receipt: Receipt) -> dict[str, int]:
    """Tokens a section, in the order of the input."""
    totals: dict[str, int] = {}
    for line in receipt.kept:
        totals[line.section] = totals.get(line.section, 0) + line.tokens
    return totals


def receipt_json(receipt: Receipt) -> dict[str, JsonValue]:
    """The receipt as the format page has it."""
    profile, budget = receipt.profile, receipt.budget
    withheld: dict[str, JsonValue] = {name: n for name, n in asdict(receipt.withheld).items() if n}
    members: dict[str, JsonValue] = {
        "v": VERSION,
        "task": receipt.task,
        "task_revision": receipt.task_revision,
        "profile": {"provider": profile.provider, "model": profile.model, **_prices_json(profile.prices)},
        "counter": {"id": receipt.counter, "exactness": receipt.exactness},
        "budget": {
            "window": budget.window,
            "output": budget.output,
            "slack": budget.slack,
            "fixed": budget.fixed,
            "input_cap": budget.input_cap,
            "dynamic": budget.dynamic,
        },
        "used": receipt.used,
        "dynamic_used": receipt.dynamic_used,
        "sections": dict(section_tokens(receipt)),
        "kept": [_kept_json(line) for line in receipt.kept],
        "omitted": [omitted_json(line) for line in receipt.omitted],
        "input_digest": receipt.input_digest,
    }
    if receipt.strategy is not None:
        members["strategy"] = strategy_json(receipt.strategy)
    members |= {"withheld": withheld} if withheld else {}
    members |= {"shared": receipt.shared} if receipt.shared else {}
    return members | {name: text for name, text in (("appended_to", receipt.appended_to), ("rebuilt", receipt.rebuilt)) if text}


def _prices_json(prices: Prices) -> dict[str, JsonValue]:
    return {} if prices == Prices() else {"prices": {"read": prices.read, "write": prices.write}}


def strategy_json(used: StrategyUsed) -> dict[str, JsonValue]:
    """The strategy of an input: its name and why; where it differs from the one of its name, in what."""
    members: dict[str, JsonValue] = {"name": used.name, "reason": used.reason}
    return members | {"changed": dict(used.changed)} if used.changed else members


def omitted_json(line: Omitted) -> dict[str, JsonValue]:
    """One line of what was left out."""
    return {"section": line.section, "names": list(line.names), "tokens": line.tokens, "reason": line.reason}


def _kept_json(line: Kept) -> dict[str, JsonValue]:
    members: dict[str, JsonValue] = {"section": line.section, "name": line.name, "tokens": line.tokens}
    return members | {"note": line.note} if line.note else members


def outcome_json(outcome: Outcome) -> dict[str, JsonValue]:
    """An outcome as the format page has it: messages and receipt, or what to do instead."""
    match outcome:
        case Projected(projection):
            return _projection_json(projection)
        case MustExternalise():
            return {"outcome": "externalise", "calls": list(outcome.calls), "to_store": list(outcome.to_store), **_figures(outcome)}
        case MustSplit():
            return {"outcome": "split", "first": list(outcome.first), "rest": list(outcome.rest), **_figures(outcome)}
        case MustWait():
            return {"outcome": "wait", "calls": list(outcome.calls), **_figures(outcome)}
        case Paused():
            return {"outcome": "pause", "reasons": list(outcome.reasons), **_figures(outcome), "step": step_to_json(outcome.step)}


def _figures(outcome: MustExternalise | MustSplit | MustWait | Paused) -> dict[str, JsonValue]:
    return {"must_tokens": outcome.must_tokens, "room_tokens": outcome.room_tokens, "text": outcome.text}


def _projection_json(projection: Projection) -> dict[str, JsonValue]:
    return {
        "outcome": "projected",
        "messages": list(projection.messages),
        "outside": dict(projection.outside),
        "tools": list(projection.tools),
        "tokens": projection.tokens,
        "evidence": list(projection.evidence),
        "in_exchanges": list(projection.in_exchanges),
        "cited": list(projection.cited),
        "unmet": [{need.kind: need.name, "unmet": need.unmet} for need in projection.unmet],
        "open_calls": list(projection.open_calls),
        "omitted": [omitted_json(line) for line in projection.omitted],
        "receipt": receipt_json(projection.receipt),
    }
