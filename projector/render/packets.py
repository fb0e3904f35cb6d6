"""Evidence packets as a model reads them, and tool errors beside them (docs/formats/packet-text.md).

`format_` and `parse_` are inverses for every text. Lines end at LF only; every line of an excerpt begins with `| `, and so does
what stands behind any other break in one; all else stands on one line (`scalars.py`). So no text of a source can forge a line of
the grammar, whatever its reader takes for a line end.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, cast, get_args

from evidence_store.errors import JsonValue
from evidence_store.model import (
    EvidenceId,
    Format,
    Kind,
    LineRange,
    Outline,
    OutlineEntry,
    Packet,
    ResourceName,
    Selector,
    SelectorKind,
    Span,
    Status,
)
from projector.errors import MalformedText
from projector.render.continuing import continuing_text
from projector.render.scalars import (
    fence_breaks,
    format_json,
    format_list,
    format_value,
    parse_json,
    parse_list,
    parse_value,
    unfence_breaks,
)


@dataclass(frozen=True, slots=True)
class CutText:
    """Which bytes of which selected range an excerpt shows."""

    shown: Span
    whole: Span


@dataclass(frozen=True, slots=True)
class AgeText:
    """That what is shown of a live resource is too old to tell how things are now. Both in seconds."""

    age_s: int
    max_age_s: int


@dataclass(frozen=True, slots=True)
class PacketText:
    """What the text form of a packet says: less than the packet, and all that a model was told."""

    id: EvidenceId
    resource: ResourceName
    revision: int
    selector: Selector
    lines: LineRange
    column: int | None
    """0-based, in characters; None when the excerpt has one line or is an outline."""
    format: Format
    status: Status
    scope: str
    transforms: tuple[str, ...]
    excerpt: str | None
    """None when an outline stands in its place."""
    cut: CutText | None
    outline: Outline | None
    next: str | None
    kind: Kind = Kind.OBSERVATION
    age: AgeText | None = None
    """None while it is not past its greatest age, or where nobody looked."""


@dataclass(frozen=True, slots=True)
class ErrorText:
    """What the text form of a tool error says."""

    code: str
    message: str
    retry: bool
    """Whether another input can succeed."""
    details: tuple[tuple[str, JsonValue], ...]


def packet_text(packet: Packet) -> PacketText:
    """What of a packet its text form says."""
    lines = packet.lines
    selector = Selector("lines", f"{lines.first}-{lines.last}") if packet.selector.kind == "lines" else packet.selector
    outlined = packet.outline is not None
    cut = CutText(packet.cut.shown, packet.cut.whole or packet.span) if packet.cut is not None and not outlined else None
    many = not outlined and len(_excerpt_lines(packet.excerpt)) > 1
    return PacketText(
        id=packet.id,
        resource=packet.resource,
        revision=packet.revision,
        selector=selector,
        lines=lines,
        column=packet.column if many else None,
        format=packet.format,
        status=packet.status,
        scope=packet.scope,
        transforms=packet.transforms,
        excerpt=None if outlined else packet.excerpt,
        cut=cut,
        outline=packet.outline,
        next=continuing_text(packet.next),
        kind=packet.kind,
        age=None if packet.age_s is None or packet.max_age_s is None else AgeText(packet.age_s, packet.max_age_s),
    )


def format_packet(packet: Packet) -> str:
    """The packet in its text form, with a line end after the last line."""
    return format_packet_text(packet_text(packet))


def format_hit(packet: Packet) -> str:
    """`- LINE "TEXT"`: the first line of a packet and what it shows, on one line; there to choose from, and no packet."""
    return f"- {packet.lines.first} {format_json((packet.excerpt or '').removesuffix(chr(10)))}\n"


def format_packet_in_options(packet: Packet) -> str:
    """The same for who reads it at the command line: what continues is an option there."""
    return format_packet_text(replace(packet_text(packet), next=packet.next))


def format_packet_text(text: PacketText) -> str:
    """Inverse of `parse_packets` for one packet."""
    lines = [f"[evidence {text.id}]", f"resource: {format_value(text.resource)}", f"revision: {text.revision}"]
    if text.selector.kind != "lines":
        lines.append(f"{text.selector.kind}: {format_value(text.selector.text)}")
    lines.append(f"lines: {text.lines.first}-{text.lines.last}")
    if text.column is not None:
        lines.append(f"column: {text.column}")
    lines += [f"format: {text.format.value}", f"status: {text.status}"]
    if text.kind is not Kind.OBSERVATION:
        lines.append(f"kind: {text.kind.value}")
    if text.age is not None:
        lines.append(f"age: {text.age.age_s} s, over its maximum of {text.age.max_age_s} s")
    if text.scope:
        lines.append(f"scope: {format_value(text.scope)}")
    if text.transforms:
        lines.append(f"transforms: {format_list(text.transforms)}")
    lines += _outline_lines(text.outline, text.next) if text.outline is not None else _body_lines(text)
    lines.append(f"[end {text.id}]\n")
    return "\n".join(lines)


def _excerpt_lines(excerpt: str) -> list[str]:
    lines = excerpt.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _body_lines(text: PacketText) -> list[str]:
    excerpt = text.excerpt or ""
    lines = _excerpt_lines(excerpt)
    head = f"excerpt: {len(lines)} line{'' if len(lines) == 1 else 's'}"
    if excerpt.endswith("\n"):
        head += ", ends with newline"
    if text.cut is not None:
        shown, whole = text.cut.shown, text.cut.whole
        head += f", cut: bytes {shown.start}-{shown.end} of {whole.start}-{whole.end}"
    return [head + _format_next(text.next), *(f"| {fence_breaks(line)}" for line in lines)]


def _format_next(option: str | None) -> str:
    return "" if option is None else f", next {format_value(option)}"


def _outline_lines(outline: Outline, option: str | None) -> list[str]:
    unit = "members" if outline.type == "object" else "items"
    last = outline.first + len(outline.entries) - 1
    shown = f"{outline.first}-{last} shown" if outline.entries else f"none shown from {outline.first}"
    return [
        f"outline: {outline.type}, {outline.n_children} {unit}, {shown}{_format_next(option)}",
        *map(_format_entry, outline.entries),
    ]


def _format_entry(entry: OutlineEntry) -> str:
    line = f"- {format_json(entry.token)} {entry.type} {'-' if entry.n_children is None else entry.n_children} {entry.size}"
    if entry.keys:
        return f"{line} {format_json(entry.keys)}"
    return line if entry.scalar is None else f"{line} {format_json(entry.scalar)}"


_ID = r"ev_[0-9a-z]+"
_HEAD = re.compile(rf"\[evidence ({_ID})\]")
_NUMBER = "([0-9]{1,18})"
_EXCERPT = re.compile(
    rf"{_NUMBER} lines?(, ends with newline)?(?:, cut: bytes {_NUMBER}-{_NUMBER} of {_NUMBER}-{_NUMBER})?(?:, next (.+))?", re.DOTALL
)
_OUTLINE = re.compile(
    rf"(object|array), {_NUMBER} (?:members|items), (?:{_NUMBER}-{_NUMBER} shown|none shown from {_NUMBER})(?:, next (.+))?", re.DOTALL
)
_AGE = re.compile(f"{_NUMBER} s, over its maximum of {_NUMBER} s")
_LINES, _WHOLE = re.compile(f"{_NUMBER}-{_NUMBER}"), re.compile(_NUMBER)
_ENTRY = re.compile(
    r'- ("(?:[^"\\]|\\.)*") (object|array|string|number|boolean|null) (-|[0-9]{1,18}) ([0-9]{1,18})(?: (\[.*\]|".*"))?', re.DOTALL
)
_SELECTORS: tuple[SelectorKind, ...] = ("pointer", "bytes", "quote")


class _Lines:
    """The lines of a text and how far they are read."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._at = 0

    def __bool__(self) -> bool:
        return self._at < len(self._lines)

    def take(self) -> str:
        if self._at >= len(self._lines):
            raise MalformedText("the text ends inside a packet", {"line": self._at})
        self._at += 1
        return self._lines[self._at - 1]

    def find(self, name: str) -> str | None:
        """The value of the field `name` when it stands on the next line."""
        if not self or not self._lines[self._at].startswith(f"{name}: "):
            return None
        return self.take()[len(name) + 2 :]

    def get(self, name: str) -> str:
        value = self.find(name)
        if value is None:
            raise self.fault(f"field {name!r} expected")
        return value

    def match(self, pattern: re.Pattern[str], text: str) -> re.Match[str]:
        found = pattern.fullmatch(text)
        if found is None:
            raise self.fault(f"cannot be read: {text[:80]!r}")
        return found

    def fault(self, text: str) -> MalformedText:
        return MalformedText(f"line {self._at + 1}: {text}", {"line": self._at + 1})


def parse_packets(text: str) -> tuple[PacketText, ...]:
    """All packets in a text, in order; lines outside packets are passed over. Raises MalformedText for a packet that breaks off."""
    return tuple(_iter_packets(_Lines(text)))


def _iter_packets(lines: _Lines) -> Iterator[PacketText]:
    while lines:
        head = _HEAD.fullmatch(lines.take())
        if head is not None:
            yield _parse_packet(EvidenceId(head[1]), lines)


def _parse_packet(evidence: EvidenceId, lines: _Lines) -> PacketText:
    resource = ResourceName(parse_value(lines.get("resource")))
    revision = _number(lines, lines.get("revision"))
    found = _find_selector(lines)
    spread = lines.match(_LINES, lines.get("lines"))
    column = lines.find("column")
    packet_format = lines.get("format")
    status = lines.get("status")
    if packet_format not in {member.value for member in Format} or status not in get_args(Status):
        raise lines.fault(f"unknown format or status: {packet_format!r}, {status!r}")
    kind = lines.find("kind")
    if kind not in (None, Kind.REFERENCE.value):
        raise lines.fault(f"unknown kind: {kind!r}")
    age = lines.find("age")
    found_age = None if age is None else lines.match(_AGE, age)
    scope = lines.find("scope")
    transforms = lines.find("transforms")
    body = _parse_body(lines)
    if lines.take() != f"[end {evidence}]":
        raise lines.fault(f"[end {evidence}] expected")
    return PacketText(
        id=evidence,
        resource=resource,
        revision=revision,
        selector=found or Selector("lines", f"{int(spread[1])}-{int(spread[2])}"),
        lines=LineRange(int(spread[1]), int(spread[2])),
        column=None if column is None else _number(lines, column),
        format=Format(packet_format),
        status=cast("Status", status),
        scope="" if scope is None else parse_value(scope),
        transforms=() if transforms is None else parse_list(transforms),
        excerpt=body.excerpt,
        cut=body.cut,
        outline=body.outline,
        next=body.next,
        kind=Kind.OBSERVATION if kind is None else Kind(kind),
        age=None if found_age is None else AgeText(int(found_age[1]), int(found_age[2])),
    )


def _number(lines: _Lines, text: str) -> int:
    return int(lines.match(_WHOLE, text)[0])


def _span(lines: _Lines, start: str, end: str) -> Span:
    if int(start) > int(end):
        raise lines.fault(f"no byte range: {start}-{end}")
    return Span(int(start), int(end))


def _find_selector(lines: _Lines) -> Selector | None:
    for kind in _SELECTORS:
        value = lines.find(kind)
        if value is not None:
            return Selector(kind, parse_value(value))
    return None


@dataclass(frozen=True, slots=True)
class _Body:
    excerpt: str | None
    cut: CutText | None
    outline: Outline | None
    next: str | None


def _parse_body(lines: _Lines) -> _Body:
    outlined = lines.find("outline")
    if outlined is not None:
        return _parse_outline(lines, lines.match(_OUTLINE, outlined))
    head = lines.match(_EXCERPT, lines.get("excerpt"))
    shown: list[str] = []
    for _ in range(int(head[1])):
        line = lines.take()
        if not line.startswith("| "):
            raise lines.fault("a line of the excerpt expected")
        shown.append(line[2:])
    cut = CutText(_span(lines, head[3], head[4]), _span(lines, head[5], head[6])) if head[3] else None
    excerpt = unfence_breaks("\n".join(shown)) + ("\n" if head[2] else "")
    return _Body(excerpt, cut, None, parse_value(head[7]) if head[7] else None)


def _parse_outline(lines: _Lines, head: re.Match[str]) -> _Body:
    first = int(head[5] if head[5] is not None else head[3])
    n_entries = 0 if head[5] is not None else int(head[4]) - first + 1
    entries = tuple(_parse_entry(lines.match(_ENTRY, lines.take())) for _ in range(n_entries))
    outline = Outline(cast('Literal["object", "array"]', head[1]), int(head[2]), first, entries)
    return _Body(None, None, outline, parse_value(head[6]) if head[6] else None)


def _parse_entry(found: re.Match[str]) -> OutlineEntry:
    last = parse_json(found[5]) if found[5] else None
    return OutlineEntry(
        token=parse_value(found[1]),
        type=cast('Literal["object", "array", "string", "number", "boolean", "null"]', found[2]),
        size=int(found[4]),
        n_children=None if found[3] == "-" else int(found[3]),
        keys=tuple(str(key) for key in last) if isinstance(last, list) else (),
        scalar=last if isinstance(last, str) else None,
    )


_ERROR = re.compile(r"\[error ([a-z][a-z0-9_]*)\]")
_DETAIL = re.compile(r'([A-Za-z_][A-Za-z0-9_]*|"(?:[^"\\]|\\.)*"): (.*)', re.DOTALL)
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def format_error(code: str, message: str, details: Mapping[str, JsonValue], *, retry: bool) -> str:
    """A tool error in its text form; `details` keep their order and are JSON, one line each."""
    lines = [f"[error {code}]", f"message: {format_value(message)}", f"retry: {'yes' if retry else 'no'}"]
    lines += [f"{name if _PLAIN_NAME.fullmatch(name) else format_json(name)}: {format_json(value)}" for name, value in details.items()]
    return "\n".join([*lines, "[end error]\n"])


def parse_errors(text: str) -> tuple[ErrorText, ...]:
    """All tool errors in a text, in order; other lines are passed over. Raises MalformedText for one that breaks off."""
    return tuple(_iter_errors(_Lines(text)))


def _iter_errors(lines: _Lines) -> Iterator[ErrorText]:
    while lines:
        head = _ERROR.fullmatch(lines.take())
        if head is None:
            continue
        message, retry = parse_value(lines.get("message")), lines.get("retry")
        details: list[tuple[str, JsonValue]] = []
        while (line := lines.take()) != "[end error]":
            found = lines.match(_DETAIL, line)
            details.append((parse_value(found[1]), parse_json(found[2])))
        yield ErrorText(head[1], message, retry == "yes", tuple(details))
