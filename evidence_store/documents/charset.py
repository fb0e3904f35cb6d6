"""Which encoding a text is in, where it is not UTF-8: declared, told by a byte order mark, by its zeros, by its letters, or guessed.

The bytes stay the truth: an encoding is used to show and to search, never to store. One is taken only where all bytes fit
it, so that the way from characters back to bytes is exact. UTF-16 and UTF-32 are taken where nearly all do: there a unit that
does not fit is as long as U+FFFD, and read as UTF-8 such a text would hide all that it says. Nearly all bytes fit windows-1252,
of which ISO 8859-1 is a part: what speaks for it is where its letters stand, and that nothing is UTF-8. A UTF-8 text with bad
bytes stays one.
"""

import codecs
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from evidence_store.documents.encoding import first_bad_byte, unit_width
from evidence_store.documents.model import Note

UTF8: Final = "utf-8"
ENCODING: Final = "encoding"
"""Code of the note that names the encoding: its text starts with the name and a comma."""
NOT_ENCODED: Final = "not_encoded"
"""Code of the note on bytes that do not fit the encoding that the text is read in all the same."""
_NAMES: Final = {
    "utf-8": UTF8, "ascii": UTF8,
    "utf-16": "utf-16le", "utf-16-le": "utf-16le", "utf-16-be": "utf-16be",
    "utf-32": "utf-32le", "utf-32-le": "utf-32le", "utf-32-be": "utf-32be",
    "gb2312": "gb18030", "gbk": "gb18030", "gb18030": "gb18030", "big5": "big5",
    "shift_jis": "cp932", "cp932": "cp932", "euc_jp": "euc_jp", "euc_kr": "euc_kr",
    "iso8859-1": "iso8859-1", "iso8859-2": "iso8859-2", "iso8859-5": "iso8859-5", "iso8859-15": "iso8859-15",
    "cp1250": "cp1250", "cp1251": "cp1251", "cp1252": "cp1252", "koi8-r": "koi8-r",
}  # fmt: skip
"""Name in Python's registry to ours; the superset where one is usual (Shift_JIS logs of Windows are cp932)."""
_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32le"),
    (codecs.BOM_UTF32_BE, "utf-32be"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16be"),
)
_CHARSET: Final = r"""(?i);\s*charset\s*=\s*(?:"([^"]*)"|([^;\s]*))"""
"""The parameter of a media type (RFC 9110 section 8.3)."""
_SAMPLE_BYTES: Final = 64 * 1024
_MIN_ZEROS: Final = 0.4
"""Share of zeros in the high bytes from which text is UTF-16: of Latin text nearly all are."""
_MAX_OTHER_ZEROS: Final = 0.1
"""Of these the share that may stand in the low bytes, too: U+4E00 has one there."""
_MAX_UNFIT: Final = 0.1
"""Share of units that do not fit, up to which a text is UTF-16 or UTF-32."""
# Patterns of what only a `put` asks are compiled when they are: the start of a command counts.
_ASCII_STRETCH: Final = rb"[\t\x20-\x7e]{16}|[\t\x20-\x7e]{6}(?:\r?\n(?!\0)|\Z)"
"""Text in one byte a character, longer than characters of UTF-16 are likely to look like it."""
_MIN_CHARACTERS: Final = 4
"""Characters outside ASCII below which nothing is guessed."""
_MIN_SHARE: Final = 0.9
_LATIN: Final = "cp1252"
_UTF8_CHARACTER: Final = (
    rb"[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}"
)
"""A well-formed sequence outside ASCII (Unicode, table 3-7)."""
_NO_LATIN: Final = rb"[\x81\x8d\x8f\x90\x9d]|" + _UTF8_CHARACTER
"""What does not stand in a text in windows-1252: its five bytes without a character, and UTF-8."""
_CAPITALS: Final = rb"\x8a\x8c\x8e\x9f\xc0-\xd6\xd8-\xde"
_SMALL: Final = rb"\x9a\x9c\x9e\xdf-\xf6\xf8-\xfe"
"""Of the letters of windows-1252 outside ASCII all but U+00FF, which hardly any word holds and a bad byte often is."""
_LETTERS: Final = _CAPITALS + _SMALL
_IN_WORDS: Final = rb"\x91\x92\x96\x97\xa0\xad\xb4\xb7"
"""Apostrophes, dashes, spaces and the middle dot, which stand between letters."""
_LETTER: Final = rb"[A-Za-z" + _LETTERS + rb"]"
_APART: Final = rb"(?<!" + _LETTER + rb")[" + _LETTERS + rb"]++(?![A-Za-z])"
"""Letters outside ASCII with none of ASCII beside them, as those of Greek or Cyrillic words would be."""
_ODD: Final = (
    rb"(?<=" + _LETTER + rb")(?:(?![" + _LETTERS + _IN_WORDS + rb"])[\x80-\xbf\xd7\xf7\xff])+(?=" + _LETTER + rb")"
    rb"|(?<=[a-z" + _SMALL + rb"])[" + _CAPITALS + rb"]"
)
"""What hardly stands within a word: signs, and a capital after a small letter. Letters of other code pages look so, and cut UTF-8."""
_MAX_ODD: Final = 0.1


@dataclass(frozen=True, slots=True)
class Charset:
    """The encoding of a text and what speaks for it."""

    name: str
    notes: tuple[Note, ...] = ()


def find_charset(raw: bytes, media_type: str | None) -> Charset:
    """UTF-8 where nothing else is declared, marked or seen; the notes say what was found and how."""
    declared, notes = declared_charset(media_type), []
    if declared is not None:
        name = find_named(declared)
        if name is None:
            notes.append(Note("unknown_charset", f"charset {declared[:40]!r} is declared and not known here"))
        elif name == UTF8:
            return Charset(UTF8)
        else:
            wide = unit_width(name) > 1
            name = (wide and _wide_marked(raw)) or name
            if _fits_wide(raw, name) if wide else fits(raw, name):
                return Charset(name, (encoding_note(name, f"declared as {declared[:40]!r}"),))
            notes.append(Note("charset_mismatch", f"charset {declared[:40]!r} is declared, and not all bytes fit it"))
    seen = _seen(raw)
    return Charset(UTF8, tuple(notes)) if seen is None else Charset(seen.name, (*notes, *seen.notes))


def encoding_of(notes: Iterable[Note]) -> str:
    """The encoding that the notes of a revision name; UTF-8 where they name none."""
    return next((note.text.partition(",")[0] for note in notes if note.code == ENCODING), UTF8)


def find_named(label: str) -> str | None:
    """Our name of the encoding that is declared so; None for one that is not known here."""
    try:
        return _NAMES.get(codecs.lookup(label).name)
    except (LookupError, ValueError):
        return None


def find_marked(raw: bytes) -> str | None:
    """UTF-16 or UTF-32 where a byte order mark says so."""
    return next((name for mark, name in _MARKS if raw.startswith(mark)), None)


def fits(raw: bytes, name: str) -> bool:
    """Whether all bytes are text in this encoding, and the text leads back to as many bytes."""
    try:
        return len(raw.decode(name).encode(name)) == len(raw)
    except UnicodeError:
        return False


def first_unfit(raw: bytes, name: str, *, complete: bool = True) -> int | None:
    """Offset of the first byte that is not text in UTF-16 or UTF-32, or None. Not `complete`, a text may break off in a character."""
    try:
        codecs.getincrementaldecoder(name)("strict").decode(raw, final=complete)
    except UnicodeDecodeError as exc:
        return exc.start
    return None


def wide_notes(raw: bytes, name: str, *, complete: bool = True) -> tuple[Note, ...]:
    """What is to be said of a text in UTF-16 or UTF-32: where it is none."""
    at = first_unfit(raw, name, complete=complete)
    if at is None:
        return ()
    text = f"the first byte that is not text in {name} stands at byte {at}; such bytes are shown as U+FFFD"
    return (Note(NOT_ENCODED, text, byte=at),)


def encoding_note(name: str, why: str) -> Note:
    return Note(ENCODING, f"{name}, {why}; the stored bytes are as they came, what is shown is decoded")


def _seen(raw: bytes) -> Charset | None:
    marked = _wide_marked(raw)
    if marked is not None:
        return Charset(marked, (encoding_note(marked, "detected by its byte order mark"),))
    by_zeros = _by_zeros(raw)
    if by_zeros is not None and _mostly_fits(raw, by_zeros) and not has_ascii(raw):
        return Charset(by_zeros, (encoding_note(by_zeros, "detected by where its zeros stand"),))
    bad = first_bad_byte(raw)
    if bad is None:
        return None
    # From a line start to a line end, so that the sample holds whole characters; a line end is none of their bytes.
    start = raw.rfind(b"\n", 0, bad) + 1
    sample = raw[start : start + _SAMPLE_BYTES]
    sample = sample[: sample.rfind(b"\n") + 1] or sample if len(sample) == _SAMPLE_BYTES else sample
    guess = next((name for name, fits in (("cp932", _is_shift_jis), ("gb18030", _is_gb)) if fits(sample)), None)
    if guess is not None and fits(raw, guess):
        return Charset(guess, (encoding_note(guess, f"a guess from the bytes (a media type with `; charset={guess}` settles it)"),))
    if _is_latin(raw):
        why = "detected by its letters beside those of ASCII (a media type with `; charset=` and another name settles it)"
        return Charset(_LATIN, (encoding_note(_LATIN, why),))
    return None


def declared_charset(media_type: str | None) -> str | None:
    """The encoding that a media type names, as it is written there; None where it names none."""
    found = re.search(_CHARSET, media_type or "")
    return (found[1] or found[2]).strip() if found else None


def has_ascii(raw: bytes) -> bool:
    """Whether a text in UTF-16 or UTF-32 has a stretch in one byte a character, as where another program wrote on behind it."""
    return re.search(_ASCII_STRETCH, raw) is not None


def _wide_marked(raw: bytes) -> str | None:
    """UTF-16 or UTF-32 where a byte order mark says so and hardly anything does not fit; that of UTF-32 may be one of UTF-16 and a NUL."""
    return next((name for mark, name in _MARKS if raw.startswith(mark) and _mostly_fits(raw, name)), None)


def _mostly_fits(raw: bytes, name: str) -> bool:
    n_unfit = raw.decode(name, "replace").count("\ufffd")
    # A text may break off, and be short.
    return n_unfit <= 1 + _MAX_UNFIT * len(raw) / unit_width(name)


def _fits_wide(raw: bytes, name: str) -> bool:
    """Whether a text that is declared so is taken as UTF-16 or UTF-32. One that breaks off in a unit is, unless it is plain UTF-8."""
    if fits(raw, name) or (find_marked(raw) is not None and _wide_marked(raw) == name):
        return True
    if b"\0" not in raw and first_bad_byte(raw) is None:
        return False
    return fits(raw[: len(raw) - len(raw) % unit_width(name)], name) or _by_zeros(raw) == name


def _by_zeros(raw: bytes) -> str | None:
    """UTF-16 without a mark: zeros in one byte of the pairs, and in many of them, hardly any in the other."""
    even, odd = raw[::2].count(0), raw[1::2].count(0)
    n_pairs = len(raw) // 2
    few, many = sorted((even, odd))
    if n_pairs < _MIN_CHARACTERS or many < _MIN_ZEROS * n_pairs or few > _MAX_OTHER_ZEROS * many:
        return None
    return "utf-16le" if many == odd else "utf-16be"


def _is_shift_jis(raw: bytes) -> bool:
    """Japanese text holds kana; other bytes that fit Shift_JIS hardly give any but half-width ones."""
    text = _foreign_text(raw, "cp932")
    kana = sum("\u3040" <= char <= "\u30ff" for char in text)
    known = sum("\u3000" <= char <= "\u9fff" or (char >= "\uff01" and not "\uff61" <= char <= "\uff9f") for char in text)
    return len(text) >= _MIN_CHARACTERS and kana > 0.3 * len(text) and known >= _MIN_SHARE * len(text)


def _is_gb(raw: bytes) -> bool:
    """Chinese text is of the first level of GB 2312, rows 16 to 55, and full-width punctuation.

    Both bytes of these are high; in a text in windows-1252 the second one of such a pair is a letter of ASCII.
    """
    text = _foreign_text(raw, "gb18030")
    pairs = [char.encode("gb18030")[:2] for char in text]
    usual = sum((0xB0 <= lead <= 0xD7 or lead in (0xA1, 0xA3)) and trail >= 0xA1 for lead, trail in pairs)
    return len(text) >= _MIN_CHARACTERS and usual >= _MIN_SHARE * len(text)


def _is_latin(raw: bytes) -> bool:
    """Whether letters outside ASCII stand in words with letters of ASCII, at least half of them, and hardly anything odd within words."""
    if re.search(_NO_LATIN, raw):
        return False
    letters = b"".join(re.findall(rb"[" + _LETTERS + rb"]", bytes(range(256))))
    n_letters = len(raw) - len(raw.translate(None, letters))
    n_beside = n_letters - sum(len(found[0]) for found in re.finditer(_APART, raw))
    return 0 < n_letters <= 2 * n_beside and sum(1 for _ in re.finditer(_ODD, raw)) <= _MAX_ODD * n_beside


def _foreign_text(raw: bytes, name: str) -> str:
    """The characters outside ASCII; none where the bytes do not fit."""
    if not fits(raw, name):
        return ""
    return "".join(char for char in raw.decode(name) if not char.isascii())
