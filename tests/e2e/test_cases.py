"""Faults that people met in practice, as files under tests/fixtures/cases: each `expected.json` states what must come of its inputs.

Bound here to the command line are `resolve` (read --pointer), `ingest` (put), `compare_values`, `source_lines` and `compare`. Numbers are
compared by their digits and values by their type, so that 1.10 is not 1.1 and 1 is not "1".
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import Done, Evidence

CASES = Path(__file__).parents[1] / "fixtures" / "cases"
KINDS = "pjy"
POINTER_EXITS = {"malformed_pointer": 2, "bad_index": 2, "ambiguous": 2, "not_container": 3, "not_found": 3}


@dataclass(frozen=True, slots=True)
class Digits:
    """A number by its spelling."""

    text: str


@dataclass(frozen=True, slots=True)
class Check:
    case: Path
    told: Mapping[str, Any]

    @property
    def expect(self) -> Mapping[str, Any]:
        expect: Mapping[str, Any] = self.told["expect"]
        return expect


def exact(text: str | bytes) -> Any:
    return json.loads(text, parse_int=Digits, parse_float=Digits)


def plain(value: Any) -> Any:
    """Whole numbers of the expectations that are counts and lines."""
    if isinstance(value, Digits):
        return int(value.text)
    return [plain(one) for one in value] if isinstance(value, list) else value


def list_cases() -> list[Path]:
    return [case for case in sorted(CASES.iterdir()) if case.name[0] in KINDS]


def list_checks(verb: str) -> list[Any]:
    told = [(case, n, one) for case in list_cases() for n, one in enumerate(exact((case / "expected.json").read_bytes())["checks"], 1)]
    return [pytest.param(Check(case, one), id=f"{case.name[:3]}-{n}") for case, n, one in told if one["do"] == verb]


def make_nested(depth: int) -> bytes:
    return b'{"inner":' * (depth - 1) + b'{"leaf":"found"}' + b"}" * (depth - 1) + b"\n"


MADE = {f"deep_{depth}.json": make_nested(depth) for depth in (60, 200, 300, 1000, 1100, 20_000)} | {
    "arrays_200000.json": b"[" * 200_000 + b"]" * 200_000 + b"\n",
    "unclosed_200000.json": b"[" * 200_000 + b"\n",
}
"""Inputs that are larger than the program that makes them."""


def read_input(case: Path, name: str) -> bytes:
    return MADE[name] if name in MADE else (case / name).read_bytes()


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


@pytest.mark.parametrize("case", list_cases(), ids=lambda case: case.name[:3])
def test_the_inputs_are_the_bytes_that_they_were(case: Path) -> None:
    """Nothing on the way here, a checkout included, may have changed a line end."""
    for name, told in json.loads((case / "expected.json").read_bytes())["inputs"].items():
        raw = read_input(case, name)
        assert (len(raw), hashlib.sha256(raw).hexdigest()) == (told["bytes"], told["sha256"])


@pytest.mark.parametrize("check", list_checks("resolve"))
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


@pytest.mark.parametrize("check", list_checks("ingest"))
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


@pytest.mark.parametrize("check", list_checks("compare_values"))
def test_compare_values(evidence: Evidence, check: Check) -> None:
    ingest(evidence, check)
    left, right = (exact(read_node(evidence, check, check.told[side]).out) for side in ("left", "right"))
    for member in ("excerpt", "value"):
        assert (left[member] == right[member]) is check.expect["equal"]


@pytest.mark.parametrize("check", list_checks("source_lines"))
def test_source_lines(evidence: Evidence, check: Check) -> None:
    ingest(evidence, check)
    packet = read_node(evidence, check, check.told["pointer"]).answer()
    assert packet["lines"] == plain(check.expect["lines"])
    assert packet["hops"]


@pytest.mark.parametrize("check", list_checks("compare"))
def test_compare(evidence: Evidence, check: Check) -> None:
    for side in ("before", "after"):
        ingest(evidence, check, side).answer()
    pairs = evidence("diff", check.told["before"], check.told["after"]).answer()["pairs"]
    assert sorted((pair["new"] or pair["old"])["pointer"] for pair in pairs) == sorted(check.expect["changed_pointers"])


def test_every_verb_but_the_encoder_is_bound() -> None:
    """`encode_answer` asks for non-finite floats in an answer: none can get there, since no value passes through a float."""
    bound = {"resolve", "ingest", "compare_values", "source_lines", "compare"}
    verbs = {told["do"] for case in list_cases() for told in json.loads((case / "expected.json").read_bytes())["checks"]}
    assert verbs - bound == {"encode_answer"}
