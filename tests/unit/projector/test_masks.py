"""Evidence that a principal may know of and not read: it shows where it stands, and nothing of what it says."""

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence_store.model import Cut, EvidenceId, Hop, LabelPolicy, Outline, OutlineEntry, Packet, Selector, Span, Standing, masked_packet
from projector import GivenEvidence, MaskingGate, Need, Principal, Projected, Withheld, counter_for, project, receipt_json
from projector.model import Projection, Step
from projector.permission import Permission, only_masked
from projector.render.packets import format_packet, packet_text
from tests.unit.projector.render.strategies import text
from tests.unit.projector.steps import claim, content, evidence_id, exchange, item, packet, projection, step, user

SECRET = "pay 4711 to Ms Ashgrove"
POLICIES = {"pii": LabelPolicy.MASKED, "ops": LabelPolicy.MASKED, "vault": LabelPolicy.HIDDEN}
OUTLINE = Outline("object", 1, 0, (OutlineEntry("ashgrove", "string", 9, None, (), '"4711"'),))


def guarded(number: int, *labels: str, excerpt: str = SECRET) -> Packet:
    return packet(number, excerpt, labels=labels)


def seen(made: Step, *more: Packet) -> Projection:
    given_ = [one for one in made.evidence if isinstance(one, Packet)]
    given_ += [one for packets in made.results.values() for one in packets]
    world = GivenEvidence([*given_, *more], POLICIES)
    found = project(made, world, counter_for(made.profile.counter), world)
    assert isinstance(found, Projected), found
    return found.projection


@pytest.mark.parametrize(
    ("labels", "cleared", "masked"),
    [
        ((), (), False),
        (("pii",), (), True),
        (("pii",), ("pii",), False),
        (("pii", "ops"), ("ops",), True),
        (("pii", "vault"), (), False),
        (("pii", "vault"), ("vault",), True),
        (("unknown",), (), False),
    ],
)
def test_it_is_masked_only_where_each_label_that_is_lacking_masks(labels: tuple[str, ...], cleared: tuple[str, ...], masked: bool) -> None:
    assert only_masked(labels, Principal(cleared), POLICIES) is masked


@given(text)
def test_a_mask_is_never_longer_than_what_it_masks(excerpt: str) -> None:
    whole = packet(1, excerpt)
    mask = masked_packet(whole)
    assert len(mask.excerpt) <= len(excerpt)
    assert mask.excerpt in ("", "[masked]")
    assert masked_packet(mask) == mask
    assert (mask.resource, mask.pointer, mask.lines, mask.size, mask.span) == (whole.resource, whole.pointer, whole.lines, 1000, whole.span)


def test_no_byte_of_the_source_is_left_in_a_mask() -> None:
    whole = replace(
        packet(1, SECRET),
        selector=Selector("quote", SECRET),
        outline=OUTLINE,
        cut=Cut(Span(0, 4), 9, 1),
        hops=(Hop("ref", Span(5, 9)),),
        transforms=('search/1 "4711"',),
        next="--children 4711-4712",
        value=SECRET.encode(),
        match=Span(4, 8),
    )
    mask = masked_packet(whole)
    assert "4711" not in repr(mask)
    assert "Ashgrove" not in repr(mask)
    assert (mask.value, mask.digest, mask.transforms, mask.shown_in_full) == (None, "", ("masked/1",), False)
    assert packet_text(mask).selector.kind == "lines"
    assert len(format_packet(mask)) < len(format_packet(whole))


def test_masked_evidence_shows_where_it_stands() -> None:
    made = seen(step(evidence=(guarded(1, "pii"), evidence_id(2))), guarded(2, "ops"))
    assert SECRET not in content(made)
    assert content(made).count("transforms: masked/1\nexcerpt: 1 line\n| [masked]\n") == 2
    assert made.evidence == (evidence_id(1), evidence_id(2))
    assert made.receipt.withheld == Withheld(masked=2)


def test_hidden_evidence_looks_like_what_is_not_there() -> None:
    hidden, absent = seen(step(evidence=(evidence_id(1),)), guarded(1, "vault", "pii")), seen(step(evidence=(evidence_id(1),)))
    assert hidden == absent
    assert hidden.receipt.withheld == Withheld(not_available=1)


def test_who_is_cleared_sees_all_and_the_receipt_tells_of_nothing_withheld() -> None:
    made = seen(step(evidence=(guarded(1, "pii"),), principal=Principal(("pii",))))
    assert SECRET in content(made)
    assert "withheld" not in receipt_json(made.receipt)


def test_claims_that_cite_masked_or_hidden_evidence_are_counted_and_not_shown() -> None:
    claims = (
        claim(1, evidence_id(1), text="it is 4711"),
        claim(2, evidence_id(2), standing=Standing.OPEN, text="is it 4711?"),
        claim(3, evidence_id(3)),
    )
    made = seen(step(claims=claims, evidence=(guarded(1, "pii"), guarded(2, "vault"), packet(3))))
    assert "4711" not in str(made.messages)
    assert "C3" in content(made)
    assert receipt_json(made.receipt)["withheld"] == {"not_available": 1, "masked": 1, "claims": 2}


def test_a_need_of_a_claim_does_not_lead_to_what_it_cites() -> None:
    made = seen(step(claims=(claim(1, evidence_id(1)),), needs=(Need("claim", "C1"),)), guarded(1, "pii"))
    assert [one.unmet for one in made.unmet] == ["its evidence is not available"]
    assert made.evidence == ()


def test_a_need_of_a_resource_is_met_by_a_mask() -> None:
    made = seen(step(needs=(Need("resource", "api/v2.json"),), evidence=(guarded(1, "pii"),)))
    assert (made.unmet, made.evidence) == ((), (evidence_id(1),))


def test_a_result_with_masked_evidence_is_withheld_and_counted() -> None:
    whole = guarded(1, "pii")
    made = seen(step(messages=(user("go"), *exchange("a", text=format_packet(whole))), results={"a": (whole,)}))
    assert [one["content"] for one in made.messages if one["role"] == "tool"] == ["withheld"]
    assert made.receipt.withheld == Withheld(results=1)
    assert SECRET not in str(made.messages)


def test_progress_does_not_name_it() -> None:
    made = seen(step(progress=(item("get /a"), replace(item("get /b"), evidence=(evidence_id(1),)))), guarded(1, "pii"))
    assert f'"evidence":["{evidence_id(1)}"]' not in content(made)


class Changing:
    """A gate whose answers run out: permitted, then masked, then hidden."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)

    def permitted(self, ids: Iterable[EvidenceId], principal: Principal) -> frozenset[EvidenceId]:
        self.now = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return frozenset(ids) if self.now == "permitted" else frozenset()

    def masked(self, ids: Iterable[EvidenceId], principal: Principal) -> frozenset[EvidenceId]:
        return frozenset(ids) if self.now == "masked" else frozenset()


@pytest.mark.parametrize(
    ("then", "still", "permitted", "masked"),
    [("permitted", True, 1, 0), ("masked", False, 0, 1), ("hidden", False, 0, 0)],
)
def test_what_was_permitted_may_become_a_mask_or_nothing(then: str, still: bool, permitted: int, masked: int) -> None:
    gate = Changing("permitted", then)
    assert isinstance(gate, MaskingGate)
    permission, ids = Permission(gate, Principal()), (evidence_id(1),)
    assert permission.permitted(ids)
    assert permission.still_allows(ids) is still
    assert (len(permission.permitted(ids)), len(permission.masked(ids))) == (permitted, masked)


@pytest.mark.parametrize(("then", "still", "masked"), [("permitted", True, 1), ("masked", True, 1), ("hidden", False, 0)])
def test_a_mask_never_becomes_more_while_an_input_is_made(then: str, still: bool, masked: int) -> None:
    permission, ids = Permission(Changing("masked", then), Principal()), (evidence_id(1),)
    assert permission.masked(ids)
    assert permission.still_allows(ids) is still
    assert (len(permission.permitted(ids)), len(permission.masked(ids))) == (0, masked)


@given(st.booleans())
def test_a_gate_without_masks_hides(in_step: bool) -> None:
    given_ = guarded(1, "pii")
    made = projection(step(evidence=(given_ if in_step else given_.id,)), given_)
    assert (made.evidence, made.receipt.withheld.not_available) == ((), 1)
