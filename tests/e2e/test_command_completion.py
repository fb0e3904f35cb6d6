"""`evidence completion` makes a script from the parser that the shell itself can use."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.command import Evidence


def script(evidence: Evidence, shell: str) -> str:
    return evidence.bare("completion", shell).out.decode()


def completed(evidence: Evidence, folder: Path, *words: str) -> list[str]:
    """What bash would offer for the last of these words."""
    (folder / "evidence.bash").write_text(script(evidence, "bash"), encoding="utf-8")
    (folder / "spec.json").write_text("{}", encoding="utf-8")
    line = " ".join(f"'{word}'" for word in ("evidence", *words))
    ask = f"source ./evidence.bash; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _evidence; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "--norc", "-c", ask], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if line]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_commands_options_and_words(evidence: Evidence, tmp_path: Path) -> None:
    assert completed(evidence, tmp_path, "co") == ["context", "completion"]
    assert set(completed(evidence, tmp_path, "--json", "")) >= {"init", "put", "steps", "--store"}
    assert completed(evidence, tmp_path, "put", "--ki") == ["--kind"]
    assert completed(evidence, tmp_path, "put", "a", "--kind", "") == ["observation", "reference"]
    assert completed(evidence, tmp_path, "completion", "f") == ["fish"]
    assert completed(evidence, tmp_path, "project", "sp") == ["spec.json"]
    assert completed(evidence, tmp_path, "get", "--nothing") == []


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_take_the_script(evidence: Evidence, tmp_path: Path, shell: str) -> None:
    """Where the shell is installed, it reads it; in any case each command and option stands in it."""
    text = script(evidence, shell)
    file = tmp_path / f"evidence.{shell}"
    file.write_text(text, encoding="utf-8")
    assert text.count("observation reference") == 1
    assert all(word in text for word in ("context", "steps", "max-tokens", "bash zsh fish"))
    if shutil.which(shell) is not None:
        subprocess.run([shell, "-n", str(file)], check=True, capture_output=True)


def test_json_and_wrong_shells(evidence: Evidence) -> None:
    answer = evidence("completion", "bash").answer()
    assert answer["script"].startswith("_evidence() {\n")
    assert evidence("completion", "tcsh").error(2)["code"] == "wrong_use"


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_a_group_is_completed_with_its_commands_and_their_options(evidence: Evidence, tmp_path: Path) -> None:
    assert completed(evidence, tmp_path, "mcp", "c") == ["config"]
    assert completed(evidence, tmp_path, "mcp", "config", "--cl") == ["--client"]
