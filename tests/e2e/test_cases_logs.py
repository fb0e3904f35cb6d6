"""Faults that people met in logs and test reports, through the command line: colour codes, frames, line ends, bytes, growth, noise."""

import hashlib
import json
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from evidence_store.model import Standing
from projector import KNOWN_COUNTERS, counter_for
from tests.e2e.cases import Check, expected, list_cases, list_checks, put, read_input, source_of
from tests.e2e.command import Evidence
from tests.factories import claim, deliver, make_store, open_step, read

KINDS = "g k i05 c03 c04 c05"
MARKS = {"frames left out": r"frames_left_out/1=[1-9][0-9]*", "bytes that are not UTF-8": r"utf8_replaced/1"}
"""What a case says of a mark, and the transform that says it."""
WHOLE = ("--max-tokens", "100000")


def lines_of(check: Check) -> str:
    first, last = check.told["lines"]
    return f"{first}-{last}"


@pytest.mark.parametrize("case", list_cases(KINDS), ids=lambda case: case.name[:3])
def test_the_inputs_are_the_bytes_that_they_were(case: Path) -> None:
    for name, told in expected(case)["inputs"].items():
        raw = read_input(case, name)
        assert (len(raw), hashlib.sha256(raw).hexdigest()) == (told["bytes"], told["sha256"])


# -- put


@pytest.mark.parametrize("check", list_checks("ingest", KINDS))
def test_ingest(evidence: Evidence, check: Check) -> None:
    start = time.process_time()
    done = put(evidence, check)
    assert time.process_time() - start < check.expect.get("max_seconds", 60)
    if check.expect["outcome"] == "accepted":
        answer = done.answer()
        assert answer["format"] == check.told["as"]
        if "failures" in check.expect:
            assert answer["counts"]["failures"] == check.expect["failures"]
        return
    error = done.error(2)
    assert all(name in json.dumps(error) for name in check.expect["names"])
    assert evidence("resources").answer()["resources"] == []
    require_kept_as_text(evidence, check)


def require_kept_as_text(evidence: Evidence, check: Check) -> None:
    """The next request works; as text the bytes are kept, and no pointer leads into them."""
    assert put(evidence, check, kind="text").answer()["format"] == "text"
    assert evidence("cat", check.told["file"]).out == read_input(check.case, check.told["file"])
    assert evidence("read", check.told["file"], "--pointer", "").error(3)["code"] == "no_structure"
    assert evidence("verify", "--deep").answer()["ok"]


@pytest.mark.parametrize("check", list_checks("roundtrip", KINDS))
def test_roundtrip(evidence: Evidence, check: Check) -> None:
    raw = read_input(check.case, check.told["file"])
    answer = put(evidence, check).answer()
    assert evidence("cat", check.told["file"]).out == raw
    assert (answer["size"], answer["digest"]) == (check.expect.get("size", len(raw)), f"sha256:{hashlib.sha256(raw).hexdigest()}")


@pytest.mark.parametrize("check", list_checks("store_in_turn", KINDS))
def test_store_in_turn(evidence: Evidence, check: Check) -> None:
    resource, files = check.told["resource"], check.told["files"]
    answers = [put(evidence, check, name, resource=resource).answer() for name in files]
    assert [one["revision"] for one in answers] == check.expect["revisions"]
    assert [one["size"] for one in answers] == check.expect["sizes"]
    assert [one["digest"].removeprefix("sha256:") for one in answers] == check.expect["digests"]
    torn = [note for note in answers[0]["notes"] if note["code"] == "incomplete_line"]
    assert [(note["line"], answers[1]["notes"]) for note in torn] == [(3, [])]
    for number, name in enumerate(files, 1):
        assert evidence("cat", f"{resource}@{number}").out == read_input(check.case, name)


def test_a_citation_of_a_log_that_grew_answers_from_its_own_revision(evidence: Evidence) -> None:
    check = Check(list_cases("g10")[0], {})
    put(evidence, check, "read1.log", resource="ci/run.log").answer()
    before = evidence("read", "ci/run.log", "--lines", "3-3").answer()
    put(evidence, check, "read2.log", resource="ci/run.log").answer()
    after = evidence("get", before["id"]).answer()
    assert (before["excerpt"], after["excerpt"], after["revision"]) == ("test_b PASS", "test_b PASS", 1)
    assert evidence("read", "ci/run.log", "--lines", "3-3").answer()["excerpt"] == "test_b PASSED\n"


# -- reading and searching


@pytest.mark.parametrize("check", list_checks("count_lines", KINDS))
def test_count_lines(evidence: Evidence, check: Check) -> None:
    put(evidence, check).answer()
    last = check.expect
    assert evidence("read", check.told["file"], "--lines", f"{last}-{last}").answer()["lines"] == [last, last]
    assert evidence("read", check.told["file"], "--lines", f"{last + 1}-{last + 1}").error(3)["code"] == "not_found"


@pytest.mark.parametrize("check", list_checks("find", KINDS))
def test_find(evidence: Evidence, check: Check) -> None:
    put(evidence, check).answer()
    expect, raw = check.expect, read_input(check.case, check.told["file"])
    answer = evidence("search", check.told["file"], check.told["needle"]).answer()
    assert answer["packets"]
    assert answer["more"] is False
    for packet in answer["packets"]:
        assert check.told["needle"] in packet["excerpt"]
        assert len(packet["excerpt"]) <= expect.get("excerpt_max_chars", 4_000)
        if len(source_of(packet, raw)) > 4_000:
            assert packet["cut"]["shown"][0] <= packet["match"][0] < packet["match"][1] <= packet["cut"]["shown"][1]
    if "lines" in expect:
        assert [packet["lines"] for packet in answer["packets"]] == [[line, line] for line in expect["lines"]]
    if "byte_offset" in expect:
        assert [packet["match"][0] for packet in answer["packets"]] == [expect["byte_offset"]]


@pytest.mark.parametrize("check", list_checks("excerpt", KINDS))
def test_excerpt(evidence: Evidence, check: Check) -> None:
    put(evidence, check).answer()
    expect, raw = check.expect, read_input(check.case, check.told["file"])
    packet = evidence("read", check.told["file"], "--lines", lines_of(check), *WHOLE).answer()
    text = packet["excerpt"]
    assert text == expect.get("text", text)
    assert expect.get("text_contains", "") in text
    assert expect.get("text_lacks", "\0") not in text
    assert re.search(expect.get("text_matches", ""), text)
    assert len(text) <= expect.get("max_chars", len(text))
    assert not any(int(byte, 16) in text.encode() for byte in expect.get("no_bytes", ()))
    for mark in expect.get("marks", ()):
        assert any(re.fullmatch(MARKS[mark], one) for one in packet["transforms"])
    assert source_of(packet, raw).count(b"\n") == packet["lines"][1] - packet["lines"][0] + 1
    assert evidence("get", packet["id"], *WHOLE).answer()["excerpt"] == text


def test_the_mark_of_left_out_frames_counts_their_bytes(evidence: Evidence) -> None:
    check = Check(list_cases("g02")[0], {"file": "fetch.log"})
    put(evidence, check).answer()
    packet = evidence("read", "fetch.log", "--lines", "2-2").answer()
    (mark,) = packet["transforms"]
    source = source_of(packet, read_input(check.case, "fetch.log"))
    n_left_out = int(mark.removeprefix("frames_left_out/1="))
    assert len(source) - n_left_out == len(packet["excerpt"].encode())
    assert source.endswith(packet["excerpt"].encode())


@pytest.mark.parametrize("check", list_checks("quote", KINDS))
def test_quote(evidence: Evidence, check: Check) -> None:
    put(evidence, check).answer()
    require_verdict(evidence, check, check.told["file"], check.told["quote"], check.expect)


@pytest.mark.parametrize("check", list_checks("quotes", KINDS))
def test_quotes(evidence: Evidence, check: Check) -> None:
    put(evidence, check).answer()
    for one in json.loads(read_input(check.case, check.told["list"])):
        require_verdict(evidence, check, check.told["file"], one["q"], {"verdict": one["want"]})


def require_verdict(evidence: Evidence, check: Check, file: str, quote: str, expect: Mapping[str, Any]) -> None:
    """Confirmed to the letter, or with a mark that names what was folded; the shown text is the source's own either way."""
    done = evidence("read", file, "--quote", quote)
    if done.code == 3:
        assert done.error(3)["code"] == "not_found"
        assert expect["verdict"].endswith("not_found"), quote
        return
    packet = done.answer()
    marks = [one for one in packet["transforms"] if one.startswith("quote_folded/1=")]
    assert ("confirmed_with_mark" if marks else "confirmed") == expect["verdict"].removesuffix("_or_not_found"), quote
    assert packet["transforms"] == marks
    assert packet["bytes"] == expect.get("byte_span", packet["bytes"])
    assert packet["excerpt"].encode() == source_of(packet, read_input(check.case, file))
    assert (packet["excerpt"] == quote) is not bool(marks)


@pytest.mark.parametrize("check", list_checks("packet", KINDS))
def test_packet(evidence: Evidence, check: Check) -> None:
    """Without a limit of the caller's own: bounded, and it says what of how much is shown."""
    raw = read_input(check.case, check.told["file"])
    put(evidence, check).answer()
    start = time.process_time()
    packet = evidence("read", check.told["file"], "--lines", "1-1").answer()
    assert time.process_time() - start < check.expect["max_seconds"]
    shown = packet["cut"]["shown"]
    assert check.expect["outcome"] == "bounded"
    assert check.expect["status"] == "partial"
    assert packet["bytes"] == [0, len(raw)]
    assert raw[shown[0] : shown[1]] == packet["excerpt"].encode()
    assert 0 < len(packet["excerpt"]) < 100_000
    assert packet["next"] == f"--bytes {shown[1]}-{len(raw)}"


# -- comparing runs


@pytest.mark.parametrize("check", list_checks("compare_runs", KINDS))
def test_compare_runs(evidence: Evidence, check: Check) -> None:
    answers = [put(evidence, check, check.told[side], resource="run.log").answer() for side in ("before", "after")]
    assert [one["revision"] for one in answers] == [1, 2]
    assert (answers[0]["digest"] != answers[1]["digest"]) is check.expect.get("different_digests", True)
    found = evidence("diff", "run.log@1", "run.log@2").answer()
    assert len(found["pairs"]) == check.expect["differences_beyond_noise"]
    assert found["noise"] == {"address": 1, "duration": 1, "process": 3, "time": 2}
    assert all(name in json.dumps(found["pairs"]) for name in check.expect.get("names", ()))


def test_runs_that_differ_in_noise_alone_are_not_the_same_evidence(evidence: Evidence) -> None:
    check = Check(list_cases("g11")[0], {})
    for name in ("runA.log", "runB.log"):
        put(evidence, check, name, resource="run.log").answer()
    first, second = (evidence("read", f"run.log@{number}", "--lines", "4-4").answer() for number in (1, 2))
    assert first["excerpt"] == second["excerpt"]
    assert first["id"] != second["id"]


# -- claims, counts and inputs


@pytest.mark.parametrize("check", list_checks("check_fact", KINDS))
def test_check_fact(evidence: Evidence, check: Check) -> None:
    put(evidence, check).answer()
    (line,) = check.told["cites_lines"]
    with make_store(evidence.folder) as store:
        step = open_step(store)
        cited = read(store, f"{line}-{line}", check.told["file"], kind="lines")
        deliver(store, step, cited)
        made = claim(store, step, check.told["fact"], ("support", cited))
    assert (made.standing is Standing.VERIFIED) is (check.expect["verdict"] == "supported")
    assert "incomplete" in made.reason or "because" not in check.expect


@pytest.mark.parametrize("check", list_checks("count_tokens", KINDS))
@pytest.mark.parametrize("name", KNOWN_COUNTERS)
def test_count_tokens(check: Check, name: str) -> None:
    """Never below the true count, and special tokens are text like any other."""
    text = read_input(check.case, check.told["file"]).decode()
    assert counter_for(name).count(text) >= check.expect["at_least"]


@pytest.mark.parametrize("check", list_checks("project", KINDS))
def test_project(evidence: Evidence, check: Check) -> None:
    n_lines = read_input(check.case, check.told["file"]).count(b"\n")
    put(evidence, check).answer()
    hostile = evidence("read", check.told["file"], "--lines", f"1-{n_lines}").answer()
    plain = hostile | {"excerpt": "one line\n"}
    messages, others = (project(evidence, packet) for packet in (hostile, plain))
    assert len(messages) - len(others) == check.expect.get("messages_added", 0)
    assert [one["role"] for one in messages] == [one["role"] for one in others]
    said = "".join(str(one["content"]) for one in messages)
    assert hostile["excerpt"].splitlines()[0] in said
    assert not any(chr(int(one.removeprefix("U+"), 16)) in said for one in check.expect.get("no_characters", ()))


def project(evidence: Evidence, packet: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages of a step that holds this packet."""
    path = evidence.folder.parent / "step.json"
    path.write_text(json.dumps({"messages": [{"role": "user", "content": "what failed?"}], "evidence": [packet]}))
    answer = evidence("project", path).answer()
    assert answer["outcome"] == "projected"
    messages: list[dict[str, Any]] = answer["messages"]
    return messages
