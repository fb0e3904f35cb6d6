"""What a reader of a text should know, found as the text comes in, in constant memory.

Gives the same notes as `detect.text_notes` gives for UTF-8. Whether a text that is not UTF-8 is in another encoding shows only in
the whole of it; `is_plain` says that there is no such question.
"""

import codecs
from typing import Final

from evidence_store.documents.encoding import UTF8_MARK, mark_note
from evidence_store.documents.model import Note
from evidence_store.errors import LimitExceeded


class TextScan:
    """Takes the pieces of a text in order, cut anywhere."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self._size = self._n_line_ends = self._n_crlf = 0
        self._head = self._last = b""
        self._found: dict[str, tuple[int, int]] = {}

    @property
    def is_plain(self) -> bool:
        """Whether all of it so far is UTF-8 without zeros."""
        return "not_utf8" not in self._found and "nul" not in self._found

    def add(self, piece: bytes) -> None:
        if not piece:
            return
        self._decode(piece, final=False)
        self._head = (self._head + piece[: len(UTF8_MARK)])[: len(UTF8_MARK)]
        for code, sign, _ in SIGNS:
            if code not in self._found and (at := piece.find(sign)) >= 0:
                self._found[code] = (self._size + at, self._n_line_ends + piece.count(b"\n", 0, at) + 1)
        self._n_crlf += piece.count(b"\r\n") + (self._last == b"\r" and piece.startswith(b"\n"))
        self._n_line_ends += piece.count(b"\n")
        self._size += len(piece)
        self._last = piece[-1:]

    def _decode(self, piece: bytes, *, final: bool) -> None:
        if "not_utf8" in self._found:
            return
        pending = len(self._decoder.getstate()[0])
        try:
            self._decoder.decode(piece, final)
        except UnicodeDecodeError as error:
            line = self._n_line_ends + piece.count(b"\n", 0, max(0, error.start - pending)) + 1
            self._found["not_utf8"] = (self._size - pending + error.start, line)

    def finish(self) -> tuple[Note, ...]:
        """The notes for these bytes as UTF-8, once all pieces were given."""
        self._decode(b"", final=True)
        notes = [mark_note()] if self._head == UTF8_MARK else []
        for code, text in (("not_utf8", NOT_UTF8_TEXT), *((code, text) for code, _, text in SIGNS)):
            if code in self._found:
                byte, line = self._found[code]
                notes.append(Note(code, text.format(byte=byte), line=line, byte=byte))
        if self._n_crlf and self._n_crlf != self._n_line_ends:
            notes.append(crlf_note(self._n_crlf, self._n_line_ends))
        if self._size and self._last != b"\n":
            notes.append(incomplete_note(self._n_line_ends + 1))
        return tuple(notes)


class LineLengths:
    """The longest line of a text that comes in pieces. A piece without a longer one than is known costs a look at its ends."""

    def __init__(self) -> None:
        self._longest, self._longest_line, self._line = 0, 1, 1
        self._open = 0
        """Bytes of the line that the last piece did not end."""

    def add(self, piece: bytes) -> None:
        first = piece.find(b"\n")
        if first < 0:
            self._open += len(piece)
            self._keep(self._open, self._line)
            return
        self._keep(self._open + first, self._line)
        if len(piece) > self._longest:
            start = first + 1
            while (end := piece.find(b"\n", start)) >= 0:
                if end - start > self._longest:
                    self._keep(end - start, self._line + piece.count(b"\n", 0, start))
                start = end + 1
        self._line += piece.count(b"\n")
        self._open = len(piece) - piece.rfind(b"\n") - 1
        self._keep(self._open, self._line)

    def _keep(self, length: int, line: int) -> None:
        if length > self._longest:
            self._longest, self._longest_line = length, line

    def require(self, max_bytes: int) -> None:
        """Raises LimitExceeded (`line_too_long`) for a line of more bytes."""
        if self._longest > max_bytes:
            text = f"line {self._longest_line} has {self._longest} bytes, {max_bytes} are the limit"
            raise LimitExceeded(text, {"line": self._longest_line, "limit": max_bytes}, code="line_too_long")


NOT_UTF8_TEXT: Final = "the first byte that is not UTF-8 stands at byte {byte}; such bytes are shown as U+FFFD"
SIGNS: Final = (
    ("nul", b"\0", "NUL bytes stand in the text; they are shown as U+2400"),
    ("ansi", b"\x1b", "escape sequences stand in the text; they are left out where it is shown"),
)


def crlf_note(n_crlf: int, n_line_ends: int) -> Note:
    return Note("crlf_mixed", f"{n_crlf} of {n_line_ends} lines end with CRLF, the others with LF")


def incomplete_note(line: int) -> Note:
    return Note("incomplete_line", "the last line has no line end", line=line)
