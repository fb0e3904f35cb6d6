"""Inputs of the examples, made where none is given: a CI log, a dump of pods, and the test reports of two runs. The same each time."""

from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import quoteattr

LOG_BYTES = 28_000_000
"""The size of a long browser test log."""
N_PODS = 900
N_SUITES = 120
N_TESTS = 25
"""Of each suite."""
NOISE = (
    "GECKO(5988) | [Child {n}: Socket Thread]: W/mtransport OnGatheringComplete called for 0x{n:x}",
    "GECKO(5988) | [Parent 5988: Socket Thread]: D/mtransport NrIceCtx static call to find local stun addresses",
    "TEST-PASS | dom/media/test/test_{n}.html | stream {n} of the page has ended as it was expected to, after {n} events in all",
    "GECKO(5988) | MEMORY STAT | vsize {n}MB | residentFast {n}MB | heapAllocated 105MB",
    "     Found by: inlining",
)
FAILURE = (
    "GECKO(5988) | JavaScript error: https://example.com/tests/setup.js, line 21: ReferenceError: LogController is not defined",
    "runtests.py | Waiting for browser...",
    "TEST-UNEXPECTED-TIMEOUT | automation.py | application timed out after 370 seconds with no output",
    "Force-terminating active process(es).",
    "PROCESS-CRASH | application crashed [@ libsystem_kernel.dylib + 0xce8] | automation.py",
)


def ci_log(path: Path, n_bytes: int = LOG_BYTES) -> Path:
    """Writes a log of about so many bytes: one failure in its middle, and at its end the exit status that everybody sees first."""
    with path.open("wb") as file:
        file.writelines(_log_lines(n_bytes))
    return path


def _log_lines(n_bytes: int) -> Iterator[bytes]:
    written, n, failed = 0, 0, False
    while written < n_bytes:
        said = [NOISE[n % len(NOISE)].format(n=n % 3_571)]
        if not failed and written > n_bytes // 2:
            said, failed = list(FAILURE), True
        for words in said:
            at = f"{14 + n // 360_000 % 10}:{n // 6_000 % 60:02}:{n // 100 % 60:02}"
            line = f"[task 2026-02-13T{at}.{n % 100:02}0Z] {at}     INFO - {words}\n".encode()
            written, n = written + len(line), n + 1
            yield line
    yield b"[taskcluster:error] exit status 1\n"


def pods() -> dict[str, object]:
    """What `kubectl get pods -o json` gives of a cluster in which three pods are in trouble."""
    return {"apiVersion": "v1", "kind": "List", "items": [_pod(n) for n in range(N_PODS)]}


def _pod(n: int) -> dict[str, object]:
    waiting = {42: "CrashLoopBackOff", 311: "ImagePullBackOff", 640: "CrashLoopBackOff"}.get(n)
    killed = {42: {"reason": "OOMKilled", "exitCode": 137}, 640: {"reason": "Error", "exitCode": 2}}.get(n)
    container = {
        "name": "api",
        "ready": waiting is None,
        "restartCount": 17 if killed else 0,
        "state": {"waiting": {"reason": waiting}} if waiting else {"running": {"startedAt": "2026-11-30T08:00:00Z"}},
        "lastState": {"terminated": killed} if killed else {},
    }
    limits = {"name": "api", "image": "registry.example/api:1.4", "resources": {"limits": {"memory": "64Mi" if n == 42 else "512Mi"}}}
    return {
        "metadata": {"name": f"api-{n}", "namespace": "prod", "labels": {"app": "api", "shard": str(n % 7)}},
        "spec": {"nodeName": f"node-{n % 11}", "containers": [limits]},
        "status": {"phase": "Pending" if n == 311 else "Running", "containerStatuses": [container]},
    }


def junit_report(*failing: tuple[int, int]) -> str:
    """JUnit XML of a run in which these tests fail, each a suite and a test by number."""
    suites = []
    for suite in range(N_SUITES):
        broken = {test for at, test in failing if at == suite}
        cases = "".join(_case(suite, test, fails=test in broken) for test in range(N_TESTS))
        suites.append(f'<testsuite name="shop.orders{suite}" tests="{N_TESTS}" failures="{len(broken)}">\n{cases}</testsuite>\n')
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n{"".join(suites)}</testsuites>\n'


def _case(suite: int, test: int, *, fails: bool) -> str:
    head = f'<testcase classname="shop.orders{suite}" name="test_total_{test}" time="0.0{test % 10}1"'
    said = quoteattr(f"AssertionError: total of order {test} is 99, not 100")
    return f"{head}><failure message={said}>orders.py:{test + 40}</failure></testcase>\n" if fails else f"{head}/>\n"
