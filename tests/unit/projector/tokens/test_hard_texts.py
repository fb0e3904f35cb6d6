"""No difference to tiktoken: 39 hard texts and 10 000 seeded strings an encoding, each counted alone through the public counter."""

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
import tiktoken
import tiktoken_ext.openai_public as official  # type: ignore[import-untyped]

from projector import counter_for
from projector.tokens.encodings import ENCODINGS, find_rank_file, parse_ranks, read_ranks
from projector.tokens.fast import MODULE
from tests.unit.projector.tokens.hard_texts import HARD_TEXTS, iter_fuzz

GOLDEN = Path(__file__).parents[3] / "fixtures" / "token_counts" / "hard_texts.json"
N_FUZZ = 10_000
needs_fast = pytest.mark.skipif(find_spec(MODULE) is None, reason=f"{MODULE} is not installed")


@cache
def reference(name: str) -> tiktoken.Encoding:
    """What tiktoken itself makes of this name, but for the ranks, which it would fetch."""
    load, official.load_tiktoken_bpe = (
        official.load_tiktoken_bpe,
        lambda path, expected_hash: parse_ranks(read_ranks(find_rank_file(name), ENCODINGS[name])),
    )
    try:
        return tiktoken.Encoding(**getattr(official, name)())
    finally:
        official.load_tiktoken_bpe = load


def counted(encoding: tiktoken.Encoding, text: str) -> int:
    return len(encoding.encode_ordinary(text))


def test_there_are_39() -> None:
    assert len(HARD_TEXTS) == len(set(HARD_TEXTS.values())) == 39


@pytest.mark.parametrize("name", sorted(ENCODINGS))
def test_hard_texts_have_tiktokens_counts_and_those_that_were_stored(name: str) -> None:
    stored = json.loads(GOLDEN.read_text(encoding="utf-8"))[name]
    found = {kind: counter_for(name).count(text) for kind, text in HARD_TEXTS.items()}
    assert found == {kind: counted(reference(name), text) for kind, text in HARD_TEXTS.items()}
    assert found == stored


@pytest.mark.parametrize("name", sorted(ENCODINGS))
def test_seeded_strings_have_tiktokens_counts(name: str) -> None:
    counter, encoding = counter_for(name), reference(name)
    assert [text for text in iter_fuzz(N_FUZZ, seed=len(name)) if counter.count(text) != counted(encoding, text)] == []


@needs_fast
@pytest.mark.parametrize("name", sorted(ENCODINGS))
def test_the_fast_engine_differs_in_none(name: str) -> None:
    """Joined by tens, since short texts do not reach it."""
    counter, encoding = counter_for(f"fast:{name}"), reference(name)
    fuzz = list(iter_fuzz(N_FUZZ, seed=3))
    texts = [*HARD_TEXTS.values(), *("".join(fuzz[at : at + 10]) for at in range(0, N_FUZZ, 10))]
    assert [text for text in texts if counter.count(text) != counted(encoding, text)] == []


@needs_fast
def test_the_fast_engine_knows_the_same_letters_or_leaves_them_alone() -> None:
    """A character that only one of two engines knows as a letter is divided differently from what stands beside it."""
    counter, encoding = counter_for("fast:o200k_base"), reference("o200k_base")
    codes = [code for code in (*range(0x80, 0x34000), *range(0xE0000, 0xE0200)) if not 0xD800 <= code <= 0xDFFF]
    beside = [f"{chr(code)},e\n" for code in codes]
    texts = ["".join(beside[at : at + 200]) for at in range(0, len(beside), 200)]
    assert [text for text in texts if counter.count(text) != counted(encoding, text)] == []
