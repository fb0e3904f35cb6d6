"""Windows of a source. The invariants stand at the head of the module."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.pages.window import (
    CONTEXT_LINES,
    HEAD_BYTES,
    MAX_PASSAGE_LINES,
    MAX_WINDOW_LINES,
    TAIL_BYTES,
    Line,
    Window,
    window_of,
    window_round,
)
from evidence_store.errors import NotFound
from evidence_store.model import LineRange, Span
from evidence_store.secrets import SECRETS_MASKED, SHOW_SECRETS
from tests.credentials import RUN_LOG

EVERYTHING = LineRange(1, MAX_WINDOW_LINES)


def text_of(line: Line, *kinds: str) -> str:
    return "".join(piece.text for piece in line.pieces if piece.kind in kinds)


def cited_text(window: Window) -> str:
    return "".join(text_of(line, "cited") for line in window.lines)


@given(st.lists(st.sampled_from([b"", b"a", b"ab c", b"xyz"]), max_size=12), st.data())
def test_what_is_marked_is_the_cited_bytes(lines: list[bytes], data: st.DataObject) -> None:
    raw = b"\n".join(lines)
    start = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(start, len(raw)))
    window = window_of(raw, EVERYTHING, (Span(start, end),))
    assert cited_text(window) == raw[start:end].replace(b"\n", b"").decode()
    assert "".join(text_of(line, "plain", "cited") for line in window.lines) == raw.replace(b"\n", b"").decode()
    assert [line.number for line in window.lines] == list(range(1, len(window.lines) + 1))


def test_a_line_that_the_passage_runs_through_is_cited_also_when_it_is_empty() -> None:
    window = window_of(b"a\n\nb\n\nc\n", EVERYTHING, (Span(0, 4),))
    assert [line.cited for line in window.lines] == [True, True, True, False, False]


def test_an_empty_passage_is_marked_where_it_stands() -> None:
    window = window_of(b"a: \nb\n", EVERYTHING, (Span(3, 3),))
    assert [(piece.kind, piece.text) for piece in window.lines[0].pieces] == [("plain", "a: "), ("cited", "")]
    assert [line.cited for line in window.lines] == [True, False]


def test_several_passages_are_marked_apart() -> None:
    window = window_of(b"abcdef\n", EVERYTHING, (Span(4, 5), Span(1, 3)))
    assert [(piece.kind, piece.text) for piece in window.lines[0].pieces] == [
        ("plain", "a"),
        ("cited", "bc"),
        ("plain", "d"),
        ("cited", "e"),
        ("plain", "f"),
    ]


def test_around_a_passage_stand_forty_lines() -> None:
    raw = b"".join(b"%d\n" % n for n in range(1, 501))
    window = window_round(raw, Span(raw.index(b"250"), raw.index(b"250") + 3))
    assert (window.first, window.last, window.n_lines) == (250 - CONTEXT_LINES, 250 + CONTEXT_LINES, 500)
    assert not window.passage_goes_on


def test_of_a_long_passage_the_first_lines_are_shown() -> None:
    raw = b"x\n" * 1000
    window = window_round(raw, Span(200, 2000))
    assert (window.first, window.last) == (101 - CONTEXT_LINES, 100 + MAX_PASSAGE_LINES)
    assert window.passage_goes_on


def test_a_window_has_an_end() -> None:
    assert len(window_of(b"x\n" * 10_000, LineRange(5, 9_000)).lines) == MAX_WINDOW_LINES


def test_of_a_long_line_what_stands_beside_the_passage_is_shown() -> None:
    raw = b"a" * 5000 + b"CITED" + b"b" * 5000
    pieces = window_of(raw, EVERYTHING, (Span(5000, 5005),)).lines[0].pieces
    assert [piece.kind for piece in pieces] == ["left_out", "plain", "cited", "plain", "left_out"]
    assert sum(piece.n_bytes for piece in pieces) == len(raw)
    assert pieces[2].text == "CITED"


def test_of_a_long_passage_in_one_line_both_ends_are_shown() -> None:
    pieces = window_of(b"c" * 9000, EVERYTHING, (Span(0, 9000),)).lines[0].pieces
    assert [(piece.kind, piece.n_bytes) for piece in pieces] == [
        ("cited", HEAD_BYTES),
        ("left_out", 9000 - HEAD_BYTES - TAIL_BYTES),
        ("cited", TAIL_BYTES),
    ]


def test_a_long_line_is_not_cut_within_a_character() -> None:
    pieces = window_of("é".encode() * 5000 + b"x", EVERYTHING).lines[0].pieces
    assert "\ufffd" not in "".join(piece.text for piece in pieces)
    assert pieces[-1].kind == "left_out"


def test_what_showing_changed_is_named() -> None:
    window = window_of(b"\x1b[31mred\x1b[0m \xff\n", EVERYTHING)
    assert window.lines[0].pieces[0].text == "red \ufffd"
    assert set(window.transforms) == {"ansi_removed/1", "utf8_replaced/1"}


def test_no_bytes_have_no_lines() -> None:
    assert window_round(b"", Span(0, 0)).lines == ()


def test_lines_past_the_end_are_not_there() -> None:
    with pytest.raises(NotFound):
        window_of(b"a\n", LineRange(3, 4))


@given(st.data())
def test_no_piece_shows_a_part_of_a_secret_wherever_it_begins(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(RUN_LOG)))
    end = data.draw(st.integers(start, len(RUN_LOG)))
    window = window_of(RUN_LOG, EVERYTHING, (Span(start, end),))
    shown = "\n".join(text_of(line, "plain", "cited") for line in window.lines)
    assert [piece for piece in ("XAM", "PLE", "p4ss", "w0rd") if piece in shown] == []
    assert [line.number for line in window.lines] == list(range(1, RUN_LOG.count(b"\n") + 1))
    assert SECRETS_MASKED in window.transforms


def test_who_may_see_secrets_is_shown_them() -> None:
    window = window_of(RUN_LOG, EVERYTHING, masking=SHOW_SECRETS)
    assert "\n".join(text_of(line, "plain") for line in window.lines) + "\n" == RUN_LOG.decode()
