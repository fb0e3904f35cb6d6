"""The report in Markdown: each conclusion with its evidence on both sides, what was left out, what stays open, and what was covered.

No clock, port or store path stands in it, links are relative, and the order follows the old document, so that two runs over the same
bytes give the same bytes. A citation is a quote in quotation marks before `[ev_…]` on its line; what is quoted stands in the evidence.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from api.compat_report.affected import Conclusion, list_conclusions
from api.compat_report.model import Version
from api.compat_report.outcome import CitedEvidence, Outcome
from api.compat_report.pointers import split_pointer
from api.compat_report.subjects import METHODS, MORE, OperationSubject, parse_subject
from projector import PacketText

_MARKS = (('"', '"'), ("“", "”"), ("「", "」"), ("«", "»"))
_UNSAFE = ("<", "`", "[ev_", "](", "\r")
"""Where a quote ends at the latest: what a renderer would read as markup, or a reader as a citation."""
_SHARED = ("definitions", "parameters", "responses", "securityDefinitions")
"""Containers at the root of a Swagger 2.0 document."""
QUOTE_CHARS = 80
NAMED_OPERATIONS = 12
"""Operations named beside a conclusion; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Head:
    """What the report says of the task."""

    task: str
    task_revision: int
    goal: str
    old: Version
    new: Version
    excluded: tuple[str, ...] = ()
    """The scope rules of the task revision."""


def render_report(head: Head, outcome: Outcome) -> str:
    """The whole report; ends with a line end."""
    conclusions = list_conclusions(outcome)
    by_standing = {standing: [one for one in conclusions if one.claim.standing == standing] for standing in _standings(conclusions)}
    lines = [*_head(head, outcome, by_standing), ""]
    lines += _section("Breaking changes", by_standing.get("verified", []), outcome)
    lines += _section("Conflicting", by_standing.get("conflicting", []), outcome)
    lines += _section("Open questions", by_standing.get("open", []), outcome)
    lines += _section("Left out", by_standing.get("excluded", []), outcome)
    lines += _coverage(outcome)
    return "\n".join(lines) + "\n"


def _standings(conclusions: Iterable[Conclusion]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.claim.standing for one in conclusions))


def _head(head: Head, outcome: Outcome, by_standing: dict[str, list[Conclusion]]) -> list[str]:
    cited = {citation.evidence for claim in outcome.claims for citation in claim.citations}
    counts = ", ".join(f"{len(found)} {standing}" for standing, found in sorted(by_standing.items())) or "none"
    checkers = sorted({one.claim.checker for found in by_standing.values() for one in found if one.claim.checker})
    return [
        "# API compatibility report",
        "",
        f"> {_line(head.goal)}",
        "",
        f"- Task: `{head.task}`, revision {head.task_revision}",
        f"- Old: {_version(head.old)}",
        f"- New: {_version(head.new)}",
        f"- Scope rules: {', '.join(_code(rule) for rule in head.excluded) or 'none'}",
        f"- Claims: {counts}",
        f"- Checked by: {', '.join(_code(checker) for checker in checkers) or 'nobody'}",
        f"- Evidence cited: {len(cited)}",
        f"- Operations: {_operation_counts(outcome)}",
    ]


def _version(version: Version) -> str:
    return f"{_code(version.resource)}, revision {version.revision}"


def _operation_counts(outcome: Outcome) -> str:
    states = [subject.state for subject in outcome.subjects if isinstance(parse_subject(subject.name), OperationSubject)]
    done, excluded = states.count("done"), states.count("excluded")
    return f"{done} compared, {excluded} left out, {len(states) - done - excluded} not compared"


def _section(title: str, conclusions: Sequence[Conclusion], outcome: Outcome) -> list[str]:
    if not conclusions:
        return []
    groups: dict[str, list[Conclusion]] = {}
    for one in conclusions:
        groups.setdefault(find_group(one), []).append(one)
    order = {subject.name: at for at, subject in enumerate(outcome.subjects)}
    lines = [f"## {title}", ""]
    for group in sorted(groups, key=lambda name: (order.get(name, len(order)), name)):
        lines += [f"### {_code(group)}", ""]
        for one in groups[group]:
            lines += [*_conclusion(one, outcome, group), ""]
    return lines


def find_group(conclusion: Conclusion) -> str:
    """The operation or component that a conclusion stands under."""
    tokens = split_pointer(conclusion.claim.pointer)
    if tokens[:1] == ("paths",) and tokens[2:3] == (MORE,) and len(tokens) > 3:
        return f"{tokens[3]} {tokens[1]}"
    if tokens[:1] == ("paths",) and len(tokens) > 2:
        named = next((name for name in conclusion.operations if name.split(" ", 1)[-1] == tokens[1]), None)
        return f"{tokens[2]} {tokens[1]}" if tokens[2] in METHODS else named or tokens[1]
    if tokens[:1] == ("components",) and len(tokens) > 2:
        return f"{tokens[1]}/{tokens[2]}"
    if tokens[:1] and tokens[0] in _SHARED and len(tokens) > 1:
        return f"{tokens[0]}/{tokens[1]}"
    return conclusion.operations[0] if len(conclusion.operations) == 1 else "the document"


def _conclusion(conclusion: Conclusion, outcome: Outcome, group: str) -> Iterator[str]:
    claim = conclusion.claim
    rule = claim.scope_rule or claim.aspect
    yield f"- **{claim.id}** {claim.standing} · {_code(rule)} · {_line(claim.text)}"
    for citation in claim.citations:
        yield f"  - {_citation(citation, outcome.packets.get(citation.evidence))}"
    if claim.reason:
        yield f"  - reason: {_line(claim.reason).rstrip('.')}"
    if conclusion.operations and conclusion.operations != (group,):
        yield f"  - operations: {_operations(conclusion.operations)}"


def _operations(names: tuple[str, ...]) -> str:
    rest = len(names) - NAMED_OPERATIONS
    return ", ".join(_code(name) for name in names[:NAMED_OPERATIONS]) + (f" and {rest} more" if rest > 0 else "")


def _citation(citation: CitedEvidence, packet: PacketText | None) -> str:
    link = f"[{citation.evidence}](../evidence/{citation.evidence})"
    if packet is None:
        return f"{citation.role}: {link}"
    quote = find_quote(packet.excerpt or "")
    place = f"{_code(packet.resource)}@{packet.revision} {_code(packet.selector.text or '(the whole document)')}"
    names = " (names of its members)" if packet.transforms else ""
    return f"{citation.role}: {quote + ' ' if quote else ''}{link} · {place}{names}, {_spread(packet)}"


def _spread(packet: PacketText) -> str:
    first, last = packet.lines.first, packet.lines.last
    return f"line {first}" if first == last else f"lines {first}–{last}"


def find_quote(excerpt: str) -> str:
    """The beginning of the first line, in marks that do not stand in it; empty where nothing can be quoted."""
    line = excerpt.split("\n", 1)[0][:QUOTE_CHARS]
    piece = line[: min([at for mark in _UNSAFE if (at := line.find(mark)) >= 0], default=len(line))].rstrip()
    piece = "" if not piece.isprintable() else piece
    for opening, closing in _MARKS:
        if piece and opening not in piece and closing not in piece:
            return f"{opening}{piece}{closing}"
    return ""


def _coverage(outcome: Outcome) -> list[str]:
    lines = ["## Coverage", "", "| operation of the old version | state |", "|---|---|"]
    words = {"done": "compared", "excluded": "left out"}
    for subject in outcome.subjects:
        if isinstance(parse_subject(subject.name), OperationSubject):
            lines.append(f"| {_code(subject.name).replace('|', chr(92) + '|')} | {words.get(subject.state, 'not compared')} |")
    pairs = [subject for subject in outcome.subjects if " -> " in subject.name]
    done = sum(subject.state == "done" for subject in pairs)
    return [*lines, "", f"Shared schemas, parameters and bodies compared on their own: {done} of {len(pairs)}"]


def _line(text: str) -> str:
    """One line that cannot be read as a citation or as markup."""
    return " ".join(text.split()).replace("[ev_", "(ev_").replace("<", "&lt;")


def _code(text: str) -> str:
    """A code span around any text."""
    line = " ".join(text.split()).replace("[ev_", "(ev_")
    return f"`` {line} ``" if "`" in line else f"`{line}`"
