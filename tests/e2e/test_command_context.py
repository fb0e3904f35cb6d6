"""`evidence context` and `evidence tokens` look into the window of a run, at work or ended."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from api.loop import Runner
from api.settings import Settings
from api.wiring import open_services
from tests.e2e.command import PROGRAM, Evidence, environment
from tests.integration.loop_agents import PROFILE, SYSTEM, TASK, Scripted, add_task, filled, reads_and_claims, say


@pytest.fixture
def ended(evidence: Evidence) -> Evidence:
    """A store with two runs of a task: one that concluded, and one at work."""
    with filled(evidence.folder) as services:
        task = add_task(services)
        runner = Runner(services, PROFILE, SYSTEM)
        runner.run(task, "agent:a/1", "State each maximum.", reads_and_claims)
        with pytest.raises(KeyError):
            runner.run(task, "agent:b/1", "Look.", Scripted(say("I look.", ("list_resources", {})), KeyError("crash")))
    return evidence


def test_the_window_of_the_newest_run_is_shown_with_what_changed(ended: Evidence) -> None:
    answer = ended("context", "limits").answer()
    assert (answer["run"], answer["step"], answer["end"]) == ("limits/run 2", 2, None)
    assert sum(one["tokens"] for one in answer["sections"]) == answer["budget"]["used"]
    assert answer["since"]["step"] == 1
    assert "dialogue" in [one["section"] for one in answer["since"]["sections"]]
    text = ended.bare("context", "limits", "--store", ended.folder).out.decode()
    assert text.startswith("limits/run 2 (at work, or interrupted), step 2\ncap ")
    assert "\nsince step 1:\n  used " in text


def test_a_run_that_ended_says_how(ended: Evidence) -> None:
    answer = ended("context", "limits", "1", "1").answer()
    assert answer["end"] == {"how": "concluded", "reason": "", "empty": False}
    assert answer["since"] is None
    assert ended.bare("tokens", "limits", "1", "--store", ended.folder).out.decode().startswith("limits/run 1 (ended, concluded), step 7: ")


def test_what_fills_the_window_adds_up(ended: Evidence) -> None:
    answer = ended("tokens", "limits", "1").answer()
    assert sum(one["tokens"] for one in answer["sections"]) == answer["used_tokens"]
    assert answer["used_tokens"] + answer["free_tokens"] == answer["cap_tokens"] == PROFILE.input_cap
    sizes = [one["tokens"] for one in answer["largest"]]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == 10
    assert answer["run_tokens"]["n_inputs"] == 7
    assert answer["run_tokens"]["peak_tokens"] <= answer["run_tokens"]["sum_tokens"]
    first = ended("tokens", "limits", "1", "1").answer()
    assert first["run_tokens"]["sum_tokens"] == first["used_tokens"] == ended("steps", "limits", "1").answer()["steps"][0]["used_tokens"]
    text = ended.bare("tokens", "limits", "1", "--store", ended.folder).out.decode()
    assert "\n  system " in text
    assert "#" in text
    assert text.splitlines()[-1].startswith("7 inputs so far: ")


@pytest.mark.parametrize("command", ["context", "tokens"])
def test_what_is_not_there_is_named(ended: Evidence, command: str) -> None:
    assert ended(command, "nothing").error(3)["code"] == "not_found"
    assert ended(command, "limits", "9").error(3)["code"] == "not_found"
    assert ended(command, "limits", "1", "99").error(3)["known"] == [1, 2, 3, 4, 5, 6, 7]
    with open_services(Settings(ended.folder)) as services:
        services.store.runs.start(TASK, "agent:c/1")
    assert ended(command, "limits").error(3)["code"] == "no_step"


def put_large(folder: Path, *, terminal: bool) -> bytes:
    """What stands on stderr, a terminal or a pipe."""
    store = folder / "store"
    subprocess.run([*PROGRAM, "init", "--store", str(store)], env=environment(), check=True, capture_output=True)
    large = folder / "large.log"
    large.write_bytes(b"the job went on and on and on\n" * 600_000)
    command = [*PROGRAM, "put", str(large), "--resource", "a.log", "--store", str(store)]
    if not terminal:
        return subprocess.run(command, env=environment(), check=True, capture_output=True).stderr
    ours, theirs = pty.openpty()
    subprocess.run(command, env=environment(), check=True, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    try:
        return os.read(ours, 10_000)
    finally:
        os.close(ours)


@pytest.mark.skipif(sys.platform != "linux", reason="reads what is left in a terminal that is closed")
def test_progress_stands_on_a_terminal_and_is_gone_at_the_end(tmp_path: Path) -> None:
    assert put_large(tmp_path, terminal=True) == b"\r\x1b[K8 MiB read\r\x1b[K16 MiB read\r\x1b[K"


def test_no_progress_stands_anywhere_else(tmp_path: Path) -> None:
    assert put_large(tmp_path, terminal=False) == b""
