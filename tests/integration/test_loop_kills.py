"""`kill -9` at any point where something becomes durable: the run goes on from the store alone, and comes to the same."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.integration.loop_agents import KEYS, VALUES

CLAIM = [f"maximum of {KEYS[0]} is {VALUES[KEYS[0]]}", "verified"]


def killed_and_resumed(folder: Path, when: str) -> list[dict[str, Any]]:
    words = [sys.executable, str(ROOT / "tests" / "integration" / "loop_kills.py"), str(folder), when]
    done = subprocess.run(words, env={"PYTHONPATH": str(ROOT)}, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_killed_run_goes_on_from_the_store_alone(tmp_path: Path, when: str) -> None:
    """The last of them is the run that nobody killed; before the first thing is stored there is nothing to go on with.

    Where no call was interrupted, the last input is that of any other such run, byte for byte, and there are as many steps.
    """
    *killed, whole = killed_and_resumed(tmp_path, when)
    begun = [one for one in killed if one["runs"]]
    assert len(begun) > 15
    assert len(killed) - len(begun) == (1 if when == "before" else 0)
    for number, one in enumerate((*begun, whole)):
        found = (one["runs"], one["how"], one["claims"], one["open"], one["faults"])
        assert found == (1, "concluded", [CLAIM], [], 0), number
    assert {one["interrupted"] for one in begun} == {0, 1}
    even = [one for one in begun if not one["interrupted"]]
    assert {one["n_steps"] for one in (*even, whole)} == {3}
    assert len({json.dumps(one["last"]) for one in even if one["last"]}) == 1
    assert whole["last"] == []
