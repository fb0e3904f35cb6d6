"""docs/wrapping.md runs as it is written, shows what comes out, and names what there is."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

import api.wrap
from api.settings import Settings
from api.wiring import open_services
from api.wrap import ResultBudget, Switches, ToolRules, ToolWrapper, Treatment, WrapRules
from api.wrap.budget import MAX_RESULT_TOKENS, MIN_ROOM_TOKENS, SHARE_PERCENT
from api.wrap.rules import FILTERS, SHOWN_TOKENS, SUMMARY_BYTES
from tests.docs.pages import code_block, iter_rows, read_page, spans_in

PAGE = read_page("wrapping.md")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_example_runs_and_shows_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(BLOCKS[0], "wrapping.md", "exec"), {})  # our own page, as a reader would run it
    shown = capsys.readouterr().out
    assert shown.startswith(code_block(PAGE, "text"))
    assert "\npointer: /42/phase\n" in shown
    assert '\n| "Failed"\n' in shown


def test_tools_beside_the_wrapped_ones_are_offered_and_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"wrap": api.wrap.wrap}
    exec(compile(BLOCKS[1], "wrapping.md", "exec"), names)
    shown = capsys.readouterr().out
    assert shown.startswith("[offloaded get_nodes: ")
    assert '| "node-42"\n' in shown
    assert "search" in str(names["offered"])


def test_the_hook_of_an_adapter_runs(tmp_path: Path) -> None:
    names: dict[str, object] = {}
    exec(compile(BLOCKS[2], "wrapping.md", "exec"), names)
    handed_on = names["handed_on"]
    assert callable(handed_on)
    with open_services(Settings(tmp_path / "store"), create=True) as services:
        wrapper = ToolWrapper(services, WrapRules(ResultBudget(8_000)))
        assert handed_on(wrapper, "now", {}, "noon") == "noon"
        assert handed_on(wrapper, "dump", {}, ["x" * 50] * 1_000).startswith("[offloaded dump: ")


def test_every_treatment_filter_and_switch_stands_on_the_page() -> None:
    first = [name for row in iter_rows(PAGE) for cell in row[:2] for name in spans_in(cell)]
    assert {one.value for one in Treatment} <= set(first)
    assert set(FILTERS) <= set(first)
    assert all(f"{one.name}=" in PAGE for one in fields(Switches))


def test_the_bounds_are_those_of_the_code() -> None:
    most, shown = (f"{n:,}".replace(",", " ") for n in (MAX_RESULT_TOKENS, SHOWN_TOKENS))
    assert f"{SHARE_PERCENT} % of the window, at most {most}" in PAGE
    assert f"{shown} at most" in PAGE
    assert f"below {MIN_ROOM_TOKENS} tokens" in PAGE
    assert f"more than {SUMMARY_BYTES // 1024**2} MiB (`ToolRules.summary_bytes`)" in PAGE


def test_names_on_the_page_are_there() -> None:
    for owner in ("ToolRules", "WrapRules", "ResultBudget", "WrappedResult"):
        named = set(re.findall(rf"`{owner}\.(\w+)", PAGE))
        assert [name for name in named if not hasattr(getattr(api.wrap, owner), name)] == []
    assert ToolRules().tokens is None
