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


def test_events_that_break_off_are_stored_and_completed(evidence: Evidence, tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    events_of = [b'{"Action":"%s","Package":"p","Test":"T"}\n' % action for action in (b"run", b"pause", b"fail")]
    whole = b"".join(events_of)
    events.write_bytes(whole[:100])
    assert evidence("put", events, "--resource", "events.jsonl").error(2)["code"] == "syntax"
    stored = evidence("put", events, "--resource", "events.jsonl", "--incomplete").answer()
    assert (stored["format"], stored["complete"]) == ("jsonl", False)
    assert [(note["code"], note["line"], note["byte"]) for note in stored["notes"]] == [
        ("incomplete_line", 3, len(whole) - len(events_of[2]))
    ]
    assert evidence("read", "events.jsonl", "--case", "p/T").error(3)["code"] == "not_found"
    assert evidence("read", "events.jsonl", "--pointer", "/0/Action").answer()["value"] == "run"
    assert evidence("summary", "events.jsonl").answer()["transforms"] == ["summary/tests/1"]
    events.write_bytes(whole)
    assert evidence("put", events, "--resource", "events.jsonl").answer()["notes"] == []
    assert evidence("read", "events.jsonl", "--case", "p/T").answer()["pointer"] == "/2"
