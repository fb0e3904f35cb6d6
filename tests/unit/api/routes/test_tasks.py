"""Tasks over HTTP: revisions by If-Match, proposals, progress, judgements."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from api.schemas.tasks import JudgementsPage, ProgressPage, ProposalsPage, TaskAnswer, TasksPage
from tests.unit.api.routes.work import OPEN, TASK, TASK_PATH, Work, begin, claim_of, read, working

SCOPE = {"goal": "Find more.", "in_scope": ["/limit"], "excluded": [], "constraints": []}


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Work]:
    with working(tmp_path) as opened:
        yield opened


def test_a_task_is_begun_once_and_answered_as_it_is(work: Work) -> None:
    asked = {"task": "a/b c", **SCOPE}
    made = work.scoper.post("/v1/tasks", json=asked)
    assert (made.status_code, made.headers["location"]) == (201, "/v1/tasks/a%2Fb%20c")
    assert work.scoper.post("/v1/tasks", json=asked).json() == made.json()
    assert work.scoper.post("/v1/tasks", json=asked | {"goal": "Another."}).json()["code"] == "conflict"
    assert TaskAnswer.model_validate_json(work.reader.get(made.headers["location"]).content).task == "a/b c"
    assert [one.task for one in TasksPage.model_validate_json(work.reader.get("/v1/tasks").content).data] == ["a/b c", TASK]


def test_tasks_come_in_pages(work: Work) -> None:
    for name in ("b", "c"):
        work.scoper.post("/v1/tasks", json={"task": name, **SCOPE})
    first = work.reader.get("/v1/tasks?limit=2")
    assert [one["task"] for one in first.json()["data"]] == ["b", "c"]
    rest = work.reader.get("/v1/tasks", params={"cursor": first.json()["next_cursor"]})
    assert ([one["task"] for one in rest.json()["data"]], rest.json()["next_cursor"]) == ([TASK], None)


def test_a_revision_follows_the_one_that_was_seen(work: Work) -> None:
    seen = work.reader.get(TASK_PATH)
    assert seen.headers["etag"].startswith('"1-')
    assert work.scoper.post(f"{TASK_PATH}/revisions", json=SCOPE).status_code == 428
    assert work.scoper.post(f"{TASK_PATH}/revisions", json=SCOPE, headers={"If-Match": "*"}).status_code == 428
    added = work.scoper.post(f"{TASK_PATH}/revisions", json=SCOPE, headers={"If-Match": seen.headers["etag"]})
    assert (added.status_code, added.json()["revision"]) == (201, 2)
    late = work.scoper.post(f"{TASK_PATH}/revisions", json=SCOPE | {"goal": "Late."}, headers={"If-Match": '"1"'})
    assert (late.status_code, late.json()["code"], late.json()["known"]) == (412, "state_changed", 2)
    again = work.scoper.post(f"{TASK_PATH}/revisions", json=SCOPE, headers={"If-Match": '"1"'})
    assert (again.status_code, again.json()) == (201, added.json()), "a retry of what was done"
    assert work.scoper.post(f"{TASK_PATH}/revisions", json=SCOPE, headers={"If-Match": '"x"'}).status_code == 412
    assert work.reader.get(f"{TASK_PATH}/revisions/1").json()["goal"] == "Find limits."
    assert [one["revision"] for one in work.reader.get(f"{TASK_PATH}/revisions").json()["data"]] == [1, 2]
    assert work.reader.get(f"{TASK_PATH}/revisions/3").status_code == 404


def test_the_tag_of_a_task_tells_copies_with_other_proposals_apart(work: Work) -> None:
    first = work.reader.get(TASK_PATH).headers["etag"]
    assert work.reader.get(TASK_PATH, headers={"If-None-Match": first}).status_code == 304
    work.agent.post(f"{TASK_PATH}/proposals", json={"text": "Only GET."})
    changed = work.reader.get(TASK_PATH, headers={"If-None-Match": first})
    assert (changed.status_code, changed.json()["proposed"], changed.json()["revision"]) == (200, ["Only GET."], 1)
    assert work.scoper.post(f"{TASK_PATH}/revisions", json=SCOPE, headers={"If-Match": first}).status_code == 201


def test_a_proposal_binds_nobody_until_it_is_accepted(work: Work) -> None:
    made = work.agent.post(f"{TASK_PATH}/proposals", json={"text": "tag=Beta", "author": "human:user"})
    assert (made.status_code, made.json()["author"]) == (201, f"human:user via {work.agent_name}")
    assert work.agent.post(f"{TASK_PATH}/proposals", json={"text": "tag=Beta"}).json() == made.json()
    work.agent.post(f"{TASK_PATH}/proposals", json={"text": "Never mind."})
    assert work.agent.post(f"{TASK_PATH}/proposals/1/accept", json={}).status_code == 403
    accepted = work.scoper.post(f"{TASK_PATH}/proposals/1/accept", json={"excluding": True})
    assert (accepted.json()["revision"], accepted.json()["excluded"]) == (2, ["tag=Admin", "tag=Beta"])
    assert work.scoper.post(f"{TASK_PATH}/proposals/2/decline", json={}).json()["proposed"] == []
    decided = work.scoper.post(f"{TASK_PATH}/proposals/1/decline", json={})
    assert (decided.status_code, decided.json()["code"]) == (409, "decided")
    assert work.scoper.post(f"{TASK_PATH}/proposals/9/accept", json={}).status_code == 404
    page = ProposalsPage.model_validate_json(work.reader.get(f"{TASK_PATH}/proposals").content)
    assert [(one.decision, one.task_revision) for one in page.data] == [("accepted", 2), ("declined", None)]


def test_a_request_with_the_same_key_is_done_once(work: Work) -> None:
    headers = {"Idempotency-Key": "k1"}
    first = work.agent.post(f"{TASK_PATH}/runs", json={"agent": "a"}, headers=headers)
    again = work.agent.post(f"{TASK_PATH}/runs", json={"agent": "a"}, headers=headers)
    assert (first.json(), again.headers["idempotency-replayed"]) == (again.json(), "true")
    other = work.agent.post(f"{TASK_PATH}/runs", json={"agent": "b"}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")
    assert len(work.reader.get(f"{TASK_PATH}/runs").json()["data"]) == 1


def test_progress_is_recorded_and_listed_in_pages(work: Work) -> None:
    begin(work.agent)
    items = [{"subject": f"s{n}", "state": "todo"} for n in range(3)]
    assert len(work.agent.post(f"{TASK_PATH}/progress", json={"items": items, "run": 1, "step": 1}).json()["recorded"]) == 3
    assert work.agent.post(f"{TASK_PATH}/progress", json={"items": items[:1]}).json() == {"recorded": []}
    first = work.reader.get(f"{TASK_PATH}/progress?limit=2")
    ProgressPage.model_validate_json(first.content)
    rest = work.reader.get(f"{TASK_PATH}/progress", params={"cursor": first.json()["next_cursor"]})
    assert [one["subject"] for one in first.json()["data"] + rest.json()["data"]] == ["s0", "s1", "s2"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"items": [{"subject": "a", "state": "finished"}]}, 422, "bad_parameters"),
        ({"items": [{"subject": "a", "state": "done", "evidence": ["ev_000000000000"]}]}, 400, "unknown_id"),
        ({"items": [{"subject": "a", "state": "done", "evidence": ["x"]}]}, 400, "malformed_id"),
        ({"items": [{"subject": "a", "state": "done"}], "run": 1}, 400, "wrong_use"),
        ({"items": [{"subject": "a", "state": "done"}], "run": 7, "step": 1}, 404, "not_found"),
        ({"items": []}, 422, "bad_parameters"),
        ({"items": [{"subject": "a", "state": "done"}], "more": 1}, 422, "bad_parameters"),
    ],
)
def test_faulty_progress_is_refused(work: Work, body: dict[str, object], status: int, code: str) -> None:
    answer = work.agent.post(f"{TASK_PATH}/progress", json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_judgement_rules_anew_on_what_cites_the_evidence(work: Work) -> None:
    begin(work.agent)
    id_ = read(work.agent, OPEN)
    assert work.agent.post(f"{TASK_PATH}/claims", json=claim_of(id_)).json()["standing"] == "verified"
    asked = {"judge": "human:ann", "verdicts": [{"evidence": id_, "applies": False, "reason": "old"}]}
    ruled = work.writer.post(f"{TASK_PATH}/judgements", json=asked)
    assert ruled.json()["claims"] == [{"claim": "C1", "standing": "open", "reason": f"rejected:{id_}"}]
    (judged,) = JudgementsPage.model_validate_json(work.reader.get(f"{TASK_PATH}/judgements").content).data
    assert (judged.subject, judged.verdict, judged.reason, judged.judge.split(" via ")[0]) == (id_, "rejected", "old", "human:ann")


@pytest.mark.parametrize("body", [b'{"task":"\\ud800","goal":""}', b'{"task":"a","goal":NaN}', b'{"task":"a"', b"[" * 5000, b"", b"1"])
def test_what_is_no_body_is_refused(work: Work, body: bytes) -> None:
    answer = work.owner.post("/v1/tasks", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_body_has_a_bound(work: Work) -> None:
    answer = work.owner.post("/v1/tasks", json={"task": "x", "goal": "x" * 1_100_000})
    assert (answer.status_code, answer.json()["code"], answer.json()["limit"]) == (413, "too_large", 1024 * 1024)


def test_a_name_of_a_task_holds_no_nul(work: Work) -> None:
    assert work.owner.post("/v1/tasks", json={"task": "a\0b", "goal": ""}).json()["code"] == "bad_name"
