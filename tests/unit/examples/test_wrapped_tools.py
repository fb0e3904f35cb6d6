"""The example of wrapped tools runs as a program of its own: no framework, no model, no network."""

import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT
from tests.e2e.command import environment

EXAMPLE = ROOT / "examples" / "wrapped_tools.py"


def test_the_script_shows_packets_and_finds_the_error(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(EXAMPLE)], cwd=tmp_path, env=environment(), capture_output=True, timeout=60, check=True)
    shown = done.stdout.decode()
    assert shown.startswith("[offloaded get_logs: 1,126,733 bytes, 20,001 lines, stored whole; left out: lines ")
    assert shown.count("ERROR api-42 upstream timed out") == 2
    assert '| "Failed"' in shown
    assert list(tmp_path.iterdir()) == []


def test_the_script_stays_short() -> None:
    assert EXAMPLE.read_text(encoding="utf-8").count("\n") <= 60
