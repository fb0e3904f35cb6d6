"""How `list_claims` writes claims and how it is asked for a page of them (docs/formats/input-sections.md): `C12-C140`, both included.

One form for the tool that answers, for the projector that prices the answer, and for whoever reads an input.
"""

import re
from dataclasses import dataclass

import orjson

from evidence_store.errors import JsonValue
from evidence_store.model import ClaimView
from projector.errors import MalformedText
from projector.render.scalars import escape_unseen, format_json

_NUMBER = "C([1-9][0-9]{0,14})"
_CLAIM = re.compile(_NUMBER)
_RANGE = re.compile(f"{_NUMBER}(?:-{_NUMBER})?")


@dataclass(frozen=True, slots=True)
class ClaimRange:
    """Claims by number, both ends included."""

    first: int
    last: int

    def __post_init__(self) -> None:
        if not 1 <= self.first <= self.last:
            raise MalformedText(f"no range of claims: from {self.first} to {self.last}")


def find_claim_number(claim: str) -> int | None:
    """The number in an id as the store gives it, None for any other."""
    found = _CLAIM.fullmatch(claim)
    return None if found is None else int(found[1])


def format_claim_range(found: ClaimRange) -> str:
    """`C12-C140`; one claim alone is `C12`."""
    return f"C{found.first}" if found.first == found.last else f"C{found.first}-C{found.last}"


def parse_claim_range(text: str) -> ClaimRange:
    """Inverse of `format_claim_range`; raises MalformedText."""
    found = _RANGE.fullmatch(text)
    if found is None:
        raise MalformedText(f"no range of claims: {text[:40]!r}; one looks like C12-C140")
    return ClaimRange(int(found[1]), int(found[2] or found[1]))


def format_recorded_claim(claim: ClaimView) -> str:
    """A line of `list_claims`: JSON with all citations and their roles, which the short form in an input leaves out."""
    about: dict[str, JsonValue] = {"resource": claim.about.resource, "pointer": claim.about.pointer, "aspect": claim.about.aspect}
    citations: list[JsonValue] = [{"evidence": one.evidence, "role": one.role} for one in claim.citations]
    line: dict[str, JsonValue] = {
        "claim": claim.id,
        "standing": claim.standing.value,
        "text": claim.text,
        "about": about,
        "citations": citations,
        "reason": claim.reason,
        "checker": claim.checker,
        "scope_rule": claim.scope_rule,
        "task_revision": claim.task_revision,
    }
    members = {name: value for name, value in line.items() if value not in (None, "")}
    try:
        return "- " + escape_unseen(orjson.dumps(members).decode())
    except TypeError:
        # half a surrogate pair
        return "- " + format_json(members)
