"""The built-in lexical scorer: what a question finds, and that nothing in it is syntax."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.projecting import candidates_of
from evidence_store.errors import InvalidInput, LimitExceeded, NotFound
from evidence_store.excerpts import NoLimit
from evidence_store.lexical import Piece, find_pieces, line_pieces
from evidence_store.model import ResourceName
from evidence_store.store import EvidenceStore, retrieval
from tests.factories import put

RUNBOOK, SPEC = ResourceName("runbook.md"), ResourceName("api.json")
TEXT = b"""# Restarts

A pod that restarts has run out of memory, or its probe fails.

# Time-outs

Der Bestelldienst antwortet nicht: Z\xc3\xa4hler pr\xc3\xbcfen.
"""


@pytest.fixture
def filled(store: EvidenceStore) -> EvidenceStore:
    put(store, TEXT, RUNBOOK)
    put(store, b'{"orders": {"maximum": 50, "note": "' + b"x" * 3000 + b'"}, "users": {"memory": "limit"}}', SPEC)
    return store


def find(store: EvidenceStore, query: str, *names: ResourceName) -> list[tuple[str, str]]:
    found = store.retrieval.find(query, [(name, None) for name in names or (RUNBOOK, SPEC)], 3, NoLimit())
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    return [(one.packet.resource, one.packet.selector.text) for one in found]


def test_the_best_places_are_evidence(filled: EvidenceStore) -> None:
    assert find(filled, "why does the pod restart: memory?")[0] == (RUNBOOK, "3-3")
    assert find(filled, "memory limit of users")[0] == (SPEC, "/users")
    assert find(filled, "zahler", RUNBOOK) == [(RUNBOOK, "7-7")]
    assert find(filled, "nothing like this", SPEC) == []


@pytest.mark.parametrize("query", ["", " ?! ", "x" * 1001])
def test_a_question_needs_a_word_and_has_a_size(filled: EvidenceStore, query: str) -> None:
    with pytest.raises(InvalidInput):
        find(filled, query)


def test_what_is_not_there_or_too_much_is_refused(filled: EvidenceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotFound):
        find(filled, "memory", ResourceName("nowhere"))
    monkeypatch.setattr(retrieval, "MAX_ASKED_BYTES", 100)
    with pytest.raises(LimitExceeded):
        find(filled, "memory")


@given(st.text(max_size=60))
def test_no_question_is_syntax(query: str) -> None:
    pieces = [Piece("memory is out"), Piece('a "quoted" AND NOT (thing)*')]
    try:
        find_pieces(pieces, query, 5)
    except InvalidInput:
        assert not any(char.isalnum() or char == "_" for char in query)


@given(st.lists(st.sampled_from(["", "a", " ", "b c"]), max_size=40))
def test_pieces_hold_every_line_that_holds_anything(lines: list[str]) -> None:
    found = [n for piece in line_pieces(lines) if piece.lines for n in range(piece.lines.first, piece.lines.last + 1)]
    assert found == [n for n, line in enumerate(lines, 1) if line.strip()]
    assert all(piece.text == "\n".join(lines[piece.lines.first - 1 : piece.lines.last]) for piece in line_pieces(lines) if piece.lines)


def test_what_is_found_becomes_candidates_whose_neighbours_are_joined(filled: EvidenceStore) -> None:
    found = filled.retrieval.find("restarts pod", [(RUNBOOK, None)], 3, NoLimit())
    made = candidates_of(found)
    assert {(one.source, one.scorer) for one in made} == {("runbook.md@1", "fts5/1")}
    assert all(one.lines is not None and not one.text.endswith("\n") for one in made)


@pytest.mark.parametrize("query", ["max_length", "a²b", "x"])
def test_names_that_are_several_words_to_the_index_are_found(query: str) -> None:
    """`max_length` is two words there, which stand side by side."""
    found = find_pieces([Piece("the length"), Piece(f"the {query} of it")], query, 5)
    assert [one.piece for one in found] == [1]
