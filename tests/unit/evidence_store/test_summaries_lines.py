"""The lines of a text out of pieces of its bytes, and which of them repeat, both in bounded memory."""

import tracemalloc
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence_store.errors import LimitExceeded
from evidence_store.model import Format, Span
from evidence_store.summaries import logs, model, repeats
from evidence_store.summaries.lines import iter_lines
from evidence_store.summaries.model import MAX_BYTES, MAX_STREAMED_BYTES, Material, require_size
from evidence_store.summaries.repeats import Repeats
from evidence_store.summaries.standard import standard_registry

ENCODINGS = ("utf-8", "utf-16le", "utf-16be", "cp932", "gb18030", "latin-1")
TEXTS = st.lists(st.sampled_from(["a", "\n", "\r\n", " ", "ß", "上", "\ufeff", "\x85", "\u2028", "\x00"]), max_size=30).map("".join)


def torn(raw: bytes, n: int) -> Iterator[bytes]:
    return (raw[at : at + n] for at in range(0, len(raw), n))


def whole(raw: bytes, encoding: str) -> list[str]:
    """The lines as they are read at once."""
    lines = raw.decode(encoding, "replace").removeprefix("\ufeff").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


@given(TEXTS, st.sampled_from(ENCODINGS), st.integers(1, 9), st.integers(1, 9))
def test_lines_are_the_same_wherever_the_bytes_are_torn(text: str, encoding: str, n: int, max_chars: int) -> None:
    raw = text.encode(encoding, "replace")
    lines = whole(raw, encoding)
    assert list(iter_lines(torn(raw, n), encoding)) == lines
    assert list(iter_lines(torn(raw, n), encoding, max_chars)) == [line[:max_chars] for line in lines]


@given(st.binary(max_size=30), st.sampled_from(ENCODINGS), st.integers(1, 5))
def test_bytes_that_are_no_text_are_replaced_as_in_one_go(raw: bytes, encoding: str, n: int) -> None:
    assert list(iter_lines(torn(raw, n), encoding)) == whole(raw, encoding)


class Endless:
    """A source of many bytes that are made when they are read."""

    def __init__(self, line: bytes, size: int) -> None:
        self.line, self.size = line, size

    def read(self, span: Span) -> bytes:
        start = span.start % len(self.line)
        return (self.line * (span.length // len(self.line) + 2))[start : start + span.length]


@pytest.mark.parametrize("line", [b"x" * 1000, b"2026-01-01 10:00:00 ERROR x\n" * 100])
def test_a_large_text_is_read_in_the_memory_of_a_few_pieces(line: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "PIECE_BYTES", 20_000)
    monkeypatch.setattr(logs, "MAX_TIMED", 100)
    source = Endless(line, 1_000_000)
    tracemalloc.start()
    try:
        text = standard_registry().get_kind("log").summarize(Material(source, Format.TEXT))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert text.startswith("log: ")
    assert peak < 400_000


def test_a_log_may_have_more_lines_and_bytes_than_others(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = standard_registry()
    log, shape = registry.get_kind("log"), registry.get_kind("json-shape")
    assert (log.bound(Format.TEXT), shape.bound(Format.JSON)) == (MAX_STREAMED_BYTES, MAX_BYTES) == (256 << 20, 64 << 20)
    require_size(log, Format.TEXT, 256 << 20)
    with pytest.raises(LimitExceeded) as why:
        require_size(log, Format.TEXT, (256 << 20) + 1)
    assert (why.value.error_code, why.value.details["limit"]) == ("too_large", 256 << 20)
    tests = registry.get_kind("tests")
    assert (tests.bound(Format.JSONL), tests.bound(Format.JUNIT)) == (MAX_STREAMED_BYTES, MAX_BYTES)
    monkeypatch.setattr(model, "MAX_LINES", 10)
    many = Material(b"\n" * 11, Format.TEXT)
    assert log.summarize(many).startswith("log: 11 lines (11 blank), 11 bytes\n")
    with pytest.raises(LimitExceeded, match="more than 10 lines"):
        many.lines  # noqa: B018 (a property that raises)


@given(st.lists(st.sampled_from("abcdefgh"), max_size=60))
def test_repeats_are_counted(lines: list[str]) -> None:
    found = Repeats()
    for number, line in enumerate(lines, 1):
        found.add(line * 40, number)
    counts = Counter(lines)
    often = sorted((-n, lines.index(line) + 1) for line, n in counts.items() if n > 1)
    assert [(-same.n, same.first) for same in found.most(99).values()] == often
    assert (found.n_different, found.n_lines, found.is_cut) == (len(often), -sum(n for n, _ in often), False)


def test_what_stands_seldom_is_let_go_and_what_stands_often_is_found() -> None:
    found = Repeats(max_kept=10)
    for number in range(1, 1_001):
        found.add("often" if number % 3 == 0 else f"once {number}", number)
    assert found.is_cut
    (same,) = found.most(1).values()
    assert same.n <= 333
    assert found.n_different <= 10


def test_more_that_repeats_than_is_kept_is_let_go_by_how_often_it_stands() -> None:
    found = Repeats(max_kept=10)
    for number in range(1, 601):
        found.add(f"line {number % 30 if number % 2 else 0}", number)
    assert found.n_different <= 10
    assert "line 0" in found.most(1)


def test_a_log_with_more_different_lines_than_are_kept_counts_what_it_shows_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "Repeats", lambda: Repeats(max_kept=20))
    lines = [f"10:00:{n % 60:02} storm" if n % 4 == 0 else f"line {n} of its own" for n in range(1, 401)]
    text = standard_registry().get_kind("log").summarize(Material("\n".join(lines).encode(), Format.TEXT))
    assert text == (
        f"log: 400 lines (0 blank), {len(chr(10).join(lines))} bytes\nlevels: none named\n"
        "repeated but for times, durations, addresses and process ids, the most frequent; more lines differ than are kept apart:\n"
        "- ×100, lines 4 to 400: 10:00:04 storm\n"
    )


def test_more_different_errors_than_are_counted_are_said_to_be_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "MAX_DIFFERENT_ERRORS", 5)
    raw = "".join(f"ERROR {n}\n" for n in range(100, 120)).encode()
    text = standard_registry().get_kind("log").summarize(Material(raw, Format.TEXT))
    assert "\nerrors, 20 lines, more than 15 different:\n" in text
    assert "- line 10: ERROR 109\n- and more than 5 more\n" in text


def test_long_lines_have_short_keys() -> None:
    assert repeats.key_of("short") == "short"
    assert [len(repeats.key_of("x" * n)) for n in (32, 33, 1_000)] == [32, 16, 16]
    assert repeats.key_of("\ud800" * 99) != repeats.key_of("\ud801" * 99)
