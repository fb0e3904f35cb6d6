"""OpenAI Responses: a flat list of input items; a turn of the assistant is a row of them (`reasoning`, `message`, `function_call`).

Each call has exactly one output, anywhere behind it. A reasoning item must be followed by the item that it led to: 400 when it is torn
from it. `encrypted_content` is opaque, and good for the model that made it only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evidence_store.errors import JsonValue
from projector.dialects.arguments import format_arguments
from projector.dialects.forms import (
    OBJECT,
    EvidenceBlock,
    Fault,
    Item,
    Opening,
    Part,
    Side,
    Traits,
    body_part,
    content_parts,
    raw_object,
    text_of,
)
from projector.dialects.pairing import Pairing
from projector.model import JsonObject

_SIDES: dict[str, Side] = {"system": "instruction", "developer": "instruction", "user": "user", "assistant": "assistant"}
_TEXT = ("input_text", "output_text", "text")
# What is left out when there is nothing else in it: an item that only its provider reads.
_OPAQUE = ("reasoning", "compaction", "item_reference")


class OpenAiResponses:
    """See `forms.Dialect`."""

    traits = Traits("openai-responses", turn_of_items=True)

    def read(self, item: JsonValue, place: int) -> Item:
        if not isinstance(item, OBJECT):
            return Item("unknown", why="no object")
        kind = item.get("type", "message" if "role" in item else None)
        if kind == "message":
            return _read_message(item)
        if not isinstance(kind, str):
            return Item("unknown", raw=item, why="neither type nor role")
        if kind.endswith("_call_output"):
            return Item("result", (body_part(item.get("output"), _TEXT, text_of(item.get("call_id")), item),), item)
        if kind == "function_call" or (kind.endswith("_call") and "call_id" in item):
            arguments = item.get("arguments", item.get("input"))
            call = Part("call", call=text_of(item.get("call_id")), name=text_of(item.get("name")) or kind, arguments=arguments, raw=item)
            return Item("assistant", (call,), item)
        # what the provider's own tools did hangs on the reasoning that asked for it
        return Item("assistant", (Part("opaque" if kind in _OPAQUE else "other", name=kind, raw=item, signed=True),), item)

    def spoken(self, items: Sequence[Item]) -> tuple[JsonObject, ...]:
        """Without empty messages, and without reasoning that nothing follows: the provider refuses it."""
        kept = [item for item, before in zip(items, (None, *items), strict=False) if not _is_empty(item, before)]
        while kept and _is_reasoning(kept[-1]):
            kept.pop()
        return tuple(item.raw for item in kept)

    def write(self, side: Side, parts: Sequence[Part]) -> tuple[JsonObject, ...]:
        if side == "result":
            return tuple(_written_result(part) for part in parts)
        kind = "output_text" if side == "assistant" else "input_text"
        content: list[JsonValue] = [
            part.raw if part.kind == "other" else {"type": kind, "text": part.text} for part in parts if part.kind in ("text", "other")
        ]
        message: JsonObject = {"type": "message", "role": "developer" if side == "instruction" else side, "content": content}
        calls = tuple(_written_call(part) for part in parts if part.kind == "call")
        return (message, *calls) if content else calls

    def with_id(self, part: Part, call: str) -> Part:
        return replace(part, call=call, raw={**raw_object(part), "call_id": call})

    def answer(self, call: Part, text: str) -> Part:
        kind = call.raw.get("type") if isinstance(call.raw, Mapping) else None
        return Part("result", text, call.call, name=f"{kind or 'function_call'}_output", failed=True)

    def with_body(self, result: Part, text: str) -> Part:
        return replace(result, text=text, raw={**raw_object(result), "output": text}, seen=True)

    def with_results(self, item: JsonObject, results: Sequence[Part]) -> JsonObject:
        return raw_object(results[0])

    def opening(self, text: str, instructions: Sequence[Item]) -> Opening:
        return Opening({"instructions": text}, tuple(item.raw or self.write("instruction", item.parts)[0] for item in instructions))

    def sections(self, head: str, evidence: Sequence[EvidenceBlock], tail: str) -> JsonObject:
        text = "".join((head, *(block.text for block in evidence), tail))
        return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}

    def tools(self, definitions: Sequence[JsonObject]) -> tuple[JsonObject, ...]:
        return tuple(_tool(one) for one in definitions)

    def faults(self, messages: Sequence[JsonValue], *, allow_open: bool) -> tuple[Fault, ...]:
        pairing = Pairing(len(messages))
        items = [self.read(message, place) for place, message in enumerate(messages)]
        for place, item in enumerate(items):
            _check(pairing, place, item, items[place - 1] if place else None)
            following = items[place + 1] if place + 1 < len(items) else None
            if item.raw.get("type") == "reasoning" and (following is None or following.side != "assistant"):
                named = text_of(item.raw.get("id"))
                pairing.fault("reasoning_alone", place, None, f"the reasoning {named!r} stands without the item that it led to")
        pairing.interrupt(len(items), asked_before=_last_turn(items) if allow_open else None)
        return tuple(pairing.faults)


def _read_message(item: JsonObject) -> Item:
    role = item.get("role")
    side = _SIDES.get(role) if isinstance(role, str) else None
    if side is None:
        return Item("unknown", raw=item, why=f"unknown role {role!r}")
    return Item(side, content_parts(item.get("content"), _TEXT), item)


def _is_reasoning(item: Item) -> bool:
    return item.raw.get("type") == "reasoning"


def _is_empty(item: Item, before: Item | None) -> bool:
    """Whether a message says nothing. One that reasoning led to has to stay behind it."""
    led_to = before is not None and item.side == "assistant" and _is_reasoning(before)
    return item.raw.get("type", "message") == "message" and not item.speaks and not led_to


def _check(pairing: Pairing, place: int, item: Item, before: Item | None) -> None:
    if item.side == "unknown":
        pairing.fault("unknown_role", place, None, f"no input item: {item.why}")
    elif item.side == "result":
        (result,) = item.results
        pairing.take_result(place, result)
        if item.raw.get("output") is None:
            pairing.fault("empty_content", place, result.call or None, "a result has no content")
    elif _is_empty(item, before):
        pairing.fault("empty_content", place, None, "a message has no content")
    else:
        pairing.add_calls(place, item.calls)


def _last_turn(items: Sequence[Item]) -> int:
    """Where the last turn of the assistant begins."""
    at = len(items)
    while at > 0 and items[at - 1].side == "result":
        at -= 1
    while at > 0 and items[at - 1].side == "assistant":
        at -= 1
    return at


def _written_call(part: Part) -> JsonObject:
    if part.raw is not None:
        return raw_object(part)
    return {"type": "function_call", "call_id": part.call, "name": part.name, "arguments": format_arguments(part.arguments)}


def _written_result(part: Part) -> JsonObject:
    if part.raw is not None:
        return raw_object(part)
    kind = part.name if part.name.endswith("_call_output") else "function_call_output"
    return {"type": kind, "call_id": part.call, "output": part.text}


def _tool(definition: JsonObject) -> JsonObject:
    function = definition.get("function")
    if definition.get("type") != "function" or not isinstance(function, Mapping):
        return definition
    # without it the provider takes every schema as a strict one, and refuses those that are not
    return {"type": "function", **function, "strict": function.get("strict") or False}
