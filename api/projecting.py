"""The projector over a store: its reading port and its gates, and a step from a file."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from api.settings import Settings
from api.wiring import Services, open_services
from evidence_store.errors import JsonValue, NotFound, StoreMissing
from evidence_store.model import EvidenceId, Packet
from evidence_store.store.retrieval import Retrieved
from projector import (
    Candidate,
    Compared,
    EvidenceReader,
    Gate,
    GivenEvidence,
    Outcome,
    Principal,
    Step,
    TokenCounter,
    compare_strategies,
    counter_for,
    project,
    step_from_json,
)

Made = TypeVar("Made")

EVIDENCE_TOKENS = 4000
"""Tokens that one evidence of a step may take; what is larger comes as an outline, or cut."""


class StoreReader:
    """Reads evidence for the projector, and is a gate by labels: a packet is for those who are cleared for all of its labels.

    What was read once is kept, as evidence never changes; permission is asked of the labels each time.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._known: dict[EvidenceId, Packet] = {}

    def remember(self, packets: Iterable[Packet]) -> None:
        """Packets that came another way; one that is shown in full is not replaced by a lesser one."""
        for packet in packets:
            if packet.shown_in_full or packet.id not in self._known:
                self._known[packet.id] = packet

    def find_evidence(self, ids: Sequence[EvidenceId], principal: Principal) -> Sequence[Packet]:
        """See `projector.ports.EvidenceReader`."""
        permitted = self.permitted(ids, principal)
        return [packet for id_ in dict.fromkeys(ids) if id_ in permitted and (packet := self.find(id_)) is not None]

    def permitted(self, ids: Iterable[EvidenceId], principal: Principal) -> frozenset[EvidenceId]:
        """See `projector.ports.Gate`. An id of nothing has nothing to give away."""
        cleared = frozenset(principal.clearances)
        return frozenset(id_ for id_ in ids if cleared.issuperset(self._labels(id_)))

    def find_known(self, ids: Iterable[EvidenceId]) -> Sequence[Packet]:
        """Of these, the packets that were read or remembered."""
        return [self._known[id_] for id_ in ids if id_ in self._known]

    def _labels(self, id_: EvidenceId) -> tuple[str, ...]:
        packet = self.find(id_)
        return () if packet is None else packet.labels

    def find(self, id_: EvidenceId) -> Packet | None:
        """The packet of an evidence, whoever asks; None where there is none."""
        if id_ not in self._known:
            try:
                self.remember([self._services.store.passages.get(id_, self._services.limit(EVIDENCE_TOKENS))])
            except NotFound:
                return None
        return self._known[id_]


class OwnersReader:
    """For a session on one's own machine: the principal owns the store and may see all of it."""

    def __init__(self, reader: StoreReader) -> None:
        self._reader = reader

    def find_evidence(self, ids: Sequence[EvidenceId], principal: Principal) -> Sequence[Packet]:
        """See `projector.ports.EvidenceReader`."""
        found = (self._reader.find(id_) for id_ in dict.fromkeys(ids))
        return [packet for packet in found if packet is not None]

    def permitted(self, ids: Iterable[EvidenceId], principal: Principal) -> frozenset[EvidenceId]:
        """See `projector.ports.Gate`."""
        return frozenset(ids)


def candidates_of(found: Sequence[Retrieved]) -> tuple[Candidate, ...]:
    """What a scorer of the store found, as candidates of a step."""
    return tuple(_candidate(one) for one in found)


def _candidate(one: Retrieved) -> Candidate:
    packet = one.packet
    lines = None if packet.pointer is not None else packet.lines
    return Candidate(one.text, f"{packet.resource}@{packet.revision}", one.scorer, repr(one.score), lines=lines)


def project_step(value: JsonValue, settings: Settings) -> Outcome:
    """Builds the input of a step that a file describes. Works without a store when the evidence comes along."""
    return _with_step(value, settings, project)


def compare_step(value: JsonValue, settings: Settings) -> tuple[Compared, ...]:
    """The step that a file describes under each strategy; as `project_step`."""
    return _with_step(value, settings, compare_strategies)


def _with_step(value: JsonValue, settings: Settings, made: Callable[[Step, EvidenceReader, TokenCounter, Gate], Made]) -> Made:
    step = step_from_json(value)
    counter = counter_for(step.profile.counter)
    given = [one for one in step.evidence if isinstance(one, Packet)]
    given += [packet for packets in step.results.values() for packet in packets]
    try:
        with open_services(settings) as services:
            reader = StoreReader(services)
            reader.remember(given)
            return made(step, reader, counter, reader)
    except StoreMissing:
        alone = GivenEvidence(given)
        return made(step, alone, counter, alone)
