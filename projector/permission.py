"""What a principal may see, as one input is made: the gate's answers, remembered until the finished input is asked about afresh."""

from collections.abc import Iterable, Mapping

from evidence_store.model import EvidenceId, LabelPolicy
from projector.model import Principal
from projector.ports import Gate, MaskingGate


def only_masked(labels: Iterable[str], principal: Principal, policies: Mapping[str, LabelPolicy]) -> bool:
    """Whether a principal may see a mask of what these labels guard: it lacks clearances, and each label that it lacks masks."""
    lacking = frozenset(labels).difference(principal.clearances)
    return bool(lacking) and all(policies.get(label) is LabelPolicy.MASKED for label in lacking)


class Permission:
    """The gate's answers for one principal and one input."""

    def __init__(self, gate: Gate, principal: Principal) -> None:
        self._gate = gate
        self._principal = principal
        self._known: dict[EvidenceId, bool] = {}
        self._masks: dict[EvidenceId, bool] = {}

    def permitted(self, ids: Iterable[EvidenceId]) -> frozenset[EvidenceId]:
        """Those of the ids that may be shown; asks the gate for what it was not asked yet."""
        wanted = tuple(dict.fromkeys(ids))
        asked = tuple(evidence for evidence in wanted if evidence not in self._known)
        if asked:
            allowed = self._gate.permitted(asked, self._principal)
            self._known.update((evidence, evidence in allowed) for evidence in asked)
        return frozenset(evidence for evidence in wanted if self._known[evidence])

    def masked(self, ids: Iterable[EvidenceId]) -> frozenset[EvidenceId]:
        """Those of the ids that may be shown as a mask only; asks the gate for what it was not asked yet."""
        every = frozenset(ids)
        wanted = every - self.permitted(every)
        asked = wanted.difference(self._masks)
        found = self._ask_for_masks(asked)
        self._masks.update((evidence, evidence in found) for evidence in asked)
        return frozenset(evidence for evidence in wanted if self._masks[evidence])

    def _ask_for_masks(self, ids: frozenset[EvidenceId]) -> frozenset[EvidenceId]:
        return self._gate.masked(ids, self._principal) if ids and isinstance(self._gate, MaskingGate) else frozenset()

    def allows(self, ids: Iterable[EvidenceId]) -> bool:
        """Whether all of them may be shown."""
        wanted = tuple(ids)
        if not self._known.keys() >= set(wanted):
            self.permitted(wanted)
        return all(map(self._known.get, wanted))

    def still_allows(self, ids: Iterable[EvidenceId]) -> bool:
        """Asks the gate again, and remembers what it no longer permits; nothing is permitted that was not before.

        What is shown as a mask must still be permitted at least as that.
        """
        shown = frozenset(ids)
        allowed = self._gate.permitted(shown, self._principal)
        as_masks = frozenset(evidence for evidence in shown if not self._known.get(evidence) and self._masks.get(evidence))
        hidden = as_masks - allowed - self._ask_for_masks(as_masks - allowed)
        self._masks.update((evidence, False) for evidence in hidden)
        self._known.update((evidence, False) for evidence in shown if evidence not in allowed)
        return not hidden and allowed.issuperset(shown - as_masks)
