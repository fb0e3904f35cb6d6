"""Finding what a question may be about in stored revisions: evidence with a score, for the background of a step.

What comes back is evidence like any other, found by likeness of words. It proves nothing until somebody reads it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from evidence_store.deadline import Deadline
from evidence_store.documents.charset import encoding_of
from evidence_store.documents.detect import STRUCTURED
from evidence_store.documents.text import format_lines
from evidence_store.errors import LimitExceeded
from evidence_store.lexical import MAX_PIECES, NODE_BYTES, SCORER, Piece, find_pieces, line_pieces, node_pieces
from evidence_store.model import Format, Packet, ResourceName, Selector, Span, TextLimit
from evidence_store.records.sources import Revision
from evidence_store.store.core import Core
from evidence_store.store.passages import Passages, Place
from evidence_store.store.sources import Sources

MAX_ASKED_BYTES = 64 * 1024 * 1024
"""Of all revisions that one question goes through."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Evidence that a scorer found."""

    packet: Packet
    text: str
    """What the scorer looked at: the lines, or the pointer and the beginning of the node."""
    scorer: str
    score: float
    """Comparable with others of the same answer only."""


class Retrieval:
    """The built-in scorer over one workspace."""

    def __init__(self, core: Core, sources: Sources, passages: Passages) -> None:
        self._core = core
        self._sources = sources
        self._passages = passages

    def find(self, query: str, targets: Sequence[tuple[ResourceName, int | None]], n_found: int, limit: TextLimit) -> Sequence[Retrieved]:
        """The best places for a question in these revisions (the newest without a number).

        Raises NotFound, InvalidInput for a question without words, LimitExceeded for too much to look through.
        """
        watch = Deadline(self._core.limits.max_seconds).check
        for name, _ in targets:
            self._sources.require_unmasked(name)
        revisions = [self._sources.get_revision(name, number) for name, number in targets]
        if sum(revision.size for revision in revisions) > MAX_ASKED_BYTES:
            raise LimitExceeded(
                f"the revisions have more than {MAX_ASKED_BYTES} bytes; name fewer", {"limit": MAX_ASKED_BYTES}, code="too_large"
            )
        pieces: list[Piece] = []
        homes: list[Revision] = []
        for revision in revisions:
            watch()
            for piece in self._pieces(revision):
                pieces.append(piece)
                homes.append(revision)
            if len(pieces) > MAX_PIECES:
                text = f"the revisions have more than {MAX_PIECES} places; name fewer"
                raise LimitExceeded(text, {"limit": MAX_PIECES}, code="limit_exceeded")
        found = find_pieces(pieces, query, n_found, watch)
        places = [_place(homes[one.piece], pieces[one.piece]) for one in found]
        packets = self._passages.read_all(places, limit) if places else ()
        return [
            Retrieved(packet, self._text(homes[one.piece], pieces[one.piece], packet), SCORER, one.score)
            for packet, one in zip(packets, found, strict=True)
        ]

    def _text(self, revision: Revision, piece: Piece, packet: Packet) -> str:
        """The text of a piece as it may be shown: its bytes with marks, as far as it goes."""
        reader = self._passages.get_reader(revision)
        masks, encoding = reader.masking.masks(packet.span), encoding_of(revision.notes)
        if not masks:
            return reader.masking.text(piece.text)
        end = packet.span.end if piece.pointer is None else min(packet.span.end, packet.span.start + NODE_BYTES)
        raw = reader.read(Span(packet.span.start, end))
        text = masks.apply(raw, packet.span.start, encoding).decode(encoding, "replace")
        return text.removesuffix("\n") if piece.pointer is None else f"{reader.masking.text(piece.pointer)} {text}"

    def _pieces(self, revision: Revision) -> Sequence[Piece]:
        if revision.format in STRUCTURED and revision.format is not Format.JUNIT:
            return list(node_pieces(self._sources.get_tree(revision)))
        raw = self._sources.get_whole(revision)
        return list(line_pieces(raw.decode(encoding_of(revision.notes), "replace").split("\n")))


def _place(revision: Revision, piece: Piece) -> Place:
    if piece.pointer is not None:
        return Place(revision.resource, revision.number, Selector("pointer", piece.pointer))
    assert piece.lines is not None, "a piece has one of the two"
    return Place(revision.resource, revision.number, Selector("lines", format_lines(piece.lines)))
