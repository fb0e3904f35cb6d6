"""Lines, byte ranges, and how bytes are shown as text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_store.documents.shown import MAX_RUN, shown_text
from evidence_store.documents.text import (
    LineStarts,
    column_of,
    count_lines,
    format_bytes,
    format_lines,
    lines_of_span,
    parse_bytes,
    parse_lines,
    require_line_form,
    resolve_lines,
    span_of_bytes,
    span_of_lines,
)
from evidence_store.errors import InvalidInput, NotFound
from evidence_store.model import LineRange, Span

RAW = "alpha ok\nbeta: 7\r\n  half\rother\n\u2028sep\u0085 é x\n\nlast".encode()
TEXTS = st.binary(max_size=40) | st.lists(st.sampled_from([b"a", b"\n", b"\r\n", b"\r", "é".encode(), b"\x85"]), max_size=20).map(b"".join)


def test_a_line_ends_at_a_line_feed_only_and_its_end_belongs_to_it() -> None:
    assert count_lines(RAW) == 6
    assert [RAW[span.start : span.end] for span in (span_of_lines(RAW, LineRange(n, n)) for n in (2, 3, 5, 6))] == [
        b"beta: 7\r\n",
        b"  half\rother\n",
        b"\n",
        b"last",
    ]


@settings(max_examples=200, deadline=None, database=None)
@given(TEXTS)
def test_lines_cover_the_text_and_both_ways_of_finding_them_agree(raw: bytes) -> None:
    starts = LineStarts(raw)
    assert len(starts) == count_lines(raw)
    spans = [span_of_lines(raw, LineRange(n, n)) for n in range(1, len(starts) + 1)]
    assert b"".join(raw[span.start : span.end] for span in spans) == raw
    for n, span in enumerate(spans, 1):
        assert starts.span_of(LineRange(n, n)) == span
        assert lines_of_span(raw, span) == starts.lines_of(span) == LineRange(n, n)
        assert (
            span_of_lines(raw, LineRange(n, len(spans) + 7)) == starts.span_of(LineRange(n, len(spans) + 7)) == Span(span.start, len(raw))
        )


@settings(max_examples=100, deadline=None, database=None)
@given(TEXTS, st.integers(0, 50), st.integers(0, 50))
def test_the_lines_of_any_range_are_counted_the_same_way(raw: bytes, one: int, other: int) -> None:
    start, end = sorted((min(one, len(raw)), min(other, len(raw))))
    lines = lines_of_span(raw, Span(start, end))
    assert lines == LineStarts(raw).lines_of(Span(start, end))
    assert lines.first == raw[:start].count(b"\n") + 1


@pytest.mark.parametrize("lines", [LineRange(7, 7), LineRange(100, 200)])
def test_a_range_that_begins_past_the_end_is_not_found(lines: LineRange) -> None:
    with pytest.raises(NotFound) as caught:
        span_of_lines(RAW, lines)
    assert caught.value.details["n_lines"] == 6
    with pytest.raises(NotFound):
        LineStarts(RAW).span_of(lines)


@pytest.mark.parametrize("lines", [LineRange(0, 1), LineRange(3, 2), LineRange(-1, 1)])
def test_what_is_no_range_is_refused(lines: LineRange) -> None:
    with pytest.raises(InvalidInput):
        span_of_lines(RAW, lines)


def test_nothing_has_no_lines() -> None:
    assert count_lines(b"") == len(LineStarts(b"")) == 0
    with pytest.raises(NotFound):
        span_of_lines(b"", LineRange(1, 1))


def test_byte_ranges_are_clipped_at_the_end_only() -> None:
    assert span_of_bytes(10, Span(3, 99)) == Span(3, 10)
    assert span_of_bytes(0, Span(0, 0)) == Span(0, 0)
    for start in (10, 11):
        with pytest.raises(NotFound):
            span_of_bytes(10, Span(start, 12))


@pytest.mark.parametrize("text", ["", "1-x", "-1-2", "1-2-3", "١", "١-٢", "2-1", "1" * 30 + "-" + "1" * 30])
def test_range_texts_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_lines(text)
    with pytest.raises(InvalidInput):
        parse_bytes(text)


@settings(max_examples=50, deadline=None, database=None)
@given(st.integers(1, 10**9), st.integers(0, 10**9))
def test_range_texts_round_trip(first: int, more: int) -> None:
    lines, span = LineRange(first, first + more), Span(first - 1, first + more)
    assert parse_lines(format_lines(lines)) == lines
    assert parse_bytes(format_bytes(span)) == span


def test_a_single_number_is_that_line_alone() -> None:
    assert parse_lines("5") == resolve_lines("5", lambda: 1) == LineRange(5, 5)
    for text in ("0", "5-", "-5", "1" * 19):
        with pytest.raises(InvalidInput):
            parse_lines(text)
    with pytest.raises(InvalidInput):
        parse_bytes("5")


def test_line_zero_is_no_line_and_byte_zero_is_a_byte() -> None:
    with pytest.raises(InvalidInput):
        parse_lines("0-1")
    assert parse_bytes("0-1") == Span(0, 1)


def test_a_column_counts_characters_from_the_line_start() -> None:
    raw = "x\né📦key: v".encode()
    assert column_of(raw, raw.index(b"key")) == 2
    assert column_of(raw, 0) == 0
    assert column_of(b"\xff\xfeab", 3) == 3


@pytest.mark.parametrize("text", ["plain", "tab\there\r\nnext\n", "é 日本 📦 👨‍👩‍👧 می‌خواهم", "half\rother\n", "\u2028\u00a0\ufeff"])
def test_plain_text_is_shown_as_it_is_and_names_no_transform(text: str) -> None:
    shown = shown_text(text.encode())
    assert (shown.text, shown.transforms) == (text, ())


@pytest.mark.parametrize(
    ("source", "text", "transforms"),
    [
        (b"caf\xe9 5\n", "caf\ufffd 5\n", ("utf8_replaced/1",)),
        (b"\x1b[1;31mFAILED\x1b[0m x", "FAILED x", ("ansi_removed/1",)),
        (b"\x1b]8;;https://ci.example.test/1\x1b\\details\x1b]8;;\x1b\\", "details", ("ansi_removed/1",)),
        (b"\x1b]0;title\x07done\x1b(B\x1b[2K", "done", ("ansi_removed/1",)),
        (b"torn \x1b[", "torn \u241b[", ("controls_shown/1",)),
        (b"a\x00b\x07\x7f", "a\u2400b\u2407\u2421", ("controls_shown/1",)),
        (b"x\r 1%\r 2%\r 3%\r\nnext\n", " 3%\r\nnext\n", ("frames_left_out/1=10",)),
        ("a\u009bb".encode(), "a<U+009B>b", ("controls_shown/1",)),
        ("a\u202eb".encode(), "a<U+202E>b", ("directions_shown/1",)),
        ("six.\U000e0064\U000e0065".encode(), "six.", ("tags_removed/1=2",)),
        (b"\xff\x1b[0m\x00", "\ufffd\u2400", ("utf8_replaced/1", "ansi_removed/1", "controls_shown/1")),
    ],
)
def test_what_is_not_plain_is_shown_with_a_named_transform(source: bytes, text: str, transforms: tuple[str, ...]) -> None:
    shown = shown_text(source)
    assert (shown.text, shown.transforms) == (text, transforms)


def test_the_flag_of_a_region_keeps_its_tags() -> None:
    flag = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
    assert shown_text(flag.encode()).text == flag
    assert shown_text(flag.encode()).transforms == ()


def test_a_run_of_controls_is_shown_with_its_count() -> None:
    assert shown_text(b"\0" * MAX_RUN).text == "\u2400" * MAX_RUN
    assert shown_text(b"\0" * 5000).text == "\u2400×5000"


@settings(max_examples=200, deadline=None, database=None)
@given(
    st.lists(st.binary(max_size=4) | st.sampled_from([b"\x1b[0m", b"\x1b]", b"\r", b"\n", b"\x00", "é".encode()]), max_size=12).map(
        b"".join
    )
)
def test_shown_text_holds_no_control_and_is_text(source: bytes) -> None:
    shown = shown_text(source)
    assert not any(ord(c) < 0x20 and c not in "\t\n\r" for c in shown.text)
    assert "\x7f" not in shown.text
    if not shown.transforms:
        assert shown.text.encode() == source
    assert shown_text(source) == shown


def test_a_very_long_line_is_shown_in_time_that_grows_with_it() -> None:
    assert shown_text(b"^" * 1_000_000 + b"\n").transforms == ()
    assert shown_text(b"^" * 1_000_000 + b"\r").transforms == ()


@pytest.mark.parametrize(
    ("form", "want"),
    [
        ("3-5", LineRange(3, 5)),
        ("head:2", LineRange(1, 2)),
        ("tail:3", LineRange(8, 10)),
        ("tail:99", LineRange(1, 10)),
        ("around:5:2", LineRange(3, 7)),
        ("around:1:4", LineRange(1, 5)),
        ("around:4:0", LineRange(4, 4)),
    ],
)
def test_lines_are_named_from_either_end_or_round_one(form: str, want: LineRange) -> None:
    assert resolve_lines(form, lambda: 10) == want


@pytest.mark.parametrize("form", ["tail:0", "head:", "around:5", "around:0:2", "tail:-1", "last:3", ""])
def test_other_forms_of_lines_are_refused(form: str) -> None:
    with pytest.raises(InvalidInput, match="line range"):
        require_line_form(form)


def test_the_end_of_nothing_is_not_found() -> None:
    with pytest.raises(NotFound):
        resolve_lines("tail:5", lambda: 0)
