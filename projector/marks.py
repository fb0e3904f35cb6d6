"""Marks in a stored input, in place of evidence that may not be shown any more (docs/formats/receipt.md).

A tool result that names such evidence is marked whole, as the projector withholds it; so are the arguments of a call. Elsewhere the
packet is marked, and each further line that names it: a claim, a reference, a line of progress. All else stays as it was. What a
model said of an evidence in words of its own, without the id, is not found: nothing in the text says where it comes from.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import orjson

from evidence_store.errors import JsonValue
from evidence_store.model import EvidenceId
from projector.compact import ids_in, replace_results
from projector.minified import minified
from projector.model import JsonObject

Mark = Literal["withheld", "erased"]
Marks: TypeAlias = Mapping[EvidenceId, Mark]

_MARKED = re.compile(r"\[(?:withheld|erased) ev_[0-9a-z]+\](?: \[(?:withheld|erased) ev_[0-9a-z]+\])*")
_ARGUMENTS = ("arguments", "input", "args")
"""Where the forms keep the arguments of a call."""


def named_evidence_of(value: JsonValue) -> tuple[EvidenceId, ...]:
    """Every id that is written anywhere in a JSON value, each once, in the order of the text."""
    return tuple(dict.fromkeys(id_ for text in _texts(value) for id_ in ids_in(text)))


def mark_messages(messages: Sequence[JsonObject], provider: str, marks: Marks) -> tuple[JsonObject, ...]:
    """A message list in the form of a provider, marked; its exchanges stay whole, so it is valid if it was."""
    found = replace_results(messages, lambda _, result: _mark_all(_marked_in(result.text, marks), marks) or None, provider)
    return tuple(mark_object(message, marks) for message in found)


def _mark(value: JsonValue, marks: Marks) -> JsonValue:
    if isinstance(value, str):
        return _mark_text(value, marks)
    if isinstance(value, Mapping):
        return mark_object(value, marks)
    if isinstance(value, Sequence):
        return [_mark(one, marks) for one in value]
    return value


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, Sequence):
        for one in value:
            yield from _texts(one)


def _marked_in(value: JsonValue, marks: Marks) -> tuple[EvidenceId, ...]:
    return tuple(id_ for id_ in named_evidence_of(value) if id_ in marks)


def _mark_all(ids: Iterable[EvidenceId], marks: Marks) -> str:
    return " ".join(f"[{marks[id_]} {id_}]" for id_ in ids)


def mark_object(value: JsonObject, marks: Marks) -> JsonObject:
    """Any other JSON object, marked; doing it twice is doing it once."""
    ids = _marked_in(value, marks)
    if not ids:
        return value
    if value.get("type") == "search_result":
        said = _mark_all(ids, marks)
        return {**value, "title": said, "content": [{"type": "text", "text": said}]}
    return {name: _mark_member(name, one, marks) for name, one in value.items()}


def _mark_member(name: str, value: JsonValue, marks: Marks) -> JsonValue:
    ids = _marked_in(value, marks) if name in _ARGUMENTS and isinstance(value, Mapping) else ()
    return _as_object(ids, marks) if ids else _mark(value, marks)


def _as_object(ids: Iterable[EvidenceId], marks: Marks) -> dict[str, JsonValue]:
    """Marks where an object must stand."""
    return {"marked": [f"{marks[id_]} {id_}" for id_ in ids]}


def _mark_text(text: str, marks: Marks) -> str:
    ids = _marked_in(text, marks)
    if not ids:
        return text
    if _is_json(text):
        return minified(_as_object(ids, marks))
    for id_ in ids:
        packet = re.compile(rf"^\[evidence {id_}\]$.*?(?:^\[end {id_}\]$|\Z)", re.MULTILINE | re.DOTALL)
        text = packet.sub(f"[{marks[id_]} {id_}]", text)
    return "\n".join(_mark_line(line, marks) for line in text.split("\n"))


def _mark_line(line: str, marks: Marks) -> str:
    ids = _marked_in(line, marks)
    return _mark_all(ids, marks) if ids and _MARKED.fullmatch(line) is None else line


def _is_json(text: str) -> bool:
    """Whether a text is an object or array, as arguments of a call are."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True
