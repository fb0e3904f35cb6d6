"""Faults that people met in practice, as files under tests/fixtures/cases: each `expected.json` states what must come of its inputs.

Bound here to the command line are `resolve` (read --pointer), `ingest` (put), `compare_values`, `source_lines` and `compare`. Numbers are
compared by their digits and values by their type, so that 1.10 is not 1.1 and 1 is not "1".
"""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cases import Check, Digits, exact, expected, list_cases, list_checks, read_input, verbs
from tests.e2e.command import Done, Evidence

KINDS = "p j y"
POINTER_EXITS = {"malformed_pointer": 2, "bad_index": 2, "ambiguous": 2, "not_container": 3, "not_found": 3}


def plain(value: Any) -> Any:
    """Whole numbers of the expectations that are counts and lines."""
    if isinstance(value, Digits):
        return int(value.text)
    return [plain(one) for one in value] if isinstance(value, list) else value


def ingest(evidence: Evidence, check: Check, key: str = "file") -> Done:
    name = check.told[key]
    path = evidence.folder.parent / name
    path.write_bytes(read_input(check.case, name))
    kind = ("--format", check.told["as"]) if check.told.get("as", "openapi") != "openapi" else ()
    return evidence("put", path, "--resource", name, *kind)


def read_node(evidence: Evidence, check: Check, pointer: str) -> Done:
    return evidence("read", check.told["file"], f"--pointer={pointer}", "--max-tokens", "100000")


def require_said(said: Any, names: Any, lines: Any = ()) -> None:
    """An answer names these texts, and these lines in words or in a field."""
    text = json.dumps(said, ensure_ascii=False)
    for name in names:
        assert name in text
    numbers = {int(n) for n in re.findall(r"(?<![\w.])\d+(?![\w.]*\w)", text)}
    assert set(lines) <= numbers, (lines, text)


def first_bad_byte(raw: bytes) -> str:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as bad:
        return str(bad.start)
    raise AssertionError("every byte is UTF-8")


@pytest.mark.parametrize("case", list_cases(KINDS), ids=lambda case: case.name[:3])
def test_the_inputs_are_the_bytes_that_they_were(case: Path) -> None:
    """Nothing on the way here, a checkout included, may have changed a line end."""
    for name, told in expected(case)["inputs"].items():
        raw = read_input(case, name)
        assert (len(raw), hashlib.sha256(raw).hexdigest()) == (told["bytes"], told["sha256"])


@pytest.mark.parametrize("check", list_checks("resolve", KINDS, exact))
def test_resolve(evidence: Evidence, check: Check) -> None:
    expect, is_stored = check.expect, ingest(evidence, check).code == 0
    done = read_node(evidence, check, check.told["pointer"])
    said = (done.out + done.err).decode("utf-8")
    for text in expect.get("must_not_contain", ()):
        assert text not in said
    if expect["outcome"] == "refused":
        require_refused(done, expect, is_stored=is_stored)
        return
    assert is_stored
    packet = exact(done.out)
    assert done.code == 0
    if "value" in expect:
        assert packet["value"] == expect["value"]
    if "text" in expect:
        assert packet["excerpt"] == expect["text"]
    if "same_as_pointer" in expect:
        assert exact(read_node(evidence, check, expect["same_as_pointer"]).out)["id"] == packet["id"]


def require_refused(done: Done, expect: Mapping[str, Any], *, is_stored: bool) -> None:
    if expect.get("error") == "ambiguous_or_no_structure":
        error = done.error(done.code)
        assert (done.code, error["code"]) == (2, "ambiguous") if is_stored else done.code == 3
    elif "error" in expect:
        error = done.error(POINTER_EXITS[expect["error"]])
        assert error["code"] == expect["error"]
    else:
        error = done.error(done.code)
        assert done.code in (2, 3)
    require_said(error, expect.get("names", ()))
    if "max_chars" in expect:
        assert len(done.err.decode()) <= plain(expect["max_chars"])


@pytest.mark.parametrize("check", list_checks("ingest", KINDS, exact))
def test_ingest(evidence: Evidence, check: Check) -> None:
    done = ingest(evidence, check)
    outcome = check.expect["outcome"]
    if done.code == 0:
        assert outcome != "refused"
        require_accepted(evidence, check, done.answer())
        return
    assert outcome != "accepted"
    expect = check.expect | check.expect.get("if_refused", {})
    raw = read_input(check.case, check.told["file"])
    names = [first_bad_byte(raw) if name == "byte offset of the first bad byte" else name for name in expect.get("names", ())]
    require_said(done.error(2), names, plain(expect.get("lines", [expect["line"]] if "line" in expect else [])))
    assert evidence("resources").answer()["resources"] == []
    assert evidence("verify", "--deep").answer()["ok"]


def require_accepted(evidence: Evidence, check: Check, answer: Mapping[str, Any]) -> None:
    outcome, expect = check.expect["outcome"], check.expect
    codes = {note["code"] for note in answer["notes"]}
    if outcome == "refused_or_text_only":
        assert answer["format"] in ("text", "bytes") or "duplicate_key" in codes
    if outcome in ("refused_or_text_only", "refused_or_marked"):
        lines = plain(expect.get("lines", [expect["line"]] if "line" in expect else []))
        require_said(answer["notes"], expect.get("names", ()), lines)
        assert codes
    then = expect.get("if_accepted", {})
    if then.get("excerpt_of_root") == "works":
        read_node(evidence, check, "").answer()
    if "pointer" in then:
        repeated = re.fullmatch(r"/(\w+) repeated (\d+) times then (/\w+)", then["pointer"])
        pointer = f"/{repeated[1]}" * int(repeated[2]) + repeated[3] if repeated else then["pointer"]
        packet = exact(read_node(evidence, check, pointer).out)
        assert packet["value"] == then.get("value", packet["value"])
        assert packet["excerpt"] == then.get("text", packet["excerpt"])


@pytest.mark.parametrize("check", list_checks("compare_values", KINDS, exact))
def test_compare_values(evidence: Evidence, check: Check) -> None:
    ingest(evidence, check)
    left, right = (exact(read_node(evidence, check, check.told[side]).out) for side in ("left", "right"))
    for member in ("excerpt", "value"):
        assert (left[member] == right[member]) is check.expect["equal"]


@pytest.mark.parametrize("check", list_checks("source_lines", KINDS, exact))
def test_source_lines(evidence: Evidence, check: Check) -> None:
    ingest(evidence, check)
    packet = read_node(evidence, check, check.told["pointer"]).answer()
    assert packet["lines"] == plain(check.expect["lines"])
    assert packet["hops"]


@pytest.mark.parametrize("check", list_checks("compare", KINDS, exact))
def test_compare(evidence: Evidence, check: Check) -> None:
    for side in ("before", "after"):
        ingest(evidence, check, side).answer()
    pairs = evidence("diff", check.told["before"], check.told["after"]).answer()["pairs"]
    assert sorted((pair["new"] or pair["old"])["pointer"] for pair in pairs) == sorted(check.expect["changed_pointers"])


def test_every_verb_but_the_encoder_is_bound() -> None:
    """`encode_answer` asks for non-finite floats in an answer: none can get there, since no value passes through a float."""
    bound = {"resolve", "ingest", "compare_values", "source_lines", "compare"}
    assert verbs(KINDS) - bound == {"encode_answer"}
