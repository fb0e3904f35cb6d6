"""Builds the wheel without a network, installs it alone in a clean folder, and runs its demo there.

    python .ci/wheel_check.py build/wheel

An editable install puts this whole folder on the path, so what is missing from the wheel goes unseen by the tests; here
it is seen. The run-time lock is installed with its hashes, then the wheel without an index.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROBE = (
    "from pathlib import Path; import evidence_store, projector, api; "
    "home = Path(evidence_store.__file__).parent; "
    "assert 'site-packages' in home.parts, home; "
    "assert (home / 'py.typed').is_file(), 'py.typed is missing'; "
    "assert list((home / '_migrations' / 'versions').glob('0001_*.py')), 'the migrations are missing'; "
    "print('  installed at', home.name, 'with migrations and type information')"
)


def run(step: str, command: list[str], folder: Path) -> None:
    """Says the step in a line and runs it, free of settings that would make it see this folder or another store."""
    print(f"wheel: {step}", flush=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "EVIDENCE_"))}
    subprocess.run(command, cwd=folder, env=environment, check=True)


def build_wheel(target: Path) -> Path:
    for old in target.glob("*.whl"):
        old.unlink()
    command = [sys.executable, "-m", "pip", "wheel", "-qq", "--no-deps", "--no-index", "--no-build-isolation"]
    run("build, without index or build isolation", [*command, "--wheel-dir", str(target), str(ROOT)], ROOT)
    (wheel,) = target.glob("*.whl")
    return wheel


def check_wheel(wheel: Path, scratch: Path) -> None:
    python = str(scratch / "venv" / "bin" / "python")
    elsewhere = scratch / "elsewhere"
    elsewhere.mkdir()
    run("a fresh environment", [sys.executable, "-m", "venv", str(scratch / "venv")], scratch)
    lock = str(ROOT / "requirements" / "runtime.txt")
    run("the run-time lock, with hashes", [python, "-m", "pip", "install", "-qq", "--require-hashes", "-r", lock], scratch)
    run("the wheel alone", [python, "-m", "pip", "install", "-qq", "--no-index", "--no-deps", str(wheel)], scratch)
    run("what is in it", [python, "-c", PROBE], elsewhere)
    evidence = str(scratch / "venv" / "bin" / "evidence")
    run("its demo, in an empty folder", [evidence, "--store", "store", "demo"], elsewhere)
    run("the store afterwards", [evidence, "--store", "store", "verify", "--deep"], elsewhere)


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python .ci/wheel_check.py FOLDER", file=sys.stderr)
        return 2
    target = Path(arguments[0]).resolve()
    target.mkdir(parents=True, exist_ok=True)
    try:
        wheel = build_wheel(target)
        with tempfile.TemporaryDirectory(prefix="evidence-wheel-") as scratch:
            check_wheel(wheel, Path(scratch))
    except subprocess.CalledProcessError as error:
        print(f"wheel: failed with exit {error.returncode}: {' '.join(error.cmd[:4])} …", file=sys.stderr)
        return 1
    print(f"wheel: {wheel.name} works on its own")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
