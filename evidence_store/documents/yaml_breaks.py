"""Line breaks of YAML 1.1 that are text since YAML 1.2 (section 5.4): NEL, U+2028 and U+2029.

The parser still ends lines at them. So it is given a stand-in for each, a character that the text does not hold, of as many
bytes, so that every place stays; what it reads is put back afterwards.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from evidence_store.documents.yaml_pairs import held_characters
from evidence_store.errors import RefusedDocument

_BREAKS: Final = ("\x85", "\u2028", "\u2029")
_STAND_INS: Final = (range(0x7FF, 0xA0, -1), range(0xE000, 0xF900), range(0xE000, 0xF900))
"""Characters of two bytes for NEL; of three, for private use, for the others."""


@dataclass(frozen=True, slots=True)
class HiddenBreaks:
    """A text without such breaks, and which character stands for which."""

    text: bytes
    stand_ins: dict[int, str] = field(default_factory=dict)

    def restored(self, text: str) -> str:
        return text.translate(self.stand_ins)


def hide_breaks(text: bytes) -> HiddenBreaks:
    """Raises RefusedDocument for a text that holds a break and every character that could stand for it."""
    stand_ins: dict[int, str] = {}
    known: set[int] = set()
    for sign, candidates in zip(_BREAKS, _STAND_INS, strict=True):
        if sign.encode() not in text:
            continue
        known = known or held_characters(text)
        code = _unused(candidates, known)
        known.add(code)
        stand_ins[code] = sign
        text = text.replace(sign.encode(), chr(code).encode())
    return HiddenBreaks(text, stand_ins)


def _unused(candidates: Iterable[int], known: set[int]) -> int:
    for code in candidates:
        if code not in known:
            return code
    raise RefusedDocument("the text holds a line break of YAML 1.1 and too many different characters to be read", code="syntax")
