"""Reading a revision that is not in UTF-8: columns count its own characters, and lines of UTF-16 and UTF-32 its own line ends."""

from functools import cached_property

from evidence_store.documents.escapes import ESCAPED_FORMATS
from evidence_store.documents.wide import WideLines, fitted
from evidence_store.masking import SourceMasking
from evidence_store.model import LineRange, Span
from evidence_store.records.sources import Revision
from evidence_store.secrets import SHOW_SECRETS, Masking
from evidence_store.store.core import Core
from evidence_store.store.reader import RevisionReader


class EncodedReader(RevisionReader):
    """A revision in an encoding that has ASCII as it is, such as GB18030: its lines end at bytes 0x0A."""

    def __init__(self, core: Core, revision: Revision, encoding: str) -> None:
        super().__init__(core, revision)
        self._encoding = encoding

    def column_of(self, at: int) -> int | None:
        if super().column_of(at) is None:
            return None
        line = self.lines_of(Span(at, at))
        start = self.span_of_lines(line).start if self.size else 0
        return len(self.read(Span(start, max(start, at))).decode(self._encoding, "replace"))


class WideReader(RevisionReader):
    """A revision in UTF-16 or UTF-32. Its lines are found in the whole of it: the index of frames counts bytes 0x0A."""

    def __init__(self, core: Core, revision: Revision, encoding: str) -> None:
        super().__init__(core, revision)
        self._encoding = encoding

    @property
    def masking(self) -> Masking:
        """Told in the text with what does not fit as U+FFFD, so that a secret shows beside half of a surrogate pair, too."""
        if super().masking is SHOW_SECRETS:
            return SHOW_SECRETS
        escaped = self.revision.format in ESCAPED_FORMATS
        return SourceMasking(lambda span: fitted(self.read(span), self._encoding), self.size, self._encoding, escaped)

    @cached_property
    def _lines(self) -> WideLines:
        return WideLines(self.read(Span(0, self.size)), self._encoding)

    def lines_of(self, span: Span) -> LineRange:
        return self._lines.lines_of(span)

    def column_of(self, at: int) -> int | None:
        return self._lines.column_of(at)

    def span_of_lines(self, lines: LineRange) -> Span:
        return self._lines.span_of(lines)

    def has_line_ends(self) -> bool:
        return self._lines.has_line_ends

    def count_lines(self) -> int:
        return len(self._lines)
