"""GET /v1/evidence/{id}."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.cli import main
from api.schemas.evidence import EvidenceAnswer
from api.settings import Settings
from api.wiring import open_services
from evidence_store.store.put_request import PutRequest
from tests.unit.api.routes.sample import NEW, NEW_NAME, TASK, Sample, make_sample


def test_the_answer_is_what_the_command_line_prints(client: TestClient, sample: Sample, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["get", sample.old, "--json", "--store", str(sample.folder)]) == 0
    assert client.get(f"/v1/evidence/{sample.old}").content == capsysbinary.readouterr().out


def test_the_answer_has_the_published_shape(client: TestClient, sample: Sample) -> None:
    for id_ in (sample.old, sample.keys, sample.parameter):
        EvidenceAnswer.model_validate_json(client.get(f"/v1/evidence/{id_}", params={"task": TASK}).content, strict=False)


def test_an_id_is_folded_and_that_is_said(client: TestClient, sample: Sample) -> None:
    written = sample.old.upper().replace("0", "O")
    found = client.get(f"/v1/evidence/{written}").json()
    assert found["id"] == sample.old
    assert found["folded_from"] == written


def test_a_copy_with_the_same_bytes_is_not_sent_again(client: TestClient, sample: Sample) -> None:
    first = client.get(f"/v1/evidence/{sample.old}")
    tag = first.headers["etag"]
    assert tag.startswith('"')
    for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = client.get(f"/v1/evidence/{sample.old}", headers={"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert client.get(f"/v1/evidence/{sample.old}", headers={"If-None-Match": '"other"'}).content == first.content


def test_the_tag_changes_with_what_is_said_of_the_evidence(tmp_path: Path) -> None:
    sample = make_sample(tmp_path)
    with open_services(Settings(tmp_path)) as services:
        client = TestClient(create_app(services, unauthenticated=True))
        first = client.get(f"/v1/evidence/{sample.new}")
        services.store.sources.put(PutRequest(NEW_NAME), [NEW.replace(b"maximum: 50", b"maximum: 20")])
        again = client.get(f"/v1/evidence/{sample.new}", headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 200
    assert (first.json()["currency"], again.json()["currency"]) == ("newest", "changed")


def test_within_a_task_the_judgement_is_said(client: TestClient, sample: Sample) -> None:
    assert client.get(f"/v1/evidence/{sample.old}", params={"task": TASK}).json()["judgement"] == "applies"
    assert "judgement" not in client.get(f"/v1/evidence/{sample.old}").json()


def test_an_excerpt_is_held_to_the_tokens(client: TestClient, sample: Sample) -> None:
    found = client.get(f"/v1/evidence/{sample.parameter}", params={"max_tokens": 20}).json()
    assert found["outline"]["n_children"] == 4
    assert found["excerpt"] == ""


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/v1/evidence/ev_0000000000000", 404, "unknown_id"),
        ("/v1/evidence/nothing", 400, "malformed_id"),
        ("/v1/evidence/ID?task=unknown", 404, "not_found"),
        ("/v1/evidence/ID?max_tokens=0", 422, "bad_parameters"),
        ("/v1/evidence/ID?max_tokens=many", 422, "bad_parameters"),
        ("/v1/evidence/" + "x" * 200, 422, "bad_parameters"),
    ],
)
def test_errors_are_problem_details(client: TestClient, sample: Sample, path: str, status: int, code: str) -> None:
    answer = client.get(path.replace("ID", sample.old))
    problem = answer.json()
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert (problem["status"], problem["code"]) == (status, code)
    assert problem["type"].endswith(code)
    assert problem["request_id"] == answer.headers["request-id"]


def test_a_refused_parameter_is_named_and_its_value_is_not(client: TestClient, sample: Sample) -> None:
    problem = client.get(f"/v1/evidence/{sample.old}", params={"max_tokens": "hunter2"}).json()
    assert [(one["in"], one["name"]) for one in problem["errors"]] == [("query", "max_tokens")]
    assert "hunter2" not in str(problem)
