"""Summaries as evidence: derived from a whole revision, made again from its bytes whenever they are read.

The identity is that of any derived evidence: the part is the whole revision, the transform `summary/KIND/VERSION`. No text is
stored. What a revision may cost is known from its size before any of it is read.
"""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Final

from evidence_store.documents.text import format_bytes
from evidence_store.errors import InvalidInput, LimitExceeded
from evidence_store.excerpts import Shown
from evidence_store.model import Cut, Digest, Format, Packet, ResourceName, Selector, Span, TextLimit
from evidence_store.records.sources import Revision
from evidence_store.store.core import Core
from evidence_store.store.found import slice_passage
from evidence_store.store.mint import Passage, mint
from evidence_store.store.passages import Passages, Stored
from evidence_store.store.sources import Sources, require_resource
from evidence_store.summaries.model import HEAD_BYTES, Material, Subject, Summarizer
from evidence_store.summaries.registry import Registry
from evidence_store.summaries.standard import standard_registry

KEPT_TEXTS: Final = 32

_TextKey = tuple[Digest, Format, str, str]
"""Blob, format, notes and transform: all that the text depends on."""


class Summaries:
    """Summaries of one workspace. `registry` is where users add their own kinds."""

    def __init__(self, core: Core, sources: Sources, passages: Passages, registry: Registry | None = None) -> None:
        self._core = core
        self._sources = sources
        self._passages = passages
        self.registry = registry or standard_registry()
        self._texts: OrderedDict[_TextKey, str] = OrderedDict()
        self._lock = Lock()

    def read(self, name: ResourceName, number: int | None, kind: str | None, limit: TextLimit, *, tool: str | None = None) -> Packet:
        """The summary of a revision, as derived evidence; without a kind the one that fits best. `tool` is the tool whose output it is.

        Raises NotFound, LimitExceeded (`too_large`) before anything large is read, InvalidInput: `unknown_kind`, or `no_summary` where
        the output is not of the kind or of none.
        """
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
        text = self._text(stored.reader.revision, self.registry.get_transform(transform))
        shown = _show(text, transform, stored.limit)
        return slice_passage(stored.resource, stored.reader, stored.selector, stored.found.span, shown, transform=transform)

    def text_of(self, revision: Revision, transform: str) -> str:
        """The summary that a transform makes of a revision. Raises as `read`, and NotFound for a kind that is not registered here."""
        return self._text(revision, self.registry.get_transform(transform))

    def kinds_of(self, name: ResourceName, number: int | None, *, tool: str | None = None) -> Sequence[str]:
        """The kinds that would be tried for a revision, the best first."""
        return [one.kind for one in self._candidates(self._sources.get_revision(name, number), tool)]

    def _candidates(self, revision: Revision, tool: str | None) -> Sequence[Summarizer]:
        head = self._sources.get_reader(revision).read(Span(0, min(HEAD_BYTES, revision.size)))
        subject = Subject(revision.resource, revision.media_type, revision.format, revision.size, head, tool)
        return self.registry.candidates(subject)

    def _choose(self, revision: Revision, tool: str | None) -> Summarizer:
        """The first candidate that can summarize the revision: what a beginning looks like is no promise."""
        for summarizer in self._candidates(revision, tool):
            try:
                self._text(revision, summarizer)
            except InvalidInput as why:
                if why.error_code != "no_summary":
                    raise
            else:
                return summarizer
        details = {"known": list(self.registry.kinds)}
        raise InvalidInput(f"no kind of summary fits a {revision.format.value} revision like this one", details, code="no_summary")

    def _text(self, revision: Revision, summarizer: Summarizer) -> str:
        if revision.size > summarizer.max_bytes:
            text = f"{revision.size} bytes are more than the {summarizer.max_bytes} that a {summarizer.kind} summary takes"
            raise LimitExceeded(text, {"limit": summarizer.max_bytes}, code="too_large")
        key = (revision.digest, revision.format, repr(revision.notes), summarizer.transform)
        with self._lock:
            known = self._texts.get(key)
        if known is None:
            raw = self._sources.get_bytes(revision.resource, revision.number)
            known = summarizer.summarize(Material(raw, revision.format, revision.notes))
            with self._lock:
                self._texts[key] = known
                if len(self._texts) > KEPT_TEXTS:
                    self._texts.popitem(last=False)
        return known


def _show(text: str, transform: str, limit: TextLimit) -> Shown:
    """A summary that does not fit is cut at a line end; it is text and no value. The cut counts bytes of the summary."""
    if limit.fits(text):
        return Shown(text, (transform,))
    fitting = text[: limit.prefix(text)]
    shown = fitting[: fitting.rfind("\n") + 1] or fitting
    cut = Cut(Span(0, len(shown.encode())), limit.count(text), text.count("\n"))
    return Shown(shown, (transform,), cut)
