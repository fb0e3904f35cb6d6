"""Gemini: contents with `functionCall` parts of the model, and the same number of `functionResponse` parts in the very next content.

Ids are optional: without them a response belongs to the first call of its name that has none yet. A `thoughtSignature` is opaque and
stays on its part. A turn with calls follows a user turn or one with responses. Members may be in camel or in snake case.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

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
from projector.dialects.pairing import Pairing, match
from projector.model import JsonObject
from projector.render.scalars import format_json

_SNAKE = {"functionCall": "function_call", "functionResponse": "function_response", "thoughtSignature": "thought_signature"}
# What the provider takes in place of the signature of a call that another model made; without any, Gemini 3 refuses the call.
FOREIGN_SIGNATURE = "skip_thought_signature_validator"
_SIGNING_MODELS = "gemini-3"
# Members of a response that hold the answer as a text.
_ANSWERS = ("result", "output", "error")


@dataclass(frozen=True, slots=True)
class Gemini:
    """See `forms.Dialect`. The model decides whether calls that it did not make need a signature."""

    model: str = ""

    @property
    def traits(self) -> Traits:
        return Traits("gemini", results_in_one=True, user_between=True)

    def read(self, item: JsonValue, place: int) -> Item:
        if not isinstance(item, OBJECT):
            return Item("unknown", why="no object")
        role = item.get("role", "user")
        if role not in ("user", "model", "function"):
            return Item("unknown", raw=item, why=f"unknown role {role!r}")
        found = item.get("parts")
        blocks = objects_in(found)
        wrong = _member(role == "model", blocks)
        if wrong or len(blocks) < len(found if isinstance(found, list | tuple) else ()):
            return Item("unknown", raw=item, why=f"a {role} content holds {wrong or 'a part that is no object'}")
        parts = _read_parts(blocks, place)
        if role == "model":
            return Item("assistant", parts, item)
        return Item("result" if any(part.kind == "result" for part in parts) else "user", parts, item)

    def spoken(self, items: Sequence[Item]) -> tuple[JsonObject, ...]:
        """Without empty texts."""
        return tuple(_kept(item) for item in items)

    def write(self, side: Side, parts: Sequence[Part]) -> tuple[JsonObject, ...]:
        signing = self.model.startswith(_SIGNING_MODELS)
        written: list[JsonValue] = []
        for part in parts:
            written.append(_written(part, signed=signing and part.kind == "call"))
            signing = signing and part.kind != "call"
        return ({"role": "model" if side == "assistant" else "user", "parts": written},) if written else ()

    def with_id(self, part: Part, call: str) -> Part:
        return _with_member(part, "functionCall" if part.kind == "call" else "functionResponse", {"id": call})

    def answer(self, call: Part, text: str) -> Part:
        return Part("result", text, call.call if call.given else "", call.name, failed=True)

    def with_body(self, result: Part, text: str) -> Part:
        return replace(_with_member(result, "functionResponse", {"response": {"result": text}}), text=text, seen=True)

    def with_results(self, item: JsonObject, results: Sequence[Part]) -> JsonObject:
        new = iter(results)
        parts: list[JsonValue] = [
            part if _told(part, "functionResponse") is None else next(new).raw for part in objects_in(item.get("parts"))
        ]
        return {**item, "parts": parts}

    def opening(self, text: str, instructions: Sequence[Item]) -> Opening:
        parts: list[JsonValue] = [{"text": text}, *({"text": item.text} for item in instructions)]
        return Opening({"system_instruction": {"parts": parts}}, ())

    def sections(self, head: str, evidence: Sequence[EvidenceBlock], tail: str) -> JsonObject:
        return {"role": "user", "parts": [{"text": "".join((head, *(block.text for block in evidence), tail))}]}

    def tools(self, definitions: Sequence[JsonObject]) -> tuple[JsonObject, ...]:
        ours = [function for one in definitions if isinstance(function := one.get("function"), Mapping)]
        others = tuple(one for one in definitions if not isinstance(one.get("function"), Mapping))
        declarations: list[JsonValue] = [_declaration(function) for function in ours]
        return ({"functionDeclarations": declarations}, *others) if declarations else others

    def faults(self, messages: Sequence[JsonValue], *, allow_open: bool) -> tuple[Fault, ...]:
        pairing = Pairing(len(messages))
        before: Item | None = None
        for place, message in enumerate(messages):
            item = self.read(message, place)
            if item.side == "unknown":
                code = item.raw.get("role", "user")
                if code in ("user", "model", "function"):
                    pairing.fault("wrong_side", place, None, item.why)
                else:
                    pairing.fault("unknown_role", place, None, f"no content: {item.why}")
                continue
            _check(pairing, place, item, before)
            before = item
        pairing.close(allow_open=allow_open)
        return tuple(pairing.faults)


def _check(pairing: Pairing, place: int, item: Item, before: Item | None) -> None:
    if item.side == "result":
        _check_results(pairing, place, item, before)
    else:
        pairing.interrupt(place)
        if before is None and item.side == "assistant":
            pairing.fault("role_order", place, None, "the list begins with the model: the first turn is the user's")
        elif before is not None and before.side == "assistant" and item.calls:
            pairing.fault("role_order", place, None, "a turn with calls follows a user turn or one with responses")
        pairing.take_calls(place, item.calls)
    pairing.check_parts(place, item)


def _check_results(pairing: Pairing, place: int, item: Item, before: Item | None) -> None:
    asked = before.calls if before is not None and before.side == "assistant" else ()
    for result, call in zip(item.results, match(asked, item.results), strict=True):
        if call is None and not result.call:
            pairing.fault("result_without_call", place, None, f"no call of {result.name!r} without a response stands right before this one")
        else:
            pairing.take_result(place, result if call is None else replace(result, call=call.call))
    if place + 1 < pairing.n_messages:
        pairing.interrupt(place + 1)


def _with_member(part: Part, camel: str, changes: JsonObject) -> Part:
    """The part with some members of its call or response replaced."""
    raw = raw_object(part)
    name = camel if camel in raw else _SNAKE[camel]
    told = raw.get(name)
    return replace(
        part, call=text_of(changes.get("id")) or part.call, raw={**raw, name: {**(told if isinstance(told, Mapping) else {}), **changes}}
    )


def _told(part: JsonObject, name: str) -> JsonValue:
    """A member in camel or in snake case."""
    return part[name] if name in part else part.get(_SNAKE[name])


def _member(by_model: bool, parts: Sequence[JsonObject]) -> str:
    """The name of a member that the other side alone may send, or that is no object; empty when there is none."""
    for part in parts:
        for name, of_model in (("functionCall", True), ("functionResponse", False)):
            told = _told(part, name)
            if told is not None and (of_model is not by_model or not isinstance(told, Mapping)):
                return name
    return ""


def _read_parts(blocks: Sequence[JsonObject], place: int) -> tuple[Part, ...]:
    found: list[Part] = []
    for block in blocks:
        n_calls = sum(part.kind == "call" for part in found)
        found.append(_read_part(block, f"call_at_{place}_{n_calls}"))
    return tuple(found)


def _read_part(block: JsonObject, made_id: str) -> Part:
    call, response = _told(block, "functionCall"), _told(block, "functionResponse")
    if isinstance(call, Mapping):
        given = text_of(call.get("id"))
        name, signed = text_of(call.get("name")), _told(block, "thoughtSignature") is not None
        return Part("call", call=given or made_id, name=name, arguments=call.get("args"), raw=block, given=bool(given), signed=signed)
    if isinstance(response, Mapping):
        return _read_response(response, block)
    if isinstance(block.get("text"), str):
        text = text_of(block["text"])
        signed = _told(block, "thoughtSignature") is not None
        if block.get("thought") is True or (signed and is_blank_text(text)):
            return Part("opaque", text, raw=block)
        return replace(text_part(text, block), signed=signed)
    return Part("other", raw=block)


def _read_response(response: JsonObject, block: JsonObject) -> Part:
    told = response.get("response")
    body = told if isinstance(told, Mapping) else {}
    name = next((name for name in _ANSWERS if len(body) == 1 and isinstance(body.get(name), str)), None)
    text = text_of(body[name]) if name is not None else format_json(dict(body)) if body else ""
    seen = not is_blank_text(text) or bool(response.get("parts"))
    return Part("result", text, text_of(response.get("id")), text_of(response.get("name")), raw=block, seen=seen, failed=name == "error")


def _kept(item: Item) -> JsonObject:
    kept = [part for part in item.parts if part.kind != "text" or part.seen]
    return item.raw if len(kept) == len(item.parts) else {**item.raw, "parts": [part.raw for part in kept]}


def _written(part: Part, *, signed: bool) -> JsonValue:
    if isinstance(part.raw, Mapping):
        return part.raw
    if part.kind == "call":
        call: JsonObject = {"id": part.call, "name": part.name, "args": dict(parse_arguments(part.arguments))}
        if not part.given:
            call = {name: value for name, value in call.items() if name != "id"}
        return {"functionCall": call, "thoughtSignature": FOREIGN_SIGNATURE} if signed else {"functionCall": call}
    if part.kind == "result":
        response: dict[str, JsonValue] = {"id": part.call} if part.call else {}
        response |= {"name": part.name, "response": {"error" if part.failed else "result": part.text}}
        return {"functionResponse": response}
    return {"text": part.text}


def _declaration(function: JsonObject) -> JsonObject:
    told = {name: function[name] for name in ("name", "description") if name in function}
    return {**told, "parametersJsonSchema": function["parameters"]} if function.get("parameters") else told
