"""`evidence steps` looks back on a run that a session has stored."""

import orjson
import pytest

from api.sessions import Session, ToolRequest
from api.settings import Settings
from api.wiring import DEFAULT_COUNTER, open_services
from evidence_store.model import Format, TaskName, TaskRevision
from projector import Profile
from tests.e2e.command import Evidence
from tests.factories import put

PROFILE = Profile("openai", "small", 16_384, 2_048, 512, DEFAULT_COUNTER)


@pytest.fixture
def run(evidence: Evidence) -> Evidence:
    """A store with one run of two steps; the second input has the answer of a call."""
    with open_services(Settings(evidence.folder)) as services:
        put(services.store, orjson.dumps({"lines": ["the first", "the second"]}), "a.json", format=Format.JSON, labels=("secret",))
        task = services.store.tasks.add_revision(TaskRevision(TaskName("t"), 1, "Read.", (), (), ()), "user:u")
        session = Session(services, task, "agent:a/1", PROFILE, "You read.", "Go on.")
        session.next_input()
        session.act("I read.", [ToolRequest("read_spec", {"resource": "a.json", "pointer": "/lines/0"})])
        session.next_input()
    return evidence


def test_the_steps_of_a_run_are_listed_with_tokens_by_section(run: Evidence) -> None:
    answer = run("steps", "t", "1").answer()
    assert answer["run"] == "t/run 1"
    assert [one["step"] for one in answer["steps"]] == [1, 2]
    for one in answer["steps"]:
        assert sum(one["sections"].values()) == one["used_tokens"] <= one["cap_tokens"] == PROFILE.input_cap
    first, second = run.bare("steps", "t", "1", "--store", run.folder).out.decode().splitlines()
    assert first.startswith("step 1: ")
    assert "dialogue" in second


def test_one_step_is_explained(run: Evidence) -> None:
    answer = run("steps", "t", "1", "2").answer()
    assert answer["step"] == 2
    assert answer["budget"]["input_cap"] == PROFILE.input_cap
    assert "dialogue" in [one["section"] for one in answer["sections"]]


def test_two_steps_differ_in_what_came_in(run: Evidence) -> None:
    answer = run("steps", "t", "1", "1", "2").answer()
    assert answer["steps"] == [1, 2]
    (dialogue,) = [one for one in answer["sections"] if one["section"] == "dialogue"]
    assert [(one["change"], one["old"]) for one in dialogue["changes"]] == [("in", None)]
    assert answer["new"]["used"] - answer["old"]["used"] == sum(one["new_tokens"] - one["old_tokens"] for one in answer["sections"])
    assert run.bare("steps", "t", "1", "2", "2", "--store", run.folder).out.decode().endswith("the same input\n")


def test_what_is_not_there_is_not_found(run: Evidence) -> None:
    error = run("steps", "t", "1", "7").error(3)
    assert (error["code"], error["known"]) == ("no_step", [1, 2])
    assert run("steps", "t", "2").error(3)["code"] == "not_found"
    assert run("steps", "other", "1").error(3)["code"] == "not_found"
