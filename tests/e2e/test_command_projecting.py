"""`evidence project` explains an input, and compares what each strategy would keep."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import Evidence


@pytest.fixture
def history(evidence: Evidence) -> dict[str, Any]:
    """A step whose newest result has a packet and is larger than the room."""
    lines = "".join(f"line {n}: the job went on and on\n" for n in range(400))
    log = evidence.folder.parent / "a.log"
    log.write_text(lines)
    evidence("put", log, "--resource", "a.log").answer()
    packet = evidence("read", "a.log", "--lines", "1-400", "--max-tokens", "9000").answer()
    call = {"id": "call_1", "type": "function", "function": {"name": "read_log", "arguments": "{}"}}
    return {
        "profile": {"window": 6_000, "output": 500, "slack": 100},
        "messages": [
            {"role": "user", "content": "read it"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": lines},
        ],
        "results": {"call_1": [packet]},
    }


def written(folder: Path, step: object) -> Path:
    path = folder / "step.json"
    path.write_text(json.dumps(step))
    return path


def test_an_input_is_explained_with_the_terms_of_its_budget(evidence: Evidence, tmp_path: Path) -> None:
    step = written(tmp_path, {"messages": [{"role": "user", "content": "go on"}], "evidence": ["ev_000000000000"]})
    answer = evidence("project", step, "--explain").answer()
    explain, receipt = answer["explain"], answer["receipt"]
    assert {name: explain["budget"][name] for name in receipt["budget"]} == receipt["budget"]
    assert explain["budget"]["free"] == receipt["budget"]["input_cap"] - receipt["used"]
    assert {one["section"]: one["tokens"] for one in explain["sections"] if one["kept"]} == receipt["sections"]
    (left_out,) = [line for one in explain["sections"] for line in one["omitted"]]
    assert (left_out["names"], left_out["reason"]) == (["ev_000000000000"], "not available")
    assert "may not see" in left_out["why"]


def test_people_read_it_as_lines(evidence: Evidence, tmp_path: Path) -> None:
    step = written(tmp_path, {"messages": [{"role": "user", "content": "go on"}], "evidence": ["ev_000000000000"]})
    done = evidence.bare("project", step, "--explain", "--store", evidence.folder)
    text = done.out.decode()
    assert done.code == 0
    assert text.startswith("cap 27648 tokens = window 32768 - output 4096 - slack 1024\n")
    assert "\nrequest: " in text
    assert "  left out: ev_000000000000, not counted: not available (there is no such evidence" in text


def test_without_an_input_it_says_what_is_over(evidence: Evidence, tmp_path: Path, history: dict[str, Any]) -> None:
    answer = evidence("project", written(tmp_path, history), "--explain").answer(1)
    assert answer["outcome"] == "externalise"
    assert answer["explain"]["over_tokens"] == answer["must_tokens"] - answer["room_tokens"] > 0
    done = evidence.bare("project", tmp_path / "step.json", "--explain", "--store", evidence.folder)
    assert (done.code, done.out.startswith(b"no input: ")) == (1, True)


def test_strategies_stand_side_by_side(evidence: Evidence, tmp_path: Path, history: dict[str, Any]) -> None:
    step = written(tmp_path, history)
    plain, externalised, *named, auto = evidence("project", step, "--compare").answer()["strategies"]
    assert (plain["strategy"], plain["outcome"]) == ("", "externalise")
    assert (externalised["strategy"], externalised["outcome"]) == ("externalise", "projected")
    assert sum(line["tokens"] for line in externalised["kept"]) == externalised["tokens"] <= externalised["input_cap"]
    assert any(line["note"] == "results by reference" for line in externalised["kept"])
    assert [one["strategy"] for one in named] == ["short-chat", "long-dialogue", "tool-heavy", "document-comparison", "root-cause"]
    assert (auto["strategy"], auto["outcome"]) == ("auto", "externalise")
    head, first, *_ = evidence.bare("project", step, "--compare", "--store", evidence.folder).out.decode().splitlines()
    assert head.split()[:3] == ["(none)", "externalise", "short-chat"]
    assert first.split()[:3] == ["outcome", "externalise", "projected"]


def test_both_at_once_are_wrong_use(evidence: Evidence, tmp_path: Path) -> None:
    assert evidence("project", written(tmp_path, {}), "--compare", "--explain").error(2)["code"] == "wrong_use"


def test_a_step_names_a_strategy_or_changes_one(evidence: Evidence, tmp_path: Path, history: dict[str, Any]) -> None:
    answer = evidence("project", written(tmp_path, {**history, "strategy": "tool-heavy"})).answer()
    assert answer["receipt"]["strategy"] == {"name": "tool-heavy", "reason": "the step names it"}
    own = {"name": "tool-heavy", "may_externalise": False}
    assert evidence("project", written(tmp_path, {**history, "strategy": own})).answer(1)["outcome"] == "externalise"
    refused = evidence("project", written(tmp_path, {**history, "strategy": {"dialogue_share": 200}})).error(2)
    assert (refused["code"], "dialogue_share is 200, not within 0 to 100" in refused["message"]) == ("refused_step", True)


@pytest.mark.parametrize(
    ("outcome", "changes"),
    [
        ("externalise", {}),
        ("wait", {}),
        ("split", {"needs": [{"resource": "a.log"}]}),
        ("pause", {"messages": [{"role": "user", "content": "word " * 9_000}]}),
    ],
)
def test_each_outcome_exits_1_with_its_figures_and_what_to_go_on_with(
    evidence: Evidence, tmp_path: Path, history: dict[str, Any], outcome: str, changes: dict[str, Any]
) -> None:
    if outcome == "wait":
        history["messages"][1]["tool_calls"].append({**history["messages"][1]["tool_calls"][0], "id": "call_2"})
    elif outcome == "split":
        parts = [evidence("read", "a.log", "--lines", lines, "--max-tokens", "9000").answer() for lines in ("1-160", "201-360")]
        history = {**history, **changes, "messages": [], "results": {}, "evidence": parts}
    elif outcome == "pause":
        history |= changes
    answer = evidence("project", written(tmp_path, history)).answer(1)
    assert answer["outcome"] == outcome
    assert answer["must_tokens"] > answer["room_tokens"]
    assert answer["text"]
    if outcome == "pause":
        state = answer["step"]
        state["profile"]["window"] = 32_768
        assert evidence("project", written(tmp_path, state)).answer()["outcome"] == "projected"


def test_a_member_that_stands_twice_is_refused_with_its_place(evidence: Evidence, tmp_path: Path) -> None:
    path = tmp_path / "step.json"
    for text, place in (
        ('{"system": "a",\n"system": "b"}', "/system"),
        ('{"messages": [{"role": "user",\n"content": {"a:b{\\"": 1,\n"a:b{\\u0022": 2}}]}', '/messages/0/content/a:b{"'),
    ):
        path.write_text(text)
        error = evidence("project", path).error(2)
        assert (error["code"], error["path"]) == ("duplicate_key", place)


def test_a_counter_that_nobody_knows_has_its_path(evidence: Evidence, tmp_path: Path) -> None:
    error = evidence("project", written(tmp_path, {"profile": {"counter": "nobody"}})).error(2)
    assert (error["code"], error["path"]) == ("unknown_counter", "/profile/counter")
