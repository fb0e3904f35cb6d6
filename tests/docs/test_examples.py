"""The pages of the examples show what the scripts print, and the same scripts read real inputs."""

import subprocess
import sys
from pathlib import Path

import pytest
import zstandard

from examples import broken_tests, log_root_cause, pod_triage
from tests.conftest import ROOT
from tests.docs.pages import DOCS, code_block
from tests.e2e.command import environment

NAMES = ("log_root_cause", "pod_triage", "broken_tests")
MAX_LINES = 60


def page_of(name: str) -> str:
    return (DOCS / "examples" / f"{name.replace('_', '-')}.md").read_text(encoding="utf-8")


def unpacked(packed: Path, target: Path) -> Path:
    with packed.open("rb") as source, target.open("wb") as plain:
        zstandard.ZstdDecompressor(max_window_size=1 << 27).copy_stream(source, plain)
    return target


@pytest.mark.parametrize("name", NAMES)
def test_a_script_prints_what_its_page_shows(name: str, tmp_path: Path) -> None:
    command, _, shown = code_block(page_of(name), "console").partition("\n")
    assert command == f"$ python -m examples.{name}"
    words = [sys.executable, "-m", f"examples.{name}"]
    done = subprocess.run(words, cwd=ROOT, env=environment(TMPDIR=str(tmp_path)), capture_output=True, timeout=300, check=True)
    assert done.stdout.decode() == shown
    assert shown.endswith("\nchecked: 0 citations do not hold\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", NAMES)
def test_every_claim_on_a_page_is_verified(name: str) -> None:
    claims = [line for line in code_block(page_of(name), "console").split("\n") if line.startswith("- **C")]
    assert len(claims) >= 3
    assert [line for line in claims if "** verified: " not in line] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_script_stays_short(name: str) -> None:
    assert (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8").count("\n") <= MAX_LINES


def test_small_inputs_and_inputs_without_a_fault_are_read_too(tmp_path: Path) -> None:
    log = tmp_path / "ci.log"
    log.write_text("10:00:00 INFO start\n10:00:01 INFO ReferenceError: x is not defined\n10:00:02 ERROR it failed\n")
    report = log_root_cause.main(log, tmp_path / "failed")
    assert '**C1** verified: Before it failed, the program said ReferenceError.\n  - support: "ReferenceError: x is not defined"' in report
    log.write_text("10:00:00 INFO start\n")
    assert "**C1**" not in log_root_cause.main(log, tmp_path / "fine")
    container = {"state": {"waiting": {"reason": "ImagePullBackOff"}}, "lastState": {}, "restartCount": 0}
    pod = {"metadata": {"name": "api-0"}, "spec": {"containers": [{}]}, "status": {"containerStatuses": [container]}}
    assert "**C1** verified: Pod `api-0` waits with `ImagePullBackOff`" in pod_triage.main({"items": [pod]}, tmp_path / "pods")


@pytest.mark.corpus
def test_a_real_log_of_28_megabytes(corpus: Path, tmp_path: Path) -> None:
    log = unpacked(corpus / "logs" / "treeherder" / "timeout-crash.log.zst", tmp_path / "real.log")
    report = log_root_cause.main(log, tmp_path / "store")
    assert '**C1** verified: Before it failed, the program said ReferenceError.\n  - support: "ReferenceError: LogController is' in report
    assert "`TEST-UNEXPECTED-TIMEOUT`" in report
    assert "application crashed [@ libsystem_kernel.dylib + 0x0000000000000ce8]" in report
    assert " open: " not in report
    assert report.endswith("\nchecked: 0 citations do not hold\n")


@pytest.mark.corpus
def test_a_real_report_of_one_run(corpus: Path, tmp_path: Path) -> None:
    report = unpacked(corpus / "logs" / "test-reporter" / "jest-test-results.xml.zst", tmp_path / "jest.xml")
    said = broken_tests.main([report.read_text(encoding="utf-8")], tmp_path / "store")
    assert said.count("verified: `gets changed files for hg` fails.") == 2
    assert said.endswith("\nchecked: 0 citations do not hold\n")
