"""Environments for packages that must not meet ours, made below `build/` and used again while their requirements stay the same."""

import hashlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


class EnvironmentMissing(Exception):
    """The package set is not here and cannot be installed."""


def is_made(wanted: Path, folder: Path) -> bool:
    """Whether the environment for these requirements is there."""
    stamp = folder / ".installed"
    return stamp.exists() and stamp.read_text() == hashlib.sha256(wanted.read_bytes()).hexdigest()


def python_of(folder: Path) -> Path:
    return folder / "bin" / "python"


def make_environment(wanted: Path, folder: Path, *options: str) -> Path:
    """The interpreter of the environment, made unless it is there; `options` are for pip. Raises EnvironmentMissing."""
    python = python_of(folder)
    if is_made(wanted, folder):
        return python
    print(f"install: {wanted.relative_to(ROOT)} into {folder.relative_to(ROOT)}", file=sys.stderr)
    folder.mkdir(parents=True, exist_ok=True)
    pip = [str(python), "-m", "pip", "install", "-qqq", *options, "-r", str(wanted)]
    for words in ([sys.executable, "-m", "venv", str(folder)], pip):
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["pip said nothing"]
            raise EnvironmentMissing(f"cannot be installed: {said[-1][:200]}")
    (folder / ".installed").write_text(hashlib.sha256(wanted.read_bytes()).hexdigest())
    return python
