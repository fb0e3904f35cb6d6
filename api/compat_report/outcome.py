"""What a run has left, read back through the tools: claims with their standing, progress, and the evidence that is cited."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from api.compat_report.model import Argument
from projector import PacketText, parse_packets

CallTool = Callable[[str, Mapping[str, Argument]], str]
"""Calls a tool by name and gives its answer as text."""
_NEXT = re.compile(r"^next: (\{.*\})$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CitedEvidence:
    """One citation of a claim."""

    evidence: str
    role: str


@dataclass(frozen=True, slots=True)
class RecordedClaim:
    """A claim as `list_claims` gives it."""

    id: str
    standing: str
    text: str
    resource: str
    pointer: str
    aspect: str
    """The id of the rule."""
    citations: tuple[CitedEvidence, ...]
    reason: str = ""
    scope_rule: str = ""
    checker: str = ""

    def ids(self, *roles: str) -> tuple[str, ...]:
        """The evidence cited in these roles."""
        return tuple(one.evidence for one in self.citations if one.role in roles)


@dataclass(frozen=True, slots=True)
class RecordedSubject:
    """A subject as `get_progress` gives it."""

    name: str
    state: str
    evidence: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that the report is made from."""

    claims: tuple[RecordedClaim, ...]
    subjects: tuple[RecordedSubject, ...]
    packets: Mapping[str, PacketText]
    """The cited evidence by id."""


def collect_outcome(call: CallTool) -> Outcome:
    """Reads everything through the tools, page by page."""
    claims = tuple(map(_claim, _lines(call, "list_claims")))
    subjects = tuple(map(_subject, _lines(call, "get_progress")))
    packets: dict[str, PacketText] = {}
    for one in dict.fromkeys(citation.evidence for claim in claims for citation in claim.citations):
        packets |= {packet.id: packet for packet in parse_packets(call("get_evidence", {"id": one}))}
    return Outcome(claims, subjects, packets)


def _lines(call: CallTool, tool: str) -> Iterator[Mapping[str, Any]]:
    arguments: dict[str, Argument] = {"limit": 1000}
    while True:
        answer = call(tool, arguments)
        yield from (json.loads(line.removeprefix("- ")) for line in answer.split("\n") if line.startswith(("{", "- {")))
        following = _NEXT.search(answer)
        if following is None:
            return
        arguments = {**arguments, **json.loads(following[1])}


def _claim(line: Mapping[str, Any]) -> RecordedClaim:
    about = line["about"]
    return RecordedClaim(
        id=line["claim"],
        standing=line["standing"],
        text=line["text"],
        resource=about["resource"],
        pointer=about.get("pointer") or "",
        aspect=about.get("aspect") or "",
        citations=tuple(CitedEvidence(one["evidence"], one["role"]) for one in line.get("citations", ())),
        reason=line.get("reason", ""),
        scope_rule=line.get("scope_rule", ""),
        checker=line.get("checker", ""),
    )


def _subject(line: Mapping[str, Any]) -> RecordedSubject:
    return RecordedSubject(line["subject"], line["state"], tuple(line.get("evidence", ())), tuple(line.get("uses", ())))
