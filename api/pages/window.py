"""A window of a source: some of its lines, with the cited bytes marked in them.

Invariants, each with a test:
1. What is marked is exactly the cited bytes; a piece begins and ends at a cited byte, also within a line.
2. No more lines than asked for, and no line longer than a bound: what is left out is said, with its number of bytes.
3. Pieces are shown as excerpts are (`evidence_store.documents.shown`), each on its own; what that changed is named.
4. No piece shows a part of a secret, wherever it begins and ends.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from evidence_store.documents.shown import shown_text
from evidence_store.documents.text import count_lines, lines_of_span, span_of_lines
from evidence_store.masking import mask_source
from evidence_store.model import LineRange, Span
from evidence_store.secrets import SECRETS_MASKED, Masking, Masks

CONTEXT_LINES = 40
"""Before and after a passage."""
MAX_PASSAGE_LINES = 200
MAX_WINDOW_LINES = 400
HEAD_BYTES, TAIL_BYTES = 1200, 300
"""Of a cited piece that is too long: how much of its beginning and end is shown."""
AROUND_BYTES = 240
"""Of a long line: how much is shown beside a cited piece, or at the beginning where nothing is cited."""

PieceKind = Literal["plain", "cited", "left_out"]


@dataclass(frozen=True, slots=True)
class Piece:
    kind: PieceKind
    text: str
    """For `left_out`: nothing."""
    n_bytes: int


@dataclass(frozen=True, slots=True)
class Line:
    number: int
    """1-based."""
    pieces: tuple[Piece, ...]
    cited: bool


@dataclass(frozen=True, slots=True)
class Window:
    first: int
    last: int
    n_lines: int
    """Of the whole source."""
    lines: tuple[Line, ...]
    transforms: tuple[str, ...]
    passage_last: int | None = None
    """For a window round a passage: its last line, which may be past the window."""

    @property
    def passage_goes_on(self) -> bool:
        return self.passage_last is not None and self.passage_last > self.last


@dataclass(frozen=True, slots=True)
class _Part:
    """A range of a line that is all cited or all not."""

    span: Span
    cited: bool


@dataclass(frozen=True, slots=True)
class _Source:
    raw: bytes
    masks: Masks


def window_round(raw: bytes, passage: Span, masking: Masking | None = None) -> Window:
    """The lines of a passage and those around it; of a long passage, its first lines."""
    lines = lines_of_span(raw, passage)
    whole = lines.last - lines.first < MAX_PASSAGE_LINES
    last = lines.last + CONTEXT_LINES if whole else lines.first + MAX_PASSAGE_LINES - 1
    return window_of(raw, LineRange(max(1, lines.first - CONTEXT_LINES), last), (passage,), lines.last, masking=masking)


def window_of(
    raw: bytes, asked: LineRange, cited: Sequence[Span] = (), passage_last: int | None = None, masking: Masking | None = None
) -> Window:
    """These lines, at most `MAX_WINDOW_LINES`; without a `masking`, all secrets are masked.

    Raises NotFound when they begin past the end of a source that is not empty.
    """
    if not raw:
        return Window(1, 0, 0, (), ())
    span = span_of_lines(raw, LineRange(asked.first, min(asked.last, asked.first + MAX_WINDOW_LINES - 1)))
    masks = (masking or mask_source(raw)).masks(span)
    transforms: dict[str, None] = {}
    lines = []
    for number, line in enumerate(_iter_lines(raw, span), asked.first):
        parts = tuple(_iter_parts(line, cited))
        pieces = tuple(_iter_pieces(_Source(raw, masks), line, parts, transforms))
        lines.append(Line(number, pieces, any(part.cited for part in parts) or _is_inside(line, cited)))
    return Window(asked.first, lines[-1].number, count_lines(raw), tuple(lines), tuple(transforms), passage_last)


def _iter_lines(raw: bytes, span: Span) -> Iterator[Span]:
    """Lines without their line feed."""
    at = span.start
    while at < span.end:
        end = raw.find(b"\n", at, span.end)
        end = span.end if end < 0 else end
        yield Span(at, end)
        at = end + 1


def _is_inside(line: Span, cited: Sequence[Span]) -> bool:
    """Whether a passage runs through the whole line, its line feed included; of an empty line nothing else can be cited."""
    return any(one.start <= line.start and line.end < one.end for one in cited)


def _iter_parts(line: Span, cited: Sequence[Span]) -> Iterator[_Part]:
    at = line.start
    for one in sorted(cited, key=lambda one: (one.start, one.end)):
        start, end = max(at, one.start), min(line.end, one.end)
        # An empty passage is a place: it is marked where it stands.
        if start > end or (start == end and one.length) or not line.start <= start <= line.end:
            continue
        if start > at:
            yield _Part(Span(at, start), False)
        yield _Part(Span(start, end), True)
        at = end
    if at < line.end:
        yield _Part(Span(at, line.end), False)


def _iter_pieces(source: _Source, line: Span, parts: Sequence[_Part], transforms: dict[str, None]) -> Iterator[Piece]:
    for n, part in enumerate(parts):
        if part.cited:
            head, tail = HEAD_BYTES, TAIL_BYTES
        else:
            # Beside a cited piece, the nearer end; before the first one nothing is near, and after the last one neither.
            head = AROUND_BYTES if n > 0 or len(parts) == 1 else 0
            tail = AROUND_BYTES if n < len(parts) - 1 else 0
        yield from _clip(source, part, head, tail, transforms)


def _clip(source: _Source, part: _Part, head: int, tail: int, transforms: dict[str, None]) -> Iterator[Piece]:
    """The part whole where it is short enough, else its beginning and its end."""
    kind: PieceKind = "cited" if part.cited else "plain"
    start, end = part.span.start, part.span.end
    if part.span.length <= head + tail:
        yield _shown(source, kind, start, end, transforms)
        return
    first, second = _character_start(source.raw, start + head, start), _character_start(source.raw, end - tail, start)
    if first > start:
        yield _shown(source, kind, start, first, transforms)
    yield Piece("left_out", "", second - first)
    if second < end:
        yield _shown(source, kind, second, end, transforms)


def _shown(source: _Source, kind: PieceKind, start: int, end: int, transforms: dict[str, None]) -> Piece:
    plain = source.raw[start:end]
    masked = source.masks.apply(plain, start)
    shown = shown_text(masked)
    transforms.update(dict.fromkeys(shown.transforms if masked is plain else (SECRETS_MASKED, *shown.transforms)))
    return Piece(kind, shown.text, end - start)


def _character_start(raw: bytes, at: int, low: int) -> int:
    """The start of the UTF-8 character that `at` stands in, not before `low`."""
    start = at
    while start > low and at - start < 4 and start < len(raw) and raw[start] & 0xC0 == 0x80:
        start -= 1
    return start
