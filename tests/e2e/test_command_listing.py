"""`evidence tasks`, `runs` and `claims` list what there is; `steps`, `context` and `tokens` show a run that has calls alone."""

import pytest

from api.cli import listing
from api.mcp.runs import Caller, Connection, ImplicitRuns, RunName
from api.settings import Settings
from api.tools import call_tool
from api.wiring import Services, open_services
from evidence_store.model import Outcome, TaskName, TaskRevision
from tests.e2e.command import Evidence
from tests.factories import API, API_BYTES, put

CLAIM = {"about": {"resource": API, "pointer": "/limit/maximum"}, "text": "The maximum is 50."}


def say(services: Services, runs: ImplicitRuns, caller: Caller, name: str, **arguments: object) -> str:
    """A call as the server over MCP makes it."""
    entered = runs.enter(caller, None)
    step = runs.open(entered.key, name, arguments)  # type: ignore[arg-type]
    answer = call_tool(services.tools(step, "mcp:me"), name, arguments, recording=True)  # type: ignore[arg-type]
    runs.close(step, answer.outcome, answer.text, answer.packets)
    return answer.text


@pytest.fixture
def called(evidence: Evidence) -> Evidence:
    """A store with a run over MCP: a read, an error, a claim, and a call that has no answer; and a task that nobody has worked on."""
    with open_services(Settings(evidence.folder), create=True) as services:
        put(services.store, API_BYTES)
        services.store.tasks.add_revision(TaskRevision(TaskName("a/1"), 1, "Compare\nboth.", (), (), ()), "user:u")
        runs, caller = ImplicitRuns(services.store), Caller(Connection(), "", "me")
        shown = say(services, runs, caller, "read_spec", resource=API, pointer="/limit/maximum")
        say(services, runs, caller, "read_spec", resource=API, pointer="/none")
        cited = [{"evidence": shown[len("[evidence ") :][:15], "role": "support"}]
        say(services, runs, caller, "record_claim", **CLAIM, citations=cited)
        runs.open(runs.enter(caller, None).key, "search", {"resource": API, "pattern": "x"})
    return evidence


def test_tasks_are_listed_with_what_became_of_them(called: Evidence) -> None:
    answer = called("tasks").answer()
    assert answer["more"] is False
    rows = [(one["task"], one["revision"], one["goal"], one["n_runs"], one["n_claims"]) for one in answer["tasks"]]
    assert rows == [("a/1", 1, "Compare\nboth.", 0, 0), ("mcp", 1, "", 1, 1)]
    first, second = called.bare("tasks", "--store", called.folder).out.decode().splitlines()
    assert first.startswith("a/1  0 runs, 0 claims, begun ")
    assert first.endswith("Z: Compare both.")
    assert second.startswith("mcp  1 runs, 1 claims, begun ")
    assert [one["task"] for one in called("tasks", "--after", "a/1").answer()["tasks"]] == ["mcp"]


def test_runs_of_a_task_are_listed(called: Evidence) -> None:
    (one,) = called("runs", "mcp").answer()["runs"]
    assert (one["run"], one["agent"], one["end"]) == ("mcp/1", "me", None)
    assert (one["n_steps"], one["n_inputs"], one["n_calls"], one["n_claims"]) == (4, 0, 4, 1)
    text = called.bare("runs", "mcp", "--store", called.folder).out.decode()
    assert text.endswith("at work, or interrupted: 4 steps, 0 inputs, 4 calls, 1 claims\n")
    assert called("runs", "mcp", "--after", "1").answer()["runs"] == []
    assert called("runs", "a/1").answer() == {"task": "a/1", "runs": [], "more": False}
    assert called("runs", "none").error(3)["code"] == "not_found"


def test_claims_of_a_task_are_listed_with_their_standing(called: Evidence) -> None:
    answer = called("claims", "mcp").answer()
    (claim,) = answer["claims"]
    assert (claim["claim"], claim["standing"], claim["text"]) == ("C1", "verified", CLAIM["text"])
    text = called.bare("claims", "mcp", "--store", called.folder).out.decode()
    assert text == f"C1  verified: The maximum is 50. [{claim['citations'][0]['evidence']} support]\n"
    assert called("claims", "mcp", "--standing", "open").answer()["claims"] == []
    assert called("claims", "mcp", "--after", "C1").answer()["claims"] == []
    assert called("claims", "none").error(3)["code"] == "not_found"


def test_more_than_a_page_is_told_with_the_command_that_goes_on(called: Evidence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "LISTED", 1)
    assert called("tasks").answer()["more"] is True
    assert called.bare("tasks", "--store", called.folder).err == b"more: evidence tasks --after a/1\n"


@pytest.mark.parametrize("words", [("mcp",), ("mcp", "1"), ("mcp/1",), ("mcp/run 1",)])
def test_calls_of_a_run_without_inputs_are_shown_by_any_of_its_names(called: Evidence, words: tuple[str, ...]) -> None:
    answer = called("steps", *words).answer()
    assert called("context", *words).answer() == answer
    assert (answer["run"], answer["end"]) == ("mcp/run 1", None)
    calls = answer["calls"]
    assert [(one["step"], one["tool"], one["outcome"]) for one in calls] == [
        (1, "read_spec", "ok"),
        (2, "read_spec", "error"),
        (3, "record_claim", "ok"),
        (4, "search", None),
    ]
    assert [len(one["evidence"]) for one in calls] == [1, 0, 0, 0]
    assert calls[0]["bytes"] > calls[0]["tokens"] > 20
    assert (calls[3]["bytes"], calls[3]["tokens"]) == (0, 0)
    assert answer["delivered_tokens"] == sum(one["tokens"] for one in calls)
    head, first, *_, last = called.bare("context", *words, "--store", called.folder).out.decode().splitlines()
    assert head == f"mcp/run 1 (at work, or interrupted): 4 calls, {answer['delivered_tokens']} tokens delivered, no stored input"
    assert first.endswith(f" tokens: {calls[0]['evidence'][0]}")
    assert last == "step 4: search no answer, 0 bytes, 0 tokens"


def test_what_was_delivered_is_summed_by_tool(called: Evidence) -> None:
    answer = called("tokens", "mcp/1").answer()
    assert {one["tool"]: one["calls"] for one in answer["tools"]} == {"read_spec": 2, "record_claim": 1, "search": 1}
    assert sum(one["tokens"] for one in answer["tools"]) == answer["delivered_tokens"]
    assert answer["largest"][0]["tokens"] == max(one["tokens"] for one in answer["largest"])
    assert "the largest:\n" in called.bare("tokens", "mcp/1", "--store", called.folder).out.decode()


def test_behind_a_run_in_one_word_stands_a_step(called: Evidence) -> None:
    assert [one["step"] for one in called("context", "mcp/1", "2").answer()["calls"]] == [1, 2]
    assert called("context", "mcp/1", "7").error(3)["known"] == [1, 2, 3, 4]
    assert called("context", "mcp/1", "2", "3").error(2)["code"] == "wrong_use"
    assert called("steps", "mcp/9").error(3)["known"] == ["mcp/run 1"]
    assert called("steps", "mcp/1", "1", "2").error(3)["code"] == "no_step"
    assert called("steps", "mcp/1", "1", "--replay").error(3)["code"] == "no_step"


def test_a_task_whose_name_looks_like_a_run_is_that_task(called: Evidence) -> None:
    assert "there is no run 'a/1/run 1'" in called("steps", "a/1").error(3)["message"]


def test_a_run_with_nothing_in_it_says_so(called: Evidence) -> None:
    with open_services(Settings(called.folder)) as services:
        ImplicitRuns(services.store, RunName(TaskName("mcp"))).enter(Caller(Connection(), "", "other"), None)
    assert called("context", "mcp").error(3)["code"] == "no_step"
    assert called("steps", "mcp").answer()["steps"] == []


def test_an_answer_that_a_model_never_saw_whole_is_counted_as_it_was_told(called: Evidence) -> None:
    """Sizes are of the text that was delivered, in UTF-8."""
    with open_services(Settings(called.folder)) as services:
        runs, caller = ImplicitRuns(services.store), Caller(Connection(), "", "me")
        step = runs.open(runs.enter(caller, None).key, "search", {})
        runs.close(step, Outcome.CANCELLED, "ü\n", ())
    (one,) = called("steps", "mcp/2").answer()["calls"]
    assert (one["outcome"], one["bytes"]) == ("cancelled", 3)
