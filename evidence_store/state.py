"""What speaks for or against an evidence: five questions, never one word; and the packet's short word for all of them."""

from dataclasses import dataclass

from evidence_store.model import Basis, Currency, Integrity, JudgementState, Lifecycle, Status


@dataclass(frozen=True, slots=True)
class EvidenceState:
    basis: Basis
    lifecycle: Lifecycle
    integrity: Integrity
    currency: Currency
    judgement: JudgementState | None
    """None outside a task."""

    @property
    def status(self) -> Status:
        """The basis, while nothing speaks against the evidence."""
        if self.lifecycle is Lifecycle.ERASED:
            return "erased"
        if self.lifecycle is Lifecycle.SUPERSEDED:
            return "superseded"
        if self.judgement is JudgementState.REJECTED:
            return "rejected"
        if self.judgement is JudgementState.STALE:
            return "stale"
        return self.basis.value
