"""Passages: reading a place of a revision as evidence, and finding it again by its id.

Blob and document work happens before the transaction that stores an evidence, never inside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evidence_store.canonical import digest_of
from evidence_store.documents.model import Document, Node
from evidence_store.documents.outline import keys_text
from evidence_store.documents.resolve import resolve
from evidence_store.documents.text import (
    column_of,
    format_bytes,
    format_lines,
    lines_of_span,
    parse_bytes,
    parse_lines,
    span_of_bytes,
    span_of_lines,
)
from evidence_store.errors import Ambiguous, IntegrityMismatch, InvalidInput, NotFound
from evidence_store.excerpts import Children, NoLimit, Shown, continue_by_lines, show_derived, show_node, show_slice
from evidence_store.model import EvidenceId, Format, LineRange, Packet, Pointer, ResourceName, Selector, Span, TextLimit
from evidence_store.pointers import parent, parse_pointer, plain_form
from evidence_store.records import evidence as records
from evidence_store.records.evidence import Evidence
from evidence_store.records.sources import Resource, Revision
from evidence_store.store.core import Core, read_span
from evidence_store.store.mint import Passage, mint
from evidence_store.store.sources import Sources, require_resource

KEYS = "keys/1"
"""Transform of a container into the list of its keys (docs/formats/keys.md)."""
STRUCTURED = (Format.JSON, Format.YAML)
MIN_QUOTE_CHARS = 3
MAX_PLACES = 20

View = Literal["source", "keys"]


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


class Passages:
    """Evidence of one workspace."""

    def __init__(self, core: Core, sources: Sources) -> None:
        self._core = core
        self._sources = sources

    def read(self, place: Place, limit: TextLimit) -> Packet:
        """The packet of a place. Raises NotFound, InvalidInput or StoreFault; pointer errors help to repair the pointer."""
        return self.read_all((place,), limit)[0]

    def read_all(self, places: Sequence[Place], limit: TextLimit) -> tuple[Packet, ...]:
        """Packets of several places, stored together: all or none."""
        return mint(self._core, [self._find(place, limit) for place in places])

    def get(self, id_: EvidenceId, limit: TextLimit) -> Packet:
        """A stored evidence, shown anew from the stored bytes. Raises NotFound; IntegrityMismatch when they changed."""
        return mint(self._core, [self._again(self.find(id_), limit)])[0]

    def find(self, id_: EvidenceId) -> Evidence:
        """The record of an evidence. Raises NotFound."""
        with self._core.database.reading() as connection:
            found = records.find_evidence(connection, self._core.workspace, id_)
        if found is None:
            raise NotFound(f"there is no evidence {id_}", code="unknown_id")
        return found

    def selectors(self, id_: EvidenceId) -> Sequence[Selector]:
        """The ways in which an evidence was found, pointers first."""
        with self._core.database.reading() as connection:
            return records.list_selectors(connection, self._core.workspace, id_)

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
        selector = self._best_selector(found)
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
        raw = self._sources.get_bytes(found.resource, found.revision)
        lines = lines_of_span(raw, found.span)
        wider = Selector("lines", format_lines(LineRange(max(1, lines.first - n_lines), lines.last + n_lines)))
        return self.read(Place(found.resource, found.revision, wider), limit)

    def cited_texts(self, id_: EvidenceId) -> tuple[str, ...]:
        """What a claim can rest on in an evidence: its bytes as text, the value of a scalar, the tokens of its pointers."""
        found = self.find(id_)
        shown = self._again(found, NoLimit()).shown
        pointers = [s.text for s in self.selectors(id_) if s.kind == "pointer"]
        tokens = [token for pointer in pointers for token in parse_pointer(pointer)]
        return (shown.text, *((shown.value.decode(),) if shown.value else ()), *self._scalar_text(found), *tokens)

    def _scalar_text(self, found: Evidence) -> tuple[str, ...]:
        selector = self._best_selector(found)
        if found.transform is not None or selector.kind != "pointer":
            return ()
        document = self._sources.get_document(self._sources.get_revision(found.resource, found.revision))
        node = resolve(document, selector.text)
        return () if node.is_container else (str(document.scalar(node)),)

    def check(self, found: Evidence) -> None:
        """Reads the parts of an evidence and compares them with its digests. Raises IntegrityMismatch."""
        again = self._again(found, NoLimit())
        require_same_excerpt(found, again.parts)

    # -- finding

    def _find(self, place: Place, limit: TextLimit) -> Passage:
        revision = self._sources.get_revision(place.resource, place.revision)
        resource = self._resource(place.resource)
        if place.selector.kind == "pointer":
            return self._find_node(resource, revision, place, limit)
        if place.view != "source" or place.children is not None:
            raise InvalidInput("keys and children are shown of a pointer only", code="wrong_use")
        raw = self._sources.get_bytes(revision.resource, revision.number)
        span, selector, lines = self._find_range(place, revision, raw)
        shown = show_slice(raw[span.start : span.end], span, limit)
        if lines is not None:
            shown = continue_by_lines(shown, lines.first, lines.last)
        return slice_passage(resource, revision, selector, span, raw, shown)

    def _find_range(self, place: Place, revision: Revision, raw: bytes) -> tuple[Span, Selector, LineRange | None]:
        text = place.selector.text
        if place.selector.kind == "lines":
            span = span_of_lines(raw, parse_lines(text))
            lines = lines_of_span(raw, span)
            return span, Selector("lines", format_lines(lines)), lines
        if place.selector.kind == "bytes":
            span = span_of_bytes(len(raw), parse_bytes(text))
            return span, Selector("bytes", format_bytes(span)), None
        within = Span(0, len(raw))
        if place.within is not None:
            within = resolve(self._sources.get_document(revision), place.within).span
        return find_quote(raw, text, within), place.selector, None

    def _find_node(self, resource: Resource, revision: Revision, place: Place, limit: TextLimit) -> Passage:
        document = self._sources.get_document(revision)
        node = resolve(document, place.selector.text)
        selector = Selector("pointer", plain_form(place.selector.text))
        return _node_passage(resource, revision, document, node, selector, place.view, limit, place.children)

    def _resource(self, name: ResourceName) -> Resource:
        with self._core.database.reading() as connection:
            return require_resource(connection, self._core, name)

    # -- finding again

    def _again(self, found: Evidence, limit: TextLimit) -> Passage:
        """The passage of a stored evidence. Its parts are read from the store and compared with its excerpt digest."""
        revision = self._sources.get_revision(found.resource, found.revision)
        resource = self._resource(found.resource)
        selector = self._best_selector(found)
        with self._core.database.reading() as connection:
            spans = (found.span, *(hop.span for hop in found.hops))
            parts = b"".join(read_span(self._core, connection, found.blob, span) for span in spans)
        require_same_excerpt(found, parts)
        if selector.kind == "pointer":
            document = self._sources.get_document(revision)
            node = resolve(document, selector.text)
            view: View = "keys" if found.transform == KEYS else "source"
            return _node_passage(resource, revision, document, node, selector, view, limit, None)
        raw = self._sources.get_bytes(revision.resource, revision.number)
        shown = show_slice(parts, found.span, limit)
        if found.transform is not None:
            shown = show_derived("0 hits", found.transform, limit)
        return slice_passage(resource, revision, selector, found.span, raw, shown, transform=found.transform)

    def _best_selector(self, found: Evidence) -> Selector:
        known = self.selectors(found.id)
        return known[0] if known else Selector("bytes", format_bytes(found.span))


def require_same_excerpt(found: Evidence, parts: bytes) -> None:
    """Raises IntegrityMismatch when these are not the bytes that the evidence was made of."""
    if digest_of(parts) != found.excerpt_digest:
        raise IntegrityMismatch(f"the passage of {found.id} is not what it was when it was cited", {"id": found.id})


def find_quote(raw: bytes, quote: str, within: Span) -> Span:
    """Where a quote stands, to the letter. Raises NotFound, Ambiguous (with the places), InvalidInput for a too short one."""
    needle = quote.encode("utf-8", "surrogatepass")
    if len(quote.strip()) < MIN_QUOTE_CHARS:
        raise InvalidInput(f"a quote has at least {MIN_QUOTE_CHARS} characters", {"limit": MIN_QUOTE_CHARS}, code="quote_too_short")
    places: list[int] = []
    at = raw.find(needle, within.start, within.end)
    while at >= 0 and len(places) < MAX_PLACES:
        places.append(at)
        at = raw.find(needle, at + 1, within.end)
    if not places:
        raise NotFound("the quote does not stand there to the letter")
    if len(places) > 1:
        spans = [[place, place + len(needle)] for place in places]
        raise Ambiguous(f"the quote stands in {len(places)} places or more; say which by --pointer or --lines", {"places": spans})
    return Span(places[0], places[0] + len(needle))


def _node_passage(
    resource: Resource,
    revision: Revision,
    document: Document,
    node: Node,
    selector: Selector,
    view: View,
    limit: TextLimit,
    children: Children | None,
) -> Passage:
    if view == "keys":
        shown, transform = show_derived(keys_text(document, node), KEYS, limit), KEYS
    else:
        shown, transform = show_node(document, node, limit, children), None
    parts = b"".join(document.raw[s.start : s.end] for s in (node.span, *(hop.span for hop in node.hops)))
    return Passage(
        resource,
        revision,
        selector,
        node.span,
        node.hops,
        transform,
        parts,
        lines_of_span(document.raw, node.span),
        column_of(document.raw, node.span.start),
        shown,
    )


def slice_passage(
    resource: Resource,
    revision: Revision,
    selector: Selector,
    span: Span,
    raw: bytes,
    shown: Shown,
    *,
    transform: str | None = None,
    match: Span | None = None,
) -> Passage:
    """A passage that is one slice of a revision's bytes."""
    parts = raw[span.start : span.end]
    lines, column = lines_of_span(raw, span), column_of(raw, span.start)
    return Passage(resource, revision, selector, span, (), transform, parts, lines, column, shown, match)
