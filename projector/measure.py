"""Counting by the rule of docs/formats/token-count.md: whole inputs, and pieces of them whose figures add up.

Pieces are counted as they stand inside the JSON of the messages. They are cut between a letter and two or more punctuation marks, where
the tokenizers whose figures are exact always end a token; so the pieces add up to the whole, and a recount settles what is left.
"""

from collections.abc import Mapping, Sequence
from typing import cast

import orjson

from evidence_store.errors import JsonValue
from projector.budget import REQUEST_TOKENS
from projector.minified import minified
from projector.model import JsonObject
from projector.ports import Figure, TokenCounter
from projector.render.scalars import repair_surrogates
from projector.tokens.figures import figure_of, weakest

_OPENING = '[{"'


def repaired(messages: tuple[JsonObject, ...]) -> tuple[JsonObject, ...]:
    """The messages as every JSON encoder takes them: halves of surrogate pairs, which are no characters, come out as U+FFFD."""
    try:
        orjson.dumps(messages)
    except TypeError:
        return tuple(cast("JsonObject", _without_halves(message)) for message in messages)
    return messages


def _without_halves(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return repair_surrogates(value)
    if isinstance(value, Mapping):
        return {repair_surrogates(name): _without_halves(member) for name, member in value.items()}
    return [_without_halves(item) for item in value] if isinstance(value, Sequence) else value


class Measure:
    """Token figures of one step, all from one counter."""

    def __init__(self, counter: TokenCounter) -> None:
        self.counter = counter

    def whole(self, messages: tuple[JsonObject, ...], outside: JsonObject, tools: tuple[JsonObject, ...]) -> Figure:
        """What the rule gives for the whole input, as exact as its least exact part."""
        texts = (minified(messages), *map(minified, outside.values()), *((minified(tools),) if tools else ()))
        figures = [figure_of(self.counter, text) for text in texts]
        note = next((figure.note for figure in figures if figure.note), "")
        tokens = sum(figure.tokens for figure in figures) + REQUEST_TOKENS
        return Figure(tokens, self.counter.id, weakest(figure.exactness for figure in figures), note)

    def outside(self, members: JsonObject) -> int:
        """Tokens of the values that stand beside the message list."""
        return sum(self.counter.count(minified(value)) for value in members.values())

    def request(self, tools: tuple[JsonObject, ...]) -> int:
        """Tokens of the tool definitions, when there are any, and of the request itself."""
        return (self.counter.count(minified(tools)) if tools else 0) + REQUEST_TOKENS

    def opening(self) -> int:
        """Tokens before the first message's first name."""
        return self.counter.count(_OPENING)

    def message(self, message: JsonObject) -> int:
        """Tokens of a message in a list, from its first name to before that of the next."""
        text = minified(message)
        name = text[2 : text.find('"', 2)]
        if not (name.isascii() and name[:1].isalpha()):
            return self.counter.count(text + ",")
        return self.counter.count(name) + self.counter.count(text[2 + len(name) :] + ',{"')

    def piece(self, text: str) -> int:
        """Tokens of whole lines inside a message's content, after another line."""
        if not text:
            return 0
        escaped = minified(text)[1:-1]
        # the line before ends in an escaped line end, whose letter n joins a letter that follows
        return self.counter.count("n" + escaped) - 1 if escaped[0].isalpha() else self.counter.count(escaped)
