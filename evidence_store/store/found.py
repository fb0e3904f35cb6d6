"""Passages as they are found: what is shown of a node, a range or a quote of a revision, and which bytes it rests on."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import orjson

from evidence_store.documents.charset import encoding_of
from evidence_store.documents.escapes import ESCAPED_FORMATS, SEARCHED_FORMATS
from evidence_store.documents.model import Document, Node
from evidence_store.documents.outline import KEYS_TRANSFORM
from evidence_store.documents.references import inner_hops
from evidence_store.documents.text import format_bytes
from evidence_store.errors import Ambiguous, IntegrityMismatch
from evidence_store.excerpts import Children, Shown, cut_text, is_over, show_keys, show_node, show_slice
from evidence_store.model import Selector, Span, TextLimit
from evidence_store.quote_context import NEAR_BYTES, QuoteContext
from evidence_store.quotes import FoundQuote, find_quote, word_transforms
from evidence_store.records.sources import Resource
from evidence_store.search import search
from evidence_store.secrets import NO_MASKS
from evidence_store.store.doubts import find_doubt
from evidence_store.store.mint import Passage
from evidence_store.store.reader import RevisionReader

KEYS = KEYS_TRANSFORM
"""Transform of a container into the list of its keys (docs/formats/keys.md)."""
SEARCH = "search/1"
"""Transform of a revision into the fact that a pattern has no hit in it (docs/formats/search-receipt.md)."""
View = Literal["source", "keys"]


def with_transforms(shown: Shown, more: tuple[str, ...]) -> Shown:
    return replace(shown, transforms=(*shown.transforms, *more)) if more else shown


def quote_in(reader: RevisionReader, within: Span, quote: str, context: QuoteContext) -> FoundQuote:
    """The quote in a range; its span counts from the range's start, places in an error from the blob's."""
    try:
        escaped = reader.revision.format in SEARCHED_FORMATS
        return find_quote(reader.read(within), quote, encoding_of(reader.revision.notes), context, escaped=escaped)
    except Ambiguous as exc:
        places = exc.details["places"]
        assert isinstance(places, list)
        moved = [[start + within.start, end + within.start] for start, end in places]
        raise Ambiguous(exc.message, {**exc.details, "places": moved}) from exc


def quote_around(reader: RevisionReader, span: Span, quote: str) -> tuple[str, ...]:
    """The transforms of a quote that was found at this place before."""
    encoding, escaped = encoding_of(reader.revision.notes), reader.revision.format in SEARCHED_FORMATS
    start = max(0, span.start - NEAR_BYTES)
    near = reader.read(Span(start, min(reader.size, span.end + NEAR_BYTES)))
    passage = near[span.start - start : span.end - start]
    found = find_quote(passage, quote, encoding, escaped=escaped)
    return (*found.transforms, *word_transforms(near, Span(span.start - start, span.end - start), encoding))


def node_passage(
    resource: Resource,
    reader: RevisionReader,
    document: Document,
    node: Node,
    selector: Selector,
    view: View,
    limit: TextLimit,
    children: Children | None,
) -> Passage:
    if view == "keys":
        shown, transform = show_keys(document, node, limit, children, reader.masking), KEYS
    else:
        shown, transform = show_node(document, node, limit, children, encoding_of(reader.revision.notes), reader.masking), None
    hops = (*node.hops, *(hop for hop in inner_hops(document, node) if hop.span not in {known.span for known in node.hops}))
    return Passage(
        resource,
        reader.revision,
        selector,
        node.span,
        hops,
        transform,
        reader.digest_of((node.span, *(hop.span for hop in hops))),
        reader.lines_of(node.span),
        reader.column_of(node.span.start),
        shown,
        named=shown_selector(reader, selector, node.span),
    )


def slice_passage(
    resource: Resource,
    reader: RevisionReader,
    selector: Selector,
    span: Span,
    shown: Shown,
    *,
    transform: str | None = None,
    match: Span | None = None,
) -> Passage:
    """A passage that is one slice of a revision's bytes."""
    lines, column = reader.lines_of(span), reader.column_of(span.start)
    digest, named = reader.digest_of((span,)), shown_selector(reader, selector, span)
    return Passage(resource, reader.revision, selector, span, (), transform, digest, lines, column, shown, match, named)


def shown_selector(reader: RevisionReader, selector: Selector, span: Span) -> Selector:
    """A selector as it may be shown: a quote is a piece of the source, and a pointer has names of it."""
    if selector.kind in ("lines", "bytes"):
        return selector
    masking = reader.masking
    masks = masking.masks(span) if selector.kind == "quote" else NO_MASKS
    if not masks:
        return replace(selector, text=masking.text(selector.text))
    encoding = encoding_of(reader.revision.notes)
    return replace(selector, text=masks.apply(reader.read(span), span.start, encoding).decode(encoding, "replace"))


def whole_passage(resource: Resource, reader: RevisionReader, shown: Shown, transform: str) -> Passage:
    """A derived passage of a whole revision."""
    span = Span(0, reader.size)
    return slice_passage(resource, reader, Selector("bytes", format_bytes(span)), span, shown, transform=transform)


def show_range(reader: RevisionReader, span: Span, limit: TextLimit) -> Shown:
    """Lines or bytes within a limit; of a range that cannot fit no more is read than could be shown."""
    encoding, escaped = encoding_of(reader.revision.notes), reader.revision.format in ESCAPED_FORMATS
    if not is_over(span, limit):
        raw, masks = reader.read(span), reader.masking.masks(span)
        return show_slice(raw, span, limit, encoding, escaped=escaped, drawn=is_drawn(reader, raw), masks=masks)
    assert limit.max_bytes is not None, "nothing is over no bound"
    read = Span(span.start, span.start + limit.max_bytes)
    raw, masks = reader.read(read), reader.masking.masks(read)
    shown = cut_text(raw, span, limit, encoding, escaped=escaped, drawn=is_drawn(reader, raw), masks=masks)
    if shown.cut is None:
        return shown  # a secret to its end, all of it one mark
    lines = reader.lines_of(span)
    return replace(shown, cut=replace(shown.cut, tokens=None, total_lines=lines.last - lines.first + 1))


def is_drawn(reader: RevisionReader, raw: bytes) -> bool:
    """Whether the CRs of a slice draw over lines: not in a text without any other line end."""
    return b"\r" not in raw or reader.has_line_ends()


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a search receipt is about."""

    pattern: str
    regex: bool
    ignore_case: bool


def has_hit(reader: RevisionReader, transform: str, watch: Callable[[], None]) -> bool:
    """Whether what a search receipt is about has a hit in a revision. Raises IntegrityMismatch for what is no transform of a receipt.

    `watch` is called now and then, and raises what ends the search.
    """
    asked, revision = _asked_of(transform), reader.revision
    raw = reader.read(Span(0, reader.size))
    encoding, escaped = encoding_of(revision.notes), revision.format in SEARCHED_FORMATS
    return search(
        raw, asked.pattern, regex=asked.regex, ignore_case=asked.ignore_case, limit=0, encoding=encoding, escaped=escaped, watch=watch
    ).more


def is_absent(reader: RevisionReader, transform: str, watch: Callable[[], None]) -> bool | None:
    """Whether what a search receipt is about is not in a revision; None where no hit proves nothing. Raises as `has_hit`."""
    if has_hit(reader, transform, watch):
        return False
    raw = reader.read(Span(0, reader.size))
    return True if find_doubt(reader.revision, raw, _asked_of(transform).pattern) is None else None


def _asked_of(transform: str) -> _Asked:
    try:
        asked = orjson.loads(transform.partition(" ")[2])
        return _Asked(str(asked["pattern"]), bool(asked["regex"]), bool(asked["ignore_case"]))
    except (orjson.JSONDecodeError, KeyError, TypeError) as why:
        raise IntegrityMismatch(f"{transform[:200]!r} is no search") from why
