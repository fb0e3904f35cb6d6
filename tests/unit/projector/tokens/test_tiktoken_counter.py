"""Exact counts."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projector.tokens import tiktoken_counter
from projector.tokens.encodings import load_encoding
from projector.tokens.hostile import MAX_SPACES
from projector.tokens.memory import ENTRY_BYTES
from projector.tokens.tiktoken_counter import TiktokenCounter

COUNTER = TiktokenCounter("o200k_base")
HOSTILE = st.lists(
    st.one_of(
        st.sampled_from(("<|endoftext|>", "\r\n", "   ", "e\u0301", "👩\u200d👧", "日志", "\\n", "|", "-" * 40, "x" * 50)),
        st.text(max_size=8),
    ),
    max_size=80,
).map("".join)


def plain(text: str) -> int:
    return len(load_encoding("o200k_base").encode_ordinary(text))


@given(HOSTILE)
def test_a_count_is_tiktokens_own(text: str) -> None:
    assert COUNTER.count(text) == plain(text)
    assert COUNTER.count(text) == plain(text), "also from memory"


def test_special_tokens_are_text_like_any_other() -> None:
    assert COUNTER.count("<|endoftext|>") == 7


def test_half_a_surrogate_pair_counts_as_a_replacement_character() -> None:
    assert COUNTER.count("a\ud800b") == COUNTER.count("a\ufffdb")
    assert COUNTER.count("x" * 300 + "\ud800") == COUNTER.count("x" * 300 + "\ufffd")


def test_the_memory_is_bounded_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    small = TiktokenCounter("o200k_base", max_cache_bytes=2 * ENTRY_BYTES)
    encoded: list[str] = []
    load = load_encoding("o200k_base")

    class Watched:
        def encode_ordinary(self, text: str) -> list[int]:
            encoded.append(text)
            return load.encode_ordinary(text)

    monkeypatch.setattr(tiktoken_counter, "load_encoding", lambda name: Watched())
    texts = [str(number) * 300 for number in range(3)]
    for text in (texts[0], texts[0], texts[1], texts[2], texts[2], texts[0]):
        small.count(text)
    assert encoded == [texts[0], texts[1], texts[2], texts[0]]


def test_a_million_spaces_give_a_bound_and_no_panic() -> None:
    text = "word " * 10 + " " * 1_000_001 + "x"
    figure = COUNTER.figure(text)
    assert 1_000_000 <= figure.tokens <= len(text)
    assert (figure.exactness, figure.counter) == ("upper_bound", "tiktoken:o200k_base")
    assert "token a byte" in figure.note
    assert COUNTER.figure(text) == figure, "also from memory"


def test_long_runs_are_bounded_and_the_rest_is_counted() -> None:
    assert 2 + MAX_SPACES < COUNTER.count(f"hello world{' ' * MAX_SPACES}hello world") <= 4 + MAX_SPACES + 32


@pytest.mark.parametrize("char", ["a", "7", "-", "\u0301", "日"])
def test_a_long_run_of_other_characters_is_counted_exactly(char: str) -> None:
    text = char * 100_000
    figure = COUNTER.figure(text)
    assert (figure.tokens, figure.exactness, figure.note) == (plain(text), "exact", "")


class PanicException(BaseException):  # the name that is looked for
    pass


class Panicking:
    def __init__(self, raised: BaseException) -> None:
        self.raised = raised

    def encode_ordinary(self, text: str) -> list[int]:
        raise self.raised


def test_a_panic_gives_the_bytes_as_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiktoken_counter, "load_encoding", lambda name: Panicking(PanicException()))
    assert TiktokenCounter("o200k_base").count("日志x") == 7
    assert TiktokenCounter("o200k_base").prefix("日志x" * 100, 7) == 3


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), ValueError("other")])
def test_nothing_else_is_caught(monkeypatch: pytest.MonkeyPatch, raised: BaseException) -> None:
    monkeypatch.setattr(tiktoken_counter, "load_encoding", lambda name: Panicking(raised))
    with pytest.raises(type(raised)):
        TiktokenCounter("o200k_base").count("x")


@given(HOSTILE, st.integers(0, 60))
def test_a_cut_is_a_beginning_within_the_limit(text: str, n_tokens: int) -> None:
    at = COUNTER.prefix(text, n_tokens)
    assert 0 <= at <= len(text)
    assert plain(text[:at]) <= n_tokens
    assert (at == len(text)) == (plain(text) <= n_tokens)


def test_a_cut_uses_nearly_all_of_the_limit() -> None:
    rng = random.Random(1)
    text = " ".join(rng.choice(("limit", "of", "orders", "日志", "50", "données")) for _ in range(3_000))
    assert all(plain(text[: COUNTER.prefix(text, n)]) >= n - 2 for n in range(10, 2_000, 97))


def test_a_cut_does_not_part_a_letter_from_its_marks() -> None:
    text = ("e\u0301" * 3 + "👩\u200d👩\u200d👧" + "👍🏽") * 20
    for n_tokens in range(1, 200):
        at = COUNTER.prefix(text, n_tokens)
        assert at == 0 or at == len(text) or text[at] not in "\u0301\u200d🏽"
        assert at == 0 or text[at - 1] != "\u200d"


def test_cutting_a_long_text_looks_at_its_beginning_only(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths: list[int] = []
    load = load_encoding("o200k_base")

    class Watched:
        def encode_ordinary(self, text: str) -> list[int]:
            lengths.append(len(text))
            return load.encode_ordinary(text)

        def decode_bytes(self, ids: list[int]) -> bytes:
            return load.decode_bytes(ids)

    monkeypatch.setattr(tiktoken_counter, "load_encoding", lambda name: Watched())
    assert TiktokenCounter("o200k_base").prefix("some words " * 100_000, 100) > 0
    assert max(lengths) < 2_000


@given(HOSTILE, st.integers(0, 60))
def test_a_cut_from_the_end_is_an_ending_within_the_limit(text: str, n_tokens: int) -> None:
    at = COUNTER.suffix(text, n_tokens)
    assert 0 <= at <= len(text)
    assert plain(text[at:]) <= n_tokens
    assert (at == 0) == (plain(text) <= n_tokens)


def test_a_cut_from_the_end_of_a_hostile_text_is_bounded_by_bytes() -> None:
    text = "x" + " " * 2_000_000
    assert len(text) - COUNTER.suffix(text, 300_000) == 300_000
    assert COUNTER.prefix(text, 300_000) == 300_000


def test_halves_of_surrogate_pairs_do_not_disturb_a_cut() -> None:
    text = "ab\ud83d\ude00 \ud800 cd " * 50
    for n_tokens in range(0, 120, 7):
        assert COUNTER.count(text[: COUNTER.prefix(text, n_tokens)]) <= n_tokens
        assert COUNTER.count(text[COUNTER.suffix(text, n_tokens) :]) <= n_tokens


LETTERS = ("a", "zZ", "É", "日", "e\u0301", "\u0301", "'s", "'")
OTHERS = ("7", "12345", " ", "\n", "\t", '"', ',{"', '":"', "[", "]}", "\\n", "/", "-", ".")
PIECES = st.sampled_from((*LETTERS, *OTHERS))


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
@given(st.lists(st.lists(PIECES, max_size=8).map("".join), max_size=12))
def test_a_text_in_parts_counts_as_the_whole_wherever_it_is_cut(name: str, parts: list[str]) -> None:
    counter = TiktokenCounter(name)
    assert counter.figure_of_parts(parts) == counter.figure("".join(parts))


def test_parts_that_were_counted_before_are_not_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = TiktokenCounter("o200k_base")
    first, second = (f'role":"user","content":"{word}"' + '},{"' for word in ("one " * 50, "two " * 50))
    counter.count(first)
    encoded: list[str] = []
    load = load_encoding("o200k_base")

    class Watched:
        def encode_ordinary(self, text: str) -> list[int]:
            encoded.append(text)
            return load.encode_ordinary(text)

    monkeypatch.setattr(tiktoken_counter, "load_encoding", lambda name: Watched())
    counter.figure_of_parts(['[{"', first, second])
    assert encoded == ['[{"', second]


def test_parts_of_which_one_cannot_be_counted_have_the_bound_of_the_whole() -> None:
    parts = ['[{"', f'role":"{" " * MAX_SPACES}"', '},{"', "role"]
    found = TiktokenCounter("o200k_base").figure_of_parts(parts)
    assert found == TiktokenCounter("o200k_base").figure("".join(parts))
    assert found.exactness == "upper_bound"
