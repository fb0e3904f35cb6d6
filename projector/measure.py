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
from projector.ports import Figure, PartsCounter, TokenCounter
from projector.render.scalars import repair_surrogates
from projector.tokens.figures import figure_of, weakest

_OPENING = '[{"'
_BETWEEN = ',{"'


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
        self._names: dict[str, int] = {}
        """Tokens of first names of messages: a list has one or two of them."""

    def whole(self, text: str, messages: tuple[JsonObject, ...], outside: JsonObject, tools: tuple[JsonObject, ...]) -> Figure:
        """What the rule gives for the whole input, as exact as its least exact part; the text is that of the list of messages."""
        texts = (*map(minified, outside.values()), *((minified(tools),) if tools else ()))
        figures = [self._list(text, messages), *(figure_of(self.counter, text) for text in texts)]
        note = next((figure.note for figure in figures if figure.note), "")
        tokens = sum(figure.tokens for figure in figures) + REQUEST_TOKENS
        return Figure(tokens, self.counter.id, weakest(figure.exactness for figure in figures), note)

    def _list(self, text: str, messages: tuple[JsonObject, ...]) -> Figure:
        """By a counter that knows where its tokens end, the text is cut as the messages were when they were priced."""
        if not isinstance(self.counter, PartsCounter):
            return figure_of(self.counter, text)
        return self.counter.figure_of_parts(_cut_at_messages(text, messages))

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
        name = _first_name(text)
        if not name:
            return self.counter.count(text + ",")
        if name not in self._names:
            self._names[name] = self.counter.count(name)
        return self._names[name] + self.counter.count(text[2 + len(name) :] + _BETWEEN)

    def piece(self, text: str) -> int:
        """Tokens of whole lines inside a message's content, after another line."""
        if not text:
            return 0
        escaped = minified(text)[1:-1]
        # the line before ends in an escaped line end, whose letter n joins a letter that follows
        return self.counter.count("n" + escaped) - 1 if escaped[0].isalpha() else self.counter.count(escaped)


def _first_name(text: str) -> str:
    """The first name in the JSON of a message, where it begins with a letter."""
    name = text[2 : text.find('"', 2)]
    return name if name.isascii() and name[:1].isalpha() else ""


def _cut_at_messages(text: str, messages: tuple[JsonObject, ...]) -> list[str]:
    """The text of a list in parts: for each message, its first name and all up to that of the next."""
    parts: list[str] = []
    done, at = 0, 1
    for message in messages:
        own = minified(message)
        if not text.startswith(own, at):
            # numbers beyond 64 bits are written otherwise in one message than in a list
            break
        end = at + 2 + len(_first_name(own))
        parts += [text[done : at + 2], text[at + 2 : end]]
        done, at = end, at + len(own) + 1
    return [*parts, text[done:]]
