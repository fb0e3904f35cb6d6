"""Reader and gate over packets that are at hand: for steps that are projected without a store, and for tests."""

from collections.abc import Iterable, Sequence

from evidence_store.model import EvidenceId, Packet
from projector.model import Principal


class GivenEvidence:
    """Serves the packets it was made with. A packet is permitted to a principal who is cleared for all of its labels.

    An id that came without a packet has no label to refuse it by, and there is nothing of it to give away: it may be named.
    """

    def __init__(self, packets: Iterable[Packet]) -> None:
        self._packets = {packet.id: packet for packet in packets}

    def find_evidence(self, ids: Sequence[EvidenceId], principal: Principal) -> Sequence[Packet]:
        """See `projector.ports.EvidenceReader`."""
        permitted = self.permitted(ids, principal)
        return [self._packets[evidence] for evidence in dict.fromkeys(ids) if evidence in permitted and evidence in self._packets]

    def permitted(self, ids: Iterable[EvidenceId], principal: Principal) -> frozenset[EvidenceId]:
        """See `projector.ports.Gate`."""
        cleared = frozenset(principal.clearances)
        return frozenset(evidence for evidence in ids if cleared.issuperset(self._labels(evidence)))

    def _labels(self, evidence: EvidenceId) -> tuple[str, ...]:
        packet = self._packets.get(evidence)
        return () if packet is None else packet.labels
