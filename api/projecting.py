"""The projector over a store: its reading port and its gate, and a step from a file."""

from collections.abc import Iterable, Mapping, Sequence

from evidence_store.errors import JsonValue, NotFound, StoreMissing
from evidence_store.model import EvidenceId, Packet
from api.presenters import Json
from api.settings import Settings
from api.wiring import Services, open_services
from projector import Outcome, Principal, Projected, counter_for, project, receipt_json, step_from_json

EVIDENCE_TOKENS = 4000
"""Tokens that one evidence of a step may take; what is larger comes as an outline, or cut."""


class StoreReader:
    """Reads evidence for the projector. What was read once in a session is kept: evidence never changes."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._known: dict[EvidenceId, Packet] = {}

    def remember(self, packets: Iterable[Packet]) -> None:
        """Packets that a tool answered with; one that is shown in full is not replaced by a lesser one."""
        for packet in packets:
            if packet.shown_in_full or packet.id not in self._known:
                self._known[packet.id] = packet

    def find_evidence(self, ids: Sequence[EvidenceId], principal: Principal) -> Sequence[Packet]:
        """The packets of these ids in order, without those that are absent or not permitted."""
        found = (self._find(id_) for id_ in dict.fromkeys(ids))
        return [packet for packet in found if packet is not None and _permitted(packet, principal)]

    def find_known(self, ids: Iterable[EvidenceId]) -> Sequence[Packet]:
        """Of these, the packets that were read in this session."""
        return [self._known[id_] for id_ in ids if id_ in self._known]

    def _find(self, id_: EvidenceId) -> Packet | None:
        if id_ not in self._known:
            try:
                self.remember([self._services.store.passages.get(id_, self._services.limit(EVIDENCE_TOKENS))])
            except NotFound:
                return None
        return self._known[id_]


class NoReader:
    """For a step that brings its evidence along."""

    def find_evidence(self, ids: Sequence[EvidenceId], principal: Principal) -> Sequence[Packet]:
        return []


class OpenGate:
    """Permits everything that the reader gave: on one's own machine there is one principal, who owns the store."""

    def permitted(self, ids: Iterable[EvidenceId], principal: Principal) -> frozenset[EvidenceId]:
        return frozenset(ids)


def _permitted(packet: Packet, principal: Principal) -> bool:
    return not principal.clearances or set(packet.labels) <= set(principal.clearances)


def project_step(value: JsonValue, settings: Settings) -> Outcome:
    """Builds the input of a step that a file describes. Works without a store when the evidence comes along."""
    step = step_from_json(value)
    counter = counter_for(step.profile.counter)
    try:
        with open_services(settings) as services:
            return project(step, StoreReader(services), counter, OpenGate())
    except StoreMissing:
        return project(step, NoReader(), counter, OpenGate())


def outcome_json(outcome: Outcome) -> dict[str, Json]:
    """Messages, tools and receipt of a projection, or what to do instead."""
    if isinstance(outcome, Projected):
        projection = outcome.projection
        shown: Mapping[str, JsonValue] = {
            "outcome": "projected",
            "messages": list(projection.messages),
            "tools": list(projection.tools),
            "receipt": receipt_json(projection.receipt),
            "unmet": [{need.kind: need.name, "unmet": need.unmet} for need in projection.unmet],
        }
        return dict(shown)  # type: ignore[arg-type]  # the same JSON, under two names of its type
    return {"outcome": type(outcome).__name__, "text": outcome.text, "must_tokens": outcome.must_tokens, "room_tokens": outcome.room_tokens}
