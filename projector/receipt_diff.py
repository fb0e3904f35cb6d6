"""What two receipts differ in (docs/formats/receipt.md), section by section: what came in, what went out, what changed form or tokens.

A piece is known again by its section and name, and by its place among those of that name where several have it. A piece that stands
in another section now went out of the one and came into the other.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from evidence_store.errors import JsonValue
from projector.model import Kept, Receipt, Section
from projector.receipt import section_tokens
from projector.render.scalars import format_json, format_value

ChangeKind = Literal["in", "out", "form", "tokens"]
"""`form`: something else was done to it, such as results by reference; `tokens`: the same piece with other tokens."""
_SIGNS: Mapping[ChangeKind, str] = {"in": "+", "out": "-", "form": "~", "tokens": "="}


@dataclass(frozen=True, slots=True)
class PieceChange:
    """One piece that is not the same in both."""

    kind: ChangeKind
    name: str
    old: Kept | None
    new: Kept | None
    reason: str = ""
    """Why it is left out of the one that lacks it, where that receipt names it."""


@dataclass(frozen=True, slots=True)
class SectionDiff:
    section: Section
    old_tokens: int
    new_tokens: int
    changes: tuple[PieceChange, ...]


@dataclass(frozen=True, slots=True)
class ReceiptDiff:
    """Sections that differ in nothing are left out."""

    old_used: int
    new_used: int
    old_cap: int
    new_cap: int
    same_input: bool
    old_strategy: str
    """Empty where the receipt names none."""
    new_strategy: str
    sections: tuple[SectionDiff, ...]


def diff_receipts(old: Receipt, new: Receipt) -> ReceiptDiff:
    """What changed from one to the other; the two may be of different tasks, profiles and counters."""
    before, after = section_tokens(old), section_tokens(new)
    found = [
        SectionDiff(section, before.get(section, 0), after.get(section, 0), tuple(_iter_changes(old, new, section)))
        for section in dict.fromkeys(line.section for line in (*old.kept, *new.kept))
    ]
    return ReceiptDiff(
        old.used,
        new.used,
        old.budget.input_cap,
        new.budget.input_cap,
        old.input_digest == new.input_digest,
        _strategy(old),
        _strategy(new),
        tuple(one for one in found if one.changes),
    )


def _strategy(receipt: Receipt) -> str:
    """Its name, with what of it was changed."""
    used = receipt.strategy
    return "" if used is None else " ".join((used.name, *(f"{name}={format_json(value)}" for name, value in used.changed.items())))


def _pieces(receipt: Receipt, section: Section) -> dict[tuple[str, int], Kept]:
    """The lines of a section by name, and by place among those of the name."""
    seen: Counter[str] = Counter()
    pieces = {}
    for line in receipt.kept:
        if line.section == section:
            pieces[line.name, seen[line.name]] = line
            seen[line.name] += 1
    return pieces


def _iter_changes(old: Receipt, new: Receipt, section: Section) -> Iterator[PieceChange]:
    before, after = _pieces(old, section), _pieces(new, section)
    for key, line in before.items():
        name, now = key[0], after.get(key)
        if now is None:
            yield PieceChange("out", name, line, None, _reason(new, section, name))
        elif now.note != line.note:
            yield PieceChange("form", name, line, now)
        elif now.tokens != line.tokens:
            yield PieceChange("tokens", name, line, now)
    for key, line in after.items():
        if key not in before:
            yield PieceChange("in", key[0], None, line, _reason(old, section, key[0]))


def _reason(receipt: Receipt, section: Section, name: str) -> str:
    """Why a receipt left a piece out; a claim or an evidence may be named in another section than the one it would stand in."""
    lines = sorted((line for line in receipt.omitted if name in line.names), key=lambda line: line.section != section)
    return lines[0].reason if lines else ""


def receipt_diff_json(found: ReceiptDiff) -> dict[str, JsonValue]:
    """The difference as the format page has it."""
    return {
        "old": {"used": found.old_used, "input_cap": found.old_cap, "strategy": found.old_strategy},
        "new": {"used": found.new_used, "input_cap": found.new_cap, "strategy": found.new_strategy},
        "same_input": found.same_input,
        "sections": [
            {
                "section": one.section,
                "old_tokens": one.old_tokens,
                "new_tokens": one.new_tokens,
                "changes": [_change_json(change) for change in one.changes],
            }
            for one in found.sections
        ],
    }


def _change_json(change: PieceChange) -> dict[str, JsonValue]:
    return {
        "change": change.kind,
        "name": change.name,
        "old": _piece_json(change.old),
        "new": _piece_json(change.new),
        "reason": change.reason,
    }


def _piece_json(line: Kept | None) -> JsonValue:
    return None if line is None else {"tokens": line.tokens, "note": line.note}


def receipt_diff_text(found: ReceiptDiff) -> str:
    """For people: a line for each section, and one for each piece."""
    lines = [f"used {found.old_used} -> {found.new_used} tokens ({found.new_used - found.old_used:+d})"]
    if found.old_cap != found.new_cap:
        lines.append(f"cap {found.old_cap} -> {found.new_cap} tokens")
    if found.old_strategy != found.new_strategy:
        lines.append(f"strategy {found.old_strategy or 'not told'} -> {found.new_strategy or 'not told'}")
    for one in found.sections:
        lines.append(f"{one.section}: {one.old_tokens} -> {one.new_tokens} tokens ({one.new_tokens - one.old_tokens:+d})")
        lines += [f"  {_SIGNS[change.kind]} {format_value(change.name)}: {_words(change)}" for change in one.changes]
    if not found.sections:
        lines.append("the same input" if found.same_input else "the same pieces with the same tokens, in another text")
    return "".join(f"{line}\n" for line in lines)


def _words(change: PieceChange) -> str:
    old, new = change.old, change.new
    if old is not None and new is not None:
        tokens = f"{old.tokens} -> {new.tokens} tokens"
        return tokens if change.kind == "tokens" else f"{tokens}, {old.note or 'as it was'} -> {new.note or 'as it was'}"
    piece = old or new
    assert piece is not None, "a change has a side"
    note = f", {piece.note}" if piece.note else ""
    if not change.reason:
        return f"{piece.tokens} tokens{note}"
    return f"{piece.tokens} tokens{note}; {'left out' if old else 'before left out'}: {change.reason}"
