"""`evidence steps` looks back on a run that a session has stored."""

import json
from pathlib import Path

import orjson
import pytest

from api.sessions import Session, ToolRequest
from api.settings import Settings
from api.wiring import DEFAULT_COUNTER, open_services
from evidence_store.model import Format, TaskName, TaskRevision
from evidence_store.store.runs import input_bytes
from projector import Profile, input_digest, validate
from tests.e2e.command import Evidence
from tests.factories import put, tampering

PROFILE = Profile("openai", "small", 16_384, 2_048, 512, DEFAULT_COUNTER)


@pytest.fixture
def run(evidence: Evidence) -> Evidence:
    """A store with one run of two steps; the second input has the answer of a call."""
    with open_services(Settings(evidence.folder)) as services:
        put(services.store, orjson.dumps({"lines": ["the first", "the second"]}), "a.json", format=Format.JSON, labels=("secret",))
        task = services.store.tasks.add_revision(TaskRevision(TaskName("t"), 1, "Read.", (), (), ()), "user:u")
        session = Session(services, task, "agent:a/1", PROFILE, "You read.", "Go on.")
        session.next_input()
        session.report_usage(10)
        session.act("I read.", [ToolRequest("read_spec", {"resource": "a.json", "pointer": "/lines/0"})])
        session.next_input()
    return evidence


def test_the_steps_of_a_run_are_listed_with_tokens_by_section(run: Evidence) -> None:
    answer = run("steps", "t", "1").answer()
    assert run("steps", "t").answer() == answer, "without a number it is the newest run"
    assert answer["run"] == "t/run 1"
    assert [one["step"] for one in answer["steps"]] == [1, 2]
    for one in answer["steps"]:
        assert sum(one["sections"].values()) == one["used_tokens"] <= one["cap_tokens"] == PROFILE.input_cap
    first, second, total = run.bare("steps", "t", "1", "--store", run.folder).out.decode().splitlines()
    assert "tokens (the provider reported 10): system" in first
    assert [one["reported_tokens"] for one in answer["steps"]] == [10, None]
    assert "dialogue" in second
    assert answer["steps"][1]["shared_tokens"] > 0.9 * answer["steps"][0]["used_tokens"]
    assert total == f"in all: {answer['used_tokens']} tokens, billed as {answer['billed_tokens']}"


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


def test_a_step_is_replayed_byte_for_byte(run: Evidence) -> None:
    with open_services(Settings(run.folder)) as services:
        runs = services.store.runs
        stored = [input_bytes(row) for row in runs.list_projections(runs.get_run(TaskName("t"), 1))]
    for number, raw in enumerate(stored, 1):
        done = run.bare("steps", "t", "1", str(number), "--replay", "--store", run.folder)
        assert (done.code, done.out, done.err) == (0, raw, b"")
    answer = run("steps", "t", "1", "2", "--replay").answer()
    assert (answer["same"], answer["marks"]) == (True, [])
    assert input_digest(answer["messages"], answer["tools"], answer["outside"]) == answer["input_digest"]


def test_a_principal_without_clearance_gets_marks_in_place_of_the_evidence(run: Evidence) -> None:
    answer = run("steps", "t", "1", "2", "--replay", "--clearance", "").answer()
    (mark,) = answer["marks"]
    assert (answer["same"], mark["mark"]) == (False, "withheld")
    (result,) = [one for one in answer["messages"] if one["role"] == "tool"]
    assert result["content"] == f"[withheld {mark['evidence']}]"
    assert "the first" not in str(answer["messages"])
    assert validate(answer["messages"], "openai") == ()
    done = run.bare("steps", "t", "1", "2", "--replay", "--clearance", "other", "--store", run.folder)
    assert done.err.decode() == f"withheld: {mark['evidence']}\n"
    assert json.loads(done.out)["messages"] == answer["messages"]
    assert run("steps", "t", "1", "2", "--replay", "--clearance", "secret").answer()["same"] is True


def erase(folder: Path, id_: str) -> None:
    with tampering(folder) as database:
        database.execute("INSERT INTO evidence_events VALUES ('default', ?, 1, 'erased', 'asked', NULL, 'human:ann', 1)", (id_,))


def test_what_was_erased_is_marked_for_its_owner_and_looks_withheld_to_others(run: Evidence) -> None:
    (mark,) = run("steps", "t", "1", "2", "--replay", "--clearance", "").answer()["marks"]
    erase(run.folder, mark["evidence"])
    answer = run("steps", "t", "1", "2", "--replay").answer()
    assert answer["marks"] == [{"evidence": mark["evidence"], "mark": "erased"}]
    assert "the first" not in str(answer["messages"])
    assert run("steps", "t", "1", "2", "--replay", "--clearance", "other").answer()["marks"] == [mark]


def test_the_parts_of_a_step_are_dumped(run: Evidence, tmp_path: Path) -> None:
    answer = run("steps", "t", "1", "2", "--dump", tmp_path / "out" / "step").answer()
    assert [Path(name).name for name in answer["files"]] == ["messages.json", "tools.json", "outside.json", "receipt.json"]
    messages, tools, outside, receipt = (json.loads(Path(name).read_bytes()) for name in answer["files"])
    assert receipt["input_digest"] == input_digest(messages, tools, outside)
    run("steps", "t", "1", "2", "--dump", tmp_path / "out" / "step", "--clearance", "").answer()
    assert "the first" not in (tmp_path / "out" / "step" / "messages.json").read_text()


def test_an_input_that_its_receipt_does_not_name_is_not_replayed(run: Evidence) -> None:
    with tampering(run.folder) as database:
        database.execute("UPDATE projections SET receipt = replace(receipt, 'sha256:', 'sha256:0') WHERE step = 2")
    assert run("steps", "t", "1", "2", "--replay").error(4)["code"] == "integrity_mismatch"


@pytest.mark.parametrize("words", [("--replay",), ("1", "2", "--replay"), ("1", "--clearance", "a"), ("--dump", "x")])
def test_words_that_do_not_go_together_are_wrong_use(run: Evidence, words: tuple[str, ...]) -> None:
    assert run("steps", "t", "1", *words).error(2)["code"] == "wrong_use"


def test_what_is_not_there_is_not_found(run: Evidence) -> None:
    error = run("steps", "t", "1", "7").error(3)
    assert (error["code"], error["known"]) == ("no_step", [1, 2])
    for task, number in (("t", "2"), ("other", "1")):
        error = run("steps", task, number).error(3)
        assert (error["code"], error["known"]) == ("not_found", ["t/run 1"])
