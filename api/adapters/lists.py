"""Message lists in a provider's own form, with the results in them as a model sees them.

The forms are those of `projector.dialects`: `openai` (Chat), `openai-responses`, `anthropic`, `gemini`.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from api.adapters.history import History, Told
from api.adapters.results import Call
from projector import dialect_for, replace_results

_TEXTS = ("text", "input_text", "output_text", "search_result")


def seen_list(history: History, messages: Sequence[Mapping[str, Any]], provider: str, beside: Sequence[str] = ()) -> list[Any]:
    """The list with results over their budget, and older ones near the cap, replaced. What is given is not changed.

    `beside` as in `History.seen`.
    """
    told = told_list(messages, provider)
    changed = history.seen(told, beside)
    bodies = {(one.call.id, one.text): changed[at] for at, one in enumerate(told) if one.call is not None and at in changed}
    return list(replace_results(messages, lambda call, part: bodies.get((call, part.text)), provider)) if bodies else list(messages)


def told_list(messages: Sequence[Mapping[str, Any]], provider: str) -> list[Told]:
    """The texts of a list, of calls their arguments, with the turns that they belong to. A result with images is no text to replace."""
    dialect = dialect_for(provider)
    told: list[Told] = []
    calls: dict[str, Call] = {}
    turn, was_turn = 0, False
    for place, message in enumerate(messages):
        item = dialect.read(message, place)
        is_turn = item.side == "assistant"
        if is_turn and not was_turn:
            turn, calls = turn + 1, {}
        was_turn = is_turn
        calls |= {one.call: Call(one.name, arguments_of(one.arguments) or {}, one.call) for one in item.calls}
        for part in item.parts:
            text = part.text if part.kind != "call" else str(part.arguments)
            is_result = part.kind == "result" and _is_text(part.raw)
            told.append(Told(text, turn, calls.get(part.call, Call("tool", {}, part.call)) if is_result else None))
    return _with_numbers(told)


def arguments_of(written: object) -> dict[str, Any] | None:
    """The arguments of a call, however its form has them; None where they are no object. Nothing at all are no arguments."""
    try:
        found = json.loads(written or "{}") if isinstance(written, str) else written or {}
    except ValueError:
        return None
    return dict(found) if isinstance(found, Mapping) else None


def _with_numbers(told: Sequence[Told]) -> list[Told]:
    """Each call with the number of results that its turn has."""
    n_calls: dict[int, int] = {}
    for one in told:
        n_calls[one.turn] = n_calls.get(one.turn, 0) + (one.call is not None)
    return [one.among(n_calls[one.turn]) for one in told]


def _is_text(raw: object) -> bool:
    if not isinstance(raw, Mapping):
        return True
    body = raw.get("output", raw.get("content"))
    return not isinstance(body, list) or all(isinstance(one, str) or one.get("type") in _TEXTS for one in body)
