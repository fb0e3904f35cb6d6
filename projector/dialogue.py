"""The part of the history that an input keeps: an open exchange, the newest exchange, and recent turns as far as there is room.

Groups come newest first and lazily; each is kept whole, kept with results by reference, or left out whole.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from evidence_store.model import EvidenceId
from projector.compact import WITHHELD, NewBody, by_reference, ids_in, named_evidence, rewritten, shown_in_full
from projector.dialects.forms import Dialect, Item, Part
from projector.exchanges import Group
from projector.history import iter_history, iter_instructions, iter_items_back
from projector.measure import Measure
from projector.minified import minified
from projector.model import JsonObject, Step
from projector.permission import Permission
from projector.recap import recap_labels

UNCLEARED = "a recap of what the principal may not see"

BY_REFERENCE = "results by reference"


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
    n_withheld: int = 0
    """Results that the reader may not see."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked now."""

    text: str
    """Empty when no user turn says it."""
    place: int | None
    """0-based place of the turn that the request section replaces; None when none is replaced."""


def find_request(step: Step) -> Request:
    """The newest user turn. One with parts other than text is asked again in words, and stays where it is."""
    for place, item in iter_items_back(step):
        text = "".join(part.text for part in item.rest if part.kind == "text")
        if item.side == "user" or (item.side == "result" and text):
            return Request(text if item.side == "result" else item.text, place if item.side == "user" and item.only_text else None)
    return Request("", None)


def instructions(step: Step) -> tuple[Item, ...]:
    """System and developer messages of the caller: they are no dialogue, and always stand."""
    return tuple(iter_instructions(step))


class Dialogue:
    """Reads a step's history from its end, and prices its groups."""

    def __init__(self, step: Step, dialect: Dialect, measure: Measure, permission: Permission, request: Request) -> None:
        self._step = step
        self._dialect = dialect
        self._measure = measure
        self._permission = permission
        self._request = request
        self._cleared = frozenset(step.principal.clearances)
        self._groups: Iterator[Group] = iter_history(step)
        self._reached = step.n_messages
        self._places: set[int] = set()
        """Of the groups that came."""
        self._newer: dict[tuple[int, ...], int] = {}
        """How many exchanges are newer than one, by its places."""

    def take(self) -> Group | None:
        """The next group, newest first; None at the beginning of the history."""
        for group in self._groups:
            self._reached = min(self._reached, group.places[0])
            self._places.update(group.places)
            if group.kind == "exchange":
                self._newer.setdefault(group.places, len(self._newer))
            if group.places != (self._request.place,):
                return group if self._may_recall(group) else Group("unusable", group.places, (), group.calls, note=UNCLEARED)
        self._reached = 0
        return None

    def may_stand(self, group: Group) -> bool:
        """Whether what the assistant says and asks in a group names nothing that the principal may not see; results are withheld apart."""
        named = [evidence for message in group.messages for part in self._dialect.read(message, 0).parts for evidence in _named_in(part)]
        return self._permission.allows(named)

    def _may_recall(self, group: Group) -> bool:
        """Whether the principal is cleared for what a recap in the group was made from: a recap names labels, not evidence to ask for."""
        if group.kind not in ("assistant", "exchange"):
            return True
        read = (self._dialect.read(message, 0) for message in group.messages)
        texts = (part.text for item in read if item.side == "assistant" for part in item.parts if part.kind == "text")
        return all(self._cleared.issuperset(recap_labels(text)) for text in texts)

    def rest(self) -> tuple[str, ...]:
        """Names what of the history was never looked at, and before that results that still wait for a call further back."""
        waiting = frozenset(range(self._reached, self._step.n_messages)) - self._places
        newest_first = iter_items_back(self._step) if waiting else ()
        sides = ((place, item.side) for place, item in takewhile(lambda found: found[0] >= self._reached, newest_first))
        held = [f"message {place}" for place, side in sides if place in waiting and side != "instruction"]
        return (*held, f"messages 0-{self._reached - 1}") if self._reached > 0 else tuple(held)

    def passage(self, group: Group, shown: frozenset[EvidenceId], *, referring: bool = False) -> Passage:
        """The group priced: results that may not be seen withheld; by reference those shown elsewhere, or too old (or all, when asked)."""
        allowed = self._rewritten(group, group.messages, self._withheld)
        old = self._too_old(group)
        chosen = frozenset(call for call in group.calls if referring or call in old or self._shown_elsewhere(call, shown))
        messages = self._rewritten(group, allowed, lambda call, result: self._short(call, result) if call in chosen else None)
        texts = [(body.call, self._dialect.read(messages[body.at], 0).results[body.part].text) for body in group.bodies]
        return Passage(
            group=group,
            messages=messages,
            tokens=sum(map(self._measure.message, messages)),
            evidence=tuple(dict.fromkeys(evidence for _, text in texts for evidence in named_evidence(text))),
            in_full=frozenset().union(*(shown_in_full(text, self._step.results.get(call, ())) for call, text in texts)),
            note="; ".join(filter(None, (group.note, _by_reference(old) if messages != allowed else ""))),
            n_withheld=sum(text == WITHHELD for _, text in texts),
        )

    def _too_old(self, group: Group) -> tuple[str, ...]:
        """Calls whose results are past their greatest age, where the exchange is none of those that keep such results."""
        rounds = self._step.result_rounds
        if rounds is None or group.open_calls or self._newer.get(group.places, 0) < rounds:
            return ()
        return tuple(call for call in group.calls if any(one.age_s is not None for one in self._step.results.get(call, ())))

    def _rewritten(self, group: Group, messages: tuple[JsonObject, ...], new_body: NewBody) -> tuple[JsonObject, ...]:
        return rewritten(messages, group.bodies, self._dialect, new_body)

    def _short(self, call: str, result: Part) -> str | None:
        return by_reference(result, self._step.results.get(call, ()))

    def _withheld(self, call: str, result: Part) -> str | None:
        """What stands in place of a body that the principal may not see."""
        concerned = (*named_evidence(result.text), *(packet.id for packet in self._step.results.get(call, ())))
        return None if self._permission.allows(concerned) else WITHHELD

    def _shown_elsewhere(self, call: str, shown: frozenset[EvidenceId]) -> bool:
        packets = self._step.results.get(call, ())
        return bool(packets) and shown.issuperset(packet.id for packet in packets)


def _named_in(part: Part) -> tuple[EvidenceId, ...]:
    """Evidence that a text or the arguments of a call name; what a result names is looked at with its body."""
    text = part.text if part.kind == "text" else "" if part.kind == "result" else minified([part.arguments, part.raw])
    return ids_in(text)


def _by_reference(old: tuple[str, ...]) -> str:
    return f"{BY_REFERENCE}, past their greatest age: {', '.join(old)}" if old else BY_REFERENCE
