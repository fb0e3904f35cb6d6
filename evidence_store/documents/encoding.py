"""Bytes that are not UTF-8, found before a parser sees them, and a text in another encoding as UTF-8 with the way back.

Offsets are of the blob. A byte order mark of UTF-8 is allowed and is never part of a node; other encodings are named.
"""

import codecs
from bisect import bisect_right
from typing import Final

from evidence_store.documents.model import Note
from evidence_store.errors import RefusedDocument

UTF8_MARK: Final = codecs.BOM_UTF8
_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_CHUNK_BYTES = 1 << 16
_PIECE_BYTES = 1 << 10


def unit_width(encoding: str) -> int:
    """Bytes of a code unit: 2 in UTF-16, 4 in UTF-32, else 1."""
    return 2 if encoding.startswith("utf-16") else 4 if encoding.startswith("utf-32") else 1


def other_encoding(raw: bytes) -> str | None:
    """UTF-16 or UTF-32 where the first bytes say so, by a mark or by where their zeros stand (RFC 4627 section 3)."""
    for mark, name in _MARKS:
        if raw.startswith(mark):
            return name
    zeros = tuple(byte == 0 for byte in raw[:4])
    if zeros in ((True, True, True, False), (False, True, True, True)):
        return "UTF-32"
    if zeros in ((True, False, True, False), (False, True, False, True)):
        return "UTF-16"
    return None


def first_bad_byte(raw: bytes) -> int | None:
    """Offset of the first byte that is not UTF-8; None when all are. Takes constant memory."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(raw)
    pending = 0
    for start in range(0, len(raw), _CHUNK_BYTES):
        chunk = view[start : start + _CHUNK_BYTES]
        try:
            decoder.decode(chunk, final=start + _CHUNK_BYTES >= len(raw))
        except UnicodeDecodeError as exc:
            return start - pending + exc.start
        pending = len(decoder.getstate()[0])
    return None


def whole_characters(raw: bytes) -> bytes:
    """UTF-8 without the character in which it breaks off, as a text does that is still written."""
    for n_torn in range(1, min(3, len(raw)) + 1):
        first = raw[-n_torn]
        if first & 0xC0 != 0x80:
            n_bytes = 4 if first >= 0xF0 else 3 if first >= 0xE0 else 2 if first >= 0xC0 else 1
            return raw[:-n_torn] if n_bytes > n_torn else raw
    return raw


def require_utf8(raw: bytes, format_name: str) -> tuple[Note, ...]:
    """Notes on the encoding. Raises RefusedDocument for bytes that are not UTF-8."""
    other = other_encoding(raw)
    if other:
        raise RefusedDocument(
            f"the encoding is {other}; {format_name} is read as UTF-8 only (it can be stored as text)",
            {"byte": 0, "line": 1},
            code="not_utf8",
        )
    bad = first_bad_byte(raw)
    if bad is not None:
        raise RefusedDocument(
            f"the encoding is not UTF-8: the first byte that does not fit stands at byte {bad}",
            {"byte": bad, "line": raw.count(b"\n", 0, bad) + 1},
            code="not_utf8",
        )
    return (mark_note(),) if raw.startswith(UTF8_MARK) else ()


class Transcoded:
    """A text in another encoding as UTF-8, for a reader of UTF-8; and where in the source that stands."""

    def __init__(self, raw: bytes, encoding: str) -> None:
        """`encoding` is one that all bytes fit (`charset.fits`)."""
        self.utf8 = raw.decode(encoding).encode("utf-8")
        self._encoding = encoding
        self._starts, self._places = [0], [0]
        """Where pieces start in the UTF-8, each with whole characters, and in the source."""
        while (end := self._piece_end(self._starts[-1])) < len(self.utf8):
            self._places.append(self.source_of(end))
            self._starts.append(end)

    def _piece_end(self, start: int) -> int:
        end = start + _PIECE_BYTES
        while end < len(self.utf8) and self.utf8[end] & 0xC0 == 0x80:
            end -= 1
        return end

    def source_of(self, at: int) -> int:
        """The byte of the source at which the character begins that begins at this byte of the UTF-8."""
        piece = bisect_right(self._starts, at) - 1
        before = self.utf8[self._starts[piece] : at].decode("utf-8", "ignore")
        return self._places[piece] + len(before.encode(self._encoding))


def mark_note() -> Note:
    return Note("bom", "the text begins with a UTF-8 byte order mark; it is kept in the bytes and belongs to no node", line=1, byte=0)
