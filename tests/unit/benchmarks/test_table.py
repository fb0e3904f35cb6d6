"""The shape of benchmark results."""

import json
from pathlib import Path

import pytest

from benchmarks.table import Bound, Row, format_markdown, publish


def test_ratio_and_verdict_follow_from_both_sides() -> None:
    row = Row("read one node, ms", ours=3, other=2, bound=Bound("<=", 1.5))
    assert (row.ratio, row.ok) == (1.5, True)
    assert not Row("read one node, ms", ours=3.1, other=2, bound=Bound("<=", 1.5)).ok
    assert Row("budget used", ours=0.9, other=1, bound=Bound(">=", 0.9)).ok
    assert not Row("all of them", ours=116, other=117, bound=Bound("==", 1)).ok


def test_a_row_without_another_side_cannot_be_built() -> None:
    with pytest.raises(ValueError, match="nothing to compare"):
        Row("read", ours=1, other=0, bound=Bound("<=", 1))


def test_the_table_shows_a_broken_bound() -> None:
    table = format_markdown([Row("a", 2, 1, Bound("<=", 1)), Row("b", 1, 1, Bound("<=", 1))])
    assert table.splitlines()[2:] == ["| a | 2 | 1 | 2 | <= 1 | NO |", "| b | 1 | 1 | 1 | <= 1 | yes |"]


def test_a_floor_and_a_line_without_a_bound_are_shown() -> None:
    table = format_markdown([Row("a", 2, 1, Bound("<=", 3), floor=0.5), Row("b", 2, 1, None)])
    assert table.splitlines() == [
        "| line | floor | ours | other | ratio | bound | ok |",
        "| --- | ---: | ---: | ---: | ---: | --- | --- |",
        "| a | 0.5 | 2 | 1 | 2 | <= 3 | yes |",
        "| b | - | 2 | 1 | 2 | - | - |",
    ]


def test_publish_writes_the_documented_members_and_answers_with_the_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert publish("sample", [Row("größe", 1, 2, Bound("<=", 1))], tmp_path) == 0
    (item,) = json.loads((tmp_path / "sample.json").read_text(encoding="utf-8"))
    assert item == {"line": "größe", "ours": 1, "other": 2, "ratio": 0.5, "bound": "<= 1", "ok": True}
    assert "| größe |" in capsys.readouterr().out
    assert publish("sample", [Row("a", 2, 1, Bound("<=", 1))], tmp_path) == 1
    assert publish("sample", [], tmp_path) == 1
