"""The level of a line, in the forms in which logs write it; and what only speaks of errors."""

import re

import pytest

from evidence_store.summaries import levels
from evidence_store.summaries.levels import level_of

FATAL = (
    "12:00 FATAL x", "CRITICAL: x", "fatal: not a git repository", "FATA[0003] x", "[F] x", "<0>kern x", "time=1 level=fatal msg=x",
    '{"severity": "EMERGENCY"}', '{"level":60,"msg":"x"}', "[12:00:00 FTL] x", "F0620 10:00:00.000000 1 x.go:1] y",
    "[emerg] 1#1: x",
)  # fmt: skip
ERRORS = (
    "10:00 ERROR x", "[taskcluster:error] exit status 1", "[core:error] [pid 1] x", "err: 5", "error: x",
    "Error: Cannot find module", "error:", "main.c:3:4: error: expected ;", "<3>kern err", "<11>1 2026-01-01T00:00:00Z host app x",
    "ValueError: bad", "requests.exceptions.HTTPError: 404", "KeyError", "java.lang.NullPointerException",
    "Caused by: java.io.IOException: x", "Traceback (most recent call last):", "2026-01-01 INFO Traceback (most recent call last):",
    'Exception in thread "main" java.lang.IllegalStateException', "thread 'main' panicked at src/main.rs:1", "panic: runtime error",
    "[ 12.3] Kernel panic - not syncing", "Segmentation fault (core dumped)", "terminate called after throwing an instance of 'x'",
    "E/tag", "E/tag: boom", "E/AndroidRuntime( 123): x", "01-02 12:00:00.123 E/x( 1): y",
    "01-02 12:00:00.123  1234  1234 E Tag: msg", "time=1 level=error msg=x", "lvl=eror level=err", '{"level":"error","msg":"x"}',
    '{"log.level":"ERROR"}', '{"level":50,"msg":"x"}', '{"time":1,"msg":"' + "x" * 500 + '","level":"ERROR"}',
    '{"status":"FAIL","action":"test_status","expected":"PASS"}', '{"log":"[error] x"}', "ERRO[0001] x", "[E] x",
    "[E 200101 10:00:00 web:1] 500", "E0620 10:00:00.000000 1 x.go:1] y", "12:00PM ERR x", "[12:00:00 ERR] x",
    "2026-01-01T00:00:00Z 0 [ERROR] [MY-010] x", "fail: Microsoft.Hosting[0]", "npm ERR! code ELIFECYCLE", "npm error code E404",
    "##[error]Process completed with exit code 1.", "2026-01-01T00:00:00.0Z ##[error]x", "::error ::x",
    "::error file=a.c,line=3::x", "::error::x", "exit status 1", "exited with code 137", "returned non-zero exit status 2.",
    "[x] Unsuccessful task run with exit code: 1 completed", "--- FAIL: TestX (0.1s)", "    --- FAIL: TestX/a", "FAIL",
    "FAIL\tpkg\t1s", "FAILED tests/a.py::test_b - x", "make[1]: *** [all] Error 2", "src/a.ts(3,4): error TS2304: x",
    "error[E0382]: borrow", "INFO - TEST-UNEXPECTED-FAIL | x", "WARNING - PROCESS-CRASH | x",
)  # fmt: skip
OTHERS = (
    ("[warn] x", "warning"), ("WARN[0001] x", "warning"), ("npm WARN old", "warning"), ("<12>x", "warning"),
    ("W/tag: x", "warning"), ("<13>x", "notice"), ("time=1 level=info msg=error", "info"), ("INFO caught ValueError: x", "info"),
    ("INFO - TEST-ERROR | x", "info"), ("<6>kern info", "info"), ("I/tag: x", "info"), ("[I] x", "info"), ("dbug: x", "debug"),
    ("[10:00:00 VRB] x", "trace"), ("2026-01-01 10:00:00,411 - DEBUG - ERROR", "debug"),
)  # fmt: skip
NONE = (
    "0 errors", "0 errors, see /var/log/ERROR.txt", "12 passed, 0 errors, 0 warnings", "error_count: 3", "error_handler.py",
    "see ERROR.txt", "run --fail-on-error", "app --log-level ERROR x", "app --log-level=error", "LOG_LEVEL=ERROR", "no error",
    "no error: x", "No ERROR found", "without any error", "error: none", "error: null", "err: <nil>", "error: 0",
    "errors=0 failures=0", "the error was handled", "I/O: slow", "disk I/O error", '    asprintf(str, "Unknown error: %d",',
    '    echo "[test.sh:error]" "$@"', "should run callback(err)", "To go to the next error:", "GStreamer-CRITICAL **: x",
    "exit status 0", "exited with code 0", "Return code: 0", "--- PASS: x", "FAILURE_RATE 3", "errorprone.info",
    "class HTTPError(Exception):", "x" * 300 + " ERROR", "<999>x", "<b>x", '{"msg":"no level"}', "{",
)  # fmt: skip


@pytest.mark.parametrize("line", FATAL)
def test_what_is_fatal(line: str) -> None:
    assert level_of(line) == "fatal"


@pytest.mark.parametrize("line", ERRORS)
def test_what_is_an_error(line: str) -> None:
    assert level_of(line) == "error"


@pytest.mark.parametrize(("line", "level"), OTHERS)
def test_other_levels_and_which_of_two_counts(line: str, level: str) -> None:
    assert level_of(line) == level


@pytest.mark.parametrize("line", NONE)
def test_what_names_no_level(line: str) -> None:
    assert level_of(line) is None


def test_the_short_way_says_what_the_long_one_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most lines begin with times and a level: they are told by one match, and must be told the same."""
    times = (
        "",
        "2026-01-01T10:00:00Z ",
        "[task 2026-01-01T10:00:00.000Z] 10:00:00     ",
        "10:00:00 - ",
        "[2026-01-01] | ",
        "0 ",
        "level 3 ",
    )
    words = ("ERROR", "[WARN]", "INFO:", "DEBUG -", "ERROR.txt", "INFO/x", "TRACES", "NOTICE")
    lines = [f"{time}{word} then ERROR" for time in times for word in words]
    short = [level_of(line) for line in lines]
    monkeypatch.setattr(levels, "_USUAL", re.compile("(?!)"))
    assert short == [level_of(line) for line in lines]
