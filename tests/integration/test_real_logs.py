"""The first and the last error of real logs, found by reading them: what `log` says of each is what a person would name."""

from pathlib import Path

import pytest
import zstandard

from evidence_store.model import Format
from evidence_store.summaries.levels import level_of
from evidence_store.summaries.model import Material
from tests.unit.evidence_store.summary_outputs import summary

LOGS = (
    ("treeherder/leak.log", 2, (23_371, "TEST-UNEXPECTED-FAIL | leakcheck"), (51_542, "[taskcluster:error] exit status 1")),
    ("treeherder/timeout-crash.log", 4, (9_509, "TEST-UNEXPECTED-TIMEOUT"), (106_945, "[taskcluster:error] exit status 1")),
    ("treeherder/xpcshell-crash.log", 26, (3_290, "PROCESS-CRASH"), (35_773, "[taskcluster:error] exit status 2")),
    ("treeherder/crashtest-timeout.log", 4, (17, "[taskcluster:error] Error down"), (18_781, "Unsuccessful task run with exit code: 1")),
    ("treeherder/mochitest-crash.log", 2, (8_639, "PROCESS-CRASH"), (15_611, "Unsuccessful task run with exit code: 1")),
    ("treeherder/reftest-fail.log", 2, (13_565, "TEST-UNEXPECTED-FAIL"), (26_556, "Unsuccessful task run with exit code: 1")),
    ("treeherder/wpt-multiple.log", 38, (6_930, "TEST-UNEXPECTED-FAIL"), (17_878, "Unsuccessful task run with exit code: 1")),
    ("treeherder/plain-chunked_raw.log", 3, (14_711, '{"status": "FAIL"'), (14_720, '{"status": "FAIL"')),
    ("go-junit-report/017-race.txt", 4, (40, "--- FAIL: TestRace (0.00s)"), (45, "FAIL\tpackage/race")),
    ("holmesgpt/kubectl_logs_all_containers.txt", 3, (42, "ERROR - SSL certificate"), (46, "ExpiredCertException: Certificate")),
    ("holmesgpt/pod_logs_ansi.txt", 2, (344, "Traceback (most recent call last):"), (349, "requests.exceptions.HTTPError: 404")),
    ("analysis-model/issue14383.txt", 1_168, (1, "FATAL: [IMPDBSTR0023]"), (4_084, "ERROR: [IMPDBSTR0002]")),
    ("analysis-model/issue55805.txt", 2, (2, "18:32:03 ERROR"), (3, "18:32:03 ERROR")),
    ("gotestsum/github-actions.out", 20, (1, "FAIL Package testjson/internal/badmain"), (212, "FAIL Package testjson/internal/withfails")),
    ("lnav/test_cmds.sh_b6a3bb78e9d60e5e1f5ce5b18e40d2f1662707ab.out", 2, (2_889, "error: cannot read"), (4_408, "error: please set")),
)  # fmt: skip
WITHOUT = (
    "holmesgpt/pod_logs_login.txt", "holmesgpt/raw_logs_response.txt", "analysis-model/absolute-paths.txt", "analysis-model/maven-ansi.txt",
    "analysis-model/clang-analyzer-test.txt", "analysis-model/issue11675.txt", "gotestsum/dots-v2.out",
)  # fmt: skip


def read_log(corpus: Path, name: str) -> bytes:
    plain = corpus / "logs" / name
    if plain.is_file():
        return plain.read_bytes()
    return zstandard.ZstdDecompressor(max_window_size=1 << 27).decompress((corpus / "logs" / f"{name}.zst").read_bytes())


@pytest.mark.corpus
@pytest.mark.parametrize(("name", "n", "first", "last"), LOGS, ids=[name for name, *_ in LOGS])
def test_the_first_and_the_last_error_of_a_real_log(corpus: Path, name: str, n: int, first: tuple[int, str], last: tuple[int, str]) -> None:
    text = summary("log", read_log(corpus, name), Format.TEXT)
    said = dict(line.split(": line ", 1) for line in text.split("\n") if line.startswith(("first error: ", "last error: ")))
    for word, (number, passage) in (("first error", first), ("last error", last)):
        assert said[word].startswith(f"{number}: ")
        assert passage in said[word]
    assert f"\nerrors, {n} lines, " in text


@pytest.mark.corpus
@pytest.mark.parametrize("name", WITHOUT)
def test_a_real_log_without_errors_has_none(corpus: Path, name: str) -> None:
    lines = Material(read_log(corpus, name), Format.TEXT).iter_lines()
    assert [line for line in lines if level_of(line) in ("error", "fatal")] == []
