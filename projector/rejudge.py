"""Which claims are facts under the task revision of this step, and which have to be judged again.

A judgement holds for the task revision it was made under. A claim whose wording the principal may not see is not shown at all,
since its text would give away what its evidence says. Facts, open questions and excluded scope come out as three lists.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from evidence_store.model import ClaimView, EvidenceId, Packet, Standing
from projector.naming import named_by_claim
from projector.render.sections import ClaimLine

NOT_AVAILABLE = "evidence not available"
"""Why a claim is not shown: evidence that it cites is absent, hidden or masked."""
_SOUND = frozenset(("observed", "derived"))


@dataclass(frozen=True, slots=True)
class LeftClaim:
    """A claim that is not shown, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Judged:
    """Claims by where they are shown, each list in the order given."""

    facts: tuple[ClaimLine, ...]
    open: tuple[ClaimLine, ...]
    excluded: tuple[ClaimLine, ...]
    left: tuple[LeftClaim, ...]


def rejudge(
    claims: Iterable[ClaimView], task_revision: int, permitted: frozenset[EvidenceId], find_packet: Callable[[EvidenceId], Packet | None]
) -> Judged:
    """Sorts the claims; the packets found are those at hand, whose status may speak against a claim that cites them."""
    facts: list[ClaimLine] = []
    still_open: list[ClaimLine] = []
    excluded: list[ClaimLine] = []
    left: list[LeftClaim] = []
    for claim in claims:
        ids = tuple(dict.fromkeys(citation.evidence for citation in claim.citations))
        if not permitted.issuperset(named_by_claim(claim)):
            left.append(LeftClaim(claim.id, NOT_AVAILABLE))
            continue
        match claim.standing:
            case Standing.WITHDRAWN | Standing.SUPERSEDED:
                left.append(LeftClaim(claim.id, claim.standing.value))
            case Standing.OPEN:
                still_open.append(_line(claim, ids, "", claim.reason))
            case Standing.CONFLICTING:
                still_open.append(_line(claim, ids, "conflicting", claim.reason))
            case Standing.VERIFIED | Standing.EXCLUDED:
                fault = _fault(claim, ids, task_revision, find_packet)
                if fault:
                    still_open.append(_line(claim, ids, "stale", fault))
                elif claim.standing is Standing.VERIFIED:
                    facts.append(_line(claim, ids, "", ""))
                else:
                    excluded.append(_line(claim, ids, "", claim.reason))
    return Judged(tuple(facts), tuple(still_open), tuple(excluded), tuple(left))


def _line(claim: ClaimView, ids: tuple[EvidenceId, ...], standing: str, reason: str) -> ClaimLine:
    return ClaimLine(claim.id, claim.text, ids, claim.about, standing, reason)


def _fault(claim: ClaimView, ids: tuple[EvidenceId, ...], task_revision: int, find_packet: Callable[[EvidenceId], Packet | None]) -> str:
    """Why a settled claim is to be judged again; empty when it stands."""
    if claim.task_revision != task_revision:
        return f"judged under task revision {claim.task_revision}, to be judged again"
    for evidence in ids:
        packet = find_packet(evidence)
        if packet is not None and packet.status not in _SOUND:
            return f"{evidence} is {packet.status}, to be judged again"
    return ""
