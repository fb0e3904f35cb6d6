"""Reader and gate over packets that are at hand: for steps that are projected without a store, and for tests."""

from collections.abc import Iterable, Mapping, Sequence

from evidence_store.model import EvidenceId, LabelPolicy, Packet, masked_packet
from projector.model import Principal
from projector.permission import only_masked


class GivenEvidence:
    """Serves the packets it was made with. A packet is permitted to a principal who is cleared for all of its labels.

    To others it is masked where each label that they lack masks by `policies`, and else it is as if it were not there. An id that
    came without a packet has no label to refuse it by, and there is nothing of it to give away: it may be named.
    """

    def __init__(self, packets: Iterable[Packet], policies: Mapping[str, LabelPolicy] | None = None) -> None:
        self._policies = policies or {}
        self._packets = {packet.id: packet for packet in packets}

    def find_evidence(self, ids: Sequence[EvidenceId], principal: Principal) -> Sequence[Packet]:
        """See `projector.ports.EvidenceReader`."""
        permitted, masked = self.permitted(ids, principal), self.masked(ids, principal)
        found = [self._packets[evidence] for evidence in dict.fromkeys(ids) if evidence in permitted | masked and evidence in self._packets]
        return [masked_packet(packet) if packet.id in masked else packet for packet in found]

    def permitted(self, ids: Iterable[EvidenceId], principal: Principal) -> frozenset[EvidenceId]:
        """See `projector.ports.Gate`."""
        cleared = frozenset(principal.clearances)
        return frozenset(evidence for evidence in ids if cleared.issuperset(self._labels(evidence)))

    def masked(self, ids: Iterable[EvidenceId], principal: Principal) -> frozenset[EvidenceId]:
        """See `projector.ports.MaskingGate`."""
        return frozenset(evidence for evidence in ids if only_masked(self._labels(evidence), principal, self._policies))

    def _labels(self, evidence: EvidenceId) -> tuple[str, ...]:
        packet = self._packets.get(evidence)
        return () if packet is None else packet.labels
