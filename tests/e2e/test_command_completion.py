"""`evidence completion` makes a script from the parser that the shell itself can use: each shell is asked what it offers."""

import os
import pty
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from select import select

import pytest

from tests.e2e.command import Evidence

TIMEOUT_S = 60
SHELLS = [
    pytest.param(name, marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"needs {name}")) for name in ("bash", "zsh", "fish")
]
# Each candidate that is added is written down, and the second key ends the shell.
ZSH = """
autoload -Uz compinit; compinit -u -D -C
source ./evidence.zsh
compadd() {
  [[ " $* " == *" -"[OAD]" "* ]] && { builtin compadd "$@"; return }
  local -a hits; builtin compadd -O hits "$@"
  print -rl -- $hits >> ./hits
  builtin compadd "$@"
}
leave() { exit }
zle -C ask complete-word _main_complete; bindkey '^X' ask
zle -N leave; bindkey '^Y' leave
"""


def script(evidence: Evidence, shell: str) -> str:
    return evidence.bare("completion", shell).out.decode()


def by_bash(folder: Path, words: tuple[str, ...]) -> list[str]:
    line = " ".join(f"'{word}'" for word in ("evidence", *words))
    ask = f"source ./evidence.bash; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _evidence; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "--norc", "-c", ask], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.splitlines()


def by_fish(folder: Path, words: tuple[str, ...]) -> list[str]:
    ask = f"source ./evidence.fish; complete -C 'evidence {' '.join(words)}'"
    given = os.environ | {"HOME": str(folder)}
    done = subprocess.run(["fish", "--no-config", "-c", ask], cwd=folder, capture_output=True, text=True, check=True, env=given)
    assert done.stderr == ""
    return [line.partition("\t")[0] for line in done.stdout.splitlines()]


def by_zsh(folder: Path, words: tuple[str, ...]) -> list[str]:
    """Its completion works on a terminal alone."""
    (folder / "ask.zsh").write_text(ZSH, encoding="utf-8")
    (folder / "hits").write_text("", encoding="utf-8")
    ours, its = pty.openpty()
    given = os.environ | {"HOME": str(folder), "TERM": "dumb"}
    process = subprocess.Popen(["zsh", "-f", "-i"], cwd=folder, stdin=its, stdout=its, stderr=its, env=given, start_new_session=True)
    os.close(its)
    os.write(ours, f"source ./ask.zsh\nevidence {' '.join(words)}\x18\x19".encode())
    with suppress(OSError):  # what a terminal says once nobody is at its other end
        while select([ours], [], [], TIMEOUT_S)[0] and os.read(ours, 65536):
            pass
    process.kill()
    process.wait()
    os.close(ours)
    return [line for line in (folder / "hits").read_text(encoding="utf-8").splitlines() if line]


def completed(evidence: Evidence, folder: Path, shell: str, *words: str) -> set[str]:
    """What the shell would offer for the last of these words."""
    (folder / f"evidence.{shell}").write_text(script(evidence, shell), encoding="utf-8")
    (folder / "spec one.json").write_text("{}", encoding="utf-8")
    found = {"bash": by_bash, "zsh": by_zsh, "fish": by_fish}[shell](folder, words)
    return {one for one in found if one}


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("co",), {"context", "completion"}),
        (("--store", "put", "co"), {"context", "completion"}),
        (("--vers",), {"--version"}),
        (("put", "--ki"), {"--kind"}),
        (("put", "a", "--kind", ""), {"observation", "reference"}),
        (("completion", "f"), {"fish"}),
        (("mcp", "c"), {"config"}),
        (("mcp", "serve", "--u"), {"--unprotected"}),
        (("mcp", "config", "--u"), {"--url"}),
        (("mcp", "config", "--client", "cu"), {"cursor"}),
        (("validate", "--provider", ""), {"openai", "openai-responses", "anthropic", "gemini"}),
        (
            ("serve", "--"),
            {"--store", "--json", "--port", "--host", "--unauthenticated", "--log", "--log-names", "--trusted-proxy"},
        ),
        (("get", "--nothing"), set()),
    ],
)
def test_a_shell_completes_commands_options_and_words(
    evidence: Evidence, tmp_path: Path, shell: str, words: tuple[str, ...], offered: set[str]
) -> None:
    assert completed(evidence, tmp_path, shell, *words) == offered


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("words", [("project", "sp"), ("put", "--kind", "reference", "sp"), ("mcp", "wrap", "--", "sp"), ("--store", "sp")])
def test_else_it_completes_files(evidence: Evidence, tmp_path: Path, shell: str, words: tuple[str, ...]) -> None:
    (found,) = completed(evidence, tmp_path, shell, *words)
    assert found.replace("\\", "") == "spec one.json"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_command_and_option_stands_in_the_script(evidence: Evidence, shell: str) -> None:
    text = script(evidence, shell)
    assert all(word in text for word in ("context", "steps", "max-tokens", "observation reference", "bash zsh fish", "start-timeout"))


def test_behind_an_option_that_takes_anything_bash_offers_no_commands(evidence: Evidence, tmp_path: Path) -> None:
    assert not {"put", "--json"} & completed(evidence, tmp_path, "bash", "--store", "")
    assert not {"--json"} & completed(evidence, tmp_path, "bash", "put", "a", "--resource", "")


def test_json_and_wrong_shells(evidence: Evidence) -> None:
    answer = evidence("completion", "bash").answer()
    assert answer["script"].startswith("_evidence() {\n")
    assert evidence("completion", "tcsh").error(2)["code"] == "wrong_use"
