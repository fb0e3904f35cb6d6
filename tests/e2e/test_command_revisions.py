"""The command line over revisions that follow one another: what one of them tells of the other, and what it cannot."""

from pathlib import Path

import pytest

from tests.e2e.command import Evidence


@pytest.mark.parametrize(
    ("newer", "currency"), [(b"one\ntwo\nthr", "unknown"), (b"one\na panic\n", "changed")], ids=["no hit so far", "a hit"]
)
def test_a_receipt_is_not_gone_while_a_newer_revision_is_written(evidence: Evidence, tmp_path: Path, newer: bytes, currency: str) -> None:
    log = tmp_path / "run.log"
    log.write_bytes(b"one\n")
    evidence("put", log, "--resource", "run.log").answer()
    receipt = evidence("search", "run.log", "panic").answer()["receipt"]["id"]
    log.write_bytes(newer)
    evidence("put", log, "--resource", "run.log", "--incomplete").answer()
    found = evidence("get", receipt).answer()
    assert (found["currency"], found["status"], found["excerpt"]) == (currency, "derived", "0 hits")
    assert evidence("locate", receipt, "--in", "run.log").answer() == {"verdict": currency, "packet": None}
