"""When a claim may be verified or excluded: DESIGN's rules for claims, in one place, as functions of plain facts.

Each refusal has a reason code:

    no_citation            nothing is cited
    only_asserted          no cited evidence is observed or derived
    not_active:ID          a cited evidence is superseded or erased
    integrity:ID           its stored bytes do not match
    not_exposed:ID         the run was never shown it
    not_exposed_in_full:ID it was shown cut or as an outline
    not_judged:ID          nobody judged it under the claim's task revision
    rejected:ID            it was judged not to apply
    one_sided              a change with evidence of one side only
    incomplete_line:ID     it holds a line that breaks off where the text ends, which may have gone on
    reference_only         a claim about how things are that rests on reference alone
    ungrounded:TEXT        a number, quoted word or identifier that stands in no cited passage
    self_checked           the checker is the author
    no_scope_rule          an exclusion without a rule of the task revision
"""

from collections.abc import Sequence
from dataclasses import dataclass

from evidence_store.grounding import find_ungrounded
from evidence_store.model import Basis, CitationRole, EvidenceId, Integrity, JudgementState, Kind, Lifecycle


@dataclass(frozen=True, slots=True)
class CitedFact:
    """All that the rules need to know of one citation."""

    id: EvidenceId
    role: CitationRole
    basis: Basis
    lifecycle: Lifecycle
    integrity: Integrity
    kind: Kind
    exposed: bool
    exposed_in_full: bool
    judgement: JudgementState
    torn: bool
    """Whether it ends in a line of an observed text that has no line end, so that nobody knows how the line goes on."""
    texts: tuple[str, ...]
    """The cited bytes as text, the value of a scalar, and the tokens of its pointers."""


def reasons_against(text: str, author: str, checker: str, cited: Sequence[CitedFact]) -> tuple[str, ...]:
    """Why a claim cannot be verified; empty when it can."""
    if not cited:
        return ("no_citation",)
    reasons = [reason for fact in cited for reason in _against_citation(fact)]
    if all(fact.basis is Basis.ASSERTED for fact in cited):
        reasons.append("only_asserted")
    if all(fact.kind is Kind.REFERENCE for fact in cited):
        reasons.append("reference_only")
    if _is_one_sided({fact.role for fact in cited}):
        reasons.append("one_sided")
    sources = [source for fact in cited for source in fact.texts]
    reasons += [f"ungrounded:{needle.text}" for needle in find_ungrounded(text, sources)]
    if checker == author:
        reasons.append("self_checked")
    return tuple(dict.fromkeys(reasons))


def reasons_against_exclusion(scope_rule: str | None, excluded: Sequence[str], cited: Sequence[CitedFact]) -> tuple[str, ...]:
    """Why a claim cannot stand as excluded: it needs a rule of the task revision and the evidence that the rule matched."""
    reasons = [reason for fact in cited for reason in _against_citation(fact)]
    if scope_rule is None or scope_rule not in excluded:
        reasons.append("no_scope_rule")
    if not any(fact.role == "scope" for fact in cited):
        reasons.append("no_citation")
    return tuple(dict.fromkeys(reasons))


def _against_citation(fact: CitedFact) -> list[str]:
    reasons = []
    if fact.lifecycle is not Lifecycle.ACTIVE:
        reasons.append(f"not_active:{fact.id}")
    if fact.integrity is not Integrity.OK:
        reasons.append(f"integrity:{fact.id}")
    if not fact.exposed:
        reasons.append(f"not_exposed:{fact.id}")
    elif not fact.exposed_in_full:
        reasons.append(f"not_exposed_in_full:{fact.id}")
    if fact.judgement is JudgementState.REJECTED:
        reasons.append(f"rejected:{fact.id}")
    elif fact.judgement is not JudgementState.APPLIES:
        reasons.append(f"not_judged:{fact.id}")
    if fact.torn:
        reasons.append(f"incomplete_line:{fact.id}")
    return reasons


def _is_one_sided(roles: set[CitationRole]) -> bool:
    return bool(roles & {"old", "new"}) and len(roles & {"old", "new", "absent"}) < 2
