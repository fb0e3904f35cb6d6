"""Histories in the forms of four providers, whole ones and what broken runs leave behind.

Written by hand here and not by the dialects, so that these are judged and not asked.
"""

import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evidence_store.errors import JsonValue
from projector.model import JsonObject
from tests.unit.projector.steps import words

PROVIDERS = ("openai", "openai-responses", "anthropic", "gemini")
ARGUMENTS: JsonObject = {"pointer": "/a"}


@dataclass(frozen=True, slots=True)
class Said:
    """One turn: of the user, of the assistant with its calls, or the results of some calls together."""

    side: str
    text: str = ""
    calls: tuple[str, ...] = ()
    results: tuple[tuple[str, str], ...] = ()
    """Call id and body."""
    reasoning: bool = False
    image: bool = False
    failed: tuple[str, ...] = ()
    """Calls whose results say that the tool failed, in the forms that can say so."""


def written(turns: list[Said], provider: str, *, ids: bool = True) -> tuple[JsonObject, ...]:
    """The turns in a provider's form; without `ids`, calls of Gemini have none."""
    return tuple(item for turn in turns for item in _WRITERS[provider](turn, ids))


def _chat(turn: Said, ids: bool) -> list[JsonObject]:
    if turn.side == "results":
        return [{"role": "tool", "tool_call_id": call, "content": body} for call, body in turn.results]
    if turn.side == "user":
        image: list[JsonValue] = [{"type": "text", "text": turn.text}, {"type": "image_url", "image_url": {"url": "data:x"}}]
        return [{"role": "user", "content": image if turn.image else turn.text}]
    message: dict[str, JsonValue] = {"role": "assistant", "content": turn.text or None}
    if turn.calls:
        message["tool_calls"] = [
            {"id": call, "type": "function", "function": {"name": "read_spec", "arguments": '{"pointer":"/a"}'}} for call in turn.calls
        ]
    return [message | ({"reasoning_content": "opaque"} if turn.reasoning else {})]


def _responses(turn: Said, ids: bool) -> list[JsonObject]:
    if turn.side == "results":
        return [{"type": "function_call_output", "call_id": call, "output": body} for call, body in turn.results]
    if turn.side == "user":
        image: list[JsonValue] = [{"type": "input_image", "image_url": "data:x"}] if turn.image else []
        return [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": turn.text}, *image]}]
    items: list[JsonObject] = [{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "b3A"}] if turn.reasoning else []
    if turn.text:
        items.append({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": turn.text}]})
    return [*items, *({"type": "function_call", "call_id": call, "name": "read_spec", "arguments": "{}"} for call in turn.calls)]


def _anthropic(turn: Said, ids: bool) -> list[JsonObject]:
    content: list[JsonValue] = [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}] if turn.reasoning else []
    if turn.side == "results":
        for call, body in turn.results:
            failed: dict[str, JsonValue] = {"is_error": True} if call in turn.failed else {}
            content.append({"type": "tool_result", "tool_use_id": call, "content": body} | failed)
    if turn.text:
        content.append({"type": "text", "text": turn.text})
    if turn.image:
        content.append({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "eA=="}})
    content += [{"type": "tool_use", "id": call, "name": "read_spec", "input": ARGUMENTS} for call in turn.calls]
    return [{"role": "assistant" if turn.side == "assistant" else "user", "content": content}]


def _gemini(turn: Said, ids: bool) -> list[JsonObject]:
    parts: list[JsonValue] = []
    for call, body in turn.results:
        told: dict[str, JsonValue] = {"name": "read_spec", "response": {"error" if call in turn.failed else "result": body}}
        parts.append({"functionResponse": ({"id": call} if ids else {}) | told})
    if turn.text:
        parts.append({"text": turn.text})
    if turn.image:
        parts.append({"inlineData": {"mimeType": "image/png", "data": "eA=="}})
    for n, call in enumerate(turn.calls):
        asked: dict[str, JsonValue] = {"name": "read_spec", "args": ARGUMENTS}
        signature: dict[str, JsonValue] = {"thoughtSignature": "b3A="} if turn.reasoning and n == 0 else {}
        parts.append({"functionCall": ({"id": call} if ids else {}) | asked} | signature)
    return [{"role": "model" if turn.side == "assistant" else "user", "parts": parts}]


_WRITERS: Mapping[str, Callable[[Said, bool], list[JsonObject]]] = {
    "openai": _chat,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
}


def sections_text(message: JsonObject) -> str:
    """The texts of a message in any form, joined: of the one with the sections, those of evidence blocks included."""
    content = message.get("content", message.get("parts"))
    if isinstance(content, str):
        return content
    assert isinstance(content, list)
    return "".join(text_in(block) for block in content)


def text_in(block: JsonValue) -> str:
    assert isinstance(block, dict)
    inner = block.get("content")
    return "".join(map(text_in, inner)) if isinstance(inner, list) else str(block["text"])


def whole_turns(rng: random.Random, n_exchanges: int) -> list[Said]:
    """What every provider takes: each turn answered at once, the first and the last word are the user's."""
    turns = [Said("user", "compare the versions", image=rng.random() < 0.2)]
    for number in range(n_exchanges):
        calls = tuple(f"call_{number}_{n}" for n in range(rng.choice((1, 1, 2, 4))))
        turns.append(Said("assistant", rng.choice(("", "Reading on.", words(rng, 9))), calls, reasoning=rng.random() < 0.6))
        turns.append(Said("results", results=tuple((call, words(rng, rng.randint(1, 250))) for call in calls)))
        if rng.random() < 0.3:
            turns += [Said("assistant", words(rng, 12)), Said("user", words(rng, 8), image=rng.random() < 0.2)]
    return [*turns, Said("assistant", "done"), Said("user", "and now? 次は")]


_ODD: tuple[JsonValue, ...] = (
    None,
    0,
    1.5,
    True,
    "",
    " ",
    "x",
    "\ud800",
    [],
    {},
    [{}],
    ["x"],
    {"type": "text"},
    {"type": "text", "text": ""},
)
_ODD_PARTS: tuple[JsonValue, ...] = (
    {"type": "tool_use"},
    {"type": "tool_result"},
    {"functionCall": {}},
    {"functionResponse": ""},
    {"text": None},
)


def mutated(rng: random.Random, history: tuple[JsonObject, ...]) -> tuple[JsonObject, ...]:
    """The history with a few members gone, replaced or added, somewhere below its messages."""
    copied: list[Any] = json.loads(json.dumps(history))
    for _ in range(rng.randint(1, 4)):
        places = [(within, name) for message in copied for within, name in _places(message)]
        if not places:
            break
        within, name = rng.choice(places)
        odd = json.loads(json.dumps(rng.choice((*_ODD, *_ODD_PARTS))))
        kind = rng.random()
        if kind < 0.3:
            del within[name]
        elif kind < 0.8:
            within[name] = odd
        elif isinstance(within, list):
            within.insert(name, odd)
        else:
            within["extra"] = odd
    return tuple(copied)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Where something stands, at any depth: what holds it, and under which name or number."""
    for name, inner in list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()):
        yield value, name
        yield from _places(inner)


def broken_turns(rng: random.Random, n_exchanges: int) -> list[Said]:
    """What broken runs leave behind: torn and shuffled exchanges, empty texts, ids used twice."""
    turns = whole_turns(rng, n_exchanges)
    for _ in range(rng.randint(0, 1 + n_exchanges)):
        at = rng.randrange(len(turns))
        turn = turns[at]
        if turn.side == "results" and rng.random() < 0.3:
            kept = list(turn.results)
            kept.pop(rng.randrange(len(kept)))
            turns[at] = Said("results", text=rng.choice(("", "wait")), results=tuple(kept)) if kept else Said("user", "hello?")
        elif turn.side == "results" and rng.random() < 0.5:
            turns[at] = Said("results", results=tuple((call, rng.choice(("", " \n", "x"))) for call, _ in turn.results))
        elif turn.calls and rng.random() < 0.3:
            turns[at] = Said("assistant", turn.text, (*turn.calls[:-1], "call_same"), reasoning=turn.reasoning)
        else:
            turns[at] = Said(turn.side, rng.choice(("", " ", "\u200b", turn.text)), turn.calls, turn.results, turn.reasoning)
        kind = rng.random()
        if kind < 0.2:
            turns.insert(at, Said("user", rng.choice(("wait", "等一下", " "))))
        elif kind < 0.35 and len(turns) > 1:
            turns.pop(at)
        elif kind < 0.45:
            other = rng.randrange(len(turns))
            turns[at], turns[other] = turns[other], turns[at]
        elif kind < 0.5:
            turns.insert(at, Said("assistant", "", reasoning=True))
        elif kind < 0.55:
            turns = turns[: max(1, at)]
    return turns or [Said("user", "go")]
