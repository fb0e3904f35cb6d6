"""The cases of budgets: what a provider reported against what was counted."""

import json
from typing import Any

import pytest

from projector import Drift, Profile, Usage, tightened, tightened_cap
from tests.e2e.cases import Check, list_checks, read_input, verbs

KINDS = "b05"


@pytest.mark.parametrize("check", list_checks("report_usage", KINDS))
def test_report_usage(check: Check) -> None:
    told: Any = json.loads(read_input(check.case, "usage.json"))
    step, cap = told["steps"][check.told["step"]], told["input_cap"]
    drift = Drift().with_usage(Usage(step["estimated"], step["reported"]))
    assert tightened_cap(cap, drift) <= check.expect["next_estimate_at_most"] <= cap
    profile = Profile("openai", "gpt-4o", cap + 5_120, 4_096, 1_024, "o200k_base")
    assert tightened(profile, drift).input_cap == check.expect["next_estimate_at_most"]
    said = drift.warning(cap)
    if over := check.expect.get("over_cap_by"):
        assert drift.recent[-1].over_cap(cap) == over
        assert said is not None
        assert all(str(figure) in said for figure in (step["estimated"], step["reported"], over))
    else:
        assert said is None


def test_a_lower_report_after_a_higher_one_loosens_nothing() -> None:
    told: Any = json.loads(read_input(list_checks("report_usage", KINDS)[0].values[0].case, "usage.json"))
    drift = Drift()
    caps = []
    for step in told["steps"]:
        drift = drift.with_usage(Usage(step["estimated"], step["reported"]))
        caps.append(tightened_cap(told["input_cap"], drift))
    assert caps == [26_212, 26_212]


def test_every_verb_is_bound() -> None:
    assert verbs(KINDS) == {"report_usage"}
