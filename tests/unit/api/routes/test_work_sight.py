"""Runs, claims, judgements and reports as a key may see them: what is hidden is answered as what there is not, on every route of a run."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from evidence_store.access import Grant
from evidence_store.model import WorkspaceName
from evidence_store.store.keys import KeyRequest
from tests.unit.api.routes.work import GREY, OPEN, RED, RUN, STEP, TASK, TASK_PATH, Work, begin, call, claim_of, read, step_json, working

DIGEST = "sha256:" + "0" * 64
WRITES: dict[str, dict[str, Any]] = {
    "take": {},
    "end": {"how": "closed"},
    "rule": {},
    "messages": {"text": "x"},
    "steps": {},
    "steps/1/calls": {"calls": [{"call": "c9", "name": "x"}]},
    "steps/1/results": {"results": [{"call": "call_1", "outcome": "ok", "body": ""}]},
    "steps/1/tools/get_progress": {},
    "steps/1/tools/record_progress": {"arguments": {"items": [{"subject": "a", "state": "todo"}]}},
    "steps/1/sent": {"input_digest": DIGEST},
    "steps/1/usage": {"provider": "p", "model": "m", "counter": "c", "counted": 1, "reported": 1},
    "steps/1/compaction": {"tokens_before": 1, "tokens": 1},
}
READS = (
    "",
    "messages",
    "steps",
    "projections",
    "usages?provider=p&model=m&counter=c",
    "steps/1/projections",
    "steps/1/receipt",
    "steps/1/replay",
)


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Work]:
    with working(tmp_path) as opened:
        begin(opened.red)
        yield opened


def told(answer: Any, number: int) -> tuple[int, str, dict[str, str]]:
    """All that an answer says but the id of the request, with its run named the same."""
    headers = {name: value for name, value in answer.headers.items() if name not in ("request-id", "content-length")}
    return answer.status_code, answer.text.replace(answer.headers["request-id"], "ID").replace(f"run {number}", "run N"), headers


@pytest.mark.parametrize("path", READS)
def test_reading_a_hidden_run_is_reading_none(work: Work, path: str) -> None:
    read(work.red, RED)
    for client in (work.agent, work.scoper):
        hidden, absent = (client.get(f"{TASK_PATH}/runs/{n}/{path}".rstrip("/")) for n in (1, 9))
        assert hidden.status_code == 404
        assert told(hidden, 1) == told(absent, 9)


@pytest.mark.parametrize("path", WRITES)
def test_writing_to_a_hidden_run_is_writing_to_none(work: Work, path: str) -> None:
    read(work.red, RED)
    before = [work.owner.get(f"{RUN}{more}").json() for more in ("", "/messages")]
    hidden, absent = (work.agent.post(f"{TASK_PATH}/runs/{n}/{path}", json=WRITES[path]) for n in (1, 9))
    assert hidden.status_code == 404
    assert told(hidden, 1) == told(absent, 9)
    assert [work.owner.get(f"{RUN}{more}").json() for more in ("", "/messages")] == before


def test_hidden_exposures_are_no_exposures(work: Work) -> None:
    read(work.red, RED)
    hidden, absent = (work.reader.get(f"{TASK_PATH}/runs/{n}/exposures") for n in (1, 9))
    assert told(hidden, 1) == told(absent, 9)
    assert len(work.red.get(f"{RUN}/exposures").json()["data"]) == 1


def test_lists_leave_out_what_is_hidden(work: Work) -> None:
    id_ = read(work.red, RED)
    work.red.post(f"{TASK_PATH}/claims", json=claim_of(id_, "`limit` is 4711.", RED))
    work.red.post(f"{TASK_PATH}/progress", json={"items": [{"subject": "red", "state": "done", "evidence": [id_]}]})
    for path in ("runs", "claims", "progress", "judgements"):
        assert work.agent.get(f"{TASK_PATH}/{path}").json() == {"data": [], "next_cursor": None}, path
        assert len(work.red.get(f"{TASK_PATH}/{path}").json()["data"]) == 1, path


@pytest.mark.parametrize("method", ["get", "dispute"])
def test_a_hidden_claim_is_none(work: Work, method: str) -> None:
    id_ = read(work.red, RED)
    work.red.post(f"{TASK_PATH}/claims", json=claim_of(id_, "`limit` is 4711.", RED))

    def ask(number: int) -> Any:
        place = f"{TASK_PATH}/claims/C{number}"
        return work.agent.get(place) if method == "get" else work.agent.post(f"{place}/disputes", json={"reason": "why"})

    hidden, absent = ask(1), ask(9)
    assert (hidden.status_code, hidden.json()["detail"].replace("C1", "C9")) == (404, absent.json()["detail"])


def test_hidden_evidence_is_cited_shown_and_judged_as_what_is_unknown(work: Work) -> None:
    id_, unknown = read(work.red, RED), "ev_000000000000"
    assert work.agent.post(f"{TASK_PATH}/runs", json={"agent": "b"}).json()["run"] == 2
    second = f"{TASK_PATH}/runs/2"
    work.agent.post(f"{second}/steps", json={})
    work.agent.post(f"{second}/steps/1/calls", json={"calls": [{"call": "c", "name": "x"}]})

    def asked(one: str) -> list[Any]:
        shown = {"evidence": one, "digest": DIGEST, "in_full": True}
        return [
            work.agent.post(f"{TASK_PATH}/claims", json=claim_of(one) | {"run": 2}),
            work.agent.post(f"{TASK_PATH}/judgements", json={"verdicts": [{"evidence": one, "applies": True}]}),
            work.agent.post(f"{TASK_PATH}/progress", json={"items": [{"subject": "a", "state": "done", "evidence": [one]}]}),
            work.agent.post(f"{second}/steps/1/results", json={"results": [{"call": "c", "outcome": "ok", "body": "", "shown": [shown]}]}),
        ]

    for hidden, absent in zip(asked(id_), asked(unknown), strict=True):
        assert hidden.status_code == 400
        assert told(hidden, 0)[1].replace(id_, unknown) == told(absent, 0)[1]


def test_an_agent_sees_its_own_run_with_masked_places(work: Work) -> None:
    assert work.agent.post(f"{TASK_PATH}/runs", json={"agent": "b"}).json()["run"] == 2
    work.agent.post(f"{TASK_PATH}/runs/2/steps", json={})
    answer = call(work.agent, "read_spec", {"resource": GREY, "pointer": "/limit"}, step=f"{TASK_PATH}/runs/2/steps/1")
    assert (answer["packets"][0]["excerpt"], "123456" in str(answer)) == ("", False)
    assert work.agent.get(f"{TASK_PATH}/runs/2").status_code == 200
    assert "123456" not in work.agent.get(f"{TASK_PATH}/runs/2/messages").text


def test_another_workspace_has_no_such_task(work: Work) -> None:
    store = work.services.store.of_workspace(WorkspaceName("other"))
    secret = store.keys.create(KeyRequest("other", frozenset(Grant), None), "test").secret
    other = TestClient(work.owner.app, headers={"Authorization": f"Bearer {secret}"})
    for path in (TASK_PATH, RUN, f"{TASK_PATH}/claims", f"{STEP}/receipt"):
        assert other.get(path).status_code == 404, path
    assert other.get("/v1/tasks").json()["data"] == []


def test_words_of_claims_that_a_run_was_told_are_marked_for_who_may_not_see_them(work: Work) -> None:
    id_ = read(work.red, RED)
    work.red.post(f"{TASK_PATH}/claims", json=claim_of(id_, "`limit` is 4711.", RED))
    second = f"{TASK_PATH}/runs/2"
    work.red.post(f"{TASK_PATH}/runs", json={"agent": "b"})
    work.red.post(f"{second}/steps", json={})
    call(work.red, "list_claims", {}, step=f"{second}/steps/1")
    assert "4711" in work.red.get(f"{second}/messages").text
    seen = work.agent.get(f"{second}/messages")
    assert seen.status_code == 200
    assert "4711" not in seen.text


def test_an_input_is_built_for_the_key_and_not_for_whom_the_step_names(work: Work) -> None:
    id_ = read(work.red, RED)
    step = step_json() | {"evidence": [id_], "principal": {"clearances": ["red"]}}
    assert "4711" in str(work.red.post("/v1/projections", json=step).json()["messages"])
    assert "4711" in str(work.red.post("/v1/projections", json=step | {"principal": {"clearances": []}}).json()["messages"])
    assert "4711" in str(work.owner.post("/v1/projections", json=step).json()["messages"])
    hidden = work.agent.post("/v1/projections", json=step)
    absent = work.agent.post("/v1/projections", json=step | {"evidence": ["ev_000000000000"]})
    assert "4711" not in hidden.text
    assert hidden.json()["messages"] == absent.json()["messages"]
    assert hidden.text.replace(id_, "ev_000000000000") == absent.text


@pytest.mark.parametrize(("body", "code"), [({"task": 1}, "refused_step"), ({"x": 2**70}, "bad_parameters"), ([], "bad_parameters")])
def test_a_step_that_is_none_is_refused(work: Work, body: Any, code: str) -> None:
    answer = work.agent.post("/v1/projections", json=body)
    assert (answer.json()["code"], answer.status_code in (400, 422)) == (code, True)


def test_a_report_is_published_with_claims_as_they_stand(work: Work) -> None:
    id_ = read(work.red, OPEN)
    work.red.post(f"{TASK_PATH}/claims", json=claim_of(id_))
    asked = {"task": TASK, "run": 1, "title": "Limits", "body": f'# Limits\n\nThe limit is "50" [{id_}].\n', "claims": ["C1"]}
    made = work.red.post("/v1/reports", json=asked)
    assert (made.status_code, made.json()) == (201, work.red.post("/v1/reports", json=asked).json())
    disputed = work.agent.post(f"{TASK_PATH}/claims/1/disputes", json={"reason": "The unit.", "reader": "human:eve"})
    why = f"disputed by human:eve via {work.agent_name}: The unit."
    assert disputed.json() == {"claim": "C1", "standing": "open", "reason": why}
    report = work.reader.get(f"/v1/reports/{made.json()['report']}").json()
    assert report["claims"] == [{"claim": "C1", "standing": "verified"}]
    assert report["now"] == [{"claim": "C1", "standing": "open", "reason": why}]
    assert work.red.post("/v1/reports", json=asked | {"claims": ["C9"]}).status_code == 404
    assert work.reader.post("/v1/reports", json=asked).status_code == 403
    assert work.services.store.checks.verify(deep=True).faults == ()


def test_a_report_of_hidden_claims_is_none(work: Work) -> None:
    id_ = read(work.red, RED)
    work.red.post(f"{TASK_PATH}/claims", json=claim_of(id_, "`limit` is 4711.", RED))
    asked = {"task": TASK, "run": 1, "title": "Limits", "body": "# Limits\n", "claims": ["C1"]}
    report = work.red.post("/v1/reports", json=asked).json()["report"]
    assert work.red.get(f"/v1/reports/{report}").status_code == 200
    assert work.agent.get(f"/v1/reports/{report}").status_code == 404
    assert work.agent.get("/v1/reports").json()["data"] == []
    assert work.agent.post("/v1/reports", json=asked).status_code == 404
