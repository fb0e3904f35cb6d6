"""Reading tools outside of runs, and what stands in place of an output, over HTTP."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import Settings
from api.tools import call_tool
from api.wiring import Services, open_services
from api.work_json import tool_answer_json
from api.wrap import Wanted, show_here
from evidence_store.access import Grant
from evidence_store.errors import JsonValue
from evidence_store.model import LabelPolicy, ResourceName
from evidence_store.store.keys import KeyRequest
from evidence_store.store.put_request import PutRequest

LOG = ResourceName("ci/job.log")
RAW = b"".join(b"2026-11-30T10:00:00 INFO step %d took 3 s\n" % n for n in range(3_000))
PREVIEW = "/v1/resources/ci%2Fjob.log/revisions/1/preview"


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with open_services(Settings(tmp_path / "store"), create=True) as services:
        services.store.sources.put(PutRequest(LOG), [RAW])
        services.store.sources.put(PutRequest(ResourceName("hidden.log"), labels=("board",)), [RAW])
        services.store.sources.put(PutRequest(ResourceName("masked.log"), labels=("hr",)), [RAW])
        services.store.permissions.set_policy("hr", LabelPolicy.MASKED, "tests")
        yield services


@pytest.fixture
def client(services: Services) -> TestClient:
    key = services.store.keys.create(KeyRequest("reader", frozenset((Grant.EVIDENCE_READ,)), frozenset()), "tests").secret
    return TestClient(create_app(services), headers={"Authorization": f"Bearer {key}"})


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read_log", {"resource": LOG, "lines": "3-4"}),
        ("search", {"resource": LOG, "pattern": "step 17 "}),
        ("read_log", {"resource": LOG}),
        ("list_claims", {}),
        ("record_claim", {}),
        ("no_such_tool", {}),
    ],
)
def test_a_tool_answers_as_where_the_store_is(services: Services, client: TestClient, name: str, arguments: dict[str, JsonValue]) -> None:
    answer = client.post(f"/v1/tools/{name}", json={"arguments": arguments})
    assert (answer.status_code, answer.json()) == (
        200,
        tool_answer_json(call_tool(services.tools(), name, arguments, recording=False)),
    )


def test_an_output_is_shown_within_its_tokens(services: Services, client: TestClient) -> None:
    revision = services.store.sources.get_revision(LOG, 1)
    for asked, wanted in (
        ({"tool": "get_logs", "tokens": 500}, Wanted("get_logs", 500)),
        ({"tool": "get_logs"}, Wanted("get_logs", None)),
    ):
        shown = show_here(services.tools(), services.counter, revision, wanted)
        answer = client.post(PREVIEW, json=asked).json()
        assert (answer["text"], [one["id"] for one in answer["packets"]]) == (shown.text, [one.id for one in shown.packets])
    found = client.post(PREVIEW, json={"tool": "get_logs", "tokens": 500, "filters": {"grep": "step 17 "}}).json()
    assert found["text"].startswith("[filtered get_logs: 1 line that matches; ")


def test_a_filter_that_leads_nowhere_is_an_error_that_helps(client: TestClient) -> None:
    refused = client.post(PREVIEW, json={"tool": "get_logs", "tokens": 500, "filters": {"grep": "("}})
    assert (refused.status_code, refused.json()["code"]) == (400, "bad_pattern")
    assert client.post(PREVIEW, json={"tool": "get_logs", "tokens": 0}).status_code == 422
    assert client.post(PREVIEW, json={"tool": "get_logs", "nothing": 1}).status_code == 422


def test_what_is_hidden_is_not_there(client: TestClient) -> None:
    def told(name: str) -> tuple[int, object]:
        answer = client.post(f"/v1/resources/{name}/revisions/1/preview", json={"tool": "t", "tokens": 100})
        return answer.status_code, {**answer.json(), "request_id": "", "detail": answer.json()["detail"].replace(name, "")}

    assert told("hidden.log") == told("absent.log")
    calls = [{"arguments": {"resource": name, "lines": "1-2"}} for name in ("hidden.log", "absent.log")]
    asked = [client.post("/v1/tools/read_log", json=call).json() for call in calls]
    assert asked[0]["text"].replace("hidden", "absent") == asked[1]["text"]


def test_of_what_is_masked_no_line_is_looked_at(client: TestClient) -> None:
    refused = client.post("/v1/resources/masked.log/revisions/1/preview", json={"tool": "t", "tokens": 100})
    assert (refused.status_code, refused.json()["code"]) == (403, "masked")
