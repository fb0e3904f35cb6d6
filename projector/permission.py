"""What a principal may see, as one input is made: the gate's answers, remembered until the finished input is asked about afresh."""

from collections.abc import Iterable

from evidence_store.model import EvidenceId
from projector.model import Principal
from projector.ports import Gate


class Permission:
    """The gate's answers for one principal and one input."""

    def __init__(self, gate: Gate, principal: Principal) -> None:
        self._gate = gate
        self._principal = principal
        self._known: dict[EvidenceId, bool] = {}

    def permitted(self, ids: Iterable[EvidenceId]) -> frozenset[EvidenceId]:
        """Those of the ids that may be shown; asks the gate for what it was not asked yet."""
        wanted = tuple(dict.fromkeys(ids))
        asked = tuple(evidence for evidence in wanted if evidence not in self._known)
        if asked:
            allowed = self._gate.permitted(asked, self._principal)
            self._known.update((evidence, evidence in allowed) for evidence in asked)
        return frozenset(evidence for evidence in wanted if self._known[evidence])

    def allows(self, ids: Iterable[EvidenceId]) -> bool:
        """Whether all of them may be shown."""
        wanted = tuple(ids)
        return len(self.permitted(wanted)) == len(set(wanted))

    def still_allows(self, ids: Iterable[EvidenceId]) -> bool:
        """Asks the gate again, and remembers what it no longer permits; nothing is permitted that was not before."""
        shown = tuple(ids)
        allowed = self._gate.permitted(shown, self._principal)
        self._known.update((evidence, False) for evidence in shown if evidence not in allowed)
        return allowed.issuperset(shown)
