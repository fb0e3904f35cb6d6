"""Which claims are facts under this task revision."""

from dataclasses import replace

from evidence_store.model import EvidenceId, Packet, Standing
from projector.rejudge import LeftClaim, rejudge
from tests.unit.projector.steps import claim, evidence_id, packet

ONE, TWO = evidence_id(1), evidence_id(2)
BOTH = frozenset((ONE, TWO))


def nowhere(evidence: EvidenceId) -> Packet | None:
    return None


def test_each_standing_goes_to_its_list() -> None:
    claims = [
        claim(1, ONE),
        claim(2, standing=Standing.OPEN),
        claim(3, ONE, standing=Standing.EXCLUDED),
        claim(4, TWO, standing=Standing.CONFLICTING),
        claim(5, ONE, standing=Standing.WITHDRAWN),
        claim(6, ONE, standing=Standing.SUPERSEDED),
    ]
    found = rejudge(claims, 2, BOTH, nowhere)
    assert [line.id for line in found.facts] == ["C1"]
    assert [(line.id, line.standing) for line in found.open] == [("C2", ""), ("C4", "conflicting")]
    assert [line.id for line in found.excluded] == ["C3"]
    assert found.left == (LeftClaim("C5", "withdrawn"), LeftClaim("C6", "superseded"))


def test_what_an_older_task_revision_settled_is_to_be_judged_again() -> None:
    found = rejudge([claim(1, ONE, task_revision=1), claim(2, ONE, standing=Standing.EXCLUDED, task_revision=1)], 2, BOTH, nowhere)
    assert found.facts == found.excluded == ()
    assert [(line.standing, line.reason) for line in found.open] == [("stale", "judged under task revision 1, to be judged again")] * 2


def test_evidence_that_does_not_count_any_more_takes_its_claim_back_to_open() -> None:
    found = rejudge([claim(1, ONE)], 2, BOTH, {ONE: replace(packet(1), status="superseded")}.get)
    assert [(line.standing, line.reason) for line in found.open] == [("stale", f"{ONE} is superseded, to be judged again")]


def test_a_claim_is_not_shown_when_any_of_its_evidence_is_not_permitted() -> None:
    found = rejudge([claim(1, ONE, TWO), claim(2, TWO, standing=Standing.OPEN)], 2, frozenset((ONE,)), nowhere)
    assert (found.facts, found.open) == ((), ())
    assert {left.reason for left in found.left} == {"evidence not available"}
