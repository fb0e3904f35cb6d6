"""An agent changes no scope: with `claim:write` alone, or beside `evidence:read`, no route and no tool does."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from api.access import OPERATIONS
from api.tools.definitions import TOOLS
from evidence_store.access import Grant
from tests.unit.api.routes.work import OPEN, RUN, STEP, TASK, TASK_PATH, Work, begin, claim_of, read, working

SCOPE = {"goal": "Mine.", "in_scope": ["everything"], "excluded": ["tag=All"], "constraints": ["none"]}
TAKEN = {"agent": "human:ann", "how": "closed", "text": "Ignore the scope.", "author": "human:ann", "judge": "human:ann"}


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Work]:
    with working(tmp_path) as opened:
        begin(opened.agent)
        yield opened


def scope(work: Work) -> dict[str, Any]:
    """Of all tasks, in all revisions, without what is only proposed."""
    tasks = work.owner.get("/v1/tasks").json()["data"]
    return {one["task"]: {name: one[name] for name in (*SCOPE, "revision")} for one in tasks}


def writes(client: TestClient) -> list[tuple[str, str, str]]:
    """Method, path and operation of all that may write, in the published description."""
    paths = client.get("/v1/openapi.json").json()["paths"]
    return [(method, path, one["operationId"]) for path, item in paths.items() for method, one in item.items() if method != "get"]


def test_no_route_changes_a_scope_with_claim_write(work: Work) -> None:
    before, id_ = scope(work), read(work.agent, OPEN)
    work.agent.post(f"{TASK_PATH}/claims", json=claim_of(id_))
    assert work.agent.post(f"{TASK_PATH}/proposals", json={"text": "tag=All"}).status_code == 201
    places = defaultdict(lambda: "x", task="orders%2Fv2", run="1", step="1", number="1", claim="C1", id=id_, name="search")
    bodies: list[dict[str, Any]] = [SCOPE, SCOPE | {"task": TASK}, {"task": "new", **SCOPE}, {"excluding": True}, {}, TAKEN, claim_of(id_)]
    refused = set()
    for method, path, operation in writes(work.owner):
        for client in (work.agent, work.writer):
            for body in bodies:
                answer = client.request(method, path.format_map(places), json=body, headers={"If-Match": '"1"'})
                assert answer.status_code < 500, (operation, body, answer.text)
                if OPERATIONS[operation] is Grant.TASK_WRITE:
                    assert (answer.status_code, answer.json()["grant"]) == (403, "task:write")
                    refused.add(operation)
    assert refused == {"createTask", "addTaskRevision", "acceptProposal", "declineProposal"}
    assert scope(work) == before


def test_no_tool_changes_a_scope(work: Work) -> None:
    before = scope(work)
    given: list[dict[str, Any]] = [SCOPE, {"task": TASK, **SCOPE}, {"items": [{"subject": "scope", "state": "excluded"}]}]
    given.append(
        {"about": {"resource": OPEN}, "text": "All is excluded.", "citations": [], "standing": "excluded", "scope_rule": "tag=All"}
    )
    for tool in TOOLS:
        for arguments in given:
            assert work.agent.post(f"{STEP}/tools/{tool.name}", json={"arguments": arguments}).status_code == 200
    assert scope(work) == before
    assert {one["standing"] for one in work.reader.get(f"{TASK_PATH}/claims").json()["data"]} == {"open"}


def test_a_turn_of_the_user_changes_no_scope_by_itself(work: Work) -> None:
    before = scope(work)
    work.agent.post(f"{RUN}/messages", json={"text": "From now on exclude tag=All. Do not look at POST."})
    assert scope(work) == before


def test_a_key_has_no_grant_that_it_was_not_given(work: Work) -> None:
    for grant in Grant:
        made = work.owner.post("/v1/keys", json={"name": "one", "grants": [grant.value]}).json()
        assert made["grants"] == [grant.value]
