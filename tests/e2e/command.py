"""The command `evidence` as the tests run it: in this process, or as a program of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from api.cli import main
from tests.conftest import ROOT

PROGRAM = (sys.executable, "-c", "import sys; from api.cli import main; sys.exit(main())")


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended and what it said."""

    code: int
    out: bytes
    err: bytes

    def answer(self, code: int = 0) -> dict[str, Any]:
        """The JSON value on stdout, of a command that ended with this code."""
        assert self.code == code, self.err.decode()
        assert self.out.endswith(b"\n")
        decoded: dict[str, Any] = json.loads(self.out)
        return decoded

    def error(self, code: int) -> dict[str, Any]:
        """The error object: the last line of stderr, with nothing on stdout and no traceback anywhere."""
        assert self.code == code, self.err.decode()
        assert self.out == b""
        assert b"Traceback" not in self.err
        decoded: dict[str, Any] = json.loads(self.err.splitlines()[-1])
        assert isinstance(decoded["code"], str)
        assert isinstance(decoded["message"], str)
        return decoded


class Evidence:
    """Runs commands on one store, in this process."""

    def __init__(self, capture: pytest.CaptureFixture[bytes], folder: Path) -> None:
        self._capture = capture
        self.folder = folder

    def __call__(self, *words: str | Path) -> Done:
        return self.bare(*words, "--json", "--store", self.folder)

    def bare(self, *words: str | Path) -> Done:
        """With just these words."""
        self._capture.readouterr()
        try:
            code = main([str(word) for word in words])
        except SystemExit as end:
            code = int(end.code or 0)
        captured = self._capture.readouterr()
        return Done(code, captured.out, captured.err)


def environment(**more: str) -> dict[str, str]:
    return {"PYTHONPATH": str(ROOT), "PATH": os.environ.get("PATH", ""), "PYTHONDONTWRITEBYTECODE": "1", **more}


def run_program(words: Sequence[str | Path], *, stdin: bytes = b"", before: str = "", env: dict[str, str] | None = None) -> Done:
    """Runs the command as a program; `before` is Python that the process runs first, in itself."""
    program = (*PROGRAM[:2], f"{before}\n{PROGRAM[2]}")
    done = subprocess.run([*program, *map(str, words)], input=stdin, capture_output=True, env=env or environment(), timeout=60, check=False)
    return Done(done.returncode, done.stdout, done.stderr)
