"""Items of a message list as all providers have them, and what a dialect does with them.

An **item** is one entry of a list; its **parts** are texts, calls, results, and what only its provider understands. Each part keeps
the value that it was read from (`raw`), so that what is written back in the same form is what was there.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal, Protocol

from evidence_store.errors import JsonValue
from projector.model import JsonObject

Side = Literal["instruction", "user", "assistant", "result", "unknown"]
PartKind = Literal["text", "call", "result", "opaque", "other"]
OBJECT: Final = (dict, Mapping)
"""For `isinstance`: nearly all objects are plain dicts, and telling so takes a fifth of the time of asking for the protocol."""
_VISIBLE = re.compile("[^\\s\u200b\u2060\ufeff]")


def is_blank_text(text: str) -> bool:
    """Whether a reader would see nothing."""
    return _VISIBLE.search(text) is None


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of an item."""

    kind: PartKind
    text: str = ""
    """Of a text; of a result, the text of its body."""
    call: str = ""
    """Id of a call, or of the call that a result answers; empty where none is given."""
    name: str = ""
    arguments: JsonValue = None
    """Of a call, as its form has them: an object, or the text of one."""
    raw: JsonValue = None
    """The value in the provider's form; None for a part that is written anew."""
    seen: bool = True
    """Whether a reader would see anything of it."""
    given: bool = True
    """Whether the id of a call was in the list, or was made from its place."""
    signed: bool = False
    """Whether it carries a signature of the model that made it."""
    failed: bool = False
    """Whether a result says that the tool failed."""


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of a message list."""

    side: Side
    parts: tuple[Part, ...] = ()
    raw: JsonObject = field(default_factory=lambda: MappingProxyType({}))
    why: str = ""
    """What is unknown of it."""

    @property
    def calls(self) -> tuple[Part, ...]:
        return tuple([part for part in self.parts if part.kind == "call"])

    @property
    def results(self) -> tuple[Part, ...]:
        return tuple([part for part in self.parts if part.kind == "result"])

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts if part.kind == "text")

    @property
    def only_text(self) -> bool:
        """Whether it has text and nothing else."""
        return bool(self.parts) and all(part.kind == "text" for part in self.parts)

    @property
    def speaks(self) -> bool:
        """Whether a reader would see anything beside calls and results. What is opaque says nothing by itself."""
        return any(part.seen for part in self.parts if part.kind in ("text", "other"))

    def instructs(self, *, text_only: bool) -> bool:
        """Whether it is an instruction that says something; with `text_only`, whether it says so in words."""
        kinds = ("text",) if text_only else ("text", "other")
        return self.side == "instruction" and any(part.seen for part in self.parts if part.kind in kinds)

    @property
    def results_first(self) -> bool:
        """Whether nothing stands before its last result but results."""
        return all(part.kind == "result" for part in self.parts[: len(self.results)])

    @property
    def rest(self) -> tuple[Part, ...]:
        """What a message that holds results says beside them."""
        return tuple(part for part in self.parts if part.kind != "result" and part.seen)


@dataclass(frozen=True, slots=True)
class Opening:
    """What stands before the dialogue: members beside the message list, and messages."""

    outside: Mapping[str, JsonValue]
    messages: tuple[JsonObject, ...]


@dataclass(frozen=True, slots=True)
class EvidenceBlock:
    """A packet as an input shows it."""

    source: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Traits:
    """In what the lists of two providers differ."""

    provider: str
    turn_of_items: bool = False
    """Whether one turn of the assistant may be several items in a row."""
    results_in_one: bool = False
    """Whether all results of a turn stand in one item, right behind it."""
    user_between: bool = False
    """Whether the list begins with a user turn, and one stands between two turns of the assistant."""
    tools_with_calls: bool = False
    """Whether tools have to be defined wherever a list holds calls, also when none may be made any more."""
    results_first: bool = False
    """Whether nothing may stand before the results in their item."""
    growing: JsonObject = field(default_factory=lambda: MappingProxyType({}))
    """Members beside the list that have the provider keep the whole of an input that the next one begins with."""


class Reads(Protocol):
    """Reads the items of a list."""

    @property
    def traits(self) -> Traits:
        """In what its lists differ from others."""

    def read(self, item: JsonValue, place: int) -> Item:
        """The item in parts. Never fails: what cannot be read has the side `unknown`. `place` names calls that have no id."""

    def spoken(self, items: Sequence[Item]) -> tuple[JsonObject, ...]:
        """A turn of user or assistant as it may be sent: as it was, apart from texts that nobody would see."""


class Writes(Protocol):
    """Writes items of a list; what has a `raw` value stands as that."""

    def write(self, side: Side, parts: Sequence[Part]) -> tuple[JsonObject, ...]:
        """Items of these parts: for results, in their order. What is opaque is written where it has its `raw` value."""

    def with_id(self, part: Part, call: str) -> Part:
        """A call or a result with another id."""


class Answers(Protocol):
    """Makes and changes results."""

    def answer(self, call: Part, text: str) -> Part:
        """A result of our own for a call, marked as failed where the form can say so."""

    def with_body(self, result: Part, text: str) -> Part:
        """The result with another body."""

    def with_results(self, item: JsonObject, results: Sequence[Part]) -> JsonObject:
        """The item with its results replaced, in their order; all else stays."""


class Shows(Protocol):
    """Lays out an input."""

    def opening(self, text: str, instructions: Sequence[Item]) -> Opening:
        """The static part, and further instructions of the caller."""

    def sections(self, head: str, evidence: Sequence[EvidenceBlock], tail: str) -> JsonObject:
        """The user message with what changes from step to step; its texts joined are the sections in order."""

    def tools(self, definitions: Sequence[JsonObject]) -> tuple[JsonObject, ...]:
        """Definitions in the form of OpenAI Chat, in this form; others stay as they are."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One broken rule."""

    code: str
    message: int | None
    """0-based place in the list; None when the list as a whole is at fault."""
    call_id: str | None
    text: str


class Judges(Protocol):
    """Knows the provider's rules."""

    def faults(self, messages: Sequence[JsonValue], *, allow_open: bool) -> tuple[Fault, ...]:
        """The faults of a list, in its order; with `allow_open` the calls of the last turn may be unanswered."""


class Dialect(Reads, Writes, Answers, Shows, Judges, Protocol):
    """All that the projector has to know of a provider's form."""


def text_of(value: JsonValue) -> str:
    """The value where it is a text, else nothing."""
    return value if isinstance(value, str) else ""


def objects_in(value: JsonValue) -> list[JsonObject]:
    """The JSON objects of a list."""
    return [one for one in value if isinstance(one, OBJECT)] if isinstance(value, (list, tuple)) else []


def text_part(text: str, raw: JsonValue = None) -> Part:
    return Part("text", text=text, raw=raw, seen=not is_blank_text(text))


def raw_object(part: Part) -> JsonObject:
    """The value that a part was read from."""
    assert isinstance(part.raw, OBJECT)
    return part.raw


def content_parts(content: JsonValue, text_types: Sequence[str]) -> tuple[Part, ...]:
    """A content that is a text, or a list of typed blocks."""
    if isinstance(content, str):
        return (text_part(content, content),)
    return tuple(
        text_part(text_of(block.get("text")), block) if block.get("type") in text_types else Part("other", raw=block)
        for block in objects_in(content)
    )


def body_part(content: JsonValue, text_types: Sequence[str], call: str, raw: JsonObject, *, failed: bool = False) -> Part:
    """A result whose body is such a content."""
    if isinstance(content, str):
        return Part("result", content, call, raw=raw, seen=not is_blank_text(content), failed=failed)
    parts = content_parts(content, text_types)
    text = "".join(part.text for part in parts)
    return Part("result", text, call, raw=raw, seen=any(part.seen for part in parts), failed=failed)
