"""`redocly diff`, the tool that our compatibility report is held against: installed once into `build/`, run, its answer as values.

Exact version, because the command calls itself experimental. Needs Node.js; never part of CI. Its telemetry is off.

What its JSON means (measured on 2.77.0): `pointer` is a fragment that is not percent-encoded and stands where the text
is, never behind a `$ref`; `line` is 1-based and names the key's line when the value is a container, the value's when it is a
scalar; a component is reported once, however many operations use it.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGE = "@redocly/cli@2.77.0"
SETTINGS = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}


class ToolMissing(Exception):
    """The tool, or what it runs on, is not here and cannot be installed."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a change stands on one side."""

    pointer: str
    """A JSON Pointer in plain form."""
    line: int


@dataclass(frozen=True, slots=True)
class Major:
    """One change that the tool calls major."""

    rule: str
    message: str
    old: Place | None
    new: Place | None


def install(folder: Path) -> Path:
    """The program's path, installed into `folder` unless it is there."""
    program = folder / "node_modules" / ".bin" / "redocly"
    if program.exists():
        return program
    if shutil.which("npm") is None:
        raise ToolMissing("npm is not on the path: install Node.js 20 or newer")
    folder.mkdir(parents=True, exist_ok=True)
    print(f"install: {PACKAGE} into {folder}", file=sys.stderr)
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder), PACKAGE]
    if subprocess.run(command, check=False).returncode != 0:
        raise ToolMissing(f"npm could not install {PACKAGE}; what it said stands above")
    return program


def run_diff(program: Path, old: Path, new: Path, output: Path) -> tuple[Major, ...]:
    """The major changes from `old` to `new`, in the order of the tool; its whole answer stays in `output`.

    It ends with 1 when there are major changes, so only an answer that is missing is a failure.
    """
    output.unlink(missing_ok=True)
    command = [str(program.resolve()), "diff", str(old.resolve()), str(new.resolve()), "--format=json", f"--output={output.resolve()}"]
    done = subprocess.run(command, env={**os.environ, **SETTINGS}, check=False, capture_output=True, text=True)
    if not output.exists():
        raise ToolMissing(f"redocly diff gave no answer (exit {done.returncode}): {done.stderr[-500:]}")
    return parse_majors(json.loads(output.read_bytes()))


def parse_majors(answer: Any) -> tuple[Major, ...]:
    return tuple(
        Major(verdict["ruleId"], verdict["message"], parse_place(change.get("base")), parse_place(change.get("revision")))
        for change in answer["changes"]
        for verdict in change["verdicts"]
        if verdict["impact"] == "major"
    )


def parse_place(side: Any) -> Place | None:
    return None if side is None else Place(side["pointer"].removeprefix("#"), side["line"])
