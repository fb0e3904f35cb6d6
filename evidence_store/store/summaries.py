"""Summaries as evidence: derived from a whole revision, made again from its bytes whenever they are read.

The identity is that of any derived evidence: the part is the whole revision, the transform `summary/KIND/VERSION`. No text is
stored. Secrets are masked in the bytes before a kind sees them, at their length, so that lines and places stay what they are.
What a revision may cost is known from its size before any of it is read. What a kind that a user wrote does wrong is an
error of that kind.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

from evidence_store.documents.charset import encoding_of
from evidence_store.documents.encoding import unit_width
from evidence_store.documents.text import format_bytes
from evidence_store.documents.wide import fitted
from evidence_store.errors import InvalidInput, LimitExceeded
from evidence_store.excerpts import Shown
from evidence_store.masking import mask_source
from evidence_store.model import Cut, Digest, Format, Packet, ResourceName, Selector, Span, TextLimit
from evidence_store.records.sources import Revision, find_first_origin
from evidence_store.secrets import SECRETS_MASKED, SHOW_SECRETS, Numbering
from evidence_store.store.blots import blot, without_blots
from evidence_store.store.core import Core
from evidence_store.store.found import slice_passage
from evidence_store.store.mint import Passage, mint
from evidence_store.store.passages import Passages, Stored
from evidence_store.store.reader import RevisionReader
from evidence_store.store.sources import Sources, require_resource
from evidence_store.summaries.model import HEAD_BYTES, Material, Subject, Summarizer, require_size, summary_of
from evidence_store.summaries.registry import Registry
from evidence_store.summaries.standard import standard_registry

KEPT_TEXTS: Final = 32

_TextKey = tuple[Digest, Format, str, str, bool]
"""Blob, format, notes, transform, and whether secrets are shown: all that the text depends on."""


@dataclass(frozen=True, slots=True)
class _Text:
    text: str
    masked: bool = False

    @property
    def transforms(self) -> tuple[str, ...]:
        return (SECRETS_MASKED,) if self.masked else ()


class _RevisionSource:
    """The bytes of a revision for a summarizer: all of them checked as a whole, a part by its frames."""

    def __init__(self, sources: Sources, reader: RevisionReader) -> None:
        self._sources, self._reader, self._revision = sources, reader, reader.revision
        self._numbering = Numbering()
        self.size = reader.size
        self.masked = False

    def read(self, span: Span) -> bytes:
        whole = span.length == self.size
        raw = self._sources.get_whole(self._revision) if whole else self._reader.read(span)
        notes, format = self._revision.notes, self._revision.format
        masking = self._reader.masking
        if whole and masking is not SHOW_SECRETS:
            encoding = encoding_of(notes)
            told = raw if unit_width(encoding) == 1 else fitted(raw, encoding)
            masking = mask_source(told, encoding, format)
        masks = masking.masks(span)
        if not masks:
            return raw
        self.masked = True
        return blot(raw, span.start, masks, encoding_of(notes), self._numbering)


class Summaries:
    """Summaries of one workspace. `registry` is where users add their own kinds."""

    def __init__(self, core: Core, sources: Sources, passages: Passages, registry: Registry | None = None) -> None:
        self._core = core
        self._sources = sources
        self._passages = passages
        self.registry = registry or standard_registry()
        self._texts: OrderedDict[_TextKey, _Text] = OrderedDict()
        self._lock = Lock()

    def read(self, name: ResourceName, number: int | None, kind: str | None, limit: TextLimit, *, tool: str | None = None) -> Packet:
        """The summary of a revision, as derived evidence; without a kind the one that fits best.

        `tool` is the tool whose output it is; without it the one that the first observation of the revision names. Raises NotFound,
        LimitExceeded (`too_large`) before anything large is read, InvalidInput: `unknown_kind`, or `no_summary` where the output is
        not of the kind or of none; StoreFault (`summary_failed`) for what a kind does wrong.
        """
        self._sources.require_unmasked(name)
        revision = self._sources.get_revision(name, number)
        summarizer = self._choose(revision, tool) if kind is None else self.registry.get_kind(kind)
        text = self._text(revision, summarizer)
        with self._core.database.reading() as connection:
            resource = require_resource(connection, self._core, name)
        span = Span(0, revision.size)
        shown = _show(text, summarizer.transform, limit)
        reader = self._passages.get_reader(revision)
        selector = Selector("bytes", format_bytes(span))
        return mint(self._core, [slice_passage(resource, reader, selector, span, shown, transform=summarizer.transform)])[0]

    def again(self, stored: Stored) -> Passage:
        """The replay of a stored summary. Raises NotFound (`unknown_kind`) where its kind is not registered here."""
        transform = stored.found.transform
        assert transform is not None, "only derived evidence is replayed"
        text = self._text(stored.reader.revision, self.registry.get_transform(transform), stored.reader)
        shown = _show(text, transform, stored.limit)
        return slice_passage(stored.resource, stored.reader, stored.selector, stored.found.span, shown, transform=transform)

    def text_of(self, revision: Revision, transform: str) -> str:
        """The summary that a transform makes of a revision, to compare and not to show: secrets stand in it.

        Raises as `read`, and NotFound for a kind that is not registered here.
        """
        showing = self._passages.get_reader(revision).showing_secrets()
        return self._text(revision, self.registry.get_transform(transform), showing).text

    def kinds_of(self, name: ResourceName, number: int | None, *, tool: str | None = None) -> Sequence[str]:
        """The kinds that would be tried for a revision, the best first."""
        return [one.kind for one in self._candidates(self._sources.get_revision(name, number), tool)]

    def _candidates(self, revision: Revision, tool: str | None) -> Sequence[Summarizer]:
        if tool is None:
            with self._core.database.reading() as connection:
                tool = find_first_origin(connection, self._core.workspace, revision.resource, revision.number)
        head = self._sources.get_reader(revision).read(Span(0, min(HEAD_BYTES, revision.size)))
        subject = Subject(revision.resource, revision.media_type, revision.format, revision.size, head, tool)
        return self.registry.candidates(subject)

    def _choose(self, revision: Revision, tool: str | None) -> Summarizer:
        """The first candidate that can summarize the revision: what a beginning looks like is no promise, and some take more than others.

        Where none can, the first bound that was met is what there is to say.
        """
        met: LimitExceeded | None = None
        for summarizer in self._candidates(revision, tool):
            try:
                self._text(revision, summarizer)
            except LimitExceeded as why:
                met = met or why
            except InvalidInput as why:
                if why.error_code != "no_summary":
                    raise
            else:
                return summarizer
        if met is not None:
            raise met
        details = {"known": list(self.registry.kinds)}
        raise InvalidInput(f"no kind of summary fits a {revision.format.value} revision like this one", details, code="no_summary")

    def _text(self, revision: Revision, summarizer: Summarizer, reader: RevisionReader | None = None) -> _Text:
        require_size(summarizer, revision.format, revision.size)
        reader = reader or self._passages.get_reader(revision)
        key = (revision.digest, revision.format, repr(revision.notes), summarizer.transform, reader.masking is SHOW_SECRETS)
        with self._lock:
            known = self._texts.get(key)
        if known is None:
            source = _RevisionSource(self._sources, reader)
            text = summary_of(summarizer, Material(source, revision.format, revision.notes, self._core.limits))
            known = _Text(without_blots(text) if source.masked else text, source.masked)
            with self._lock:
                self._texts[key] = known
                if len(self._texts) > KEPT_TEXTS:
                    self._texts.popitem(last=False)
        return known


def _show(made: _Text, transform: str, limit: TextLimit) -> Shown:
    """A summary that does not fit is cut at a line end; it is text and no value. The cut counts bytes of the summary, not of the source."""
    text, transforms = made.text, (transform, *made.transforms)
    if limit.fits(text):
        return Shown(text, transforms)
    fitting = text[: limit.prefix(text)]
    shown = fitting[: fitting.rfind("\n") + 1] or fitting
    tokens = limit.count(text)
    cut = Cut(Span(0, len(shown.encode())), tokens, text.count("\n"), Span(0, len(text.encode())))
    return Shown(shown, transforms, cut, next=None if tokens is None else f"--max-tokens {tokens}")
