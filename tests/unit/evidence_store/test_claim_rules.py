"""Claim rules: one reason for each way in which a claim cannot be verified or excluded."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from evidence_store.claim_rules import CitedFact, reasons_against, reasons_against_exclusion
from evidence_store.model import Basis, EvidenceId, Integrity, JudgementState, Kind, Lifecycle

RULE = "x-stability-level=beta"
SOUND = CitedFact(
    EvidenceId("ev_000000000001"),
    "support",
    Basis.OBSERVED,
    Lifecycle.ACTIVE,
    Integrity.OK,
    Kind.OBSERVATION,
    exposed=True,
    exposed_in_full=True,
    judgement=JudgementState.APPLIES,
    torn=False,
    texts=("maximum", "50"),
)
OTHER = replace(SOUND, id=EvidenceId("ev_000000000002"), texts=("maximum", "100"))


def against(*cited: CitedFact, text: str = "`maximum` is 50.", author: str = "agent", checker: str = "rule:grounding/1") -> tuple[str, ...]:
    return reasons_against(text, author, checker, cited)


def test_a_sound_claim_has_nothing_against_it() -> None:
    assert against(SOUND) == ()


def test_a_claim_without_citation_needs_no_further_reason() -> None:
    assert against() == ("no_citation",)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda fact: replace(fact, basis=Basis.ASSERTED), "only_asserted"),
        (lambda fact: replace(fact, lifecycle=Lifecycle.SUPERSEDED), "not_active:ev_000000000001"),
        (lambda fact: replace(fact, lifecycle=Lifecycle.ERASED), "not_active:ev_000000000001"),
        (lambda fact: replace(fact, integrity=Integrity.MISMATCH), "integrity:ev_000000000001"),
        (lambda fact: replace(fact, integrity=Integrity.MISSING), "integrity:ev_000000000001"),
        (lambda fact: replace(fact, integrity=Integrity.NOT_CHECKED), "integrity:ev_000000000001"),
        (lambda fact: replace(fact, exposed=False, exposed_in_full=False), "not_exposed:ev_000000000001"),
        (lambda fact: replace(fact, exposed_in_full=False), "not_exposed_in_full:ev_000000000001"),
        (lambda fact: replace(fact, judgement=JudgementState.UNJUDGED), "not_judged:ev_000000000001"),
        (lambda fact: replace(fact, judgement=JudgementState.STALE), "not_judged:ev_000000000001"),
        (lambda fact: replace(fact, torn=True), "incomplete_line:ev_000000000001"),
        (lambda fact: replace(fact, judgement=JudgementState.REJECTED), "rejected:ev_000000000001"),
        (lambda fact: replace(fact, kind=Kind.REFERENCE), "reference_only"),
        (lambda fact: replace(fact, role="old"), "one_sided"),
        (lambda fact: replace(fact, role="new"), "one_sided"),
        (lambda fact: replace(fact, texts=("maximum", "500")), "ungrounded:50"),
        (lambda fact: replace(fact, texts=("50",)), "ungrounded:maximum"),
    ],
)
def test_each_fault_has_its_own_reason_and_no_other(change: Callable[[CitedFact], CitedFact], reason: str) -> None:
    assert against(change(SOUND)) == (reason,)


def test_nobody_checks_his_own_claim() -> None:
    assert against(SOUND, author="human:ann", checker="human:ann") == ("self_checked",)


def test_several_faults_are_all_named() -> None:
    faulty = replace(SOUND, integrity=Integrity.MISMATCH, exposed=False, exposed_in_full=False, texts=())
    assert against(faulty) == (
        "integrity:ev_000000000001",
        "not_exposed:ev_000000000001",
        "ungrounded:maximum",
        "ungrounded:50",
    )


def test_one_faulty_citation_among_sound_ones_is_enough() -> None:
    assert against(SOUND, replace(OTHER, exposed_in_full=False)) == ("not_exposed_in_full:ev_000000000002",)


def test_a_reference_beside_an_observation_does_no_harm() -> None:
    assert against(SOUND, replace(OTHER, kind=Kind.REFERENCE, basis=Basis.ASSERTED)) == ()


@pytest.mark.parametrize(("first", "second"), [("old", "new"), ("old", "absent"), ("new", "absent")])
def test_a_change_has_evidence_of_both_sides(first: str, second: str) -> None:
    text = "`maximum` went from 100 to 50."
    sides = [replace(OTHER, role=first), replace(SOUND, role=second)]  # type: ignore[arg-type]  # literal members
    assert against(*sides, text=text) == ()
    assert "one_sided" in against(replace(sides[0], role="old"), replace(sides[1], role="old"), text=text)


def test_derived_evidence_supports_a_claim() -> None:
    assert against(replace(SOUND, basis=Basis.DERIVED)) == ()


def test_an_exclusion_with_its_rule_and_evidence_stands() -> None:
    assert reasons_against_exclusion(RULE, (RULE,), [replace(SOUND, role="scope")]) == ()


@pytest.mark.parametrize("rule", [None, "tag=Beta", "", RULE.upper()])
def test_an_exclusion_needs_a_rule_of_the_task_revision(rule: str | None) -> None:
    assert reasons_against_exclusion(rule, (RULE,), [replace(SOUND, role="scope")]) == ("no_scope_rule",)


def test_an_exclusion_needs_the_evidence_that_the_rule_matched() -> None:
    assert reasons_against_exclusion(RULE, (RULE,), []) == ("no_citation",)
    assert reasons_against_exclusion(RULE, (RULE,), [SOUND]) == ("no_citation",)


def test_the_evidence_of_an_exclusion_must_be_as_sound_as_any_other() -> None:
    unseen = replace(SOUND, role="scope", exposed=False, exposed_in_full=False)
    assert reasons_against_exclusion(RULE, (RULE,), [unseen]) == ("not_exposed:ev_000000000001",)
