"""Where a cited passage stands in another revision, decided by the passage and not by the document around it.

`same`: the same pointer holds the same value. `moved`: the value stands, at another pointer. `changed`: the place is there
and holds another value. `gone`: nothing leads there. An item of an array is followed by what names it, never by its index
alone; an endpoint by the shape of its path. Whether more of the other revision is to come is not known here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Final

from evidence_store.documents.equality import same_value
from evidence_store.documents.identity import Side, find_identity
from evidence_store.documents.model import Child, Document, Node
from evidence_store.documents.openapi import shape_of
from evidence_store.errors import EvidenceStoreError
from evidence_store.model import Currency, Pointer, Span
from evidence_store.pointers import ROOT, join, parse_pointer

NEAR_BYTES: Final = 200
"""On each side of a passage that decide between several places of it."""
MAX_PLACES: Final = 1000


@dataclass(frozen=True, slots=True)
class Located:
    """`verdict` is never `newest`; `pointer` is None where the passage is gone."""

    verdict: Currency
    pointer: Pointer | None


@dataclass(frozen=True, slots=True)
class LocatedBytes:
    """`span` is None where the passage is gone, or stands in several places and in none of them for certain."""

    verdict: Currency
    span: Span | None
    n_places: int


@dataclass(frozen=True, slots=True)
class Way:
    """How far a pointer could be followed into another revision."""

    old: Node
    new: Node
    """The node that `old` became."""
    pointer: Pointer
    """Of `new`."""
    n_followed: int
    """Tokens of the pointer that led to a node on both sides."""
    moved: bool
    """Whether one of them is another token now."""


def follow(old: Document, tokens: Sequence[str], new: Document) -> Way:
    """Follows a pointer step by step in both revisions. Raises the errors of a pointer that leads nowhere in `old`."""
    way = Way(old.root, new.root, ROOT, 0, moved=False)
    for token in tokens:
        child = Child(token, old.child(way.old, token))
        found = _follow(old, way.old, child, new, way.new)
        if found is None:
            break
        way = Way(child.node, found.node, join(way.pointer, found.token), way.n_followed + 1, way.moved or found.token != token)
    return way


def locate(old: Document, old_pointer: str, new: Document) -> Located:
    """Follows the node at `old_pointer` into `new`. Raises the errors of a pointer that leads nowhere in `old`."""
    tokens = parse_pointer(old_pointer)
    way = follow(old, tokens, new)
    if way.n_followed < len(tokens):
        return Located(Currency.GONE, None)
    if not same_value(old, way.old, new, way.new, tokens[-1] if tokens else ""):
        return Located(Currency.CHANGED, way.pointer)
    return Located(Currency.MOVED if way.moved else Currency.SAME, way.pointer)


def locate_bytes(old: bytes, span: Span, new: bytes, width: int = 1, line_end: bytes | None = None) -> LocatedBytes:
    """Follows a passage of a text without nodes: in its place, else where it stands once, else where its neighbours stand, too.

    `width` is that of a code unit of the encoding, which both have. `line_end` is a line feed in it, for a passage of whole lines:
    these stand where they are whole lines again, be it that the last one got its end; in place of one that went on is another.
    """
    passage = old[span.start : span.end]
    # Of no bytes there are some everywhere, also past the end, where there is no place.
    has_place = span.start < len(new) or not (span.start or new)
    if has_place and new[span.start : span.end] == passage and _begins_line(new, span.start, line_end):
        return LocatedBytes(Currency.SAME if _ends_line(new, span.end, passage, line_end) else Currency.CHANGED, span, 1)
    if not passage:
        return LocatedBytes(Currency.MOVED, None, 0)
    found = (
        at
        for at in _places(new, passage, width)
        if _begins_line(new, at, line_end) and _ends_line(new, at + len(passage), passage, line_end)
    )
    places = list(islice(found, MAX_PLACES))
    if not places:
        return LocatedBytes(Currency.GONE, None, 0)
    ranked = sorted(((_shared(old, span, new, at), at) for at in places), reverse=True)
    is_sure = len(places) == 1 or (len(places) < MAX_PLACES and ranked[0][0] > ranked[1][0])
    at = ranked[0][1]
    return LocatedBytes(Currency.MOVED, Span(at, at + len(passage)) if is_sure else None, len(places))


def _places(text: bytes, passage: bytes, width: int) -> Iterator[int]:
    at = text.find(passage)
    while at >= 0:
        if at % width == 0:
            yield at
        at = text.find(passage, at + 1)


def _begins_line(text: bytes, at: int, line_end: bytes | None) -> bool:
    return line_end is None or at == 0 or text.endswith(line_end, 0, at)


def _ends_line(text: bytes, at: int, passage: bytes, line_end: bytes | None) -> bool:
    """Whether a passage that ends here is whole lines: with a line end, be it behind it, or at the end of the text."""
    if line_end is None or at == len(text) or passage.endswith(line_end):
        return True
    carriage_return = line_end.replace(b"\n", b"\r")
    at += len(carriage_return) if text.startswith(carriage_return, at) else 0
    return at == len(text) or text.startswith(line_end, at)


def _shared(old: bytes, span: Span, new: bytes, at: int) -> int:
    """Bytes round a place, blanks aside, that are the same as round the passage, up to where they first differ on each side."""
    before = zip(reversed(old[max(0, span.start - NEAR_BYTES) : span.start]), reversed(new[max(0, at - NEAR_BYTES) : at]), strict=False)
    end = at + span.length
    after = zip(old[span.end : span.end + NEAR_BYTES], new[end : end + NEAR_BYTES], strict=False)
    equal = (takewhile(lambda pair: pair[0] == pair[1], pairs) for pairs in (before, after))
    return sum(not chr(byte).isspace() for pairs in equal for byte, _ in pairs)


def _follow(old: Document, above: Node, child: Child, new: Document, new_above: Node) -> Child | None:
    """The child of `new_above` that `child` became."""
    if above.type != new_above.type:
        return None
    if above.type == "object":
        return _member(new, new_above, child.token)
    mine, its = old.children(above), new.children(new_above)
    identity = find_identity((Side(old, mine), Side(new, its)))
    if identity:
        name = identity(old, child.node)
        return next((other for other in its if identity(new, other.node) == name), None)
    return _equal_item(old, child, new, its, len(mine))


def _member(new: Document, above: Node, name: str) -> Child | None:
    try:
        return Child(name, new.child(above, name))
    except EvidenceStoreError:
        if "{" not in name:
            return None
    alike = [child for child in new.children(above) if shape_of(child.token) == shape_of(name)]
    return alike[0] if len(alike) == 1 else None


def _equal_item(old: Document, child: Child, new: Document, its: Sequence[Child], n_before: int) -> Child | None:
    """Where nothing names the items: the equal one in its place, else the only equal one, else the one in its place."""
    index = int(child.token)
    if index < len(its) and same_value(old, child.node, new, its[index].node):
        return its[index]
    equal = [other for other in its if same_value(old, child.node, new, other.node)]
    if len(equal) == 1:
        return equal[0]
    # Of a list that grew or shrank, nobody can say which item this one became.
    return its[index] if not equal and n_before == len(its) else None
