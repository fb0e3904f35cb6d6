"""Which evidence the parts of a step name in their words, beside what they cite: who may not see it may not read them."""

from collections.abc import Iterable
from dataclasses import replace

from evidence_store.model import ClaimView, EvidenceId, ProgressItem
from projector.compact import ids_in
from projector.model import Candidate


def named_by_claim(claim: ClaimView) -> tuple[EvidenceId, ...]:
    """What it cites, and what it names in its words or in what it is about."""
    about = claim.about
    words = (claim.text, claim.reason, about.resource, about.pointer or "", about.aspect)
    return tuple(dict.fromkeys((*(citation.evidence for citation in claim.citations), *_in(words))))


def named_in_progress(item: ProgressItem) -> tuple[EvidenceId, ...]:
    """What it names in its words; its own evidence apart."""
    return _in((item.subject, item.next, *item.uses))


def named_by_candidate(candidate: Candidate) -> tuple[EvidenceId, ...]:
    return _in((candidate.text, candidate.source, candidate.about))


def named_by_result(text: str) -> tuple[EvidenceId, ...]:
    """What a result names, but for the excerpts of packets: these are a source's own words, and stand or fall with their packet."""
    if "ev_" not in text:
        return ()
    quoted = "[evidence ev_" in text
    return ids_in("\n".join(line for line in text.split("\n") if not line.startswith("| ")) if quoted else text)


def visible_progress(items: Iterable[ProgressItem], permitted: frozenset[EvidenceId]) -> tuple[ProgressItem, ...]:
    """Without items whose words name what the principal may not see; of the others without the ids of that."""
    shown = (item for item in items if permitted.issuperset(named_in_progress(item)))
    return tuple(_without(item, permitted) for item in shown)


def visible_claims(claims: Iterable[ClaimView], permitted: frozenset[EvidenceId]) -> tuple[ClaimView, ...]:
    """Those that neither cite nor name what the principal may not see."""
    return tuple(claim for claim in claims if permitted.issuperset(named_by_claim(claim)))


def visible_candidates(candidates: Iterable[Candidate], permitted: frozenset[EvidenceId]) -> tuple[Candidate, ...]:
    return tuple(one for one in candidates if permitted.issuperset(named_by_candidate(one)))


def _without(item: ProgressItem, permitted: frozenset[EvidenceId]) -> ProgressItem:
    kept = tuple(evidence for evidence in item.evidence if evidence in permitted)
    return item if len(kept) == len(item.evidence) else replace(item, evidence=kept)


def _in(words: Iterable[str]) -> tuple[EvidenceId, ...]:
    return tuple(dict.fromkeys(id_ for text in words if "ev_" in text for id_ in ids_in(text)))
