"""Our compatibility report against `redocly diff`, on the Airflow pair: who says what, at which pointer and line.

Every change that redocly calls major is either one of our verified conclusions, with the same pointer and the same line on
one side, or it stands in `compat_disagreements.json`: rule, count, one example, the reason. What we conclude and redocly does not is
listed there likewise. Counts are compared exactly, so that neither a lost rule nor a new false alarm of ours goes unseen.
Nothing is left out of this run (`make demo` excludes a tag), so that all majors count.
"""

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.redocly import Major, Place, ToolMissing, install, run_diff
from benchmarks.table import Bound, Row, publish

ROOT = Path(__file__).parent.parent
OLD = ROOT / "build" / "airflow" / "airflow-core-3.0.0.yaml"
NEW = ROOT / "build" / "airflow" / "airflow-core-3.1.0.yaml"
DISAGREEMENTS = Path(__file__).parent / "compat_disagreements.json"
ALL_OF_THEM = Bound("==", 1)


@dataclass(frozen=True, slots=True)
class Conclusion:
    """One verified conclusion of our report, as far as it is compared."""

    rule: str
    text: str
    old: Place | None
    new: Place | None


@dataclass(frozen=True, slots=True)
class Finding:
    """What one side says and the other does not."""

    rule: str
    text: str
    place: str


@dataclass(frozen=True, slots=True)
class Comparison:
    agreed: int
    """Majors that one of our conclusions names."""
    theirs_only: tuple[Finding, ...]
    ours_only: tuple[Finding, ...]


def read_conclusions(answer: Any) -> tuple[Conclusion, ...]:
    """The verified conclusions in the JSON of `evidence demo`."""
    return tuple(
        Conclusion(item["rule"], item["text"], read_place(item["old"]), read_place(item["new"]))
        for item in answer["conclusions"]
        if item["standing"] == "verified"
    )


def read_place(packet: Any) -> Place | None:
    return None if packet is None or "pointer" not in packet else Place(packet["pointer"], packet["lines"][0])


def is_same_place(theirs: Place | None, ours: Place | None, lines: Sequence[str]) -> bool:
    """Whether both name one passage. Our line is the value's first; theirs may be that of the key above it."""
    if theirs is None or ours is None or theirs.pointer != ours.pointer:
        return False
    between = lines[theirs.line : ours.line - 1]
    token = theirs.pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
    under_its_key = theirs.line < ours.line and (token in lines[theirs.line - 1]) and all(is_blank(line) for line in between)
    return theirs.line == ours.line or under_its_key


def is_blank(line: str) -> bool:
    return line.strip() == "" or line.lstrip().startswith("#")


def compare(majors: Sequence[Major], conclusions: Sequence[Conclusion], old: Sequence[str], new: Sequence[str]) -> Comparison:
    """Pairs the two lists. Several majors may be one conclusion (a type and the items that came with it) and the other way round."""
    theirs_only, used = [], set()
    for major in majors:
        same = [
            at for at, ours in enumerate(conclusions) if is_same_place(major.old, ours.old, old) or is_same_place(major.new, ours.new, new)
        ]
        used.update(same)
        if not same:
            theirs_only.append(Finding(major.rule, major.message, format_place(major.old, major.new)))
    ours_only = [Finding(ours.rule, ours.text, format_place(ours.old, ours.new)) for at, ours in enumerate(conclusions) if at not in used]
    return Comparison(len(majors) - len(theirs_only), tuple(theirs_only), tuple(ours_only))


def format_place(old: Place | None, new: Place | None) -> str:
    sides = [f"{name} {place.pointer} line {place.line}" for name, place in (("old", old), ("new", new)) if place]
    return "; ".join(sides)


def unexplained(found: Iterable[Finding], listed: Sequence[Mapping[str, Any]]) -> list[str]:
    """What is wrong with the committed list: a rule whose count differs, an example that is no longer found, a reason left out."""
    by_rule: dict[str, list[Finding]] = defaultdict(list)
    for finding in found:
        by_rule[finding.rule].append(finding)
    counts: dict[str, int] = defaultdict(int)
    faults = []
    for entry in listed:
        counts[entry["rule"]] += entry["count"]
        if entry["example"] not in [finding.place for finding in by_rule[entry["rule"]]]:
            faults.append(f"{entry['rule']}: the example is not among the findings: {entry['example']}")
        if not entry["reason"].strip():
            faults.append(f"{entry['rule']}: no reason given")
    for rule in sorted(by_rule.keys() | counts.keys()):
        findings = by_rule[rule]
        if len(findings) != counts[rule]:
            faults.append(f"{rule}: {len(findings)} found, {counts[rule]} listed" + "".join(f"\n    {f.place}: {f.text}" for f in findings))
    return faults


def run_demo(old: Path, new: Path) -> Any:
    """The JSON of `evidence demo` on the pair, in a store of its own."""
    program = Path(sys.executable).parent / "evidence"
    with tempfile.TemporaryDirectory() as folder:
        command = [str(program), "--store", f"{folder}/store", "demo", str(old), str(new), "--json"]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=folder)
    return json.loads(done.stdout)


def build_rows(majors: Sequence[Major], conclusions: Sequence[Conclusion], result: Comparison, listed: Mapping[str, Any]) -> list[Row]:
    """Both lists have to come out whole; that each rule does is what `unexplained` looks at."""
    explained = sum(entry["count"] for entry in listed["theirs_only"])
    lacking = sum(entry["count"] for entry in listed["ours_only"])
    confirmed = len(conclusions) - len(result.ours_only)
    return [
        Row("majors of redocly: in our report, or listed with a reason", result.agreed + explained, len(majors), ALL_OF_THEM),
        Row("our conclusions: among its majors, or listed with a reason", confirmed + lacking, max(len(conclusions), 1), ALL_OF_THEM),
    ]


def main() -> int:
    try:
        majors = run_diff(install(ROOT / "build" / "redocly"), OLD, NEW, ROOT / "build" / "redocly" / "airflow.json")
    except ToolMissing as error:
        print(f"bench-compat: {error}", file=sys.stderr)
        return 1
    conclusions = read_conclusions(run_demo(OLD, NEW))
    lines = [path.read_text(encoding="utf-8").split("\n") for path in (OLD, NEW)]
    result = compare(majors, conclusions, *lines)
    listed = json.loads(DISAGREEMENTS.read_text(encoding="utf-8"))
    faults = unexplained(result.theirs_only, listed["theirs_only"]) + unexplained(result.ours_only, listed["ours_only"])
    print(f"{len(majors)} majors, {len(conclusions)} conclusions, {result.agreed} majors agreed on", file=sys.stderr)
    for fault in faults:
        print(f"bench-compat: {fault}", file=sys.stderr)
    code = publish("compat", build_rows(majors, conclusions, result, listed))
    return code or (1 if faults else 0)


if __name__ == "__main__":
    sys.exit(main())
