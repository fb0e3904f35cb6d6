"""How the bytes of an excerpt are shown: well-formed text without control bytes, each change named as a transform.

Plain text is shown as it is and names none. A transform is a name with its version and, where a number matters, `=` and
the number (docs/formats/documents.md). All are functions of the slice alone, so that a shown text can be made again.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from evidence_store.documents.escapes import UNDONE, undo_escapes

ANSI = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[PX^_][^\x1b\n]*\x1b\\|[ -/]*[0-OQ-WYZ\\`-~])"
"""Escape sequences of terminals (ECMA-48): CSI, OSC (links with their target), other strings, two-character ones."""
FRAMES_LEFT_OUT = "frames_left_out/1"
CR_LINE_ENDS = "cr_line_ends/1"
MAX_RUN = 8
"""Equal control characters in a row that are shown one by one; a longer run is shown as one with its count."""

_ANSI = re.compile(ANSI)
_CONTROLS = re.compile(r"([\x00-\x08\x0b\x0c\x0e-\x1f\x7f])\1*")
_C1 = re.compile("[\x80-\x84\x86-\x9f]")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
# Tag characters spell a region's flag after U+1F3F4 (UTS 51); everywhere else they are text that people do not see.
_TAGS = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,8}\U000e007f|[\U000e0000-\U000e007f]")
_CR = re.compile(r"\r(?!\n)")
_FRAMES = re.compile(r"^(?:[^\r\n]*+\r(?!\n|\Z)){2,}", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Shown:
    text: str
    transforms: tuple[str, ...]


def shown_text(source: bytes, encoding: str = "utf-8", *, escaped: bool = False, drawn: bool = True) -> Shown:
    """The text of a slice of a blob as people and models see it; `encoding` is that of the whole text.

    `escaped` says that it is JSON, whose escapes are undone; `drawn` that CR draws over a line. Else it ends one.
    """
    names = [] if encoding == "utf-8" else [f"decoded/1={encoding}"]
    try:
        text = source.decode(encoding)
    except UnicodeDecodeError:
        text = source.decode(encoding, "replace")
        names.append("utf8_replaced/1" if encoding == "utf-8" else "bytes_replaced/1")
    if encoding.startswith(("utf-16", "utf-32")):
        # The byte order mark says how to decode, and is no character of the decoded text.
        text = text.removeprefix("\ufeff")
    if escaped and "\\" in text:
        undone = undo_escapes(text).text
        if undone != text:
            names.append(UNDONE)
            text = undone
    if text.isprintable():
        return Shown(text, tuple(names))
    for change in (_without_ansi, _last_frames if drawn else _cr_line_ends, *_CHANGES):
        changed = change(text)
        if changed.name:
            names.append(changed.name)
            text = changed.text
    return Shown(text, tuple(names))


@dataclass(frozen=True, slots=True)
class _Changed:
    text: str
    name: str | None


def _without_ansi(text: str) -> _Changed:
    if "\x1b" not in text:
        return _Changed(text, None)
    changed, n = _ANSI.subn("", text)
    return _Changed(changed, "ansi_removed/1" if n else None)


def _last_frames(text: str) -> _Changed:
    """Progress bars: of a line drawn over at least twice, what stood there last."""
    n_left_out = 0

    def last_frame(found: re.Match[str]) -> str:
        nonlocal n_left_out
        n_left_out += len(found[0].encode("utf-8"))
        return ""

    changed = _FRAMES.sub(last_frame, text)
    return _Changed(changed, f"{FRAMES_LEFT_OUT}={n_left_out}" if n_left_out else None)


def _cr_line_ends(text: str) -> _Changed:
    changed, n = _CR.subn("\n", text)
    return _Changed(changed, CR_LINE_ENDS if n else None)


def _controls_shown(text: str) -> _Changed:
    """Control characters as the symbols of U+2400, DEL as U+2421; tab, LF and CR stay."""

    def symbol(found: re.Match[str]) -> str:
        code = ord(found[1])
        one = "\u2421" if code == 0x7F else chr(0x2400 + code)
        n = len(found[0])
        return one * n if n <= MAX_RUN else f"{one}×{n}"

    changed, n = _CONTROLS.subn(symbol, text)
    changed, n_c1 = _C1.subn(lambda found: f"<U+{ord(found[0]):04X}>", changed)
    return _Changed(changed, "controls_shown/1" if n or n_c1 else None)


def _directions_shown(text: str) -> _Changed:
    changed, n = _BIDI.subn(lambda found: f"<U+{ord(found[0]):04X}>", text)
    return _Changed(changed, "directions_shown/1" if n else None)


def _without_tags(text: str) -> _Changed:
    n_removed = 0

    def kept(found: re.Match[str]) -> str:
        nonlocal n_removed
        if len(found[0]) > 1:
            return found[0]
        n_removed += 1
        return ""

    changed = _TAGS.sub(kept, text)
    return _Changed(changed, f"tags_removed/1={n_removed}" if n_removed else None)


_CHANGES: tuple[Callable[[str], _Changed], ...] = (_controls_shown, _directions_shown, _without_tags)
