"""Where a text may be cut for people: never inside what is read as one character.

The rules of Unicode text segmentation (UAX 29, extended grapheme clusters), taken a little wider where that is simpler: every place
named here is a boundary of that text, while a few of its boundaries are not named. A test holds it against an implementation of it.
No tables and no regular expressions: one character costs two look-ups, whatever surrounds it.
"""

import unicodedata
from bisect import bisect_right

ZWJ = "\u200d"
_MARKS = frozenset(("Mn", "Mc", "Me"))
_VIRAMA = 9
"""Canonical combining class of the signs that join two consonants."""
# Extend, but no marks: zero width non-joiner, halfwidth voicing marks, skin tones, tags of flags.
_EXTENDING = ((0x200C, 0x200C), (0xFF9E, 0xFF9F), (0x1F3FB, 0x1F3FF), (0xE0020, 0xE007F))
# GraphemeBreakTest's SpacingMark that are letters: Thai and Lao sara am.
_SPACING = frozenset("\u0e33\u0eb3")
# Prepend of Unicode 15 to 17, with those of its letters that take what follows.
_PREPENDED = (
    (0x600, 0x605), (0x6DD, 0x6DD), (0x70F, 0x70F), (0x890, 0x891), (0x8E2, 0x8E2), (0xD4E, 0xD4E), (0x110BD, 0x110BD),
    (0x110CD, 0x110CD), (0x111C2, 0x111C3), (0x113D1, 0x113D1), (0x1193F, 0x1193F), (0x11941, 0x11941), (0x11A3A, 0x11A3A),
    (0x11A84, 0x11A89), (0x11D46, 0x11D46), (0x11F02, 0x11F02),
)  # fmt: skip
_LEADING_JAMO = ((0x1100, 0x115F), (0xA960, 0xA97C))
_TRAILING_JAMO = ((0x1160, 0x11FF), (0xD7B0, 0xD7C6), (0xD7CB, 0xD7FB))
_SYLLABLES = ((0xAC00, 0xD7A3),)
_FLAG_LETTERS = ("\U0001f1e6", "\U0001f1ff")


def cluster_start(text: str, at: int, max_chars: int | None = None) -> int:
    """The last boundary at or before `at`. With `max_chars` no further back than that: `at` itself where there is none so near."""
    least = 0 if max_chars is None else max(0, at - max_chars)
    for place in range(at, least, -1):
        if is_boundary(text, place):
            return place
    return least if least == 0 else at


def cluster_end(text: str, at: int, max_chars: int | None = None) -> int:
    """The first boundary at or after `at`, else like `cluster_start`."""
    most = len(text) if max_chars is None else min(len(text), at + max_chars)
    for place in range(at, most):
        if is_boundary(text, place):
            return place
    return most if most == len(text) else at


def is_boundary(text: str, at: int) -> bool:
    """Whether a cut before character `at` parts nothing that belongs together."""
    if at <= 0 or at >= len(text):
        return True
    left, right = text[at - 1], text[at]
    if right < "\u0300" and left < "\u0300":
        return not (left == "\r" and right == "\n")
    if _is_flag_letter(left) and _is_flag_letter(right):
        return _flag_letters_before(text, at) % 2 == 0
    if _joined(left, right):
        return False
    return not (unicodedata.category(right) == "Lo" and _ends_in_virama(text, at))


def _joined(left: str, right: str) -> bool:
    if _extends(right) or left == ZWJ or _within(left, _PREPENDED):
        return True
    if _within(right, _TRAILING_JAMO):
        return True
    return _within(left, _LEADING_JAMO) and (_within(right, _LEADING_JAMO) or _within(right, _SYLLABLES))


def _ends_in_virama(text: str, at: int) -> bool:
    """Whether one of the marks before this place joins the letter before them to the one that follows."""
    while at > 0 and _extends(text[at - 1]):
        at -= 1
        if unicodedata.combining(text[at]) == _VIRAMA:
            return True
    return False


def _extends(char: str) -> bool:
    return unicodedata.category(char) in _MARKS or char == ZWJ or char in _SPACING or _within(char, _EXTENDING)


def _within(char: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    code = ord(char)
    at = bisect_right(ranges, (code, 0x110000)) - 1
    return at >= 0 and code <= ranges[at][1]


def _is_flag_letter(char: str) -> bool:
    return _FLAG_LETTERS[0] <= char <= _FLAG_LETTERS[1]


def _flag_letters_before(text: str, at: int) -> int:
    start = at
    while start > 0 and _is_flag_letter(text[start - 1]):
        start -= 1
    return at - start
