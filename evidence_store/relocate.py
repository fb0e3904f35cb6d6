"""Where a passage that is gone may have gone, by likeness. Never proof: whoever takes it up cites what stands there now.

Likeness is the normalised indel similarity of two texts, 0 to 100 (`rapidfuzz.fuzz.ratio`). Texts that are too long to be
compared at once are not looked at.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from evidence_store.deadline import unbounded
from evidence_store.documents.model import Child, Document, Node
from evidence_store.errors import EvidenceStoreError
from evidence_store.locate import follow
from evidence_store.model import LineRange, Pointer
from evidence_store.pointers import join, parse_pointer

FINDER: Final = "likeness/1"
MIN_SCORE: Final = 70
MAX_CHARS: Final = 4000
"""Of a passage, of a line and of a node that are compared."""
MAX_CHILDREN: Final = 500
_N_CANDIDATES: Final = 20
_LINES_AT_ONCE: Final = 20_000


@dataclass(frozen=True, slots=True)
class LikeLines:
    """Lines that are much like those that are gone; 1-based."""

    lines: LineRange
    score: int
    """0 to 100."""


@dataclass(frozen=True, slots=True)
class LikeNode:
    pointer: Pointer
    score: int


def find_like_lines(passage: str, lines: Sequence[str], near: int, watch: Callable[[], None] = unbounded) -> LikeLines | None:
    """The lines that are most like a passage, of equally like ones those nearest to line `near`; None where nothing is."""
    from rapidfuzz import fuzz  # start-up cost

    wanted = passage.removesuffix("\n").split("\n")
    if not passage.strip() or len(passage) > MAX_CHARS:
        return None
    anchor = max(range(len(wanted)), key=lambda n: len(wanted[n]))
    whole = "\n".join(wanted)
    best: LikeLines | None = None
    for index in _like(wanted[anchor], lines, watch):
        first = index - anchor
        if first < 0 or first + len(wanted) > len(lines):
            continue
        score = int(fuzz.ratio(whole, "\n".join(lines[first : first + len(wanted)])))
        found = LikeLines(LineRange(first + 1, first + len(wanted)), score)
        if score >= MIN_SCORE and (best is None or _rank(found, near) > _rank(best, near)):
            best = found
    return best


def _rank(found: LikeLines, near: int) -> tuple[int, int]:
    return found.score, -abs(found.lines.first - near)


def _like(line: str, lines: Sequence[str], watch: Callable[[], None]) -> list[int]:
    """Indexes of the lines that are most like one, the best first."""
    from rapidfuzz import fuzz, process  # start-up cost

    found: list[tuple[float, int]] = []
    for start in range(0, len(lines), _LINES_AT_ONCE):
        watch()
        choices = {start + n: text for n, text in enumerate(lines[start : start + _LINES_AT_ONCE]) if len(text) <= MAX_CHARS}
        hits = process.extract(line, choices, scorer=fuzz.ratio, score_cutoff=MIN_SCORE, limit=_N_CANDIDATES)
        found += [(score, index) for _, score, index in hits]
    return [index for _, index in sorted(found, key=lambda one: -one[0])[:_N_CANDIDATES]]


def find_like_node(old: Document, old_pointer: str, new: Document) -> LikeNode | None:
    """The node that a missing one may have become: another name, or another item, at the first step that leads nowhere.

    Below it the pointer goes on as it is. Raises the errors of a pointer that leads nowhere in `old`.
    """
    tokens = parse_pointer(old_pointer)
    way = follow(old, tokens, new)
    if way.n_followed == len(tokens) or way.old.type != way.new.type:
        return None
    gone, rest = tokens[way.n_followed], tokens[way.n_followed + 1 :]
    text = _text(old, _below(old, way.old, (gone, *rest)))
    if text is None:
        return None
    known = {child.token for child in old.children(way.old)} if way.old.type == "object" else set()
    fresh = [child for child in new.children(way.new) if child.token not in known][:MAX_CHILDREN]
    best: LikeNode | None = None
    for child in fresh:
        score = _score(gone, text, child, new, rest, named=way.old.type == "object")
        if score >= MIN_SCORE and (best is None or score > best.score):
            pointer = join(way.pointer, child.token)
            for token in rest:
                pointer = join(pointer, token)
            best = LikeNode(pointer, score)
    return best


def _score(gone: str, text: str, child: Child, new: Document, rest: Sequence[str], *, named: bool) -> int:
    from rapidfuzz import fuzz  # start-up cost

    node = _below(new, child.node, rest)
    its = _text(new, node)
    if its is None:
        return 0
    likeness = fuzz.ratio(text, its)
    return int((likeness + fuzz.ratio(gone, child.token)) / 2 if named else likeness)


def _below(document: Document, node: Node, tokens: Sequence[str]) -> Node | None:
    try:
        for token in tokens:
            node = document.child(node, token)
    except EvidenceStoreError:
        return None
    return node


def _text(document: Document, node: Node | None) -> str | None:
    if node is None or node.span.length > MAX_CHARS:
        return None
    return document.source(node).decode("utf-8", "replace")
