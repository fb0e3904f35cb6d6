"""What a summarizer is given, what it gives, and how it says that an output is none of its kind."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from evidence_store.documents.charset import UTF8, encoding_of
from evidence_store.documents.detect import open_document
from evidence_store.documents.encoding import UTF8_MARK
from evidence_store.documents.model import Document, Note
from evidence_store.errors import InvalidInput, LimitExceeded
from evidence_store.model import Format, ResourceName

NODE_FORMATS = (Format.JSON, Format.YAML, Format.JSONL, Format.JUNIT)
HEAD_BYTES = 64 * 1024
MAX_BYTES = 64 * 1024 * 1024
"""Bytes that a kind takes where it says nothing else: reading all of them is what a summary costs."""
MAX_LINES = 1_000_000
"""Lines of a text that are looked at one by one; they are counted before."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is known of an output before it is read. Used to choose a kind, never to make the text."""

    resource: ResourceName
    media_type: str
    format: Format
    size: int
    """Bytes of the revision."""
    head: bytes
    """Its first 64 KiB."""
    tool: str | None = None
    """The tool whose output it is, where the caller knows."""


@dataclass(frozen=True)
class Material:
    """All that a summary may depend on: the bytes of a revision, and how they are read."""

    raw: bytes
    format: Format
    notes: tuple[Note, ...] = field(default=())

    @cached_property
    def document(self) -> Document:
        """Raises NotFound (`no_structure`) for formats without nodes."""
        return open_document(self.raw, self.format, self.notes)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines as text, without their ends; counted as everywhere: they end at LF only.

        Raises LimitExceeded for more than `MAX_LINES`.
        """
        if self.raw.count(b"\n") > MAX_LINES:
            raise LimitExceeded(f"more than {MAX_LINES} lines are not summarized", {"limit": MAX_LINES})
        encoding = encoding_of(self.notes)
        raw = self.raw.removeprefix(UTF8_MARK) if encoding == UTF8 else self.raw
        lines = raw.decode(encoding, "replace").removeprefix("\ufeff").split("\n")
        if lines[-1] == "":
            lines.pop()
        return tuple(lines)


def always(subject: Subject) -> bool:
    """For a summarizer that is chosen by its rules alone."""
    return True


@dataclass(frozen=True, slots=True)
class Summarizer:
    """One kind of summary.

    `summarize` gives the text, lines that end with LF; the same material always gives the same text, for all time of one `version`.
    It raises InvalidInput (`no_summary`) for an output that is not of its kind, and must bound its own work and the text.
    """

    kind: str
    """Lower-case letters, digits and hyphens."""
    summarize: Callable[[Material], str]
    applies: Callable[[Subject], bool] = always
    """Whether it should be tried; told from what can be seen without reading all of it."""
    version: int = 1
    max_bytes: int = MAX_BYTES
    """Of the revision; a larger one is refused before it is read."""

    @property
    def transform(self) -> str:
        return f"summary/{self.kind}/{self.version}"


def not_of_kind(kind: str, why: str) -> InvalidInput:
    """The error of an output that a kind cannot summarize."""
    return InvalidInput(f"no {kind} summary: {why}", {"kind": kind}, code="no_summary")
