"""JSON's `\\u` escapes undone for reading and searching, with the way back to the source.

Only escapes that stand for a character that shows are undone: control characters, quotation marks and backslashes stay escaped,
so that the text stays the same JSON, and so do halves of surrogate pairs.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass

from evidence_store.model import Format

ESCAPED_FORMATS = (Format.JSON, Format.JSONL)
"""Formats whose text may hold such escapes."""
SEARCHED_FORMATS = (*ESCAPED_FORMATS, Format.YAML)
"""Formats in which a search and a quote look behind escapes; YAML has them between double quotation marks."""
UNDONE = "escapes_decoded/1"
"""Transform of a text whose escapes are undone."""

# Any other escape is passed over as a whole, so that `\\\\u0041` is a backslash and four letters.
_ESCAPE = re.compile(r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|/|.)", re.DOTALL)

_SHORT = {'\\"': '"', "\\\\": "\\", "\\/": "/", "\\b": "\b", "\\f": "\f", "\\n": "\n", "\\r": "\r", "\\t": "\t"}


@dataclass(frozen=True, slots=True)
class Undone:
    """A text without its escapes."""

    text: str
    _made: tuple[int, ...]
    """Where, in `text`, a stretch begins that is as long as its source."""
    _sources: tuple[int, ...]
    """Where these stretches begin in the source."""

    def source(self, at: int, *, end: bool = False) -> int:
        """The place in the source of a place in `text`; with `end` that behind the character before it."""
        if end and at:
            n = bisect_right(self._made, at - 1) - 1
            if n + 1 < len(self._made) and self._made[n + 1] == at:
                return self._sources[n + 1]
        else:
            n = bisect_right(self._made, at) - 1
        return self._sources[n] + at - self._made[n]


def undo_escapes(text: str, *, every: bool = False) -> Undone:
    """The text with the escapes undone that stand for a character that shows; with `every` all of them, as a search needs it."""
    pieces: list[str] = []
    made, sources = [0], [0]
    at = length = 0
    for found in _ESCAPE.finditer(text):
        character = _character(found, every=every)
        if character is None:
            continue
        before = text[at : found.start()]
        pieces += (before, character)
        at = found.end()
        # One stretch for the character, which is shorter than its source, and one for what follows.
        made += (length + len(before), length + len(before) + len(character))
        sources += (found.start(), at)
        length += len(before) + len(character)
    return Undone("".join((*pieces, text[at:])), tuple(made), tuple(sources))


def _character(found: re.Match[str], *, every: bool) -> str | None:
    high, low, plain = found.groups()
    if high:
        code = 0x10000 + ((int(high, 16) - 0xD800) << 10) + (int(low, 16) - 0xDC00)
    elif plain:
        code = int(plain, 16)
    else:
        return _SHORT.get(found[0]) if every else None
    if 0xD800 <= code <= 0xDFFF:
        return None
    return chr(code) if every or (chr(code).isprintable() and chr(code) not in '"\\') else None
