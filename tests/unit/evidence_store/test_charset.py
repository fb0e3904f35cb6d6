"""Encodings other than UTF-8: declared, marked, seen, guessed; shown decoded, searched and cut by their characters."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_store.documents.charset import UTF8, Charset, encoding_of, find_charset
from evidence_store.documents.detect import detect, inspect
from evidence_store.documents.shown import Shown, shown_text
from evidence_store.documents.wide import WideLines
from evidence_store.errors import InvalidInput, NotFound
from evidence_store.excerpts import show_slice
from evidence_store.model import LineRange, Span
from evidence_store.search import search
from tests.fakes import CharacterLimit

CHINESE = "测试失败：订单服务超时\nFAILED 错误日志\n"
JAPANESE = "テストが失敗しました。\nFAILED カタカナ\n"


@pytest.mark.parametrize(
    ("raw", "media_type", "name", "how"),
    [
        ("größe".encode("latin-1"), "text/plain; charset=ISO-8859-1", "iso8859-1", "declared"),
        ("größe".encode("cp1252"), 'text/plain;charset="windows-1252"', "cp1252", "declared"),
        (CHINESE.encode("gbk"), "text/plain; charset=GBK", "gb18030", "declared"),
        ("ok ok ok\n".encode("utf-16le"), "text/plain; charset=utf-16le", "utf-16le", "declared"),
        ("上海".encode("utf-16"), "text/plain; charset=utf-16", "utf-16le", "declared"),
        ("上海".encode("utf-16"), None, "utf-16le", "byte order mark"),
        (b"\xfe\xff" + "上海".encode("utf-16be"), None, "utf-16be", "byte order mark"),
        ("上".encode("utf-32"), None, "utf-32le", "byte order mark"),
        ("log line\n".encode("utf-16be"), None, "utf-16be", "zeros"),
        ("log line\n".encode("utf-16le"), None, "utf-16le", "zeros"),
        (CHINESE.encode("gb18030"), None, "gb18030", "guess"),
        (JAPANESE.encode("cp932"), None, "cp932", "guess"),
        ("größe".encode("latin-1"), None, "cp1252", "detected"),
        ("café".encode("latin-1"), None, "cp1252", "detected"),
        ("größe und maß, übel".encode("latin-1"), None, "cp1252", "detected"),
        ("naïve café déjà vu".encode("cp1252"), None, "cp1252", "detected"),
        ("l’été – “créée” à 5 €, cœur".encode("cp1252"), None, "cp1252", "detected"),
        ("ÄRGER ÜBER ÖSTERREICH, ÄNDERUNG DER ÄPFEL".encode("latin-1"), None, "cp1252", "detected"),
        (b"\0\x1b[0m r\xe9sum\xe9\n", None, "cp1252", "detected"),
        ("größe".encode("latin-1"), "text/plain; charset=klingon", "cp1252", "detected"),
    ],
)
def test_an_encoding_is_named_with_what_speaks_for_it(raw: bytes, media_type: str | None, name: str, how: str) -> None:
    found = find_charset(raw, media_type)
    assert (found.name, encoding_of(found.notes)) == (name, name)
    assert how in found.notes[-1].text


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"plain",
        "größe – 日志".encode(),
        "строка журнала".encode("koi8-r"),
        "ошибка: файл a.txt не найден".encode("cp1251"),
        "σφάλμα στο αρχείο a.txt".encode("iso8859-7"),
        "błąd w zażółć gęślą jaźń".encode("cp1250"),
        "größe über für".encode("cp850"),
        "größe über für".encode("mac_roman"),
        "測試失敗：訂單服務逾時 FAILED".encode("big5"),
        "テストが失敗しました FAILED".encode("euc_jp"),
        b"ok\n\x00\x00\x00\x00end\nF\x00A\x00",
        "ﾃｽﾄ".encode("cp932") * 5,
        bytes(range(256)) * 4,
    ],
)
def test_what_is_not_certain_is_not_detected(raw: bytes) -> None:
    assert find_charset(raw, None).name == UTF8


@pytest.mark.parametrize(
    "raw",
    [
        b"gr\xf6\xdfe and caf\xc3\xa9\n",
        "café ok\n".encode() * 50 + b"r\xe9sum\xe9\n",
        b"abc\xffdef",
        b"cut caf\xc3\n",
        b"cut it\xe2\x80s\n",
        b"cut \xe6\x97 here\n",
        b"price 5 \x80 \x97 paid\n",
        b"gr\xf6\xdfe \x81\n",
        b"\xef\xbb\xbfcaf\xe9\n",
    ],
)
def test_a_utf_8_text_with_bad_bytes_stays_one(raw: bytes) -> None:
    assert find_charset(raw, None) == Charset(UTF8)
    assert "not_utf8" in [note.code for note in inspect(raw, detect(raw, "run.log")).notes]


def test_a_text_that_has_bytes_of_ascii_keeps_its_other_notes() -> None:
    raw = "größe\r\nüber \0\x1b[0m\ncafé".encode("latin-1")
    notes = inspect(raw, detect(raw, "run.log")).notes
    assert [note.code for note in notes] == ["encoding", "nul", "ansi", "crlf_mixed", "incomplete_line"]
    assert notes[0].text.startswith("cp1252, detected")
    assert shown_text(raw[:5], encoding_of(notes)) == Shown("größe", ("decoded/1=cp1252",))


@pytest.mark.parametrize("raw", [b"\xe4" * 2**21, b"a\xe4" * 2**20, b"a" + b"\xa4" * 2**21, b"a" * 2**21 + b"\xe4"])
def test_looking_for_letters_takes_time_in_proportion(raw: bytes) -> None:
    started = time.monotonic()
    find_charset(raw, None)
    assert time.monotonic() - started < 5


@settings(max_examples=200, deadline=None, database=None)
@given(st.lists(st.sampled_from(["größe", "été", "\n", " ", "don’t", "ok", "5 €", "à"]), max_size=20).map("".join))
def test_what_is_detected_by_its_letters_is_read_back_as_it_was_written(text: str) -> None:
    raw = text.encode("cp1252")
    found = find_charset(raw, None)
    assert found.name in (UTF8, "cp1252")
    if found.name != UTF8:
        assert raw.decode(found.name) == text


@pytest.mark.parametrize(
    ("raw", "charset", "codes"),
    [
        (b"caf\xe9", "utf-8", []),
        (b"ok", "klingon", ["unknown_charset"]),
        (b"ok", "rot13", ["unknown_charset"]),
        (b"\xff\xff\xff", "gb18030", ["charset_mismatch"]),
        (b"abc", "utf-16le", ["charset_mismatch"]),
    ],
)
def test_a_declaration_that_does_not_hold_is_noted(raw: bytes, charset: str, codes: list[str]) -> None:
    found = find_charset(raw, f"text/plain; charset={charset}")
    assert (found.name, [note.code for note in found.notes]) == (UTF8, codes)


def test_notes_of_a_text_name_its_encoding_and_no_faults_of_another() -> None:
    raw = "ok\nFAILED\n".encode("utf-16")
    assert [note.code for note in inspect(raw, detect(raw, "run.log")).notes] == ["encoding"]
    mixed = b"\xe9 caf\xc3\xa9\n"
    assert [note.code for note in inspect(mixed, detect(mixed, "run.log")).notes] == ["not_utf8"]


def test_shown_text_is_decoded_and_says_so() -> None:
    assert shown_text("\ufeff上\x1b[0m".encode("utf-16le"), "utf-16le") == Shown("上", ("decoded/1=utf-16le", "ansi_removed/1"))
    assert shown_text("上海".encode("gb18030")[:3], "gb18030") == Shown("上\ufffd", ("decoded/1=gb18030", "bytes_replaced/1"))


@pytest.mark.parametrize("encoding", ["utf-16le", "utf-16be", "utf-32le"])
def test_lines_of_wide_text_end_at_code_units(encoding: str) -> None:
    # U+4E0A and U+0A05 hold a byte 0x0A that ends no line.
    texts = ["上海 ਅ one", "", "two 😀"]
    raw = "\n".join(texts).encode(encoding)
    lines = WideLines(raw, encoding)
    assert len(lines) == 3
    for number, text in enumerate(texts, 1):
        span = lines.span_of(LineRange(number, number))
        assert raw[span.start : span.end].decode(encoding) == text
        assert lines.lines_of(span) == LineRange(number, number)
        assert lines.column_of(span.end) == len(text)
    whole = lines.span_of(LineRange(1, 9))
    assert (whole, lines.lines_of(whole)) == (Span(0, len(raw)), LineRange(1, 3))


def test_wide_lines_past_the_end_and_no_lines_are_errors() -> None:
    lines = WideLines("a\n".encode("utf-16le"), "utf-16le")
    assert len(lines) == 1
    with pytest.raises(NotFound):
        lines.span_of(LineRange(2, 2))
    with pytest.raises(InvalidInput):
        lines.span_of(LineRange(0, 1))
    assert len(WideLines(b"", "utf-16le")) == 0


@pytest.mark.parametrize(
    ("encoding", "text"), [("utf-16le", "一二三四五上\n七八"), ("gb18030", "一二三四五上\n七八"), ("cp932", "あいうえお\nかき")]
)
def test_a_cut_falls_between_characters(encoding: str, text: str) -> None:
    raw = text.encode(encoding)
    for n_chars in range(1, len(text)):
        shown = show_slice(raw, Span(0, len(raw)), CharacterLimit(n_chars), encoding)
        assert shown.cut is not None
        assert shown.text == text[: len(shown.text)]
        assert raw[: shown.cut.shown.end].decode(encoding) == shown.text
        assert shown.cut.total_lines == 2
    assert show_slice(raw, Span(0, len(raw)), CharacterLimit(3), encoding).text == text[:3]


@pytest.mark.parametrize("encoding", ["utf-16le", "utf-16be", "gb18030"])
@pytest.mark.parametrize(("pattern", "regex"), [("超时", False), ("订单.*超时", True), ("failed", False)])
def test_search_gives_places_in_the_source(encoding: str, pattern: str, regex: bool) -> None:
    raw = ("first\n" + CHINESE).encode(encoding)
    (hit,) = search(raw, pattern, regex=regex, ignore_case=True, encoding=encoding).hits
    found = raw[hit.match.start : hit.match.end].decode(encoding)
    assert found == {"超时": "超时", "订单.*超时": "订单服务超时", "failed": "FAILED"}[pattern]
    assert found in raw[hit.line.start : hit.line.end].decode(encoding)


def test_a_wide_hit_does_not_start_within_a_character() -> None:
    raw = "Ā\u6101".encode("utf-16le")
    assert search(raw, "Ā\u6101", encoding="utf-16le").hits[0].match == Span(0, 4)
    assert search(raw, "\u0101", encoding="utf-16le").hits == ()


@settings(max_examples=200, deadline=None, database=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), st.sampled_from(["utf-16le", "utf-16be", "utf-32be"]))
def test_lines_of_any_wide_text_are_those_between_line_feeds(text: str, encoding: str) -> None:
    raw = text.encode(encoding)
    lines = WideLines(raw, encoding)
    want = text.split("\n")[: len(lines)]
    spans = [lines.span_of(LineRange(n, n)) for n in range(1, len(lines) + 1)]
    assert [raw[span.start : span.end].decode(encoding).removesuffix("\n") for span in spans] == want


def test_a_marked_text_may_break_off_within_a_code_unit() -> None:
    assert find_charset("über".encode("utf-16")[:-1], None).name == "utf-16le"
    assert find_charset("über".encode("utf-16")[:-1], "text/plain; charset=utf-16").name == "utf-16le"
