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

    def finish(self, *, complete: bool = True) -> tuple[Note, ...]:
        """The notes for these bytes as UTF-8, once all pieces were given. Not `complete`, they may break off within a character."""
        self._decode(b"", final=complete)
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
    """Finds the first line of more than so many bytes in a text that comes in pieces, the line end not counted."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._line, self._open = 1, 0
        """The line that the last piece did not end, and its bytes so far."""
        self._found: int | None = None

    def add(self, piece: bytes) -> None:
        if self._found is None and self._open + len(piece) > self._max_bytes:
            self._look(piece)
        last = piece.rfind(b"\n")
        if last < 0:
            self._open += len(piece)
        else:
            self._line += piece.count(b"\n")
            self._open = len(piece) - last - 1

    def _look(self, piece: bytes) -> None:
        """Line by line, since the piece may hold one that is too long."""
        start, line, before = 0, self._line, self._open
        while start < len(piece) and self._found is None:
            end = piece.find(b"\n", start)
            length = before + (len(piece) if end < 0 else end) - start
            if length > self._max_bytes:
                self._found = line
            start, line, before = len(piece) if end < 0 else end + 1, line + 1, 0

    def require(self) -> None:
        """Raises LimitExceeded (`line_too_long`) where there is such a line."""
        if self._found is not None:
            text = f"line {self._found} has more than {self._max_bytes} bytes"
            raise LimitExceeded(text, {"line": self._found, "limit": self._max_bytes}, code="line_too_long")


INCOMPLETE_LINE: Final = "incomplete_line"
NOT_UTF8_TEXT: Final = "the first byte that is not UTF-8 stands at byte {byte}; such bytes are shown as U+FFFD"
SIGNS: Final = (
    ("nul", b"\0", "NUL bytes stand in the text; they are shown as U+2400"),
    ("ansi", b"\x1b", "escape sequences stand in the text; they are left out where it is shown"),
)


def crlf_note(n_crlf: int, n_line_ends: int) -> Note:
    return Note("crlf_mixed", f"{n_crlf} of {n_line_ends} lines end with CRLF, the others with LF")


def incomplete_note(line: int) -> Note:
    return Note(INCOMPLETE_LINE, "the last line has no line end", line=line)
