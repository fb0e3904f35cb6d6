"""The agent on small inputs made from faults that people met: each ends with exactly the breaking changes that `expected.json` lists."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.api.compat_report.harness import Run, breaking, places, run

CASES = Path(__file__).parents[3] / "fixtures" / "cases"


def read_checks() -> list[Any]:
    return [
        pytest.param(path.parent, check, id=f"{path.parent.name[:3]} {check['before']} {check['after']}")
        for path in sorted(CASES.glob("o*/expected.json"))
        for check in json.loads(path.read_text(encoding="utf-8"))["checks"]
        if check["do"] == "find_breaking_changes"
    ]


def compare(folder: Path, check: Any) -> Run:
    return run((folder / check["before"]).read_text(encoding="utf-8"), (folder / check["after"]).read_text(encoding="utf-8"))


@pytest.mark.parametrize(("folder", "check"), read_checks())
def test_the_breaking_changes_are_the_expected_ones(folder: Path, check: Any) -> None:
    done = compare(folder, check)
    left = list(breaking(done))
    for want in check["expect"]["breaking"]:
        hits = [claim for claim in left if fits(done, claim, want)]
        assert hits, want
        left.remove(hits[0])
    assert left == []


@pytest.mark.parametrize(("folder", "check"), read_checks())
def test_no_word_stands_there_that_must_not(folder: Path, check: Any) -> None:
    texts = " ".join(str(claim["text"]) for claim in breaking(compare(folder, check)))
    assert [word for word in check["expect"].get("never", ()) if word in texts] == []


@pytest.mark.parametrize(("folder", "check"), [one for one in read_checks() if "excluded" in one.values[1]["expect"]])
def test_what_is_left_out_is_told_with_the_mark(folder: Path, check: Any) -> None:
    done = compare(folder, check)
    told = [places(done, claim)["scope"][0] for claim in done.claims if claim.get("standing") == "excluded"]
    assert told == [want["before"] for want in check["expect"]["excluded"]]


def test_a_mark_that_only_the_new_version_has_is_an_open_question() -> None:
    folder = next(CASES.glob("o06*"))
    done = compare(folder, {"before": "before.yaml", "after": "after.yaml"})
    (question,) = [claim for claim in done.claims if claim.get("standing") == "open"]
    assert question["about"]["aspect"] == "operation-marked-out"
    assert places(done, question)["new"] == ["/paths/~1labels/get/x-stability-level"]


def test_a_change_inside_a_circle_is_found_once() -> None:
    folder = next(CASES.glob("o01*"))
    assert len(breaking(compare(folder, {"before": "before.yaml", "after": "after.yaml"}))) == 1


def fits(done: Run, claim: Any, want: Any) -> bool:
    cited = places(done, claim)
    if (
        "operation" in want
        and want["operation"] not in claim["text"]
        and want["operation"].split(" ")[1].strip("/") not in claim["about"]["pointer"]
    ):
        return False
    return all(side not in want or cited.get(role, [None])[0] == want[side] for side, role in (("before", "old"), ("after", "new")))
