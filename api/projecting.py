"""The projector over a store: its reading port and its gates, and a step from a file."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from api.settings import Settings
from api.wiring import AgentServices, Services, open_services
from evidence_store.errors import JsonValue, StoreMissing
from evidence_store.model import EvidenceId, Packet, masked_packet
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
    UnknownCounter,
    compare_strategies,
    counter_for,
    only_masked,
    project,
    step_from_json,
)

Made = TypeVar("Made")

EVIDENCE_TOKENS = 4000
"""Tokens that one evidence of a step may take; what is larger comes as an outline, or cut."""


class StoreReader:
    """Reads evidence for the projector, and is a gate by labels: a packet is for those who are cleared for all of its labels.

    To others it is masked where each label that they lack masks, and else it is as if it were not there. What was read once is
    kept, as evidence never changes; labels, policies and when a live resource was seen do, and are asked of the store each time.
    """

    def __init__(self, services: AgentServices) -> None:
        self._services = services
        self._known: dict[EvidenceId, Packet] = {}

    def remember(self, packets: Iterable[Packet]) -> None:
        """Packets that came another way; one that is shown in full is not replaced by a lesser one."""
        for packet in packets:
            if packet.shown_in_full or packet.id not in self._known:
                self._known[packet.id] = packet

    def find_evidence(self, ids: Sequence[EvidenceId], principal: Principal) -> Sequence[Packet]:
        """See `projector.ports.EvidenceReader`."""
        permitted, masked = self.permitted(ids, principal), self.masked(ids, principal)
        found = self.find_all(id_ for id_ in ids if id_ in permitted | masked)
        return [masked_packet(packet) if id_ in masked else packet for id_, packet in found.items()]

    def permitted(self, ids: Iterable[EvidenceId], principal: Principal) -> frozenset[EvidenceId]:
        """See `projector.ports.Gate`. An id of nothing has nothing to give away."""
        cleared = frozenset(principal.clearances)
        return frozenset(id_ for id_, labels in self._labels(ids).items() if cleared.issuperset(labels))

    def masked(self, ids: Iterable[EvidenceId], principal: Principal) -> frozenset[EvidenceId]:
        """See `projector.ports.MaskingGate`."""
        policies = self._services.store.permissions.policies()
        return frozenset(id_ for id_, labels in self._labels(ids).items() if only_masked(labels, principal, policies))

    def find_known(self, ids: Iterable[EvidenceId]) -> Sequence[Packet]:
        """Of these, the packets that were read or remembered."""
        return [self._known[id_] for id_ in ids if id_ in self._known]

    def _labels(self, ids: Iterable[EvidenceId]) -> dict[EvidenceId, frozenset[str]]:
        """The labels as they are now, and those that a packet came with."""
        asked = tuple(dict.fromkeys(ids))
        stored = self._services.store.permissions.labels_of(asked)
        came = {packet.id: packet.labels for packet in self.find_known(asked)}
        return {id_: stored.get(id_, frozenset()).union(came.get(id_, ())) for id_ in asked}

    def find_all(self, ids: Iterable[EvidenceId]) -> Mapping[EvidenceId, Packet]:
        """The packets of these ids, whoever asks, in their order; what there is not is left out. The store is asked at most once."""
        asked = tuple(dict.fromkeys(ids))
        due = [id_ for id_ in asked if (known := self._known.get(id_)) is None or known.max_age_s is not None]
        read = self._services.store.passages.find_packets(due, self._services.limit(EVIDENCE_TOKENS)) if due else ()
        self.remember(read)
        for packet in read:
            # a live revision may have been seen again since
            self._known[packet.id] = replace(self._known[packet.id], observed_at=packet.observed_at)
        return {id_: self._known[id_] for id_ in asked if id_ in self._known}


class OwnersReader:
    """For a session on one's own machine: the principal owns the store and may see all of it."""

    def __init__(self, reader: StoreReader) -> None:
        self._reader = reader

    def find_evidence(self, ids: Sequence[EvidenceId], principal: Principal) -> Sequence[Packet]:
        """See `projector.ports.EvidenceReader`."""
        return tuple(self._reader.find_all(ids).values())

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


def project_for(value: JsonValue, services: Services) -> Outcome:
    """Builds the input of a step for whoever the services are for: its clearances count, and none that the step names.

    Raises RefusedStep, UnknownCounter.
    """
    asked, cleared = step_from_json(value), services.store.core.clearances
    step = replace(asked, principal=Principal(tuple(sorted(cleared or ())), asked.principal.audience))
    reader = StoreReader(services)
    reader.remember(_given(step))
    port = OwnersReader(reader) if cleared is None else reader
    return project(step, port, _counter_of(step), port)


def _given(step: Step) -> list[Packet]:
    """The packets that come along with a step."""
    given = [one for one in step.evidence if isinstance(one, Packet)]
    return given + [packet for packets in step.results.values() for packet in packets]


def compare_step(value: JsonValue, settings: Settings) -> tuple[Compared, ...]:
    """The step that a file describes under each strategy; as `project_step`."""
    return _with_step(value, settings, compare_strategies)


def _counter_of(step: Step) -> TokenCounter:
    try:
        return counter_for(step.profile.counter)
    except UnknownCounter as why:
        raise UnknownCounter(f"/profile/counter: {why.message}", {"path": "/profile/counter", **why.details}) from why


def _with_step(value: JsonValue, settings: Settings, made: Callable[[Step, EvidenceReader, TokenCounter, Gate], Made]) -> Made:
    step = step_from_json(value)
    counter = _counter_of(step)
    given = _given(step)
    try:
        with open_services(settings) as services:
            reader = StoreReader(services)
            reader.remember(given)
            return made(step, reader, counter, reader)
    except StoreMissing:
        alone = GivenEvidence(given)
        return made(step, alone, counter, alone)
