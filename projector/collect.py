"""What evidence a step is about: given as packets or read through the port, permitted, and which needs it meets."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from evidence_store.model import MASKED, EvidenceId, Packet, ProgressState, Standing
from projector.freshness import aged
from projector.model import Need, NeedLine, Step
from projector.ports import EvidenceReader
from projector.render.masks import masked_packet


@dataclass(frozen=True, slots=True)
class Collected:
    """The evidence of one step."""

    packets: Mapping[EvidenceId, Packet]
    """All that is at hand and permitted, if only as a mask: of this step, and of results."""
    needed: tuple[EvidenceId, ...]
    """Must be shown."""
    wanted: tuple[EvidenceId, ...]
    """Of this step, beyond what is needed, in order of claim."""
    unmet: tuple[NeedLine, ...]
    missing: tuple[EvidenceId, ...]
    """Asked for, but absent or not permitted: the two look alike."""


def iter_named(step: Step) -> Iterator[EvidenceId]:
    """Every evidence id that a step names; ids inside message bodies are looked at when a message is kept."""
    for item in step.evidence:
        yield item.id if isinstance(item, Packet) else item
    for progress in step.progress:
        yield from progress.evidence
    for claim in step.claims:
        for citation in claim.citations:
            yield citation.evidence
    for packets in step.results.values():
        for packet in packets:
            yield packet.id


def collect(step: Step, reader: EvidenceReader, permitted: frozenset[EvidenceId], masked: frozenset[EvidenceId]) -> Collected:
    """Asks the reader only for what is permitted, at least as a mask, and not at hand yet. What came along is masked here."""
    seen = permitted | masked
    given = {packet.id: packet for packets in step.results.values() for packet in packets}
    given |= {item.id: item for item in step.evidence if isinstance(item, Packet)}
    asked = tuple(dict.fromkeys(_asked(step, masked)))
    absent = tuple(evidence for evidence in asked if evidence not in given and evidence in seen)
    read = {packet.id: aged(packet, step.now) for packet in reader.find_evidence(absent, step.principal)} if absent else {}
    found = {evidence: packet for evidence, packet in (given | read).items() if evidence in seen}
    packets = {evidence: masked_packet(packet) if evidence in masked else packet for evidence, packet in found.items()}
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


def _met(need: Need, step: Step, packets: Mapping[EvidenceId, Packet], asked: tuple[EvidenceId, ...]) -> _Met:
    match need.kind:
        case "resource":
            found = _found(packets, asked, lambda packet: packet.resource == need.name)
            return _Met(found, "" if found else "no evidence of this resource is at hand")
        case "pointer":
            found = _found(packets, asked, lambda packet: packet.pointer == need.name)
            return _Met(found, "" if found else "no evidence at this pointer is at hand")
        case "claim":
            return _met_claim(need.name, step, packets)


def _found(packets: Mapping[EvidenceId, Packet], asked: tuple[EvidenceId, ...], fits: Callable[[Packet], bool]) -> tuple[EvidenceId, ...]:
    """All that fits of this step's evidence; else the newest that fits of what tools answered with."""
    of_step = tuple(evidence for evidence in asked if evidence in packets and fits(packets[evidence]))
    earlier = (packet.id for packet in reversed(tuple(packets.values())) if fits(packet))
    return of_step or tuple(islice(earlier, 1))


def _met_claim(name: str, step: Step, packets: Mapping[EvidenceId, Packet]) -> _Met:
    for claim in step.claims:
        if claim.id == name:
            ids = tuple(dict.fromkeys(citation.evidence for citation in claim.citations))
            available = all(evidence in packets and MASKED not in packets[evidence].transforms for evidence in ids)
            return _Met(ids, "") if available else _Met((), "its evidence is not available")
    return _Met((), "there is no such claim in this step")


def several_revisions(packets: Iterable[Packet]) -> tuple[tuple[EvidenceId, ...], ...]:
    """Of resources that the packets show in several revisions, the evidence of each revision, in the order of the packets."""
    found: dict[str, dict[int, dict[EvidenceId, None]]] = {}
    for packet in packets:
        found.setdefault(packet.resource, {}).setdefault(packet.revision, {})[packet.id] = None
    return tuple(tuple(ids) for revisions in found.values() if len(revisions) > 1 for ids in revisions.values())
