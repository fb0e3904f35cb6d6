"""A few hundred requests that are generated from the description of HTTP; `make fuzz-http` sends thousands."""

from pathlib import Path

import pytest

from benchmarks.fuzz_http import count_requests, is_ready, run


@pytest.mark.clients
def test_no_generated_request_is_answered_with_what_is_not_described(tmp_path: Path) -> None:
    if not is_ready():
        pytest.skip("schemathesis is not installed for its test: make test")
    done = run(tmp_path, 2, "examples", "fuzzing")
    assert done.returncode == 0, done.stdout[-4000:]
    assert count_requests(done) > 200
