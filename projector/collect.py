"""What evidence a step is about: given as packets or read through the port, permitted, and which needs it meets."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from evidence_store.model import MASKED, EvidenceId, Packet, ProgressState, Standing, masked_packet
from projector.freshness import aged
from projector.model import Need, NeedLine, Step
from projector.naming import named_by_candidate, named_by_claim, named_in_progress
from projector.permission import Permission
from projector.ports import EvidenceReader

# Results that are asked about at once, the newest first.
_AT_ONCE = 64


class AtHand:
    """All packets that are at hand and permitted, if only as a mask: of this step, and of results.

    What nobody looks up is not asked about.
    """

    def __init__(self, step: Step, permission: Permission) -> None:
        self._step = step
        self._permission = permission
        self._own = {item.id: item for item in step.evidence if isinstance(item, Packet)}

    @cached_property
    def _of_results(self) -> dict[EvidenceId, Packet]:
        return {packet.id: packet for packets in self._step.results.values() for packet in packets}

    def add(self, packets: Sequence[Packet]) -> None:
        """Takes what was read for the step."""
        self._own |= {packet.id: packet for packet in packets}

    def is_given(self, evidence: EvidenceId) -> bool:
        """Whether it came with the step, permitted or not."""
        return evidence in self._own or evidence in self._of_results

    def find(self, evidence: EvidenceId) -> Packet | None:
        """The packet as the principal may see it."""
        packet = self._own.get(evidence) or self._of_results.get(evidence)
        if packet is None or self._permission.allows((evidence,)):
            return packet
        return masked_packet(packet) if self._permission.masked((evidence,)) else None

    def find_all(self, ids: Iterable[EvidenceId]) -> tuple[Packet, ...]:
        """The packets of these that are there, permission asked for all at once."""
        asked = tuple(dict.fromkeys(ids))
        self._permission.masked(asked)
        return tuple(packet for packet in map(self.find, asked) if packet is not None)

    def get(self, evidence: EvidenceId) -> Packet:
        """A packet that was found before."""
        found = self.find(evidence)
        assert found is not None, "only what was found is shown"
        return found

    def __contains__(self, evidence: EvidenceId) -> bool:
        return self.find(evidence) is not None

    def newest_result(self, fits: Callable[[Packet], bool]) -> tuple[EvidenceId, ...]:
        """The newest packet of a result that fits, if there is one."""
        fitting = [evidence for evidence in reversed(self._of_results) if fits(self._of_results[evidence])]
        for at in range(0, len(fitting), _AT_ONCE):
            some = fitting[at : at + _AT_ONCE]
            seen = self._permission.permitted(some) | self._permission.masked(some)
            if seen:
                return tuple(evidence for evidence in some if evidence in seen)[:1]
        return ()


@dataclass(frozen=True, slots=True)
class Collected:
    """The evidence of one step."""

    packets: AtHand
    needed: tuple[EvidenceId, ...]
    """Must be shown."""
    wanted: tuple[EvidenceId, ...]
    """Of this step, beyond what is needed, in order of claim."""
    unmet: tuple[NeedLine, ...]
    missing: tuple[EvidenceId, ...]
    """Asked for, but absent or not permitted: the two look alike."""


def iter_named(step: Step) -> Iterator[EvidenceId]:
    """Every evidence id that a step names beside its history, and those of its newest results; others are looked at when reached."""
    for item in step.evidence:
        yield item.id if isinstance(item, Packet) else item
    for progress in step.progress:
        yield from (*progress.evidence, *named_in_progress(progress))
    for claim in step.claims:
        yield from named_by_claim(claim)
    for candidate in step.candidates:
        yield from named_by_candidate(candidate)
    for call in list(step.results)[-_AT_ONCE:]:
        for packet in step.results[call]:
            yield packet.id


def collect(step: Step, reader: EvidenceReader, permission: Permission) -> Collected:
    """Asks the reader only for what is permitted, at least as a mask, and not at hand yet. What came along is masked here."""
    named = tuple(iter_named(step))
    masked = permission.masked(named)
    seen = permission.permitted(named) | masked
    packets = AtHand(step, permission)
    asked = tuple(dict.fromkeys(_asked(step, masked)))
    absent = tuple(evidence for evidence in asked if evidence in seen and not packets.is_given(evidence))
    if absent:
        packets.add([aged(packet, step.now) for packet in reader.find_evidence(absent, step.principal)])
    needed: list[EvidenceId] = []
    unmet: list[NeedLine] = []
    for need in step.needs:
        met = _met(need, step, packets, asked)
        needed += met.evidence
        if met.unmet:
            unmet.append(NeedLine(need.kind, need.name, met.unmet))
    first = tuple(dict.fromkeys(needed))
    return Collected(
        packets=packets,
        needed=first,
        wanted=tuple(evidence for evidence in asked if evidence in packets and evidence not in first),
        unmet=tuple(unmet),
        missing=tuple(evidence for evidence in asked if evidence not in packets),
    )


def _asked(step: Step, masked: frozenset[EvidenceId]) -> Iterator[EvidenceId]:
    """What the step is about, in order of claim. A claim that cites what is masked is not shown, and must not lead there."""
    claims = {need.name for need in step.needs if need.kind == "claim"}
    for claim in step.claims:
        if claim.id in claims and masked.isdisjoint(citation.evidence for citation in claim.citations):
            yield from (citation.evidence for citation in claim.citations)
    for item in step.evidence:
        yield item.id if isinstance(item, Packet) else item
    doing = [progress for progress in step.progress if progress.state is ProgressState.DOING]
    for progress in doing:
        yield from progress.evidence
    # What the facts rest on that speak of what is being worked on, or of what that rests on.
    subjects = tuple(dict.fromkeys(subject for item in doing for subject in (item.subject, *item.uses) if subject))
    for claim in step.claims if subjects else ():
        if claim.standing in _SETTLED and any(subject in claim.text or subject == claim.about.pointer for subject in subjects):
            yield from (citation.evidence for citation in claim.citations)


_SETTLED = (Standing.VERIFIED, Standing.CONFLICTING)


@dataclass(frozen=True, slots=True)
class _Met:
    evidence: tuple[EvidenceId, ...]
    unmet: str


def _met(need: Need, step: Step, packets: AtHand, asked: tuple[EvidenceId, ...]) -> _Met:
    match need.kind:
        case "resource":
            found = _found(packets, asked, lambda packet: packet.resource == need.name)
            return _Met(found, "" if found else "no evidence of this resource is at hand")
        case "pointer":
            found = _found(packets, asked, lambda packet: packet.pointer == need.name)
            return _Met(found, "" if found else "no evidence at this pointer is at hand")
        case "claim":
            return _met_claim(need.name, step, packets)


def _found(packets: AtHand, asked: tuple[EvidenceId, ...], fits: Callable[[Packet], bool]) -> tuple[EvidenceId, ...]:
    """All that fits of this step's evidence; else the newest that fits of what tools answered with."""
    of_step = tuple(evidence for evidence in asked if (packet := packets.find(evidence)) is not None and fits(packet))
    return of_step or packets.newest_result(fits)


def _met_claim(name: str, step: Step, packets: AtHand) -> _Met:
    for claim in step.claims:
        if claim.id == name:
            ids = tuple(dict.fromkeys(citation.evidence for citation in claim.citations))
            found = map(packets.find, ids)
            available = all(packet is not None and MASKED not in packet.transforms for packet in found)
            return _Met(ids, "") if available else _Met((), "its evidence is not available")
    return _Met((), "there is no such claim in this step")


def several_revisions(packets: Iterable[Packet]) -> tuple[tuple[EvidenceId, ...], ...]:
    """Of resources that the packets show in several revisions, the evidence of each revision, in the order of the packets."""
    found: dict[str, dict[int, dict[EvidenceId, None]]] = {}
    for packet in packets:
        found.setdefault(packet.resource, {}).setdefault(packet.revision, {})[packet.id] = None
    return tuple(tuple(ids) for revisions in found.values() if len(revisions) > 1 for ids in revisions.values())
