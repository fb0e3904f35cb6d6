"""GET /v1/reports/{id} and /v1/trace/{subject}."""

import json

import pytest
from starlette.testclient import TestClient

from api.cli import main
from api.schemas import ReportAnswer, TraceAnswer
from tests.unit.api.routes.sample import TASK, Sample


def test_a_report_is_given_as_it_was_published(client: TestClient, sample: Sample) -> None:
    found = ReportAnswer.model_validate_json(client.get(f"/v1/reports/{sample.report}").content)
    assert (found.report, found.task) == (sample.report, TASK)
    assert [(one.claim, one.standing) for one in found.claims] == [("C1", "verified"), ("C2", "verified"), ("C3", "open")]
    assert found.body.startswith("# API compatibility report\n")


def test_a_trace_is_what_the_command_line_prints(client: TestClient, sample: Sample, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    for subject in (sample.report, f"{TASK}/C1", sample.old):
        assert main(["trace", subject, "--json", "--store", str(sample.folder)]) == 0
        answer = client.get(f"/v1/trace/{subject}")
        assert answer.json() == json.loads(capsysbinary.readouterr().out)
        assert TraceAnswer.model_validate_json(answer.content).ok


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/v1/reports/rp_0000", 404, "not_found"),
        ("/v1/trace/rp_0000", 404, "not_found"),
        ("/v1/trace/some/task/C1", 404, "not_found"),
        ("/v1/trace/what", 400, "unknown_subject"),
    ],
)
def test_errors_are_problem_details(client: TestClient, path: str, status: int, code: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.json()["code"], answer.headers["content-type"]) == (status, code, "application/problem+json")
