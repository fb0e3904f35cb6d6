"""The texts that the counters are measured on."""

import pytest

from benchmarks import bench_counters
from projector.tokens.fast import FastCounter


def test_texts_have_their_size_and_no_two_are_the_same() -> None:
    made = [bench_counters.records(2_000, seed) for seed in range(20)]
    assert {len(text) for text in made} == {2_000}
    assert len(set(made)) == 20


def test_hostile_texts_have_a_million_characters() -> None:
    assert {kind: len(make()) for kind, make in bench_counters.HOSTILE.items()} == dict.fromkeys(bench_counters.HOSTILE, 1_000_000)


def test_a_row_holds_both_sides_of_the_same_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_counters, "N_RUNS", 1)
    row = bench_counters.again_row(2_000, 2)
    assert 0 < row.ours < row.other


def test_a_missing_engine_gives_no_rows_and_says_why(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(FastCounter, "refusal", "toktok is not installed")
    assert bench_counters.fast_rows() == []
    assert "toktok is not installed" in capsys.readouterr().err
