"""What a summarizer is given, what it gives, and how it says that an output is none of its kind."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Protocol

from evidence_store.documents.charset import encoding_of
from evidence_store.documents.detect import open_document
from evidence_store.documents.model import DEFAULT_LIMITS, Document, Limits, Note
from evidence_store.errors import EvidenceStoreError, InvalidInput, LimitExceeded, StoreFault
from evidence_store.model import Format, ResourceName, Span
from evidence_store.summaries.lines import LINE_CHARS, iter_lines

NODE_FORMATS: Final = (Format.JSON, Format.YAML, Format.JSONL, Format.JUNIT)
TEXTS: Final = frozenset(set(Format) - {Format.BYTES})
HEAD_BYTES: Final = 64 * 1024
MAX_BYTES: Final = 64 * 1024 * 1024
"""Bytes that are taken where all of them are read at once, as a document is: several times as much memory goes into it."""
MAX_STREAMED_BYTES: Final = 256 * 1024 * 1024
"""Bytes that are taken where they are read line by line: the default bound of what a store takes in. Only time stands against more."""
MAX_LINES: Final = 1_000_000
"""Lines of a text that `Material.lines` holds at once; they are counted before."""
PIECE_BYTES: Final = 1024 * 1024


class Source(Protocol):
    """The bytes of a revision. Who gives them has checked them; they are the same each time."""

    @property
    def size(self) -> int: ...

    def read(self, span: Span) -> bytes:
        """Any range within the size."""
        ...


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

    source: bytes | Source
    format: Format
    notes: tuple[Note, ...] = field(default=())
    limits: Limits = field(default=DEFAULT_LIMITS)
    """Bounds that a document is held to."""

    @property
    def size(self) -> int:
        return len(self.source) if isinstance(self.source, bytes) else self.source.size

    @cached_property
    def raw(self) -> bytes:
        """All bytes at once."""
        return self.source if isinstance(self.source, bytes) else self.source.read(Span(0, self.size))

    @cached_property
    def document(self) -> Document:
        """Raises NotFound (`no_structure`) for formats without nodes, LimitExceeded past a limit."""
        return open_document(self.raw, self.format, self.notes, limits=self.limits)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines as text, without their ends; counted as everywhere: they end at LF only.

        Raises LimitExceeded for more than `MAX_LINES`; `iter_lines` has no bound.
        """
        n_ends = sum(piece.count(b"\n") for piece in self._pieces())
        if n_ends > MAX_LINES:
            raise LimitExceeded(f"more than {MAX_LINES} lines are not summarized", {"limit": MAX_LINES})
        return tuple(self.iter_lines(self.size))

    def iter_lines(self, max_chars: int = LINE_CHARS) -> Iterator[str]:
        """The same lines one by one, each as far as `max_chars`, in the memory of a piece; may be called again."""
        return iter_lines(self._pieces(), encoding_of(self.notes), max_chars)

    def _pieces(self) -> Iterator[bytes]:
        for start in range(0, self.size, PIECE_BYTES):
            span = Span(start, min(start + PIECE_BYTES, self.size))
            yield self.source[span.start : span.end] if isinstance(self.source, bytes) else self.source.read(span)


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
    """Of a revision that is read as a whole; a larger one is refused before it is read."""
    streamed: frozenset[Format] = frozenset()
    """Formats of which nothing is held but lines (`Material.iter_lines`): they are taken up to `MAX_STREAMED_BYTES`."""

    @property
    def transform(self) -> str:
        return f"summary/{self.kind}/{self.version}"

    def bound(self, format: Format) -> int:
        """Bytes of a revision in this format that are taken."""
        return max(self.max_bytes, MAX_STREAMED_BYTES) if format in self.streamed else self.max_bytes


def require_size(summarizer: Summarizer, format: Format, size: int) -> None:
    """Raises LimitExceeded (`too_large`) for more bytes than a kind takes in this format."""
    bound = summarizer.bound(format)
    if size > bound:
        text = f"{size} bytes are more than the {bound} that a {summarizer.kind} summary takes"
        raise LimitExceeded(text, {"limit": bound}, code="too_large")


def summary_of(summarizer: Summarizer, material: Material) -> str:
    """The text that a kind makes. Raises what it raises on purpose, and StoreFault (`summary_failed`) for anything else."""
    try:
        text = summarizer.summarize(material)
        if not isinstance(text, str):
            raise TypeError(f"a summary is a str, not {type(text).__name__}")
        text.encode()  # half a surrogate pair could neither be shown nor stored
    except EvidenceStoreError:
        raise
    except Exception as why:
        raise failed(summarizer, why) from why
    return text


def takes(summarizer: Summarizer, subject: Subject) -> bool:
    """Whether a kind says that it should be tried. Raises as `summary_of`."""
    try:
        return summarizer.applies(subject)
    except EvidenceStoreError:
        raise
    except Exception as why:
        raise failed(summarizer, why) from why


def failed(summarizer: Summarizer, why: Exception) -> StoreFault:
    """The error of a kind that is broken: neither the caller nor the stored bytes are at fault."""
    text = f"the summary kind {summarizer.kind!r} failed: {type(why).__name__}: {str(why)[:200]!r}"
    return StoreFault(text, {"kind": summarizer.kind}, code="summary_failed")


def not_of_kind(kind: str, why: str) -> InvalidInput:
    """The error of an output that a kind cannot summarize."""
    return InvalidInput(f"no {kind} summary: {why}", {"kind": kind}, code="no_summary")
