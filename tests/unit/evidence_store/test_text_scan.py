"""A text that is looked at in pieces gives the notes of the whole."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence_store.documents.detect import text_notes
from evidence_store.documents.model import Note
from evidence_store.documents.text_scan import LineLengths, TextScan
from evidence_store.errors import LimitExceeded

MARK = b"\xef\xbb\xbf"
PARTS = [b"plain", b"\r\n", b"\n", b"\r", b"\x1b[31m", "é日📦".encode(), MARK, b" ", b"\xff", b"\0", b"\xe6\x97"]
TEXTS = st.lists(st.sampled_from(PARTS), max_size=30).map(b"".join)


def scan(raw: bytes, cuts: list[int]) -> TextScan:
    found = TextScan()
    places = sorted({0, len(raw), *(cut % (len(raw) + 1) for cut in cuts)})
    for start, end in pairwise(places):
        found.add(raw[start:end])
    return found


@given(TEXTS, st.lists(st.integers(0, 200), max_size=6))
def test_the_notes_do_not_depend_on_the_cuts(raw: bytes, cuts: list[int]) -> None:
    assert scan(raw, cuts).finish() == scan(raw, []).finish()


@given(TEXTS)
def test_they_are_the_notes_of_the_whole_read_as_utf_8(raw: bytes) -> None:
    whole = text_notes(raw)
    if not any(note.code == "encoding" for note in whole):
        assert scan(raw, []).finish() == whole


@given(TEXTS)
def test_only_utf_8_without_zeros_is_plain(raw: bytes) -> None:
    found = scan(raw, [])
    found.finish()
    assert found.is_plain is (b"\0" not in raw and raw.decode("utf-8", "ignore").encode() == raw)


def test_the_first_bad_byte_is_found_across_a_cut() -> None:
    found = scan(b"ab\n\xe6\x97" + b"x", [5])
    assert found.finish()[0] == Note(
        "not_utf8", "the first byte that is not UTF-8 stands at byte 3; such bytes are shown as U+FFFD", 2, byte=3
    )


@given(st.binary(min_size=1, max_size=40).map(lambda raw: raw.replace(b"\x00", b"\n") + b"x"), st.lists(st.integers(1, 7), min_size=1))
def test_the_first_line_that_is_too_long_is_found_however_the_pieces_are_cut(raw: bytes, cuts: list[int]) -> None:
    longest = max(len(line) for line in raw.split(b"\n"))
    for max_bytes in (longest, longest - 1):
        lengths, at = LineLengths(max_bytes), 0
        for cut in (*cuts, len(raw)):
            lengths.add(raw[at : at + cut])
            at += cut
        if max_bytes == longest:
            lengths.require()
            continue
        with pytest.raises(LimitExceeded) as caught:
            lengths.require()
        assert caught.value.details["line"] == next(n for n, line in enumerate(raw.split(b"\n"), 1) if len(line) > max_bytes)
