"""Breaking changes that people missed or made up, through `evidence demo`: exactly those of the case, each at its places.

The same cases bind the agent alone in `tests/unit/api/compat_report`; here the store, the tools and the projector take part.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.e2e.cases import Check, list_checks, read_input, source_of
from tests.e2e.command import Evidence


def compare(evidence: Evidence, check: Check) -> dict[str, Any]:
    files = []
    for side in ("before", "after"):
        files.append(evidence.folder.parent / side / check.told[side])
        files[-1].parent.mkdir()
        files[-1].write_bytes(read_input(check.case, check.told[side]))
    return evidence("demo", *files, "--report", evidence.folder.parent / "report.md").answer()


def pointer_of(packet: Mapping[str, Any] | None) -> str | None:
    return None if packet is None else str(packet["pointer"])


def verified(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [one for one in answer["conclusions"] if one["standing"] == "verified"]


def find(want: Mapping[str, Any], among: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The conclusion at the places of an expected change."""
    fitting = [
        one
        for one in among
        if want.get("before", pointer_of(one["old"])) == pointer_of(one["old"])
        and want.get("after", pointer_of(one["new"])) == pointer_of(one["new"])
        and ("operation" not in want or want["operation"] in one["operations"])
    ]
    assert len(fitting) == 1, (want, among)
    return fitting[0]


@pytest.mark.parametrize("check", list_checks("find_breaking_changes", "o"))
def test_find_breaking_changes(evidence: Evidence, check: Check) -> None:
    answer, expect = compare(evidence, check), check.expect
    left = verified(answer)
    for want in expect["breaking"]:
        left.remove(find(want, left))
    assert left == []
    for one in verified(answer):
        for side, file in (("old", "before"), ("new", "after")):
            if one[side] is not None and not one[side]["transforms"]:
                assert one[side]["excerpt"].encode() == source_of(one[side], read_input(check.case, check.told[file]))
        said = " ".join([one["text"], one["rule"], *one["operations"]])
        assert not any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said, re.IGNORECASE) for word in expect.get("never", ()))
    left_out = {(one["operation"], one["evidence"]["pointer"]) for one in answer["excluded"]}
    assert left_out == {(want["operation"], want["before"]) for want in expect.get("excluded", ())}


def test_a_lost_mark_of_stability_is_told_and_not_swallowed_by_the_exclusion(evidence: Evidence) -> None:
    answer = compare(evidence, list_checks("find_breaking_changes", "o06")[0].values[0])
    (question,) = answer["open"]
    assert question["operations"] == ["get /labels"]
    assert pointer_of(question["new"]) == "/paths/~1labels/get/x-stability-level"
