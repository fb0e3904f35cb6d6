"""Stored evidence over HTTP: around it, in other revisions, where it was shown, many at once; citations and reports."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.cli import main
from api.schemas import ReportsPage
from api.schemas.evidence import CheckAnswer, EvidenceAnswer, ExposuresPage, LocateAnswer, ResolveAnswer
from api.settings import Settings
from api.wiring import open_services
from evidence_store.excerpts import NoLimit
from evidence_store.model import ResourceName, Selector
from evidence_store.store.passages import Place
from tests.unit.api.routes.access import BLURRED, SECRET, Door, opened
from tests.unit.api.routes.sample import NEW_NAME, TASK, Sample, make_sample


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return make_sample(tmp_path_factory.mktemp("store"))


@pytest.fixture
def door(mine: Sample) -> Iterator[TestClient]:
    with open_services(Settings(mine.folder)) as services:
        yield TestClient(create_app(services, unauthenticated=True))


def read(door: Door, name: str) -> str:
    return door.services.store.passages.read(Place(ResourceName(name), None, Selector("pointer", "/limit")), NoLimit()).id


@pytest.mark.parametrize("to", ["parent", "full", "lines:2"])
def test_expanding_is_what_the_command_line_does(
    door: TestClient, mine: Sample, capsysbinary: pytest.CaptureFixture[bytes], to: str
) -> None:
    answer = door.get(f"/v1/evidence/{mine.old}/expand", params={"to": to})
    EvidenceAnswer.model_validate_json(answer.content)
    assert main(["get", mine.old, "--expand", to, "--json", "--store", str(mine.folder)]) == 0
    printed = json.loads(capsysbinary.readouterr().out)
    assert answer.json() | {"next": None} == printed | {"next": None}


def test_references_are_followed_and_other_words_refused(door: TestClient, mine: Sample) -> None:
    assert door.get(f"/v1/evidence/{mine.parameter}/expand", params={"to": "refs"}).status_code == 200
    refused = door.get(f"/v1/evidence/{mine.old}/expand", params={"to": "else"})
    assert (refused.status_code, refused.json()["code"]) == (400, "unknown_expansion")


def test_locating_is_what_the_command_line_does(door: TestClient, mine: Sample, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    answer = door.get(f"/v1/evidence/{mine.old}/locate", params={"resource": NEW_NAME})
    LocateAnswer.model_validate_json(answer.content)
    assert main(["locate", mine.old, "--in", NEW_NAME, "--json", "--store", str(mine.folder)]) == 0
    printed = json.loads(capsysbinary.readouterr().out)
    assert (answer.json()["verdict"], answer.json()["packet"]["id"]) == (printed["verdict"], printed["packet"]["id"])


def test_exposures_come_in_pages(door: TestClient, mine: Sample) -> None:
    found = ExposuresPage.model_validate_json(door.get(f"/v1/evidence/{mine.old}/exposures").content)
    assert [(one.run, one.grade, one.in_full) for one in found.data] == [(f"{TASK}/run 1", "delivered", True)]
    assert found.next_cursor is None
    assert door.get(f"/v1/evidence/{mine.old}/exposures", params={"cursor": "MQ"}).json()["data"] == []


def test_damage_is_found_by_reading_anew(tmp_path: Path) -> None:
    sample = make_sample(tmp_path)
    with open_services(Settings(tmp_path)) as services:
        client = TestClient(create_app(services, unauthenticated=True))
        assert client.get(f"/v1/evidence/{sample.old}/verify").json() == {"id": sample.old, "integrity": "ok", "text": ""}
        with services.store.core.database.writing() as connection:
            connection.exec_driver_sql("UPDATE blobs SET inline = zeroblob(length(inline))")
        found = client.get(f"/v1/evidence/{sample.old}/verify").json()
    assert found["integrity"] == "mismatch"
    assert found["text"]


def test_many_are_resolved_each_with_its_outcome(door: TestClient, mine: Sample) -> None:
    ids = [mine.old, "nothing", "ev_0000000000000", mine.new.upper(), mine.old]
    answer = door.post("/v1/evidence:resolve", json={"ids": ids, "task": TASK})
    items = ResolveAnswer.model_validate_json(answer.content).items
    assert [one.id for one in items] == ids
    assert [one.status for one in items] == [200, 400, 404, 200, 200]
    alone = [door.get(f"/v1/evidence/{id_}", params={"task": TASK}).json() for id_ in ids]
    for one, by_itself in zip(answer.json()["items"], alone, strict=True):
        assert one.get("packet", by_itself) == by_itself
        assert one.get("problem", {}).get("code") == by_itself.get("code")
    assert items[0] == items[4]


@pytest.mark.parametrize("body", [{"ids": []}, {"ids": ["ev_000000000000"] * 101}, {"ids": ["x"], "more": 1}, {"ids": ["x" * 300]}, []])
def test_a_malformed_batch_is_refused_as_a_whole(door: TestClient, body: object) -> None:
    answer = door.post("/v1/evidence:resolve", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_parameters")


def test_an_unknown_task_of_a_batch_is_not_found(door: TestClient, mine: Sample) -> None:
    assert door.post("/v1/evidence:resolve", json={"ids": [mine.old], "task": "unknown"}).status_code == 404


def test_hidden_evidence_is_told_as_absent_by_itself_and_in_a_batch(tmp_path: Path) -> None:
    with opened(tmp_path) as door:
        hidden, absent = read(door, SECRET), "ev_000000000000"
        for path in ("", "/expand?to=parent", "/verify", "/exposures", "/locate?resource=open%2Fa.json"):
            told, other = (door.outsider.get(f"/v1/evidence/{id_}{path}") for id_ in (hidden, absent))
            assert told.status_code == other.status_code == 404
            assert told.text.replace(hidden, absent).split("request_id")[0] == other.text.split("request_id")[0]
        items = door.outsider.post("/v1/evidence:resolve", json={"ids": [hidden, absent]}).json()["items"]
        assert items[0]["problem"]["detail"].replace(hidden, absent) == items[1]["problem"]["detail"]
        report = f'It is "4711" [{hidden}], and [{absent}].'
        checked = CheckAnswer.model_validate_json(door.outsider.post("/v1/citations/check", content=report).content)
        assert [one.verdict for one in checked.citations] == ["unknown_id", "unknown_id"]
        assert door.owner.post("/v1/citations/check", content=report).json()["citations"][0]["verdict"] == "ok"


def test_a_quote_of_what_is_masked_is_not_judged(tmp_path: Path) -> None:
    with opened(tmp_path) as door:
        masked = read(door, BLURRED)
        for quoted in ("123456", "654321"):
            checked = door.outsider.post("/v1/citations/check", content=f'It is "{quoted}" [{masked}].').json()
            assert [(one["verdict"], one["quote"]) for one in checked["citations"]] == [("withheld", "none")]


def test_a_report_is_checked_as_on_the_command_line(
    door: TestClient, mine: Sample, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    body = door.get(f"/v1/reports/{mine.report}").json()["body"]
    (tmp_path / "report.md").write_bytes(body.encode())
    answer = door.post("/v1/citations/check", content=body.encode(), headers={"Content-Type": "text/markdown"})
    assert main(["check", str(tmp_path / "report.md"), "--json", "--store", str(mine.folder)]) == 0
    assert answer.json() == json.loads(capsysbinary.readouterr().out)
    assert CheckAnswer.model_validate_json(answer.content).published == mine.report


def test_a_report_over_the_bound_is_refused(door: TestClient) -> None:
    answer = door.post("/v1/citations/check", content=b"x" * (10 * 1024 * 1024 + 1))
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def test_reports_are_listed_the_newest_first(tmp_path: Path) -> None:
    sample = make_sample(tmp_path)
    with open_services(Settings(tmp_path)) as services:
        claims = services.store.claims
        first = claims.get_report(sample.report)
        later = [claims.publish(first.run, f"later {n}", f"# Later {n}\n", []) for n in range(3)]
        client = TestClient(create_app(services, unauthenticated=True))
        whole = ReportsPage.model_validate_json(client.get("/v1/reports").content)
        assert [one.report for one in whole.data] == [*reversed(later), sample.report]
        listed, page = [], client.get("/v1/reports", params={"limit": 1})
        while True:
            listed += [one["report"] for one in page.json()["data"]]
            if "next" not in page.links:
                break
            page = client.get(page.links["next"]["url"])
    assert listed == [*reversed(later), sample.report]


def test_a_cursor_of_another_list_is_refused(door: TestClient) -> None:
    for cursor in ("x", "MTI", "InJwXzEi"):
        assert door.get("/v1/reports", params={"cursor": cursor}).json()["code"] == "bad_cursor"
