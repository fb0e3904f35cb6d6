"""Anthropic Messages: blocks of `tool_use` in an assistant message, and all their `tool_result` blocks first in the very next user message.

`thinking` and `redacted_thinking` are opaque and signed: kept as they are, or left out with their exchange. Consecutive messages
of one role are taken as one turn; the list begins with a user turn. The system text stands beside the list.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evidence_store.errors import JsonValue
from projector.dialects.arguments import parse_arguments
from projector.dialects.forms import (
    OBJECT,
    EvidenceBlock,
    Fault,
    Item,
    Opening,
    Part,
    Side,
    Traits,
    is_blank_text,
    objects_in,
    raw_object,
    text_of,
    text_part,
)
from projector.dialects.pairing import Pairing
from projector.model import JsonObject

MAX_BREAKPOINTS = 4
"""Marks of `cache_control` in one request."""
_BREAKPOINT: JsonObject = {"type": "ephemeral"}
_THINKING = ("thinking", "redacted_thinking")


class Anthropic:
    """See `forms.Dialect`."""

    traits = Traits(
        "anthropic",
        results_in_one=True,
        user_between=True,
        results_first=True,
        tools_with_calls=True,
        # at the top of a request it moves with the end of the list, which stays as it is
        growing={"cache_control": _BREAKPOINT},
    )

    def read(self, item: JsonValue, place: int) -> Item:
        if not isinstance(item, OBJECT):
            return Item("unknown", why="no object")
        role, content = item.get("role"), item.get("content")
        if role not in ("user", "assistant"):
            return Item("unknown", raw=item, why=f"unknown role {role!r}")
        if isinstance(content, str):
            return Item("user" if role == "user" else "assistant", (text_part(content, content),), item)
        blocks = objects_in(content)
        wrong = _wrong_block(role == "user", blocks)
        if wrong or len(blocks) < len(content if isinstance(content, list | tuple) else ()):
            return Item("unknown", raw=item, why=f"a {role} message holds {wrong or 'a block that is no object'}")
        parts = tuple(map(_read_block, blocks))
        if role == "assistant":
            return Item("assistant", parts, item)
        return Item("result" if any(part.kind == "result" for part in parts) else "user", parts, item)

    def spoken(self, items: Sequence[Item]) -> tuple[JsonObject, ...]:
        """Without empty texts, thinking that lost its signature, and thinking that nothing follows: the provider refuses them.

        Marks of `cache_control` belong to the request that they came with, and there are four in all: they do not stay.
        """
        return tuple(_kept(item) for item in items)

    def write(self, side: Side, parts: Sequence[Part]) -> tuple[JsonObject, ...]:
        content: list[JsonValue] = [_written(part) for part in parts]
        return ({"role": "assistant" if side == "assistant" else "user", "content": content},) if content else ()

    def with_id(self, part: Part, call: str) -> Part:
        return replace(part, call=call, raw={**raw_object(part), "id" if part.kind == "call" else "tool_use_id": call})

    def answer(self, call: Part, text: str) -> Part:
        return Part("result", text, call.call, failed=True)

    def with_body(self, result: Part, text: str) -> Part:
        return replace(result, text=text, raw={**raw_object(result), "content": text}, seen=True)

    def with_results(self, item: JsonObject, results: Sequence[Part]) -> JsonObject:
        new = iter(results)
        blocks: list[JsonValue] = [next(new).raw if _is_result(block) else block for block in objects_in(item.get("content"))]
        return {**item, "content": blocks}

    def opening(self, text: str, instructions: Sequence[Item]) -> Opening:
        texts = [text, *(item.text for item in instructions)]
        blocks: list[JsonValue] = [{"type": "text", "text": one} for one in texts[:-1]]
        return Opening({"system": [*blocks, {"type": "text", "text": texts[-1], "cache_control": _BREAKPOINT}]}, ())

    def sections(self, head: str, evidence: Sequence[EvidenceBlock], tail: str) -> JsonObject:
        shown: list[JsonValue] = [search_result(block) for block in evidence]
        return {"role": "user", "content": [{"type": "text", "text": head}, *shown, {"type": "text", "text": tail}]}

    def tools(self, definitions: Sequence[JsonObject]) -> tuple[JsonObject, ...]:
        return tuple(_tool(one) for one in definitions)

    def faults(self, messages: Sequence[JsonValue], *, allow_open: bool) -> tuple[Fault, ...]:
        pairing = Pairing(len(messages))
        n_marks = 0
        for place, message in enumerate(messages):
            item = self.read(message, place)
            if item.side == "unknown":
                _name_unknown(pairing, place, item)
                continue
            _check(pairing, place, item)
            before, n_marks = n_marks, n_marks + count_breakpoints(item.raw)
            if before <= MAX_BREAKPOINTS < n_marks:
                text = f"more than {MAX_BREAKPOINTS} marks of cache_control in one request"
                pairing.fault("too_many_breakpoints", place, None, text)
        pairing.close(allow_open=allow_open)
        return tuple(pairing.faults)


def count_breakpoints(message: JsonObject) -> int:
    """Marks of `cache_control` in a message."""
    return sum("cache_control" in block for block in objects_in(message.get("content")))


def _check(pairing: Pairing, place: int, item: Item) -> None:
    if place == 0 and item.side == "assistant":
        pairing.fault("role_order", place, None, "the list begins with the assistant: the first turn is the user's")
    if item.side == "result":
        for result in item.results:
            pairing.take_result(place, result)
        if not item.results_first:
            pairing.fault("result_not_first", place, item.results[-1].call or None, "results stand before all else in their message")
        if place + 1 < pairing.n_messages:
            pairing.interrupt(place + 1)
    else:
        pairing.interrupt(place)
        pairing.take_calls(place, item.calls)
    pairing.check_parts(place, item)
    thoughts = [block for block in objects_in(item.raw.get("content")) if block.get("type") == "thinking"]
    if not all(text_of(block.get("signature")) for block in thoughts):
        pairing.fault("signature_missing", place, None, "a thinking block has no signature")
    if item.speaks and item.parts[-1].kind == "opaque":
        pairing.fault("reasoning_alone", place, None, "thinking stands last in its message, without what it led to")


def _name_unknown(pairing: Pairing, place: int, item: Item) -> None:
    if item.raw.get("role") in ("user", "assistant"):
        pairing.fault("wrong_side", place, None, item.why)
    else:
        pairing.fault("unknown_role", place, None, f"no message: {item.why}")


def _wrong_block(by_user: bool, blocks: Sequence[JsonObject]) -> str:
    """The type of a block that the other side alone may send; empty when there is none."""
    wrong = ("tool_use", *_THINKING) if by_user else ("tool_result",)
    return next((str(block["type"]) for block in blocks if block.get("type") in wrong), "")


def _read_block(block: JsonObject) -> Part:
    kind = block.get("type")
    if kind == "text":
        return text_part(text_of(block.get("text")), block)
    if kind == "tool_use":
        return Part("call", call=text_of(block.get("id")), name=text_of(block.get("name")), arguments=block.get("input"), raw=block)
    if kind == "tool_result":
        return _read_result(block)
    return Part("opaque" if kind in _THINKING else "other", name=text_of(kind), raw=block)


def _read_result(block: JsonObject) -> Part:
    content = block.get("content")
    blocks = objects_in(content)
    text = content if isinstance(content, str) else "".join(map(_block_text, blocks))
    seen = not is_blank_text(text) or any(one.get("type") not in ("text", "search_result") for one in blocks)
    return Part("result", text, text_of(block.get("tool_use_id")), raw=block, seen=seen, failed=block.get("is_error") is True)


def _block_text(block: JsonObject) -> str:
    if block.get("type") == "search_result":
        return "".join(text_of(one.get("text")) for one in objects_in(block.get("content")))
    return text_of(block.get("text")) if block.get("type") == "text" else ""


def _is_result(block: JsonObject) -> bool:
    return block.get("type") == "tool_result"


def _kept(item: Item) -> JsonObject:
    if not objects_in(item.raw.get("content")):
        return item.raw
    kept = [part for part in item.parts if not (part.kind == "text" and not part.seen) and not _is_unsigned(part)]
    while kept and kept[-1].kind == "opaque":
        kept.pop()
    if len(kept) == len(item.parts) and not count_breakpoints(item.raw):
        return item.raw
    return {**item.raw, "content": [_unmarked(raw_object(part)) for part in kept]}


def _unmarked(block: JsonObject) -> JsonValue:
    return {name: value for name, value in block.items() if name != "cache_control"} if "cache_control" in block else block


def _is_unsigned(part: Part) -> bool:
    return part.kind == "opaque" and part.name == "thinking" and not text_of(raw_object(part).get("signature"))


def _written(part: Part) -> JsonValue:
    if isinstance(part.raw, Mapping):
        return part.raw
    if part.kind == "call":
        return {"type": "tool_use", "id": part.call, "name": part.name, "input": dict(parse_arguments(part.arguments))}
    if part.kind == "result":
        block: JsonObject = {"type": "tool_result", "tool_use_id": part.call, "content": part.text}
        return {**block, "is_error": True} if part.failed else block
    return {"type": "text", "text": part.text}


def search_result(block: EvidenceBlock) -> JsonObject:
    """A packet as a block of its own. Citations are enabled in each: a request must not mix blocks with and without."""
    return {
        "type": "search_result",
        "source": block.source,
        "title": block.title,
        "content": [{"type": "text", "text": block.text}],
        "citations": {"enabled": True},
    }


def _tool(definition: JsonObject) -> JsonObject:
    function = definition.get("function")
    if definition.get("type") != "function" or not isinstance(function, Mapping):
        return definition
    told = {name: function[name] for name in ("name", "description") if name in function}
    return {**told, "input_schema": function.get("parameters") or {"type": "object", "properties": {}}}
