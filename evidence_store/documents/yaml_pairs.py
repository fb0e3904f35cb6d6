"""Characters beyond U+FFFF that are written as two escapes, as JSON has them (RFC 8259 section 7): `\\ud83d\\ude00`.

YAML 1.2 takes JSON as it is; the parser refuses each half of such a pair. So it is given, for each spelling of a half, the escape of a
character that the text does not hold, which is as long, so that every place stays; what it reads is put back afterwards. Where
these are no escapes, outside of double quotation marks, they are put back as they were written.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from evidence_store.errors import RefusedDocument

_PAIR: Final = re.compile(rb"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
# Behind an even number of backslashes, which are escaped themselves.
_HELD: Final = re.compile(rb"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U0000([0-9a-fA-F]{4}))")
_STAND_INS: Final = range(0xE000, 0xF900)
"""Characters for private use, whose escapes have four digits, as those of halves have."""


@dataclass(frozen=True)
class HiddenPairs:
    """A text without such pairs, and which half each stand-in stands for, as it is spelled."""

    text: bytes
    halves: dict[int, str] = field(default_factory=dict)

    @cached_property
    def _codes(self) -> dict[int, int]:
        return {stand_in: int(half, 16) for stand_in, half in self.halves.items()}

    @cached_property
    def _spelled(self) -> re.Pattern[str]:
        return re.compile(r"\\u(" + "|".join(map(_hex, self.halves)) + ")")

    def restored(self, text: str, *, escaped: bool) -> str:
        """What a scalar says; `escaped` where it stands between double quotation marks."""
        if not self.halves:
            return text
        if not escaped:
            return self._spelled.sub(lambda found: f"\\u{self.halves[int(found[1], 16)]}", text) if "\\" in text else text
        halves = text.translate(self._codes)
        return text if halves == text else halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def hide_pairs(text: bytes) -> HiddenPairs:
    """Raises RefusedDocument for a text with more different halves than there are characters to stand for them."""
    spelled = dict.fromkeys(half for pair in _PAIR.finditer(text) for half in pair.groups()[1:]) if b"\\u" in text else {}
    if not spelled:
        return HiddenPairs(text)
    free = _unused(held_characters(text))
    halves: dict[int, str] = {}
    names: dict[bytes, bytes] = {}
    for half in spelled:
        stand_in = next(free, None)
        if stand_in is None:
            raise RefusedDocument("the text holds too many different surrogate pairs to be read", code="syntax")
        halves[stand_in] = half.decode("ascii")
        names[half] = _hex(stand_in).encode("ascii")
    return HiddenPairs(_PAIR.sub(lambda pair: b"%b\\u%b\\u%b" % (pair[1], names[pair[2]], names[pair[3]]), text), halves)


def held_characters(text: bytes) -> set[int]:
    """The characters of a text, and those up to U+FFFF that an escape in it may give."""
    return {*map(ord, set(text.decode("utf-8", "replace"))), *_escaped(text)}


def _escaped(text: bytes) -> Iterator[int]:
    for groups in set(_HELD.findall(text)):
        yield int(b"".join(groups), 16)


def _unused(held: Iterable[int]) -> Iterator[int]:
    known = frozenset(held)
    return (code for code in _STAND_INS if code not in known)


def _hex(code: int) -> str:
    return f"{code:04x}"
