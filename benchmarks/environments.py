"""Environments for packages that must not meet ours, made below `build/` and used again while their requirements stay the same.

`python -m benchmarks.environments [--required] [GROUP…]` makes those that the tests use: `adapters`, `clients`, `http`, `docs`. What cannot
be installed is named, and its tests are skipped; with `--required` that ends with 1.
"""

import argparse
import hashlib
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
REQUIREMENTS = ROOT / "requirements"
BUILD = ROOT / "build"
GROUPS = ("adapters", "clients", "http", "docs")


class EnvironmentMissing(Exception):
    """The package set is not here and cannot be installed."""


def is_made(wanted: Path, folder: Path) -> bool:
    """Whether the environment for these requirements is there."""
    stamp = folder / ".installed"
    return stamp.exists() and stamp.read_text() == _stamp(wanted)


def _stamp(wanted: Path) -> str:
    """Of what is installed, and for which interpreter."""
    return f"{hashlib.sha256(wanted.read_bytes()).hexdigest()} {sys.version.split()[0]}"


def python_of(folder: Path) -> Path:
    return folder / "bin" / "python"


def make_environment(wanted: Path, folder: Path, *options: str) -> Path:
    """The interpreter of the environment, made unless it is there; `options` are for pip. Raises EnvironmentMissing."""
    python = python_of(folder)
    if is_made(wanted, folder):
        return python
    print(f"install: {wanted.relative_to(ROOT)} into {folder.relative_to(ROOT)}", file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    pip = [str(python), "-m", "pip", "install", "-qqq", *options, "-r", str(wanted)]
    for words in ([sys.executable, "-m", "venv", str(folder)], pip):
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["pip said nothing"]
            raise EnvironmentMissing(f"cannot be installed: {said[-1][:200]}")
    (folder / ".installed").write_text(_stamp(wanted))
    return python


def environment_of(group: str, name: str) -> tuple[Path, Path]:
    """Requirements and folder of an environment that tests use; both are named alike in every group."""
    return REQUIREMENTS / group / f"{name}.txt", BUILD / group / name


def list_tested(group: str) -> Iterator[tuple[Path, Path]]:
    if group == "docs":
        yield REQUIREMENTS / "docs.txt", BUILD / "docs-env"
        return
    for file in sorted((REQUIREMENTS / group).glob("*.txt")):
        yield environment_of(group, file.stem)


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Makes the environments that tests use.")
    parser.add_argument("--required", action="store_true")
    parser.add_argument("groups", nargs="*", choices=[[], *GROUPS])
    asked = parser.parse_args(words)
    all_made = True
    for group in asked.groups or GROUPS:
        for wanted, folder in list_tested(group):
            try:
                make_environment(wanted, folder, "--require-hashes")
            except EnvironmentMissing as why:
                print(f"{wanted.relative_to(ROOT)} {why}; its tests are skipped", file=sys.stderr)
                all_made = False
    return 0 if all_made or not asked.required else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
