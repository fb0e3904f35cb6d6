"""OpenAI Chat: messages with `tool_calls`, and one `tool` message for each result.

The provider answers 400 to a call without its result, a result without its call, anything between the two. Beyond that, call
ids used twice and empty texts are faults here, since some servers of this form refuse them and none can tell the results apart.
"""

from collections.abc import Sequence
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

_SIDES: dict[str, Side] = {"system": "instruction", "developer": "instruction", "user": "user", "assistant": "assistant", "tool": "result"}
_KNOWN_ROLES = (*_SIDES, "function")
_TEXT = ("text",)
# Members of an assistant turn that stand for a text.
_CARRIERS = ("function_call", "refusal", "audio")
_PLAIN = frozenset(("role", "content", "name", "tool_calls", *_CARRIERS))


class OpenAiChat:
    """See `forms.Dialect`."""

    traits = Traits("openai")

    def read(self, item: JsonValue, place: int) -> Item:
        if not isinstance(item, OBJECT):
            return Item("unknown", why="no object")
        role = item.get("role")
        side = _SIDES.get(role) if isinstance(role, str) else None
        if side is None:
            return Item("unknown", raw=item, why=f"unknown role {role!r}")
        if side == "result":
            return Item(side, (body_part(item.get("content"), _TEXT, text_of(item.get("tool_call_id")), item),), item)
        parts = content_parts(item.get("content"), _TEXT)
        return Item(side, (*parts, *_assistant_parts(item)) if side == "assistant" else parts, item)

    def spoken(self, items: Sequence[Item]) -> tuple[JsonObject, ...]:
        return tuple(_without_blank(item) if item.side == "assistant" else item.raw for item in items)

    def write(self, side: Side, parts: Sequence[Part]) -> tuple[JsonObject, ...]:
        if side == "result":
            return tuple(_written_result(part) for part in parts)
        message: dict[str, JsonValue] = {"role": "system" if side == "instruction" else side, "content": _written_content(parts)}
        message |= {part.name: part.raw for part in parts if part.kind in ("other", "opaque") and part.name}
        calls: list[JsonValue] = [_written_call(part) for part in parts if part.kind == "call"]
        return (message | {"tool_calls": calls} if calls else message,)

    def with_id(self, part: Part, call: str) -> Part:
        return replace(part, call=call, raw={**raw_object(part), "id" if part.kind == "call" else "tool_call_id": call})

    def answer(self, call: Part, text: str) -> Part:
        return Part("result", text, call.call, failed=True)

    def with_body(self, result: Part, text: str) -> Part:
        return replace(result, text=text, raw={**raw_object(result), "content": text}, seen=True)

    def with_results(self, item: JsonObject, results: Sequence[Part]) -> JsonObject:
        return raw_object(results[0])

    def opening(self, text: str, instructions: Sequence[Item]) -> Opening:
        system: JsonObject = {"role": "system", "content": text}
        return Opening({}, (system, *(item.raw or self.write("instruction", item.parts)[0] for item in instructions)))

    def sections(self, head: str, evidence: Sequence[EvidenceBlock], tail: str) -> JsonObject:
        return {"role": "user", "content": "".join((head, *(block.text for block in evidence), tail))}

    def tools(self, definitions: Sequence[JsonObject]) -> tuple[JsonObject, ...]:
        return tuple(definitions)

    def faults(self, messages: Sequence[JsonValue], *, allow_open: bool) -> tuple[Fault, ...]:
        pairing = Pairing(len(messages))
        for place, message in enumerate(messages):
            self._check(pairing, place, message)
        pairing.close(allow_open=allow_open)
        return tuple(pairing.faults)

    def _check(self, pairing: Pairing, place: int, message: JsonValue) -> None:
        item = self.read(message, place)
        if item.side == "unknown" and item.raw.get("role") not in _KNOWN_ROLES:
            pairing.fault("unknown_role", place, None, "no message: an object with a known role is expected")
            return
        if item.side == "result":
            (result,) = item.results
            pairing.take_result(place, result)
            if item.raw.get("content") is None:
                pairing.fault("empty_content", place, result.call or None, "a result has no content")
            return
        pairing.interrupt(place)
        if not item.speaks and not item.calls and item.side != "unknown":
            pairing.fault("empty_content", place, None, "a message has neither text nor calls")
        pairing.take_calls(place, item.calls)


def _assistant_parts(item: JsonObject) -> tuple[Part, ...]:
    carried = [Part("other", name=name, raw=item[name]) for name in _CARRIERS if item.get(name)]
    opaque = [Part("opaque", name=name, raw=value) for name, value in item.items() if name not in _PLAIN and value is not None]
    calls = item.get("tool_calls")
    # a call that is no object still needs its result, and has no id
    found = [_read_call(call if isinstance(call, OBJECT) else {}) for call in (calls if isinstance(calls, (list, tuple)) else ())]
    return (*carried, *opaque, *found)


def _read_call(call: JsonObject) -> Part:
    told = (call.get("function"), call.get("custom"))
    about = next((one for one in told if isinstance(one, OBJECT)), {})
    arguments = about.get("arguments", about.get("input"))
    return Part("call", call=text_of(call.get("id")), name=text_of(about.get("name")), arguments=arguments, raw=call)


def _without_blank(item: Item) -> JsonObject:
    content = item.raw.get("content")
    blank = content is not None and not any(part.seen for part in content_parts(content, _TEXT))
    return {**item.raw, "content": None} if blank else item.raw


def _written_content(parts: Sequence[Part]) -> JsonValue:
    """One text where there is nothing else, so that the plainest form comes out."""
    shown = [part for part in parts if part.kind in ("text", "other") and not part.name]
    if all(part.kind == "text" for part in shown):
        return "".join(part.text for part in shown) or None
    return [part.raw if part.kind == "other" else {"type": "text", "text": part.text} for part in shown]


def _written_call(part: Part) -> JsonValue:
    if part.raw is not None:
        return part.raw
    return {"id": part.call, "type": "function", "function": {"name": part.name, "arguments": format_arguments(part.arguments)}}


def _written_result(part: Part) -> JsonObject:
    return raw_object(part) if part.raw is not None else {"role": "tool", "tool_call_id": part.call, "content": part.text}
