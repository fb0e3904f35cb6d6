"""Flags: a lock file that misses a declared dependency, holds an unhashed one, or names where packages come from.

Why: `make` installs with `--require-hashes` and builds without isolation, so what is not in the lock is either a failure on a
fresh machine or something fetched unchecked. Hosts and paths belong to the machine that installs (docs/adr/0002-lock-format.md).
The escape: `make lock`.
"""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.architecture.modules import ROOT

PIN = re.compile(r"^([a-z0-9][a-z0-9.-]*)==([^ ;\\]+)(?: ; [^\\]+)? \\$")
HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}( \\)?$")
COMMENT = re.compile(r"^ +#")
LOCKS = ("requirements/runtime.txt", "requirements/dev.txt", "requirements/docs.txt")
FRAMEWORKS = ("adk", "langchain", "openai-agents", "pydantic-ai")
"""Extras that are in no lock but their own: they move apart from each other, and nobody needs several."""
OWN_LOCKS = tuple(
    sorted(path.relative_to(ROOT).as_posix() for group in ("adapters", "clients") for path in (ROOT / "requirements" / group).glob("*.txt"))
)


def read_pins(path: Path) -> dict[str, str]:
    """Name to version. Raises AssertionError at a line that is neither a pin, one of its hashes, nor a comment."""
    pins: dict[str, str] = {}
    n_hashes = 1
    for line in path.read_text(encoding="utf-8").splitlines():
        if match := PIN.match(line):
            assert n_hashes > 0, f"no hash before {line!r}"
            pins[match[1]] = match[2]
            n_hashes = 0
        elif HASH.match(line):
            n_hashes += 1
        else:
            assert COMMENT.match(line), f"neither pin, hash nor comment: {line!r}"
    assert n_hashes > 0
    return pins


def declared(project: Mapping[str, list[str]]) -> dict[str, set[str]]:
    return {group: {normalise(line) for line in lines} for group, lines in project.items()}


def normalise(requirement: str) -> str:
    name = re.split(r"[\s<>=!~;\[]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture(scope="module")
def groups() -> dict[str, set[str]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    extras = {name: lines for name, lines in project["optional-dependencies"].items() if name != "all"}
    return declared({"base": project["dependencies"], "build": settings["build-system"]["requires"], **extras})


@pytest.mark.parametrize("lock", LOCKS + OWN_LOCKS)
def test_each_line_is_a_pin_with_hashes(lock: str) -> None:
    assert read_pins(ROOT / lock)


def test_the_run_time_lock_covers_what_the_wheel_needs(groups: dict[str, set[str]]) -> None:
    assert groups["base"] <= read_pins(ROOT / "requirements/runtime.txt").keys()


def test_the_development_lock_covers_everything_with_the_build_back_end(groups: dict[str, set[str]]) -> None:
    assert (
        set().union(*(names for group, names in groups.items() if group not in FRAMEWORKS))
        <= read_pins(ROOT / "requirements/dev.txt").keys()
    )


def test_both_locks_agree() -> None:
    runtime, dev = (read_pins(ROOT / lock) for lock in LOCKS[:2])
    assert runtime.items() <= dev.items()


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_lock_of_a_framework_covers_it_and_agrees_with_what_the_wheel_needs(groups: dict[str, set[str]], framework: str) -> None:
    pins = read_pins(ROOT / f"requirements/adapters/{framework}.txt")
    assert groups["base"] | groups[framework] <= pins.keys()
    assert read_pins(ROOT / "requirements/runtime.txt").items() <= pins.items()


@pytest.mark.parametrize("lock", LOCKS + OWN_LOCKS)
def test_no_lock_names_a_host_or_a_folder(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert not re.search(r"://|@ |--(index|extra-index|find-links|trusted-host)|(^|\s)/", text, re.MULTILINE)


@pytest.mark.parametrize("line", ["x==1", "x==1 \\\n    --hash=md5:00", "--index-url something", "x @ file:///y"])
def test_the_reader_refuses_other_lines(tmp_path: Path, line: str) -> None:
    lock = tmp_path / "lock.txt"
    lock.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(AssertionError):
        read_pins(lock)
