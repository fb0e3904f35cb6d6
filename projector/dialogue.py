"""The part of the history that an input keeps: an open exchange, the newest exchange, and recent turns as far as there is room.

Groups come newest first and lazily; each is kept whole, kept with results by reference, or left out whole.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from evidence_store.model import EvidenceId, Packet
from projector.compact import body_text, externalise, named_evidence, shown_in_full, withhold
from projector.exchanges import Group, iter_groups
from projector.measure import Measure
from projector.model import JsonObject, Step
from projector.permission import Permission
from projector.render.openai_chat import role_first


@dataclass(frozen=True, slots=True)
class Passage:
    """A group as it would stand in the input."""

    group: Group
    messages: tuple[JsonObject, ...]
    tokens: int
    evidence: tuple[EvidenceId, ...]
    """Named in its results."""
    in_full: frozenset[EvidenceId]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked now."""

    text: str
    """Empty when no user turn says it."""
    place: int | None
    """0-based place of the turn that the request section replaces; None when none is replaced."""


def find_request(messages: tuple[JsonObject, ...]) -> Request:
    """The newest user turn. One with parts other than text is asked again in words, and stays where it is."""
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if message.get("role") == "user":
            content = message.get("content")
            text = body_text(content)
            only_text = isinstance(content, str) or (
                text
                and all(
                    isinstance(part, dict) and part.get("type") == "text" for part in (content if isinstance(content, list | tuple) else ())
                )
            )
            return Request(text, place if only_text else None)
    return Request("", None)


def instructions(messages: tuple[JsonObject, ...]) -> tuple[JsonObject, ...]:
    """System and developer messages of the caller: they are no dialogue, and always stand."""
    return tuple(message for message in messages if message.get("role") in ("system", "developer"))


class Dialogue:
    """Reads a step's history from its end, and prices its groups."""

    def __init__(self, step: Step, measure: Measure, permission: Permission, request: Request) -> None:
        self._step = step
        self._measure = measure
        self._permission = permission
        self._request = request
        self._groups: Iterator[Group] = iter_groups(step.messages, closing=step.closing)
        self._reached = len(step.messages)

    def take(self) -> Group | None:
        """The next group, newest first; None at the beginning of the history."""
        for group in self._groups:
            self._reached = min(self._reached, group.places[0])
            if group.places != (self._request.place,):
                return group
        self._reached = 0
        return None

    def rest(self) -> str | None:
        """Names what of the history was never looked at."""
        return f"messages 0-{self._reached - 1}" if self._reached > 0 else None

    def passage(self, group: Group, shown: frozenset[EvidenceId], *, by_reference: bool = False) -> Passage:
        """The group priced: results that may not be seen withheld, those already shown elsewhere (or all, when asked) by reference."""
        allowed = tuple(role_first(self._allowed(message)) for message in group.messages)
        chosen = [call for call in group.calls if by_reference or self._shown_elsewhere(call, shown)]
        messages = externalise(allowed, self._step.results, chosen) if chosen else allowed
        changed = messages != allowed
        return Passage(
            group=group,
            messages=messages,
            tokens=sum(map(self._measure.message, messages)),
            evidence=tuple(dict.fromkeys(evidence for message in messages for evidence in self._named(message))),
            in_full=frozenset().union(*(shown_in_full(message, self._packets(message)) for message in messages)),
            note="; ".join(filter(None, (group.note, "results by reference" if changed else ""))),
        )

    def _packets(self, message: JsonObject) -> tuple[Packet, ...]:
        return self._step.results.get(str(message.get("tool_call_id")), ()) if message.get("role") == "tool" else ()

    def _named(self, message: JsonObject) -> tuple[EvidenceId, ...]:
        if message.get("role") != "tool":
            return ()
        return named_evidence(message)

    def _allowed(self, message: JsonObject) -> JsonObject:
        if message.get("role") != "tool":
            return message
        concerned = (*self._named(message), *(packet.id for packet in self._packets(message)))
        return message if self._permission.allows(concerned) else withhold(message)

    def _shown_elsewhere(self, call: str, shown: frozenset[EvidenceId]) -> bool:
        packets = self._step.results.get(call, ())
        return bool(packets) and shown.issuperset(packet.id for packet in packets)
