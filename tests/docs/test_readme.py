"""What README.md shows is what happens."""

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.docs.pages import code_block
from tests.e2e.command import Evidence

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_console_block_gives_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Each command in this process; what is shown below it is its whole output."""
    monkeypatch.chdir(tmp_path)
    evidence = Evidence(capsysbinary, tmp_path)
    head, *parts = re.split(r"^\$ ", code_block(README, "console"), flags=re.MULTILINE)
    assert head == ""
    assert [part.split()[0] for part in parts] == ["cat", "evidence", "evidence", "evidence"]
    for part in parts:
        command, _, shown = part.partition("\n")
        program, *words = shlex.split(command)
        if program == "cat":
            Path(words[0]).write_text(shown, encoding="utf-8")
            continue
        done = evidence.bare(*words)
        assert (done.code, done.err) == (0, b"")
        assert done.out.decode() == shown, command


def test_the_python_snippet_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code_block(README, "python"), "README.md", "exec"), {})  # our own page, as a reader would run it
    assert capsys.readouterr().out == "no resources\n\n"


def test_the_figures_of_the_comparison_are_those_that_are_committed() -> None:
    """The benchmark compares with the same list, count by count."""
    listed = json.loads((ROOT / "benchmarks" / "compat_disagreements.json").read_text(encoding="utf-8"))
    n_majors, n_agreed, n_listed = 117, 71, sum(entry["count"] for entry in listed["theirs_only"])
    assert n_majors == n_agreed + n_listed
    words = " ".join(README.split())
    assert f"redocly calls {n_majors} changes major. {n_agreed} of them are in our 68 conclusions" in words
    assert f"the other {n_listed} are listed" in words
    assert listed["ours_only"] == []


def test_every_make_target_that_is_named_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^    |`)make ([a-z-]+)", README, re.MULTILINE))
    assert named >= {"demo", "test", "check", "bench-compat"}
    assert [target for target in named if f"\n{target}:" not in makefile] == []
