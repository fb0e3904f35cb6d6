"""A lexical scorer: BM25 over pieces of stored texts, by SQLite's FTS5, in memory and for one question at a time.

A piece is a run of lines (logs, tables, prose: up to 12, ended early by a blank line) or a node of at most 2 000 bytes (documents). The
index is made of what is asked about and thrown away: it costs about 30 MB of text a second, and nothing on disk.
"""

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from evidence_store.deadline import unbounded
from evidence_store.documents.model import Document, Node
from evidence_store.errors import InvalidInput
from evidence_store.model import LineRange, Pointer
from evidence_store.pointers import ROOT, join

SCORER: Final = "fts5/1"
LINES_A_PIECE: Final = 12
NODE_BYTES: Final = 2000
MAX_PIECES: Final = 200_000
MAX_QUERY_CHARS: Final = 1000
MAX_TERMS: Final = 40
_TERM: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A place of a text that can be found; one of `lines` and `pointer`."""

    text: str
    lines: LineRange | None = None
    pointer: Pointer | None = None


@dataclass(frozen=True, slots=True)
class FoundPiece:
    piece: int
    """Place in the list that was searched."""
    score: float
    """BM25, the higher the better; only comparable within one answer."""


def line_pieces(lines: Sequence[str]) -> Iterator[Piece]:
    """Runs of lines that hold anything."""
    first = 0
    while first < len(lines):
        if not lines[first].strip():
            first += 1
            continue
        last = first
        while last + 1 < len(lines) and last - first + 1 < LINES_A_PIECE and lines[last + 1].strip():
            last += 1
        yield Piece("\n".join(lines[first : last + 1]), LineRange(first + 1, last + 1))
        first = last + 1


def node_pieces(document: Document) -> Iterator[Piece]:
    """The largest nodes of at most 2 000 bytes; a longer scalar is a piece by its beginning."""
    pending: list[tuple[Pointer, Node]] = [(ROOT, document.root)]
    while pending:
        pointer, node = pending.pop()
        if not node.is_container or node.span.length <= NODE_BYTES:
            text = document.source(node)[:NODE_BYTES].decode("utf-8", "replace")
            yield Piece(f"{pointer} {text}", None, pointer)
            continue
        pending += [(join(pointer, child.token), child.node) for child in reversed(document.children(node))]


def find_pieces(pieces: Sequence[Piece], query: str, limit: int, watch: Callable[[], None] = unbounded) -> Sequence[FoundPiece]:
    """The pieces that hold most of what a question is made of, the best first.

    Raises InvalidInput for a question without a word, or with more than 1 000 characters.
    """
    wanted = _match(query)
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE pieces USING fts5(text, tokenize='unicode61 remove_diacritics 2')")
        watch()
        connection.executemany("INSERT INTO pieces(rowid, text) VALUES (?, ?)", ((n, piece.text) for n, piece in enumerate(pieces)))
        watch()
        found = connection.execute(
            "SELECT rowid, bm25(pieces) FROM pieces WHERE pieces MATCH ? ORDER BY bm25(pieces), rowid LIMIT ?", (wanted, limit)
        )
        return [FoundPiece(rowid, -score) for rowid, score in found]
    finally:
        connection.close()


def _match(query: str) -> str:
    """Any of the question's words, as FTS5 is asked; nothing of the question is syntax."""
    terms = list(dict.fromkeys(_TERM.findall(query[:MAX_QUERY_CHARS].casefold())))[:MAX_TERMS]
    if len(query) > MAX_QUERY_CHARS or not terms:
        raise InvalidInput(
            f"a question has words, and at most {MAX_QUERY_CHARS} characters", {"limit": MAX_QUERY_CHARS}, code="bad_pattern"
        )
    return " OR ".join(f'"{term}"' for term in terms)
