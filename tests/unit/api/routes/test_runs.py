"""A run over HTTP from its beginning to its end, and again after it was interrupted."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.schemas.claims import ClaimHistoryAnswer, ClaimsPage
from api.schemas.runs import (
    ExposuresPage,
    MessagesPage,
    ProjectionsPage,
    ReplayAnswer,
    RunsPage,
    RunStateAnswer,
    StepsPage,
    ToolAnswerModel,
    UsagesAnswer,
)
from evidence_store.records.runs import RunKey, StepKey
from evidence_store.store.runs import NewProjection
from tests.unit.api.routes.work import OPEN, RUN, STEP, TASK_PATH, Work, begin, call, claim_of, read, step_json, working


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Work]:
    with working(tmp_path) as opened:
        begin(opened.agent)
        yield opened


def projected(work: Work) -> dict[str, Any]:
    """A body of `storeProjection`, as a client makes it."""
    made = work.agent.post("/v1/projections", json=step_json()).json()
    assert made["outcome"] == "projected"
    profile = step_json()["profile"]
    return {
        "messages": made["messages"],
        "tools": made["tools"],
        "outside": made["outside"],
        "profile": profile,
        "receipt": made["receipt"],
        "shown": [],
    }


def test_the_turns_of_a_run_are_listed_as_they_came(work: Work) -> None:
    read(work.agent, OPEN)
    assert work.agent.post(f"{RUN}/messages", json={"text": "And now?"}).json() == {"message": 4}
    page = MessagesPage.model_validate_json(work.reader.get(f"{RUN}/messages").content)
    assert [(one.role, one.step) for one in page.data] == [("user", None), ("assistant", 1), ("tool", 1), ("user", None)]
    assert page.data[2].result is not None
    assert "50" in page.data[2].result.body
    assert page.data[1].body["calls"] == [
        {"call": "call_1", "name": "read_spec", "arguments": {"resource": OPEN, "pointer": "/limit"}},
    ]
    first = work.reader.get(f"{RUN}/messages?limit=3").json()
    rest = work.reader.get(f"{RUN}/messages", params={"cursor": first["next_cursor"]}).json()
    assert [one["message"] for one in first["data"] + rest["data"]] == [1, 2, 3, 4]


def test_where_a_run_stands(work: Work) -> None:
    id_ = read(work.agent, OPEN)
    work.agent.post(f"{TASK_PATH}/claims", json=claim_of(id_))
    work.agent.post(f"{STEP}/calls", json={"calls": [{"call": "c2", "name": "search", "arguments": {}}]})
    state = RunStateAnswer.model_validate_json(work.reader.get(RUN).content)
    assert (state.agent, state.end, state.n_steps, state.open_calls, state.claims) == ("agent:a", None, 1, ["c2"], ["C1"])
    assert StepsPage.model_validate_json(work.reader.get(f"{RUN}/steps").content).data[0].task_revision == 1
    ended = work.agent.post(f"{RUN}/end", json={"how": "concluded"})
    assert ended.json()["end"] == {"how": "concluded", "reason": "", "empty": False}
    assert work.agent.post(f"{RUN}/end", json={"how": "concluded"}).json()["code"] == "run_ended"
    assert RunsPage.model_validate_json(work.reader.get(f"{TASK_PATH}/runs").content).data[0].end is not None


def test_who_held_a_run_is_refused_once_another_took_it(work: Work) -> None:
    assert work.agent.post(f"{RUN}/messages?opening=0", json={"text": "mine"}).status_code == 201
    assert work.agent.post(f"{RUN}/take", json={}).json() == {"opening": 1}
    for path, body in (("messages", {"text": "late"}), ("steps", {}), ("end", {"how": "closed"})):
        late = work.agent.post(f"{RUN}/{path}?opening=0", json=body)
        assert (late.status_code, late.json()["code"]) == (409, "run_taken"), path
    assert work.agent.post(f"{RUN}/steps?opening=1", json={}).json() == {"step": 2}


def test_a_stored_input_is_the_one_that_an_embedded_store_keeps(work: Work) -> None:
    body = projected(work)
    stored = work.agent.post(f"{STEP}/projection", json=body)
    assert stored.status_code == 201, stored.text
    store, receipt = work.services.store, body["receipt"]
    key = RunKey(store.core.workspace, store.tasks.list_newest("", 1)[0].task, 1)
    new = NewProjection(
        body["messages"], body["tools"], body["profile"], receipt, receipt["counter"]["id"], "exact", 1, 1, (), body["outside"]
    )
    assert store.runs.record_projection(StepKey(key, 1), new) == stored.json()["input_digest"]
    (first, _) = store.runs.list_step_inputs(key)
    assert (first.row.used_tokens, first.row.cap_tokens) == (receipt["used"], receipt["budget"]["input_cap"])


def test_an_input_is_stored_sent_billed_and_replayed(work: Work) -> None:
    body = projected(work)
    digest = work.agent.post(f"{STEP}/projection", json=body).json()["input_digest"]
    assert work.agent.post(f"{STEP}/sent", json={"input_digest": digest}).status_code == 201
    wrong = work.agent.post(f"{STEP}/sent", json={"input_digest": "sha256:" + "0" * 64})
    assert (wrong.status_code, wrong.json()["code"]) == (400, "unknown_projection")
    usage = {"provider": "openai", "model": "m", "counter": "o200k_base", "counted": 90, "reported": 100, "said": {"prompt_tokens": 100}}
    assert work.agent.post(f"{STEP}/usage", json=usage).json() == usage
    asked = {"provider": "openai", "model": "m", "counter": "o200k_base"}
    assert UsagesAnswer.model_validate_json(work.reader.get(f"{RUN}/usages", params=asked).content).data[0].reported == 100
    (listed,) = ProjectionsPage.model_validate_json(work.reader.get(f"{STEP}/projections").content).data
    assert (listed.used_tokens, listed.reported_tokens) == (body["receipt"]["used"], 100)
    assert work.reader.get(f"{RUN}/projections").json()["data"] == work.reader.get(f"{STEP}/projections").json()["data"]
    assert work.reader.get(f"{STEP}/receipt").json() == body["receipt"]
    replayed = ReplayAnswer.model_validate_json(work.reader.get(f"{STEP}/replay").content)
    assert (replayed.same, replayed.messages, replayed.input_digest) == (True, body["messages"], digest)
    assert work.reader.get(f"{STEP}/receipt?projection=2").json()["code"] == "no_step"
    figures = {"by_reference": ["call_1"], "gone": [0], "recap": "", "tokens_before": 90, "tokens": 40}
    assert work.agent.post(f"{STEP}/compaction", json=figures).status_code == 201
    assert work.reader.get(f"{RUN}/messages").json()["data"][-1]["body"]["compaction"]["tokens"] == 40


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"messages": [{"role": "user", "content": "another"}]}, "digest_mismatch"),
        ({"receipt": {"v": 1}}, "refused_step"),
        ({"messages": [{"role": "user", "content": 2**60}]}, "bad_parameters"),
        ({"shown": [{"evidence": "ev_000000000000", "digest": "sha256:" + "0" * 64, "in_full": True}]}, "unknown_id"),
    ],
)
def test_an_input_that_does_not_fit_its_receipt_is_refused(work: Work, change: dict[str, Any], code: str) -> None:
    answer = work.agent.post(f"{STEP}/projection", json=projected(work) | change)
    assert answer.json()["code"] == code
    assert work.reader.get(f"{STEP}/projections").json()["data"] == []


def test_what_a_run_was_shown_is_for_auditors(work: Work) -> None:
    id_ = read(work.agent, OPEN)
    assert work.agent.get(f"{RUN}/exposures").status_code == 403
    (shown,) = ExposuresPage.model_validate_json(work.reader.get(f"{RUN}/exposures").content).data
    assert (shown.evidence, shown.grade, shown.in_full) == (id_, "delivered", True)


def test_our_tools_are_called_as_the_agent_of_the_run(work: Work) -> None:
    id_ = read(work.agent, OPEN)
    arguments = {k: v for k, v in claim_of(id_).items() if k in ("about", "text", "citations")}
    made = call(work.agent, "record_claim", arguments, "call_2")
    assert made["facts"] == {"claim": "C1", "standing": "verified", "reason": None}
    ToolAnswerModel.model_validate(made)
    claim = ClaimHistoryAnswer.model_validate_json(work.reader.get(f"{TASK_PATH}/claims/C1").content)
    assert (claim.author, claim.run, claim.step, [one.standing for one in claim.rulings]) == ("agent:a", 1, 1, ["open", "verified"])
    failed = call(work.agent, "read_spec", {"resource": "nothing", "pointer": ""}, "call_3")
    assert (failed["outcome"], failed["facts"]["retry"]) == ("error", True)
    assert work.agent.post(f"{STEP}/tools/rm", json={}).json()["facts"]["code"] == "unknown_tool"


def test_a_call_that_records_is_done_once(work: Work) -> None:
    id_ = read(work.agent, OPEN)
    arguments = {k: v for k, v in claim_of(id_).items() if k in ("about", "text", "citations")}
    headers = {"Idempotency-Key": "c1"}
    answers = [work.agent.post(f"{STEP}/tools/record_claim", json={"arguments": arguments}, headers=headers) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert len(ClaimsPage.model_validate_json(work.reader.get(f"{TASK_PATH}/claims").content).data) == 1


def test_a_tool_that_reads_asks_for_the_grant_to_read(work: Work) -> None:
    refused = work.writer.post(f"{STEP}/tools/read_spec", json={"arguments": {"resource": OPEN, "pointer": "/limit"}})
    assert (refused.status_code, refused.json()["grant"]) == (403, "evidence:read")
    assert work.reader.post(f"{STEP}/tools/list_resources", json={}).json()["grant"] == "claim:write"


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("calls", {"calls": [{"call": "a", "name": "x"}, {"call": "a", "name": "x"}]}, "call_known"),
        ("results", {"results": [{"call": "z", "outcome": "ok", "body": ""}]}, "call_not_open"),
        ("results", {"results": [{"call": "z", "outcome": "fine", "body": ""}]}, "bad_parameters"),
        ("usage", {"provider": "p", "model": "m", "counter": "c", "counted": 1, "reported": 1}, "unknown_projection"),
        ("calls", {"calls": [{"call": "a", "name": "x", "arguments": {"n": 2**60}}]}, "bad_parameters"),
    ],
)
def test_faulty_writes_are_refused_as_in_an_embedded_store(work: Work, path: str, body: dict[str, Any], code: str) -> None:
    assert work.agent.post(f"{STEP}/{path}", json=body).json()["code"] == code


def test_claims_that_nobody_ruled_on_are_ruled_on(work: Work) -> None:
    assert work.agent.post(f"{RUN}/rule", json={}).status_code == 201


def test_results_may_be_larger_than_other_bodies(work: Work) -> None:
    work.agent.post(f"{STEP}/calls", json={"calls": [{"call": "big", "name": "x"}]})
    closed = work.agent.post(f"{STEP}/results", json={"results": [{"call": "big", "outcome": "ok", "body": "x" * 3_000_000}]})
    assert closed.status_code == 201
    page = work.reader.get(f"{RUN}/messages").json()
    assert page["data"][-1]["result"]["body"] == "x" * 3_000_000
    too_much = work.agent.post(f"{STEP}/results", json={"results": [{"call": "big", "outcome": "ok", "body": "x" * 17_000_000}]})
    assert too_much.status_code == 413
