"""A revision in UTF-16 or UTF-32: its lines are found in the whole of it, since the index of frames counts bytes 0x0A."""

from functools import cached_property

from evidence_store.documents.wide import WideLines
from evidence_store.model import LineRange, Span
from evidence_store.records.sources import Revision
from evidence_store.store.core import Core
from evidence_store.store.reader import RevisionReader


class WideReader(RevisionReader):
    """As a RevisionReader, with lines as people see them. Reads the whole revision once for that."""

    def __init__(self, core: Core, revision: Revision, encoding: str) -> None:
        super().__init__(core, revision)
        self._encoding = encoding

    @cached_property
    def _lines(self) -> WideLines:
        return WideLines(self.read(Span(0, self.size)), self._encoding)

    def lines_of(self, span: Span) -> LineRange:
        return self._lines.lines_of(span)

    def column_of(self, at: int) -> int | None:
        return self._lines.column_of(at)

    def span_of_lines(self, lines: LineRange) -> Span:
        return self._lines.span_of(lines)

    def count_lines(self) -> int:
        return len(self._lines)
