"""The whole history of a step, newest first: its messages, and before them what another provider or model was at work on."""

from collections.abc import Iterator
from itertools import islice

from projector.convert import Boundary, convert_group
from projector.dialects.forms import Dialect, Item
from projector.dialects.table import dialect_for
from projector.exchanges import Group, iter_groups
from projector.model import JsonObject, Segment, Step

# How far an open call is looked for behind what cannot be sent.
_MAX_UNUSABLE = 16
# Roles and, where an item has none, types: the same in all forms that have them.
_INSTRUCTING = ("system", "developer")
_NEVER_USER = ("assistant", "tool", "model", *_INSTRUCTING)
_ITEMS_OF_OTHERS = ("function_call", "function_call_output", "reasoning")


def dialect_of(step: Step) -> Dialect:
    """The form that the step's input is made in; raises UnknownProvider."""
    return dialect_for(step.profile.provider, step.profile.model)


def iter_history(step: Step) -> Iterator[Group]:
    """The groups of the whole history in the form of the step's profile, newest first; converted one by one as they are asked for."""
    target = dialect_of(step)
    seen: set[str] = set()
    place = step.n_messages - len(step.messages)
    yield from iter_groups(step.messages, target, closing=step.closing, first_place=place, seen=seen)
    for segment in reversed(step.earlier):
        place -= len(segment.messages)
        boundary = Boundary(dialect_for(segment.provider, segment.model), target, segment.model or segment.provider)
        other = not boundary.same_provider
        for group in iter_groups(segment.messages, boundary.source, closing=True, first_place=place, seen=seen, text_only=other):
            yield convert_group(group, boundary) if is_foreign(segment, step) else group


def is_foreign(segment: Segment, step: Step) -> bool:
    """Whether another provider or model made the segment."""
    profile = step.profile
    return segment.provider != profile.provider or bool(segment.model and profile.model and segment.model != profile.model)


def open_before(step: Step) -> Group | None:
    """The open exchange at the end of what came earlier, where nothing follows it yet: the change of form has to wait for it."""
    if step.messages or step.closing or not step.earlier:
        return None
    last = step.earlier[-1]
    first_place = step.n_messages - len(last.messages)
    groups = islice(iter_groups(last.messages, dialect_for(last.provider, last.model), first_place=first_place), _MAX_UNUSABLE)
    newest = next((group for group in groups if group.kind != "unusable"), None)
    return newest if newest is not None and newest.open_calls else None


def last_message(step: Step, n_messages: int) -> JsonObject | None:
    """The last of so many messages of the whole history; None where it does not have as many."""
    place = step.n_messages
    for messages, _ in reversed(_forms(step)):
        place -= len(messages)
        if place < n_messages <= place + len(messages):
            return messages[n_messages - 1 - place]
    return None


def iter_items_back(step: Step) -> Iterator[tuple[int, Item]]:
    """The items of the whole history with their places, newest first."""
    place = step.n_messages
    for messages, dialect in reversed(_forms(step)):
        for message in reversed(messages):
            place -= 1
            yield place, dialect.read(message, place)


def iter_heard_back(step: Step) -> Iterator[tuple[int, Item]]:
    """The items that may hold words of the user, with their places, newest first. What says by its role that it does not is not read."""
    place = step.n_messages
    for messages, dialect in reversed(_forms(step)):
        for message in reversed(messages):
            place -= 1
            role = message.get("role")
            if role not in _NEVER_USER and (role is not None or message.get("type") not in _ITEMS_OF_OTHERS):
                yield place, dialect.read(message, place)


def iter_instructions(step: Step) -> Iterator[Item]:
    """The instructions among the messages that say something, oldest first; the words of those that another provider's form holds.

    All forms name them by the role, so that nothing else has to be read.
    """
    for messages, dialect in _forms(step):
        other = dialect.traits.provider != step.profile.provider
        for message in [one for one in messages if one.get("role") in _INSTRUCTING]:
            item = dialect.read(message, 0)
            if item.instructs(text_only=other):
                yield _in_words(item) if other else item


def _in_words(item: Item) -> Item:
    return Item("instruction", tuple(part for part in item.parts if part.kind == "text" and part.seen))


def _forms(step: Step) -> list[tuple[tuple[JsonObject, ...], Dialect]]:
    forms = [(segment.messages, segment.provider) for segment in step.earlier]
    return [(messages, dialect_for(provider)) for messages, provider in (*forms, (step.messages, step.profile.provider))]
