"""Blocks of a page, run as a reader would: `console` blocks command by command, `python` blocks whole, all in one folder, in order.

`python -m tests.docs.console PAGE…` writes what the commands print into the console blocks anew. In these stand

    $ cat FILE          what is shown below it becomes the file
    $ evidence …        what is shown below it is its whole output; `$ evidence …; echo $?` shows the exit code, too
    $ python FILE       the same, of a script that the page has shown before
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT
from tests.e2e.command import PROGRAM, environment

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUN = ("console", "python")
ECHO = "; echo $?"


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block that can be run."""

    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Ran:
    """A command of a console block, with what the page shows for it and what it gave."""

    command: str
    shown: str
    gave: str


def list_blocks(page: str) -> list[Block]:
    return [Block(language, text) for language, text in FENCE.findall(page) if language in RUN]


def run_page(page: str, folder: Path) -> Iterator[Ran]:
    """Runs all blocks of a page in an empty folder. Raises what a Python block raises."""
    for block in list_blocks(page):
        if block.language == "console":
            yield from run_console(block.text, folder)
        else:
            yield run_python(block.text, folder)


def run_console(text: str, folder: Path) -> Iterator[Ran]:
    head, *parts = re.split(r"^\$ ", text, flags=re.MULTILINE)
    assert head == "", f"a console block begins with a command: {head!r}"
    for part in parts:
        command, _, shown = part.partition("\n")
        yield Ran(command, shown, _run(command, shown, folder))


def _run(command: str, shown: str, folder: Path) -> str:
    program, *words = shlex.split(command.removesuffix(ECHO))
    if program == "cat":
        (folder / words[0]).write_text(shown, encoding="utf-8")
        return shown
    start = {"evidence": PROGRAM, "python": (sys.executable,)}[program]
    done = subprocess.run([*start, *words], cwd=folder, env=environment(), capture_output=True, timeout=120, check=False)
    said = (done.stdout + done.stderr).decode()
    assert command.endswith(ECHO) or done.returncode == 0, f"{command}: {said}"
    return f"{said}{done.returncode}\n" if command.endswith(ECHO) else said


def run_python(text: str, folder: Path) -> Ran:
    out, home = io.StringIO(), Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(text, "page", "exec"), {"__name__": "__main__"})  # our own page, as a reader would run it
    finally:
        os.chdir(home)
    return Ran("python", "", out.getvalue())


def written_anew(page: str) -> str:
    """The page with what its commands print now."""
    with tempfile.TemporaryDirectory() as folder:
        ran = iter(list(run_page(page, Path(folder))))

    def filled(found: re.Match[str]) -> str:
        language, text = found[1], found[2]
        if language == "python":
            next(ran)
        if language != "console":
            return found[0]
        commands = re.findall(r"^\$ ", text, re.MULTILINE)
        return "```console\n" + "".join(f"$ {one.command}\n{one.gave}" for one in (next(ran) for _ in commands)) + "```"

    return FENCE.sub(filled, page)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = ROOT / name
        path.write_text(written_anew(path.read_text(encoding="utf-8")), encoding="utf-8")
