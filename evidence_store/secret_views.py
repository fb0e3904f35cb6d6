"""A text as it reads once what stands between its characters is left out or undone, with the way back to the source.

Where a secret is broken by terminal sequences, by escapes, or by the fold of a line of YAML, it is told in such a view.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

from evidence_store.documents.shown import ANSI
from evidence_store.model import Span

_ANSI: Final = re.compile(ANSI.encode("ascii"))
_FOLD: Final = re.compile(rb"\\\r?\n[ \t]*")
_YAML_ESCAPE: Final = re.compile(_FOLD.pattern + rb"|\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(/)|.)", re.DOTALL)


_JSON_ESCAPE: Final = re.compile(rb"\\(?:u([0-9A-Fa-f]{4})|.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class View:
    """Stretches of the source, and characters in place of others, one behind the other."""

    text: bytes
    _made: tuple[int, ...]
    """Where each begins in `text`, and at last where the text ends."""
    _sources: tuple[Span, ...]
    """What each is of the source."""
    _raw: bytes

    def places(self, span: Span) -> Iterator[Span]:
        """Of a range of the text, in the source: without the folds in it, so that no place holds the end of a line."""
        first, last = (bisect_right(self._made, at) - 1 for at in (span.start, span.end - 1))
        start = self._sources[first].start + span.start - self._made[first]
        whole = span.end == self._made[last + 1]
        end = self._sources[last].end if whole else self._sources[last].start + span.end - self._made[last]
        at = start
        for fold in chain(_FOLD.finditer(self._raw, start, end), (None,)):
            stop = end if fold is None else fold.start()
            if stop > at:
                yield Span(at, stop)
            at = end if fold is None else fold.end()


def without_ansi(raw: bytes) -> View:
    """Without terminal sequences."""
    return _changed(raw, ((Span(*one.span()), b"") for one in _ANSI.finditer(raw)))


def without_escapes(raw: bytes, *, folded: bool) -> View:
    """With the escapes of JSON undone that stand for what may be a part of a secret; `folded` those of YAML, and its lines joined."""
    found = ((Span(*one.span()), _plain_character(one)) for one in (_YAML_ESCAPE if folded else _JSON_ESCAPE).finditer(raw))
    return _changed(raw, ((span, character) for span, character in found if character is not None))


def _changed(raw: bytes, changes: Iterable[tuple[Span, bytes]]) -> View:
    pieces: list[bytes] = []
    made, sources = [0], []
    at = 0
    for span, character in changes:
        for piece, source in ((raw[at : span.start], Span(at, span.start)), (character, span)):
            pieces.append(piece)
            sources.append(source)
            made.append(made[-1] + len(piece))
        at = span.end
    pieces.append(raw[at:])
    sources.append(Span(at, len(raw)))
    made.append(made[-1] + len(raw) - at)
    return View(b"".join(pieces), tuple(made), tuple(sources), raw)


def _plain_character(escape: re.Match[bytes]) -> bytes | None:
    """What an escape stands for: nothing for a line that goes on, None for what is no character that could be a part of a secret."""
    if escape[0][1:2] in b"\r\n":
        return b""
    digits = next((one for one in escape.groups() if one), None)
    if digits is None or digits == b"/":
        return digits
    code = int(digits, 16)
    return bytes([code]) if 0x20 < code < 0x7F and code not in b'"\\' else None
