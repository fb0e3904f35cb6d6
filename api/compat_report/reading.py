"""Reads one projected input: the task section, the progress section and the packets, by the documented grammar and nothing else."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from api.compat_report.exclusions import Exclusion, parse_exclusion
from api.compat_report.model import Side, Value, Version
from api.compat_report.pointers import format_address
from api.compat_report.view import MISSING, Child, Missing, Shown, View
from api.tools import PlainValue
from projector import PacketText, parse_errors, parse_packets, parse_sections

ReadValue = Callable[[PacketText], PlainValue]
_NO_RESOURCE = re.compile(r"there is no resource '([^']+)'")
_COMPARE = re.compile(r"compare: (.+)@(\d+) -> (.+)@(\d+)", re.DOTALL)
CHARS_PER_TOKEN = 3
"""Fewer than tokenizers reach on such text, so that an estimate by it is an upper bound in practice."""
PACKET_TOKENS = 110
"""The lines around an excerpt."""


class NoComparison(ValueError):
    """The task section does not say which two revisions to compare."""


@dataclass(frozen=True, slots=True)
class Versions:
    """The two revisions that the task compares."""

    old: Version
    new: Version

    def of(self, side: Side) -> Version:
        return self.old if side == "old" else self.new


@dataclass(frozen=True, slots=True)
class Listed:
    """A subject as the progress section lists it."""

    subject: str
    state: str
    next: str


@dataclass(frozen=True, slots=True)
class Input:
    """All that the agent knows in one step."""

    versions: Versions
    exclusions: tuple[Exclusion, ...]
    items: tuple[Listed, ...]
    counts: dict[str, int]
    old: View
    new: View
    tokens: dict[str, int]
    """Estimated tokens of each packet, by id."""

    def view(self, side: Side) -> View:
        return self.old if side == "old" else self.new


def read_input(text: str, read_value: ReadValue) -> Input:
    """Raises NoComparison, or MalformedText for a section or packet that breaks off."""
    task = parse_sections(text).task
    if task is None:
        raise NoComparison("there is no task section")
    versions = find_versions(task.constraints)
    progress = parse_sections(_last_section(text, "[progress]")).progress
    packets = parse_packets(text)
    gone = dict.fromkeys(found[1] for error in parse_errors(text) if (found := _NO_RESOURCE.match(error.message)))
    old, new = View("old", versions.old.resource, absent=gone), View("new", versions.new.resource, absent=gone)
    for packet in packets:
        for view, version in ((old, versions.old), (new, versions.new)):
            file = _find_file(packet, version, versions)
            shown = None if file is None else read_packet(packet, read_value, file)
            if shown is not None:
                view.add((shown,))
    rules = tuple(rule for rule in map(parse_exclusion, task.excluded) if rule is not None)
    items = tuple(Listed(item.subject, item.state.value, item.next) for item in progress.items) if progress else ()
    counts = dict(progress.counts) if progress else {}
    return Input(versions, rules, items, counts, old, new, {packet.id: _estimate(packet) for packet in packets})


def _find_file(packet: PacketText, version: Version, versions: Versions) -> str | None:
    """Which file of this version a packet shows: empty for the document itself, None when it is of the other version.

    A run reads any other resource at the one revision that it is pinned to.
    """
    if packet.resource == version.resource:
        return "" if packet.revision == version.revision else None
    return None if packet.resource in (versions.old.resource, versions.new.resource) else str(packet.resource)


def find_versions(constraints: Sequence[str]) -> Versions:
    """From the line `compare: RESOURCE@A -> RESOURCE@B`."""
    for line in constraints:
        found = _COMPARE.fullmatch(line)
        if found is not None:
            return Versions(Version(found[1], int(found[2])), Version(found[3], int(found[4])))
    raise NoComparison("the task has no constraint `compare: RESOURCE@A -> RESOURCE@B`")


def read_packet(packet: PacketText, read_value: ReadValue, file: str = "") -> Shown | None:
    """What a packet shows of a place; None for lines, bytes and quotes, and for passages that are cut."""
    if packet.selector.kind != "pointer":
        return None
    pointer = format_address(file, packet.selector.text)
    if packet.outline is not None:
        children = {
            entry.token: Child(entry.type, entry.size, entry.n_children, entry.keys if entry.type == "object" else ())
            for entry in packet.outline.entries
        }
        return Shown(
            packet.id,
            pointer,
            "",
            children=children,
            is_array=packet.outline.type == "array",
            n_children=packet.outline.n_children,
            first=packet.outline.first,
            next=packet.next,
        )
    if packet.excerpt == "" and packet.cut is None:
        return Shown(packet.id, pointer, "", value=None)  # in YAML a null may be spelled by no character at all
    if packet.cut is not None or packet.excerpt is None:
        return Shown(packet.id, pointer, packet.excerpt or "", whole=False)
    value = _find_value(packet, read_value)
    if isinstance(value, Missing):
        return Shown(packet.id, pointer, packet.excerpt, whole=False)
    if any(name.startswith("keys/") for name in packet.transforms):
        names = tuple(str(name) for name in value) if isinstance(value, list) else ()
        return Shown(packet.id, pointer, packet.excerpt, names=names)
    return Shown(packet.id, pointer, packet.excerpt, value=value)


def _find_value(packet: PacketText, read_value: ReadValue) -> Value | Missing:
    """MISSING for an excerpt that has no value of its own, such as one with a YAML alias whose anchor stands elsewhere."""
    try:
        return cast("Value", read_value(packet))
    except Exception as why:
        # The reader's errors belong to the store, which this package may not import; all of them carry a code.
        if not hasattr(why, "error_code"):
            raise
        return MISSING


def _last_section(text: str, head: str) -> str:
    """From the last section of this name on: an input that grew at its end may hold older states before it."""
    at = f"\n{text}".rfind(f"\n{head}\n")
    return "" if at < 0 else text[at:]


def _estimate(packet: PacketText) -> int:
    entries = packet.outline.entries if packet.outline is not None else ()
    chars = len(packet.excerpt or "") + sum(60 + len(entry.token) + sum(map(len, entry.keys)) for entry in entries)
    return PACKET_TOKENS + chars // CHARS_PER_TOKEN
