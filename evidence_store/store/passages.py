"""Passages: reading a place of a revision as evidence, and finding it again by its id.

Blob and document work happens before the transaction that stores an evidence, never inside it.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeAlias

from evidence_store.blobs import Stamped
from evidence_store.deadline import Deadline
from evidence_store.documents.charset import UTF8, encoding_of
from evidence_store.documents.detect import STRUCTURED
from evidence_store.documents.encoding import unit_width
from evidence_store.documents.resolve import resolve
from evidence_store.documents.shown import FRAMES_LEFT_OUT
from evidence_store.documents.text import (
    format_bytes,
    format_lines,
    parse_bytes,
    resolve_lines,
    span_of_bytes,
)
from evidence_store.errors import Ambiguous, BadIndex, IntegrityMismatch, InvalidInput, NotFound
from evidence_store.excerpts import (
    Children,
    NoLimit,
    continue_by_lines,
    show_receipt,
)
from evidence_store.model import Digest, EvidenceId, Hop, LineRange, Packet, Pointer, ResourceName, Selector, Span, TextLimit
from evidence_store.pointers import parent, parse_pointer, plain_form
from evidence_store.quote_context import NO_CONTEXT, QuoteContext
from evidence_store.records import evidence as records
from evidence_store.records.evidence import Evidence
from evidence_store.records.sources import Resource, Revision
from evidence_store.store.core import Core, is_unmasked, read_span
from evidence_store.store.encoded_reader import EncodedReader, WideReader
from evidence_store.store.found import (
    KEYS,
    SEARCH,
    View,
    has_hit,
    node_passage,
    quote_around,
    quote_in,
    show_range,
    shown_selector,
    slice_passage,
    with_transforms,
)
from evidence_store.store.mint import Passage, mint
from evidence_store.store.moments import Files
from evidence_store.store.reader import PIECE_BYTES, RevisionReader
from evidence_store.store.shown_quotes import find_shown_quote, has_mark, selector_of
from evidence_store.store.sources import Sources, require_resource, require_unmasked

READ_AHEAD = 500
"""Ids in one statement: SQLite bounds its variables."""


@dataclass(frozen=True, slots=True)
class Place:
    """What to read: a selector in a revision, and how to show it."""

    resource: ResourceName
    revision: int | None
    """None: the newest."""
    selector: Selector
    view: View = "source"
    children: Children | None = None
    within: Pointer | None = None
    """For a quote: the node in which it must stand."""
    context: QuoteContext = NO_CONTEXT
    """For a quote: what must stand before and after it."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored evidence on its way to be shown again; its parts were compared with its excerpt digest."""

    found: Evidence
    resource: Resource
    reader: RevisionReader
    selector: Selector
    limit: TextLimit


Replay: TypeAlias = Callable[[Stored], Passage]
"""Makes a derived text anew from the bytes. Raises IntegrityMismatch or NotFound where it cannot."""


class Passages:
    """Evidence of one workspace."""

    def __init__(self, core: Core, sources: Sources, replays: Mapping[str, Replay] | None = None) -> None:
        """`replays` are those that are made elsewhere, by the name of a transform, or by a family of names, which ends with `/`."""
        self._core = core
        self._sources = sources
        self._replays: Mapping[str, Replay] = {KEYS: self._keys_again, SEARCH: self._receipt_again, **(replays or {})}

    def read(self, place: Place, limit: TextLimit) -> Packet:
        """The packet of a place. Raises NotFound, InvalidInput or StoreFault; pointer errors help to repair the pointer."""
        return self.read_all((place,), limit)[0]

    def read_all(self, places: Sequence[Place], limit: TextLimit) -> tuple[Packet, ...]:
        """Packets of several places, stored together: all or none."""
        return mint(self._core, [self._find(place, limit) for place in places])

    def read_with(self, id_: EvidenceId, hops: Sequence[Hop], limit: TextLimit) -> Packet:
        """The packet of a node's evidence with further parts that its meaning rests on: an evidence of its own. Raises NotFound."""
        made = self._again(self.find(id_), limit)
        known = {made.span, *(hop.span for hop in made.hops)}
        more = tuple(hop for hop in dict.fromkeys(hops) if hop.span not in known)
        parts = (made.span, *(hop.span for hop in (*made.hops, *more)))
        reader = self.get_reader(made.revision)
        return mint(self._core, [replace(made, hops=(*made.hops, *more), excerpt_digest=reader.digest_of(parts))])[0]

    def get(self, id_: EvidenceId, limit: TextLimit) -> Packet:
        """A stored evidence, shown anew from the stored bytes. Raises NotFound; IntegrityMismatch when they changed."""
        return mint(self._core, [self._again(self.find(id_), limit)])[0]

    def find_packets(self, ids: Sequence[EvidenceId], limit: TextLimit) -> Sequence[Packet]:
        """The same of several, in their order, each once; what there is not is left out. Raises IntegrityMismatch."""
        found = []
        for id_ in dict.fromkeys(ids):
            with suppress(NotFound):
                found.append(self.get(id_, limit))
        return found

    def find(self, id_: EvidenceId) -> Evidence:
        """The record of an evidence. Raises NotFound."""
        with self._core.database.reading() as connection:
            found = records.find_evidence(connection, self._core.workspace, id_, self._core.clearances)
        if found is not None:
            return found
        unstored = self._core.unstored.find(id_)
        if unstored is None or self._sources.find_resource(unstored[0].resource) is None:
            raise NotFound(f"there is no evidence {id_}", code="unknown_id")
        return unstored[0]

    def list_ids(self, beginning: str, limit: int) -> Sequence[EvidenceId]:
        """Ids that begin so, in their order."""
        with self._core.database.reading() as connection:
            return records.list_ids_from(connection, self._core.workspace, beginning, limit)

    def selectors(self, id_: EvidenceId) -> Sequence[Selector]:
        """The ways in which an evidence was found, pointers first."""
        with self._core.database.reading() as connection:
            found = records.list_selectors(connection, self._core.workspace, id_)
        unstored = self._core.unstored.find(id_)
        return found if found or unstored is None else (unstored[1],)

    def shown_selectors(self, id_: EvidenceId) -> Sequence[Selector]:
        """The same as they may be shown."""
        found = self.find(id_)
        reader = self.get_reader(self._sources.get_revision(found.resource, found.revision))
        return [shown_selector(reader, one, found.span) for one in self.selectors(id_)]

    def expand(self, id_: EvidenceId, to: str, limit: TextLimit) -> Packet:
        """What stands around a passage, as an evidence of its own: `parent`, `full`, or `lines:N` before and after.

        Raises InvalidInput for another word.
        """
        if to == "parent" or to == "full":
            return self._wider(id_, to == "parent", limit)
        if to.startswith("lines:") and to[6:].isascii() and to[6:].isdecimal() and len(to) < 14:
            return self._around(id_, int(to[6:]), limit)
        raise InvalidInput(f"{to[:40]!r} is no expansion", {"known": ["parent", "full", "lines:N"]}, code="unknown_expansion")

    def _wider(self, id_: EvidenceId, to_parent: bool, limit: TextLimit) -> Packet:
        found = self.find(id_)
        selector = self.best_selector(found)
        revision = self._sources.get_revision(found.resource, found.revision)
        if to_parent and selector.kind == "pointer":
            wider = Selector("pointer", parent(Pointer(selector.text)))
        elif revision.format in STRUCTURED:
            wider = Selector("pointer", "")
        else:
            wider = Selector("bytes", format_bytes(Span(0, revision.size)))
        return self.read(Place(found.resource, found.revision, wider), limit)

    def _around(self, id_: EvidenceId, n_lines: int, limit: TextLimit) -> Packet:
        found = self.find(id_)
        reader = self.get_reader(self._sources.get_revision(found.resource, found.revision))
        lines = reader.lines_of(found.span)
        wider = Selector("lines", format_lines(LineRange(max(1, lines.first - n_lines), lines.last + n_lines)))
        return self.read(Place(found.resource, found.revision, wider), limit)

    def cited_texts(self, id_: EvidenceId) -> tuple[str, ...]:
        """What a claim can rest on in an evidence: what may be quoted of it, and the tokens of its pointers."""
        pointers = [s.text for s in self.selectors(id_) if s.kind == "pointer"]
        return (*self.quotable_texts(id_), *(token for pointer in pointers for token in parse_pointer(pointer)))

    def quotable_texts(self, id_: EvidenceId) -> tuple[str, ...]:
        """What stands in an evidence: its bytes as text, its value as JSON, the value of a scalar; and its text as it is shown."""
        found = self.find(id_)
        plain, shown = self._again(found, NoLimit(), show_secrets=True).shown, self._again(found, NoLimit()).shown
        drawn_over = any(name.startswith(FRAMES_LEFT_OUT) for name in plain.transforms)
        source = (self._source_text(found),) if drawn_over else ()
        texts = (plain.text, *((plain.value.decode(),) if plain.value else ()), *self._scalar_text(found), *source, shown.text)
        return tuple(dict.fromkeys(texts))

    def _source_text(self, found: Evidence) -> str:
        """All that the bytes say, frames that were drawn over among it: a search shows the one of its hit."""
        revision = self._sources.get_revision(found.resource, found.revision)
        return self._sources.get_reader(revision).read(found.span).decode(encoding_of(revision.notes), "replace")

    def _scalar_text(self, found: Evidence) -> tuple[str, ...]:
        selector = self.best_selector(found)
        if found.transform is not None or selector.kind != "pointer":
            return ()
        document = self._sources.get_tree(self._sources.get_revision(found.resource, found.revision))
        node = resolve(document, selector.text)
        return () if node.is_container else (str(document.scalar(node)),)

    def check(self, found: Evidence, *, anew: bool = True) -> None:
        """Reads the parts of an evidence anew from where they are kept. Raises IntegrityMismatch when they are not those cited.

        Not `anew`, frames that were read last count as read: for who forgot them, and goes through the evidence of a revision.
        """
        if not anew:
            revision = self._sources.get_revision(found.resource, found.revision)
            require_same_excerpt(found, self._sources.get_reader(revision).digest_of(spans_of(found)))
            return
        sha256 = hashlib.sha256()
        with self._core.database.reading() as connection:
            for span in spans_of(found):
                for start in range(span.start, span.end, PIECE_BYTES):
                    sha256.update(read_span(self._core, connection, found.blob, Span(start, min(span.end, start + PIECE_BYTES))))
        require_same_excerpt(found, Digest("sha256:" + sha256.hexdigest()))

    def read_ahead(self, ids: Sequence[EvidenceId]) -> None:
        """For who goes through many evidences within a snapshot, and has them checked not `anew`: reads their rows at once."""
        self._core.recent.forget()
        with self._core.database.reading() as connection:
            for start in range(0, len(ids), READ_AHEAD):
                some = ids[start : start + READ_AHEAD]
                records.remember_evidence(connection, self._core.workspace, some, self._core.clearances)

    def find_files(self, id_: EvidenceId) -> Files | None:
        """The files that an evidence's bytes are in; None where the blob store cannot tell whether they are touched. Raises NotFound."""
        core, found = self._core, self.find(id_)
        if not isinstance(core.blobs, Stamped):
            return None
        reader = self._sources.get_reader(self._sources.get_revision(found.resource, found.revision))
        homes = dict.fromkeys(home for span in spans_of(found) for home in reader.files_of(span))
        keys = tuple(core.key(home) for home in homes)
        return Files(keys, tuple(core.blobs.find_stamp(key) for key in keys))

    # -- finding

    def _find(self, place: Place, limit: TextLimit) -> Passage:
        revision = self._sources.get_revision(place.resource, place.revision)
        resource = self._resource(place.resource)
        if place.view == "keys":
            require_complete(revision)
        if place.selector.kind == "pointer":
            return self._find_node(resource, revision, place, limit)
        if place.view != "source" or place.children is not None:
            raise InvalidInput("keys and children are shown of a pointer only", code="wrong_use")
        reader = self.get_reader(revision)
        if place.selector.kind == "quote":
            return self._find_quote(resource, reader, place, limit)
        span, selector, lines = _find_range(place, reader)
        shown = show_range(reader, span, limit)
        if lines is not None:
            shown = continue_by_lines(shown, lines.first, lines.last)
        return slice_passage(resource, reader, selector, span, shown)

    def _find_quote(self, resource: Resource, reader: RevisionReader, place: Place, limit: TextLimit) -> Passage:
        require_unmasked(self._core, resource)
        within = Span(0, reader.size)
        if place.within is not None:
            within = resolve(self._sources.get_tree(reader.revision), place.within).span
        try:
            found = quote_in(reader, within, place.selector.text, place.context)
        except NotFound:
            if not has_mark(place.selector.text):
                raise
            return self._find_shown_quote(resource, reader, place, within, limit)
        span = Span(within.start + found.span.start, within.start + found.span.end)
        shown = with_transforms(show_range(reader, span, limit), quote_around(reader, span, place.selector.text))
        return slice_passage(resource, reader, place.selector, span, shown)

    def _find_shown_quote(self, resource: Resource, reader: RevisionReader, place: Place, within: Span, limit: TextLimit) -> Passage:
        found = find_shown_quote(reader, within, place.selector.text, place.context)
        span = Span(within.start + found.span.start, within.start + found.span.end)
        shown = with_transforms(show_range(reader, span, limit), found.transforms)
        return slice_passage(resource, reader, selector_of(reader, span), span, shown)

    def _find_node(self, resource: Resource, revision: Revision, place: Place, limit: TextLimit) -> Passage:
        try:
            document = self._sources.get_tree(revision)
            node = resolve(document, place.selector.text)
        except (NotFound, BadIndex, Ambiguous) as why:
            if is_unmasked(self._core, resource.labels):
                raise
            # What helps to find another place are names that stand in the source.
            raise NotFound(f"nothing stands at {place.selector.text[:200]!r}") from why
        selector = Selector("pointer", plain_form(place.selector.text))
        reader = self.get_reader(revision)
        return node_passage(resource, reader, document, node, selector, place.view, limit, place.children)

    def get_reader(self, revision: Revision) -> RevisionReader:
        """Reads a revision in parts, with lines as they are in its encoding."""
        encoding = encoding_of(revision.notes)
        if encoding == UTF8:
            return self._sources.get_reader(revision)
        return (EncodedReader if unit_width(encoding) == 1 else WideReader)(self._core, revision, encoding)

    def _resource(self, name: ResourceName) -> Resource:
        with self._core.database.reading() as connection:
            return require_resource(connection, self._core, name)

    # -- finding again

    def _again(self, found: Evidence, limit: TextLimit, *, show_secrets: bool = False) -> Passage:
        """The passage of a stored evidence. Its parts are read from the store and compared with its excerpt digest."""
        revision = self._sources.get_revision(found.resource, found.revision)
        resource = self._resource(found.resource)
        reader = self.get_reader(revision)
        require_same_excerpt(found, reader.digest_of(spans_of(found)))
        reader = reader.showing_secrets() if show_secrets else reader
        stored = Stored(found, resource, reader, self.best_selector(found), limit)
        return self._observed_again(stored) if found.transform is None else self._replay(found.transform, stored)

    def _replay(self, transform: str, stored: Stored) -> Passage:
        name = transform.partition(" ")[0]
        replay = self._replays.get(name) or self._replays.get(name.partition("/")[0] + "/")
        if replay is None:
            raise IntegrityMismatch(f"nothing is known of the transform of {stored.found.id}", {"id": stored.found.id})
        return replay(stored)

    def _observed_again(self, stored: Stored) -> Passage:
        found, reader, selector = stored.found, stored.reader, stored.selector
        if selector.kind == "pointer":
            return self._node_again(stored, "source")
        shown = show_range(reader, found.span, stored.limit)
        if selector.kind == "quote":
            shown = with_transforms(shown, quote_around(reader, found.span, selector.text))
        return slice_passage(stored.resource, reader, selector, found.span, shown)

    def _keys_again(self, stored: Stored) -> Passage:
        if stored.selector.kind != "pointer":
            text = f"the pointer of {stored.found.id} is lost, and with it the container of these keys"
            raise IntegrityMismatch(text, {"id": stored.found.id})
        return self._node_again(stored, "keys")

    def _receipt_again(self, stored: Stored) -> Passage:
        """Searches again: a record that says so is no proof that nothing is there."""
        transform = stored.found.transform
        assert transform is not None, "only derived evidence is replayed"
        if has_hit(stored.reader, transform, Deadline(self._core.limits.max_seconds).check):
            raise IntegrityMismatch(f"{stored.found.id} says that there is no hit, and there is one", {"id": stored.found.id})
        shown = show_receipt(transform, stored.reader.masking)
        return slice_passage(stored.resource, stored.reader, stored.selector, stored.found.span, shown, transform=transform)

    def _node_again(self, stored: Stored, view: View) -> Passage:
        document = self._sources.get_tree(stored.reader.revision)
        node = resolve(document, stored.selector.text)
        made = node_passage(stored.resource, stored.reader, document, node, stored.selector, view, stored.limit, None)
        # With references followed an evidence has more parts than its node; they were compared with its excerpt digest.
        return replace(made, hops=stored.found.hops, excerpt_digest=stored.found.excerpt_digest)

    def best_selector(self, found: Evidence) -> Selector:
        """The first of the ways in which an evidence was found; its bytes, where these are lost."""
        known = self.selectors(found.id)
        return known[0] if known else Selector("bytes", format_bytes(found.span))


def require_complete(revision: Revision) -> None:
    """Raises InvalidInput (`incomplete_revision`) where more is to come: what is not there yet proves nothing."""
    if not revision.complete:
        text = f"{revision.resource!r} revision {revision.number} is not complete: what it does not hold proves no absence"
        raise InvalidInput(text, {"revision": revision.number}, code="incomplete_revision")


def spans_of(found: Evidence) -> tuple[Span, ...]:
    """All parts of an evidence, in order."""
    return (found.span, *(hop.span for hop in found.hops))


def require_same_excerpt(found: Evidence, digest: Digest) -> None:
    """Raises IntegrityMismatch when this is not the digest of the bytes that the evidence was made of."""
    if digest != found.excerpt_digest:
        raise IntegrityMismatch(f"the passage of {found.id} is not what it was when it was cited", {"id": found.id})


def _find_range(place: Place, reader: RevisionReader) -> tuple[Span, Selector, LineRange | None]:
    text = place.selector.text
    if place.selector.kind == "lines":
        span = reader.span_of_lines(resolve_lines(text, reader.count_lines))
        lines = reader.lines_of(span)
        return span, Selector("lines", format_lines(lines)), lines
    span = span_of_bytes(reader.size, parse_bytes(text))
    return span, Selector("bytes", format_bytes(span)), None
