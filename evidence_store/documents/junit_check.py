"""Whether bytes are JUnit XML that can be kept as a test report: size, encoding, grammar, no document type declaration; and opening it.

A report in another encoding than UTF-8 is read as UTF-8, and each place in it is brought back to the stored bytes.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from evidence_store.documents.charset import UTF8, encoding_note, find_marked, find_named, fits
from evidence_store.documents.counts import COUNTS, format_counts
from evidence_store.documents.encoding import UTF8_MARK, Transcoded, first_bad_byte, mark_note, other_encoding, unit_width
from evidence_store.documents.junit import JunitDocument
from evidence_store.documents.junit_read import Suite, read_report
from evidence_store.documents.model import DEFAULT_LIMITS, Child, Limits, Node, Note, Scalar
from evidence_store.errors import LimitExceeded, RefusedDocument
from evidence_store.model import Span

_DECLARED: Final = re.compile(rb"""<\?xml\s[^>]*?\sencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]*)["']""")
"""The XML declaration, which stands at the very start or not at all (XML 1.0, 2.8 and 4.3.3)."""
_WIDE: Final = ((b"<\0", "utf-16le"), (b"\0<", "utf-16be"))
"""How XML in UTF-16 begins without a byte order mark (XML 1.0, appendix F)."""


def check_junit(raw: bytes, limits: Limits = DEFAULT_LIMITS) -> tuple[Note, ...]:
    """What was found in bytes that are JUnit XML, the counts of its cases among it.

    Raises RefusedDocument (`line`, `byte` in the details) for what is none, LimitExceeded past a limit.
    """
    if len(raw) > limits.max_bytes:
        raise LimitExceeded(f"{len(raw)} bytes are over the limit of {limits.max_bytes}", {"limit": limits.max_bytes})
    encoding = _require_encoding(raw)
    if encoding == UTF8:
        notes = (mark_note(),) if raw.startswith(UTF8_MARK) else ()
        return (*notes, Note(COUNTS, format_counts(read_report(raw, limits).counts)))
    text = Transcoded(raw, encoding)
    try:
        counts = read_report(text.utf8, limits).counts
    except RefusedDocument as exc:
        at = exc.details["byte"]
        assert isinstance(at, int), "a refusal says where"
        raise RefusedDocument(exc.message, {**exc.details, "byte": text.source_of(at)}, code=exc.error_code) from exc
    why = "detected by its first bytes" if unit_width(encoding) > 1 else "declared in its XML declaration"
    return (encoding_note(encoding, why), Note(COUNTS, format_counts(counts)))


def open_report(raw: bytes, limits: Limits = DEFAULT_LIMITS) -> JunitDocument:
    """The document of bytes that `check_junit` took, under these limits."""
    encoding = _require_encoding(raw)
    return JunitDocument(raw, limits) if encoding == UTF8 else _TranscodedReport(raw, encoding, limits)


def _require_encoding(raw: bytes) -> str:
    """UTF-8 where all bytes are, whatever is declared; else UTF-16, or what the XML declaration names.

    Raises RefusedDocument where the bytes do not fit, or where the encoding is UTF-32 or not known here.
    """
    wide = find_marked(raw) or next((name for start, name in _WIDE if raw.startswith(start)), None)
    if wide is not None:
        if not wide.startswith("utf-16") or not fits(raw, wide):
            text = f"the encoding is {other_encoding(raw) or 'UTF-16'}, and the bytes are not read as such (they can be stored as text)"
            raise RefusedDocument(text, {"byte": 0, "line": 1}, code="not_utf8")
        return wide
    bad = first_bad_byte(raw)
    if bad is None:
        return UTF8
    declared = _DECLARED.match(raw)
    name = find_named(declared[1].decode("ascii")) if declared else None
    if name is not None and unit_width(name) == 1 and name != UTF8 and fits(raw, name):
        return name
    text = "the encoding is not UTF-8, nor one that is declared, known and fits"
    details = {"byte": bad, "line": raw.count(b"\n", 0, bad) + 1}
    raise RefusedDocument(f"{text}: the first byte that is not UTF-8 stands at byte {bad}", details, code="not_utf8")


class _TranscodedReport(JunitDocument):
    """A report in another encoding: a twin in UTF-8 has the tree and the values, nodes stand where they do in the source."""

    def __init__(self, raw: bytes, encoding: str, limits: Limits) -> None:
        self.raw = raw
        self._text = Transcoded(raw, encoding)
        self._twin = JunitDocument(self._text.utf8, limits)
        self._twins: dict[int, Node] = {}
        """Nodes of the twin by their handle, which ours have too."""
        self.root = self._placed(self._twin.root)

    def child(self, node: Node, token: str) -> Node:
        return self._placed(self._twin.child(self._twins[node.handle], token))

    def children(self, node: Node) -> Sequence[Child]:
        return tuple(Child(child.token, self._placed(child.node)) for child in self._twin.children(self._twins[node.handle]))

    def scalar(self, node: Node) -> Scalar:
        return self._twin.scalar(self._twins[node.handle])

    def suites(self) -> Iterable[tuple[str, Suite, Node]]:
        return [(token, self._placed_suite(suite), self._placed(node)) for token, suite, node in self._twin.suites()]

    def _placed(self, twin: Node) -> Node:
        self._twins[twin.handle] = twin
        return replace(twin, span=self._span(twin.span))

    def _placed_suite(self, suite: Suite) -> Suite:
        cases = tuple(replace(case, span=self._span(case.span)) for case in suite.cases)
        return replace(suite, span=self._span(suite.span), cases=cases)

    def _span(self, span: Span) -> Span:
        return Span(self._text.source_of(span.start), self._text.source_of(span.end))
