"""Which operations a claim touches: from the subject that cites its evidence, back along `uses`.

A passage of a shared schema is claimed once; the operations that rest on it stand beside it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from api.compat_report.outcome import Outcome, RecordedClaim, RecordedSubject
from api.compat_report.subjects import OperationSubject, PairSubject, parse_subject

_DIRECTIONS = {
    "request": "request",
    "request-value": "request",
    "parameter": "request",
    "body": "request",
    "response": "response",
    "response-value": "response",
    "result": "response",
}


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A claim with the operations that it touches, in the order of the old document."""

    claim: RecordedClaim
    operations: tuple[str, ...]


def list_conclusions(outcome: Outcome) -> tuple[Conclusion, ...]:
    """Every claim once, in the order of recording; the same sentence about the same evidence is one conclusion."""
    users = _find_users(outcome.subjects)
    order = {subject.name: at for at, subject in enumerate(outcome.subjects)}
    merged: dict[tuple[object, ...], tuple[RecordedClaim, dict[str, None]]] = {}
    for claim in outcome.claims:
        key = (claim.standing, claim.resource, claim.pointer, claim.aspect, claim.text, claim.citations)
        _, operations = merged.setdefault(key, (claim, {}))
        operations.update(dict.fromkeys(find_operations(claim, outcome.subjects, users)))
    return tuple(Conclusion(claim, tuple(sorted(found, key=lambda name: order[name]))) for claim, found in merged.values())


def find_operations(claim: RecordedClaim, subjects: Iterable[RecordedSubject], users: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The operations from which a subject that made this claim can be reached."""
    pending = [subject.name for subject in subjects if _made(subject, claim)]
    seen: dict[str, None] = {}
    while pending:
        name = pending.pop()
        if name not in seen:
            seen[name] = None
            pending += users.get(name, ())
    return tuple(name for name in seen if isinstance(parse_subject(name), OperationSubject))


def _find_users(subjects: Iterable[RecordedSubject]) -> dict[str, tuple[str, ...]]:
    """For each subject those that rest on it."""
    users: defaultdict[str, list[str]] = defaultdict(list)
    for subject in subjects:
        for used in subject.uses:
            users[used].append(subject.name)
    return {name: tuple(found) for name, found in users.items()}


def _made(subject: RecordedSubject, claim: RecordedClaim) -> bool:
    """Whether the claim rests on evidence of this subject and speaks of its direction."""
    cited = claim.ids("old", "new", "absent", "scope") or claim.ids("context")
    if not cited or not set(cited) <= set(subject.evidence):
        return False
    parsed = parse_subject(subject.name)
    direction = claim.aspect.partition("-")[0]
    if isinstance(parsed, PairSubject) and direction in ("request", "response"):
        return _DIRECTIONS.get(parsed.kind) == direction
    return parsed is not None
