"""The part of the history that an input keeps: an open exchange, the newest exchange, and recent turns as far as there is room.

Groups come newest first and lazily; each is kept whole, kept with results by reference, or left out whole.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from evidence_store.model import EvidenceId, Packet
from projector.compact import WITHHELD, by_reference, ids_in, named_evidence, rewritten, shown_in_full
from projector.dialects.forms import Dialect, Item, Part
from projector.exchanges import Group
from projector.history import iter_heard_back, iter_history, iter_instructions, iter_items_back
from projector.measure import Measure
from projector.minified import minified
from projector.model import JsonObject, Step
from projector.naming import named_by_result
from projector.permission import Permission
from projector.recap import recap_labels
from projector.strategy import Strategy

UNCLEARED = "a recap of what the principal may not see"

BY_REFERENCE = "results by reference"
# More than prose and logs have on the average; what has more is at a glance too large.
_MAX_CHARS_PER_TOKEN = 8


@dataclass(frozen=True, slots=True)
class Passage:
    """A group as it would stand in the input."""

    group: Group
    permitted: tuple[Item, ...]
    """Its items, with the results that the reader may not see withheld."""
    items: tuple[Item, ...]
    """The same, some of them with results by reference."""
    prices: tuple[int, ...]
    """Tokens of each item."""
    referred: frozenset[str]
    """Calls whose results are by reference where that is shorter."""
    note: str = ""

    @property
    def messages(self) -> tuple[JsonObject, ...]:
        return tuple(item.raw for item in self.items)

    @property
    def tokens(self) -> int:
        return sum(self.prices)

    @property
    def bodies(self) -> tuple[tuple[str, str], ...]:
        """Call and text of each result."""
        return tuple((body.call, self.items[body.at].results[body.part].text) for body in self.group.bodies)

    @property
    def evidence(self) -> tuple[EvidenceId, ...]:
        """Named in its results."""
        return tuple(dict.fromkeys(evidence for _, text in self.bodies for evidence in named_evidence(text)))

    @property
    def n_withheld(self) -> int:
        """Results that the reader may not see."""
        return sum(text == WITHHELD for _, text in self.bodies)


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked now."""

    text: str
    """Empty when no user turn says it."""
    place: int | None
    """0-based place of the turn that the request section replaces; None when none is replaced."""


def find_request(step: Step) -> Request:
    """The newest user turn. One with parts other than text is asked again in words, and stays where it is."""
    for place, item in iter_heard_back(step):
        text = "".join(part.text for part in item.rest if part.kind == "text")
        if item.side == "user" or (item.side == "result" and text):
            return Request(text if item.side == "result" else item.text, place if item.side == "user" and item.only_text else None)
    return Request("", None)


def instructions(step: Step) -> tuple[Item, ...]:
    """System and developer messages of the caller: they are no dialogue, and always stand."""
    return tuple(iter_instructions(step))


class Dialogue:
    """Reads a step's history from its end, and prices its groups."""

    def __init__(
        self, step: Step, dialect: Dialect, measure: Measure, permission: Permission, request: Request, strategy: Strategy
    ) -> None:
        self._step = step
        self._results = step.results
        self._dialect = dialect
        self._measure = measure
        self._permission = permission
        self._request = request
        self._strategy = strategy
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
        return self._permission.allows(evidence for item in group.items for part in item.parts for evidence in _named_in(part))

    def _may_recall(self, group: Group) -> bool:
        """Whether the principal is cleared for what a recap in the group was made from: a recap names labels, not evidence to ask for."""
        if group.kind not in ("assistant", "exchange"):
            return True
        texts = (part.text for item in group.items if item.side == "assistant" for part in item.parts if part.kind == "text")
        return all(self._cleared.issuperset(recap_labels(text)) for text in texts)

    def rest(self) -> tuple[str, ...]:
        """Names what of the history was never looked at, and before that results that still wait for a call further back."""
        waiting = frozenset(range(self._reached, self._step.n_messages)) - self._places
        newest_first = iter_items_back(self._step) if waiting else ()
        sides = ((place, item.side) for place, item in takewhile(lambda found: found[0] >= self._reached, newest_first))
        held = [f"message {place}" for place, side in sides if place in waiting and side != "instruction"]
        return (*held, f"messages 0-{self._reached - 1}") if self._reached > 0 else tuple(held)

    def passage(self, group: Group, shown: frozenset[EvidenceId]) -> Passage:
        """The group priced: results that may not be seen withheld; by reference those shown elsewhere, too old or too far back."""
        concerned = {body.call: self._concerned(body.call, group.items[body.at].results[body.part]) for body in group.bodies}
        seen = self._permission.permitted(evidence for ids in concerned.values() for evidence in ids)
        withheld = frozenset(call for call, ids in concerned.items() if not seen.issuperset(ids))
        permitted = self._with_withheld(group, withheld) if withheld else group.items
        blank = Passage(group, permitted, permitted, (), frozenset())
        far_back = self._far_back(group)
        return self._referring(blank, frozenset(call for call in group.calls if far_back or self._stays_referred(call, group, shown)))

    def looks_small(self, group: Group, room: int) -> bool:
        """Whether the group may be worth pricing for so many tokens of room: by its length, or since it can stand by reference."""
        n_chars = sum(len(part.text) for item in group.items for part in item.parts)
        return n_chars <= room * _MAX_CHARS_PER_TOKEN or any(map(self._packets, group.calls))

    def shorter(self, passage: Passage) -> Passage | None:
        """The same with all results by reference; None where nothing gets shorter by that."""
        if not any(map(self._packets, passage.group.calls)):
            return None
        short = self._referring(passage, frozenset(passage.group.calls))
        return short if short.items != passage.items else None

    def longer(self, short: Passage, shown: frozenset[EvidenceId], room: int) -> Passage:
        """The same with results given back, one by one in their order, as far as so many tokens more go."""
        found = short
        for call in short.group.calls:
            if call in short.referred and not self._stays_referred(call, short.group, shown):
                one = self._referring(found, found.referred - {call})
                found = one if one.tokens - short.tokens <= room else found
        return found

    def in_full(self, passage: Passage) -> frozenset[EvidenceId]:
        """Evidence whose whole text form stands in its results."""
        return frozenset().union(*(shown_in_full(text, self._packets(call)) for call, text in passage.bodies))

    def _referring(self, passage: Passage, calls: frozenset[str]) -> Passage:
        """The passage with the results of just these calls by reference; priced again is only what is another than before."""
        group, known = passage.group, dict(zip(map(id, passage.items), passage.prices, strict=False))
        changed = frozenset(body.at for body in group.bodies if (body.call in calls) is not (body.call in passage.referred))
        bodies = [body for body in group.bodies if body.at in changed]
        new = rewritten(passage.permitted, bodies, self._dialect, lambda call, result: self._short(call, result) if call in calls else None)
        items = tuple(new[at] if at in changed else item for at, item in enumerate(passage.items))
        prices = tuple(known[id(item)] if id(item) in known else self._measure.message(item.raw) for item in items)
        short = any(item is not permitted for item, permitted in zip(items, passage.permitted, strict=True))
        note = "; ".join(filter(None, (group.note, self._by_reference(group) if short else "")))
        return Passage(group, passage.permitted, items, prices, calls, note)

    def _stays_referred(self, call: str, group: Group, shown: frozenset[EvidenceId]) -> bool:
        return self._shown_elsewhere(call, shown) or call in self._too_old(group)

    def _packets(self, call: str) -> tuple[Packet, ...]:
        return self._results.get(call, ())

    def _too_old(self, group: Group) -> tuple[str, ...]:
        """Calls whose results are past their greatest age, where the exchange is none of those that keep such results."""
        rounds = self._step.result_rounds
        if rounds is None or group.open_calls or self._newer.get(group.places, 0) < rounds:
            return ()
        return tuple(call for call in group.calls if any(one.age_s is not None for one in self._packets(call)))

    def is_recent(self, group: Group) -> bool:
        """Whether it stands within the strategy's window of messages."""
        n_messages = self._strategy.dialogue_messages
        return n_messages is None or group.places[0] >= self._step.n_messages - n_messages

    def _far_back(self, group: Group) -> bool:
        """Whether the exchange is none of those that the strategy keeps results of whatever else there is."""
        rounds = self._strategy.result_rounds
        return rounds is not None and not group.open_calls and self._newer.get(group.places, 0) >= rounds

    def _by_reference(self, group: Group) -> str:
        behind = f"behind the newest {self._strategy.result_rounds} exchanges" if self._far_back(group) else ""
        old = self._too_old(group)
        return ", ".join(filter(None, (BY_REFERENCE, behind, f"past their greatest age: {', '.join(old)}" if old else "")))

    def _short(self, call: str, result: Part) -> str | None:
        return by_reference(result, self._packets(call))

    def _concerned(self, call: str, result: Part) -> tuple[EvidenceId, ...]:
        return (*named_by_result(result.text), *(packet.id for packet in self._packets(call)))

    def _with_withheld(self, group: Group, calls: frozenset[str]) -> tuple[Item, ...]:
        """With what stands in place of bodies that the principal may not see."""
        return rewritten(group.items, group.bodies, self._dialect, lambda call, result: WITHHELD if call in calls else None)

    def _shown_elsewhere(self, call: str, shown: frozenset[EvidenceId]) -> bool:
        packets = self._packets(call)
        return bool(packets) and shown.issuperset(packet.id for packet in packets)


def _named_in(part: Part) -> tuple[EvidenceId, ...]:
    """Evidence that a text or the arguments of a call name; what a result names is looked at with its body."""
    text = part.text if part.kind == "text" else "" if part.kind == "result" else minified([part.arguments, part.raw])
    return ids_in(text) if "ev_" in text else ()
