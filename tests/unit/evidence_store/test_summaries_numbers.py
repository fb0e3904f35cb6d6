"""Every number of a summary, computed once more by plain means: whatever the input, what is said is what is there."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evidence_store.model import Format
from evidence_store.summaries.levels import level_of
from evidence_store.summaries.numbers import MEAN_DIGITS
from tests.unit.evidence_store.summary_outputs import summary

NUMBERS = st.integers(-1_000, 1_000).map(str) | st.decimals(-100, 100, places=3).map(str) | st.sampled_from(["1e3", "-2.5E-1", "0.10"])


def exact(spelling: str) -> Fraction:
    return Fraction(Decimal(spelling))


def least_and_greatest(spellings: list[str]) -> tuple[int, int]:
    """Indexes of the first least and the first greatest value."""
    values = [exact(one) for one in spellings]
    return values.index(min(values)), values.index(max(values))


def assert_mean(said: str, spellings: list[str]) -> None:
    mean = sum(map(exact, spellings), Fraction(0)) / len(spellings)
    shown = exact(said.removeprefix("~"))
    if said.startswith("~"):
        assert shown != mean
        assert abs(shown - mean) <= abs(mean) * Fraction(5, 10**MEAN_DIGITS)
    else:
        assert shown == mean


# -- metrics


@given(st.lists(NUMBERS, min_size=2, max_size=20))
def test_least_mean_greatest_and_last_of_a_series(values: list[str]) -> None:
    least, greatest = least_and_greatest(values)
    raw = '{"values": [' + ", ".join(f"[{at}, {json.dumps(value)}]" for at, value in enumerate(values)) + "]}"
    found = re.search(r"n (\d+), min (\S+) @(\d+), mean (\S+), max (\S+) @(\d+), last (\S+) @(\d+)\n", summary("metrics", raw, Format.JSON))
    assert found is not None
    assert found[1] == str(len(values))
    assert (found[2], int(found[3])) == (values[least], least)
    assert (found[5], int(found[6])) == (values[greatest], greatest)
    assert (found[7], int(found[8])) == (values[-1], len(values) - 1)
    assert_mean(found[4], values)


@given(st.lists(st.tuples(st.sampled_from(["a", 'b{x="1"}']), NUMBERS), min_size=2, max_size=20))
def test_samples_of_an_exporter_are_put_to_their_series_with_their_lines(samples: list[tuple[str, str]]) -> None:
    text = summary("metrics", "# TYPE a gauge\n" + "".join(f"{name} {value}\n" for name, value in samples), Format.TEXT)
    for name in dict(samples):
        lines = [number for number, (one, _) in enumerate(samples, 2) if one == name]
        values = [value for one, value in samples if one == name]
        least, greatest = least_and_greatest(values)
        head = f"- {name} at line {lines[0]}: n {len(values)}, "
        assert head in text
        if len(values) > 1:
            said = text.partition(head)[2].partition("\n")[0]
            assert said.startswith(f"min {values[least]} @{lines[least]}, mean ")
            assert said.endswith(f"max {values[greatest]} @{lines[greatest]}, last {values[-1]} @{lines[-1]}")
            assert_mean(said.split("mean ")[1].split(",")[0], values)


# -- records

ROWS = st.lists(st.dictionaries(st.sampled_from(["a", "b", "c"]), NUMBERS, max_size=3), min_size=1, max_size=20)


@given(ROWS)
def test_number_presence_and_extremes_of_records(rows: list[dict[str, str]]) -> None:
    raw = "[" + ", ".join("{" + ", ".join(f'"{key}": {value}' for key, value in row.items()) + "}" for row in rows) + "]"
    text = summary("records", raw, Format.JSON)
    keys = {key for row in rows for key in row}
    assert text.startswith(f'records: {len(rows)} record{"s" * (len(rows) != 1)} at "", {len(keys)} field')
    for key in keys:
        places = [at for at, row in enumerate(rows) if key in row]
        check_column(text, f"/{key} number", [rows[at][key] for at in places], places, len(rows), f"/{places[0]}/{key}")


@given(st.lists(st.lists(st.just("") | NUMBERS, min_size=2, max_size=2), min_size=1, max_size=20))
def test_an_empty_cell_is_no_value(rows: list[list[str]]) -> None:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows([["a", "b"], *([first or "7", second] for first, second in rows)])
    text = summary("records", written.getvalue(), Format.CSV)
    lines = [at for at, (_, second) in enumerate(rows, 2) if second]
    assert text.startswith(f"records: {len(rows)} record")
    if lines:
        check_column(text, "b string", [rows[line - 2][1] for line in lines], lines, len(rows), f"line {lines[0]}")
    else:
        assert "\n- b " not in text


def check_column(text: str, head: str, values: list[str], places: list[int], n_rows: int, first: str) -> None:
    line = next(line for line in text.split("\n") if line.startswith(f"- {head}"))
    shown = line.removeprefix(f"- {head}")
    if len(values) < n_rows:
        assert shown.startswith(f" in {len(values)} of {n_rows} (first {first})")
        shown = shown.partition(")")[2]
    least, greatest = least_and_greatest(values)
    if len(set(values)) > 1:
        assert shown.startswith(f": {values[least]} @{places[least]} to {values[greatest]} @{places[greatest]}")
    else:
        assert shown == f": {values[0]} ×{len(values)} @{places[0]}"
    for value, n in re.findall(r"[(,] ?(\S+) ×(\d+)", shown.partition(" (")[2]):
        assert values.count(value.lstrip("(")) == int(n)


# -- json-shape

DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "x"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3),
    max_leaves=20,
)


@given(DOCUMENTS)
def test_nodes_depth_and_members_of_a_document(value: Any) -> None:
    raw = json.dumps(value)
    head, *lines = summary("json-shape", raw, Format.JSON).split("\n")
    numbers = re.search(r", (\d+) bytes?, (\d+) nodes?, depth (\d+)$", head)
    assert numbers is not None
    assert [int(one) for one in numbers.groups()] == [len(raw), count(value, lambda _: True), depth(value)]
    told = Counter[str]()
    for line in lines:
        for n, type_ in re.findall(r"(?<![×\d-])(\d+) (object|array)s? of ", line):
            told[type_] += int(n)
    if len(lines) < 40:
        assert told["object"] == count(value, lambda one: isinstance(one, dict))
        assert told["array"] == count(value, lambda one: isinstance(one, list))


def inside(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


def count(value: Any, is_one: Callable[[Any], bool]) -> int:
    return is_one(value) + sum(count(one, is_one) for one in inside(value))


def depth(value: Any) -> int:
    return 1 + max((depth(one) for one in inside(value)), default=0) if isinstance(value, dict | list) else 0


# -- log

LINES = st.lists(
    st.sampled_from(["INFO a", "ERROR b", "ERROR b 10:00:00", "ERROR b 11:00:00", "FATAL c", "x", "", " \t", "WARN y", "0 errors"]),
    max_size=40,
)


@given(LINES, st.sampled_from(["\n", "\r\n"]))
def test_lines_levels_errors_and_repeats_of_a_log(lines: list[str], end: str) -> None:
    raw = "".join(line + end for line in lines)
    text = summary("log", raw, Format.TEXT)
    n_blank = sum(not line.strip() for line in lines)
    assert text.startswith(f"log: {len(lines)} line{'s' * (len(lines) != 1)} ({n_blank} blank), {len(raw)} byte")
    levels = Counter(level_of(line) or "none" for line in lines if line.strip())
    told = re.search(r"^levels: (.*)$", text, re.MULTILINE)
    assert told is not None
    if set(levels) - {"none"}:
        assert {name: int(n) for name, n in (one.split(" ") for one in told[1].split(", "))} == {**levels, "none": levels["none"]}
    else:
        assert told[1] == "none named"
    numbered = [(number, line) for number, line in enumerate(lines, 1) if level_of(line) in ("error", "fatal")]
    for word, ends in (("first", numbered[:1]), ("last", numbered[-1:] if len(numbered) > 1 else [])):
        assert re.findall(rf"^{word} error: line (\d+): (.*)$", text, re.MULTILINE) == [(str(number), line) for number, line in ends]
    check_folded(text, "errors", [(number, line) for number, line in numbered], least=1)
    check_folded(text, "repeated", [(number, line) for number, line in enumerate(lines, 1) if line.strip()], least=2)


def check_folded(text: str, title: str, numbered: list[tuple[int, str]], least: int) -> None:
    """A section tells of each line that stands so often, but for times: how often, from where to where."""
    places: dict[str, list[int]] = {}
    for number, line in numbered:
        places.setdefault(re.sub(r"\d\d:\d\d:\d\d", "T", line), []).append(number)
    kept = [found for found in places.values() if len(found) >= least]
    section = re.search(rf"^{title}.*?, (\d+) lines, (\d+) different:\n((?:- .*\n)*)", text, re.MULTILINE)
    if not kept or (least == 1 and len(kept) == 1):
        assert section is None
        return
    assert section is not None
    assert [int(section[1]), int(section[2])] == [sum(map(len, kept)), len(kept)]
    assert {tuple(map(int, found)) for found in re.findall(r"×(\d+), lines (\d+) to (\d+):", section[3])} == {
        (len(found), found[0], found[-1]) for found in kept if len(found) > 1
    }


# -- tests

ENDS = st.lists(st.tuples(st.sampled_from(["p", "q"]), st.sampled_from(["pass", "fail", "skip", ""])), min_size=1, max_size=15)


@given(ENDS)
def test_tests_that_failed_passed_were_skipped_or_never_ended(ends: list[tuple[str, str]]) -> None:
    lines = []
    for at, (package, end) in enumerate(ends):
        lines.append({"Action": "run", "Package": package, "Test": f"T{at}"})
        if end:
            lines.append({"Action": end, "Package": package, "Test": f"T{at}"})
    text = summary("tests", "".join(json.dumps(line) + "\n" for line in lines), Format.JSONL)
    n = Counter(end for _, end in ends)
    head = f"{len(ends)} test{'s' * (len(ends) != 1)}, {n['fail']} failed, {n['skip']} skipped, {n['pass']} passed, {n['']} unfinished"
    n_packages = len({package for package, _ in ends})
    assert text.startswith(f"tests: {head}, in {n_packages} package{'s' * (n_packages != 1)}, 0 of them failed ({len(lines)} event")
    for package, name, at in re.findall(r"^- (\w) (T\d+) ended at /(\d+)", text, re.MULTILINE):
        assert lines[int(at)]["Package"] == package
        assert (lines[int(at)]["Test"], lines[int(at)]["Action"] in ("fail", "skip")) == (name, True)


@given(st.lists(st.lists(st.sampled_from(["passed", "failure", "error", "skipped"]), max_size=6), min_size=1, max_size=4))
def test_cases_of_a_report_by_suite(suites: list[list[str]]) -> None:
    def case(state: str, at: int) -> str:
        return f'<testcase name="c{at}">{"" if state == "passed" else f"<{state}/>"}</testcase>'

    bodies = ["".join(case(state, at) for at, state in enumerate(states)) for states in suites]
    raw = "<testsuites>" + "".join(f'<testsuite name="s{at}">{body}</testsuite>' for at, body in enumerate(bodies)) + "</testsuites>"
    text = summary("tests", raw, Format.JUNIT)

    def counts(states: list[str]) -> str:
        n = Counter(states)
        head = f"{len(states)} test{'s' * (len(states) != 1)}"
        return f"{head}, {n['failure']} failed, {n['error']} in error, {n['skipped']} skipped, {n['passed']} passed"

    assert text.startswith(f"tests: {counts([state for states in suites for state in states])} in {sum(map(bool, suites))} suite")
    for at, states in enumerate(suites):
        assert (f"- /s{at} {counts(states)}\n" in text) is bool(states)
        for place, state in enumerate(states):
            assert (f"- {state} /s{at}/c{place}\n" in text) is (state in ("failure", "error")) or text.count("more\n")
