"""docs/loop.md runs as it is written, shows what comes out, and names each end and each fault."""

import re
from pathlib import Path
from typing import get_args

import pytest

from api.loop import Bounds, FaultKind, How
from tests.docs.pages import code_block, iter_rows, read_page, spans_in

PAGE = read_page("loop.md")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_examples_run_and_show_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in BLOCKS:
        exec(compile(block, "loop.md", "exec"), names)  # our own page, as a reader would run it
    assert capsys.readouterr().out == code_block(PAGE, "text")


def test_every_end_and_every_fault_stands_on_the_page_and_no_other() -> None:
    first = {name for row in iter_rows(PAGE) for name in spans_in(row[0])}
    assert first == {*get_args(How), *map(str, FaultKind)}


def test_the_bounds_are_those_of_the_code() -> None:
    bounds = Bounds()
    assert f"attempts of a step ({bounds.max_attempts})" in PAGE
    assert f"the longest wait ({bounds.max_wait_s:.0f} s" in PAGE
    assert f"Bounds(max_steps={bounds.max_steps})" in PAGE
