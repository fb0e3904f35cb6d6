"""The sections of a projected input (docs/formats/input-sections.md): task, progress, facts, open, excluded, needs, evidence,
background, request.

`format_` and `parse_` are inverses for every text. Lines end at LF only. A section is read only between its own first and last
line; lines of a request that look like the grammar's are escaped, also behind what else a reader may take for a line end, and all
else stands on one line (`scalars.py`).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast, get_args

from evidence_store.errors import JsonValue
from evidence_store.model import About, EvidenceId, Pointer, ProgressItem, ProgressState, ResourceName, TaskName, TaskRevision
from projector.errors import MalformedText
from projector.model import NeedKind, NeedLine
from projector.render.packets import PacketText, parse_packets
from projector.render.scalars import BREAKS, format_json, format_value, parse_json, parse_value

ClaimSection = Literal["facts", "open", "excluded"]
CLAIM_SECTIONS: tuple[ClaimSection, ...] = ("facts", "open", "excluded")
NEED_KINDS: tuple[NeedKind, ...] = get_args(NeedKind)
EVIDENCE_HEAD = "[evidence of this step]\n"
EVIDENCE_END = "[end of evidence]\n"
UPDATE = "[update]\nWhat stands above holds, unless a line below says otherwise of the same subject or claim.\n[end update]\n"
"""Stands first in a message of sections that is appended to an input."""


@dataclass(frozen=True, slots=True)
class ProgressText:
    """The progress section: the items listed, and how many there are of each state."""

    items: tuple[ProgressItem, ...]
    counts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """A claim in one line."""

    id: str
    text: str
    evidence: tuple[EvidenceId, ...]
    about: About
    standing: str = ""
    """Only where the section does not say it: `conflicting`, or `stale` for what is to be judged again."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ClaimsText:
    """A section of claims: those listed, how many there are of each standing, and where the rest is."""

    lines: tuple[ClaimLine, ...]
    counts: tuple[tuple[str, int], ...]
    not_listed: tuple[tuple[str, int], ...] = ()
    """Claims left to `list_claims`, by resource."""
    pages: tuple[tuple[str, int], ...] = ()
    """The same by what `list_claims` takes as `claims`, so that one call brings any of them."""
    gone: tuple[str, ...] = ()
    """Ids of claims that stood in an earlier section and hold no longer."""


@dataclass(frozen=True, slots=True)
class BackgroundLine:
    """A piece of background: text that nobody has made evidence of."""

    text: str
    source: str = ""
    at: str = ""
    """When it was observed, as the caller writes times."""


@dataclass(frozen=True, slots=True)
class SectionsText:
    """All sections of a text; None where the section does not stand in it."""

    task: TaskRevision | None
    progress: ProgressText | None
    facts: ClaimsText | None
    open: ClaimsText | None
    excluded: ClaimsText | None
    needs: tuple[NeedLine, ...]
    evidence: tuple[PacketText, ...]
    background: tuple[BackgroundLine, ...]
    request: str | None

    @property
    def claims(self) -> tuple[tuple[ClaimSection, ClaimsText | None], ...]:
        """The three sections of claims, by name."""
        return (("facts", self.facts), ("open", self.open), ("excluded", self.excluded))


_LIKE_GRAMMAR = re.compile(rf"(?:(?<=[\n{BREAKS}])|\A)(?=[\[\\])")
_BEHIND_BREAK = re.compile(rf"(?:(?<=[\n{BREAKS}])|\A)\\")
_TASK_LISTS = (("in scope", "in_scope"), ("excluded", "excluded"), ("constraint", "constraints"), ("proposed", "proposed"))
_TASK_HEAD = re.compile(r"\[task (.+) revision ([0-9]{1,18})\]", re.DOTALL)


def format_task(task: TaskRevision) -> str:
    """The task section; ends with a line end, as all sections do."""
    lines = [f"[task {format_value(task.task)} revision {task.number}]", f"goal: {format_value(task.goal)}"]
    for label, attribute in _TASK_LISTS:
        lines += [f"{label}: {format_value(value)}" for value in getattr(task, attribute)]
    return "\n".join([*lines, "[end task]\n"])


def parse_task(text: str) -> TaskRevision:
    """The first task section of a text; raises MalformedText when there is none, or when it breaks off."""
    found = _find_body(text, _TASK_HEAD, "[end task]")
    if found is None:
        raise MalformedText("there is no task section")
    values: dict[str, list[str]] = {"goal": [], **{label: [] for label, _ in _TASK_LISTS}}
    for line in found.lines:
        label, colon, value = line.partition(": ")
        if not colon or label not in values:
            raise MalformedText(f"no line of a task section: {line[:80]!r}")
        values[label].append(parse_value(value))
    return TaskRevision(
        task=TaskName(parse_value(found.head[1])),
        number=int(found.head[2]),
        goal="".join(values["goal"]),
        in_scope=tuple(values["in scope"]),
        excluded=tuple(values["excluded"]),
        constraints=tuple(values["constraint"]),
        proposed=tuple(values["proposed"]),
    )


def format_progress(section: ProgressText) -> str:
    """The progress section."""
    return _section("progress", [f"- {format_progress_item(item)}" for item in section.items], section.counts)


def format_progress_item(item: ProgressItem) -> str:
    """One progress item as a line of JSON; empty members are left out."""
    members: dict[str, JsonValue] = {"subject": item.subject, "state": item.state.value}
    if item.evidence:
        members["evidence"] = item.evidence
    if item.next:
        members["next"] = item.next
    if item.uses:
        members["uses"] = item.uses
    return format_json(members)


def parse_progress_item(text: str) -> ProgressItem:
    """Inverse of `format_progress_item`; raises MalformedText."""
    members = _object(text)
    return ProgressItem(
        subject=_text(members, "subject"),
        state=_state(members),
        evidence=tuple(map(EvidenceId, _texts(members, "evidence"))),
        next=_text(members, "next", ""),
        uses=_texts(members, "uses"),
    )


def _state(members: Mapping[str, JsonValue]) -> ProgressState:
    state = _text(members, "state")
    try:
        return ProgressState(state)
    except ValueError as why:
        raise MalformedText(f"{state[:40]!r} is no state of progress") from why


def parse_progress(text: str) -> ProgressText | None:
    """The first progress section of a text, None when there is none; raises MalformedText."""
    found = _find_body(text, re.compile(r"\[progress\]"), "[end progress]")
    if found is None:
        return None
    return ProgressText(tuple(map(parse_progress_item, found.items())), found.counts("counts"))


def format_claims(name: ClaimSection, section: ClaimsText) -> str:
    """A section of claims: `facts`, `open` or `excluded`."""
    lines = [f"- {format_claim_line(line)}" for line in section.lines]
    return _section(name, lines, section.counts, section.not_listed, section.pages, section.gone)


def format_claim_line(line: ClaimLine) -> str:
    """A claim as a line of JSON; empty members are left out."""
    about: dict[str, JsonValue] = {"resource": line.about.resource}
    if line.about.pointer is not None:
        about["pointer"] = line.about.pointer
    if line.about.aspect:
        about["aspect"] = line.about.aspect
    members: dict[str, JsonValue] = {"claim": line.id, "text": line.text}
    if line.evidence:
        members["evidence"] = line.evidence
    members["about"] = about
    if line.standing:
        members["standing"] = line.standing
    if line.reason:
        members["reason"] = line.reason
    return format_json(members)


def parse_claim_line(text: str) -> ClaimLine:
    """Inverse of `format_claim_line`; raises MalformedText."""
    members = _object(text)
    about = members.get("about")
    if not isinstance(about, dict):
        raise MalformedText(f"no claim: {text[:80]!r}")
    return ClaimLine(
        id=_text(members, "claim"),
        text=_text(members, "text"),
        evidence=tuple(map(EvidenceId, _texts(members, "evidence"))),
        about=About(
            resource=ResourceName(_text(about, "resource")),
            pointer=Pointer(_text(about, "pointer")) if "pointer" in about else None,
            aspect=_text(about, "aspect", ""),
        ),
        standing=_text(members, "standing", ""),
        reason=_text(members, "reason", ""),
    )


def parse_claims(name: ClaimSection, text: str) -> ClaimsText | None:
    """The first section of this name in a text, None when there is none; raises MalformedText."""
    found = _find_body(text, re.compile(rf"\[{name}\]"), f"[end {name}]")
    if found is None:
        return None
    return ClaimsText(
        lines=tuple(map(parse_claim_line, found.items())),
        counts=found.counts("counts"),
        not_listed=found.counts("not listed"),
        pages=found.counts("pages"),
        gone=found.texts("no longer"),
    )


def format_needs(needs: Sequence[NeedLine], *, always: bool = False) -> str:
    """The section of unmet needs; the empty text when all are met, unless that has to be told."""
    if not needs and not always:
        return ""
    return _section("needs", [f"- {format_json({need.kind: need.name, 'unmet': need.unmet})}" for need in needs])


def parse_needs(text: str) -> tuple[NeedLine, ...]:
    """The unmet needs of a text; raises MalformedText."""
    found = _find_body(text, re.compile(r"\[needs\]"), "[end needs]")
    return () if found is None else tuple(map(_parse_need, found.items()))


def _parse_need(text: str) -> NeedLine:
    members = _object(text)
    for kind in NEED_KINDS:
        if kind in members:
            return NeedLine(kind, _text(members, kind), _text(members, "unmet"))
    raise MalformedText(f"no need: {text[:80]!r}")


def format_evidence(packets: Iterable[str]) -> str:
    """The evidence section around packets that are already in text form."""
    return "".join([EVIDENCE_HEAD, *packets, EVIDENCE_END])


def format_background(lines: Iterable[BackgroundLine]) -> str:
    """The section of background; the empty text when there is none."""
    items = [f"- {format_background_line(line)}" for line in lines]
    return _section("background", items) if items else ""


def format_background_line(line: BackgroundLine) -> str:
    """A piece of background as a line of JSON; empty members are left out."""
    members = {"text": line.text, "source": line.source, "at": line.at}
    return format_json({name: value for name, value in members.items() if value or name == "text"})


def parse_background(text: str) -> tuple[BackgroundLine, ...]:
    """The background of a text; raises MalformedText."""
    found = _find_body(text, re.compile(r"\[background\]"), "[end background]")
    if found is None:
        return ()
    items = [_object(item) for item in found.items()]
    return tuple(BackgroundLine(_text(item, "text"), _text(item, "source", ""), _text(item, "at", "")) for item in items)


def format_request(text: str) -> str:
    """The request section. What begins with `[` or a backslash at a line start, or behind any break, gets a backslash in front."""
    return "\n".join(["[request]", _LIKE_GRAMMAR.sub(r"\\", text), "[end request]\n"])


def parse_request(text: str) -> str | None:
    """The first request of a text, None when there is none; raises MalformedText."""
    found = _find_body(text, re.compile(r"\[request\]"), "[end request]")
    if found is None:
        return None
    return _BEHIND_BREAK.sub("", "\n".join(found.lines))


def parse_sections(text: str) -> SectionsText:
    """All sections of a text: of one message, or of the system message and the last one joined. Raises MalformedText."""
    lines = text.split("\n")
    has_task = any(_TASK_HEAD.fullmatch(line) for line in lines)
    evidence = _find_body(text, re.compile(re.escape(EVIDENCE_HEAD.rstrip())), EVIDENCE_END.rstrip())
    return SectionsText(
        task=parse_task(text) if has_task else None,
        progress=parse_progress(text),
        facts=parse_claims("facts", text),
        open=parse_claims("open", text),
        excluded=parse_claims("excluded", text),
        needs=parse_needs(text),
        evidence=() if evidence is None else parse_packets("\n".join(evidence.lines)),
        background=parse_background(text),
        request=parse_request(text),
    )


_Counts: TypeAlias = tuple[tuple[str, int], ...]


def _section(
    name: str, lines: list[str], counts: _Counts = (), not_listed: _Counts = (), pages: _Counts = (), gone: tuple[str, ...] = ()
) -> str:
    tails = (("counts", counts), ("not listed", not_listed), ("pages", pages))
    tail = [f"{label}: {format_json(dict(found))}" for label, found in tails if found]
    tail += [f"no longer: {format_json(gone)}"] if gone else []
    return "\n".join([f"[{name}]", *lines, *tail, f"[end {name}]\n"])


@dataclass(frozen=True, slots=True)
class _Found:
    """A section's head and the lines between head and end."""

    head: re.Match[str]
    lines: tuple[str, ...]

    def items(self) -> list[str]:
        return [line[2:] for line in self.lines if line.startswith("- ")]

    def texts(self, label: str) -> tuple[str, ...]:
        for line in self.lines:
            if line.startswith(f"{label}: "):
                value = parse_json(line[len(label) + 2 :])
                return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()
        return ()

    def counts(self, label: str) -> tuple[tuple[str, int], ...]:
        for line in self.lines:
            if line.startswith(f"{label}: "):
                return tuple((name, value) for name, value in _object(line[len(label) + 2 :]).items() if isinstance(value, int))
        return ()


def _find_body(text: str, head: re.Pattern[str], end: str) -> _Found | None:
    lines = text.split("\n")
    for at, line in enumerate(lines):
        found = head.fullmatch(line)
        if found is not None:
            if end not in lines[at:]:
                raise MalformedText(f"{line!r} has no {end!r}")
            return _Found(found, tuple(lines[at + 1 : lines.index(end, at)]))
    return None


def _object(text: str) -> Mapping[str, JsonValue]:
    value = parse_json(text)
    if not isinstance(value, dict):
        raise MalformedText(f"no JSON object: {text[:80]!r}")
    return cast("Mapping[str, JsonValue]", value)


def _text(members: Mapping[str, JsonValue], name: str, absent: str | None = None) -> str:
    value = members.get(name, absent)
    if not isinstance(value, str):
        raise MalformedText(f"member {name!r} is missing or no text")
    return value


def _texts(members: Mapping[str, JsonValue], name: str) -> tuple[str, ...]:
    value = members.get(name, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise MalformedText(f"member {name!r} is no list of texts")
    return tuple(cast("list[str]", value))
