"""Places of documents over HTTP: the same selectors and answers as the command line, and nothing of what is hidden or masked."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

import pytest
from pydantic import TypeAdapter
from starlette.testclient import TestClient

from api.app import create_app
from api.cli import main
from api.schemas.evidence import DiffAnswer, PacketAnswer, PacketsAnswer, SearchAnswer
from api.settings import Settings
from api.wiring import open_services
from tests.unit.api.routes.access import BLURRED, OPEN, SECRET, opened
from tests.unit.api.routes.sample import LIMIT, NEW_NAME, OLD_NAME, Sample, make_sample

READ = f"/v1/documents/{quote(OLD_NAME, safe='')}/read"
SEARCH, SUMMARY = READ.replace("/read", "/search"), READ.replace("/read", "/summary")


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return make_sample(tmp_path_factory.mktemp("store"))


@pytest.fixture
def door(mine: Sample) -> Iterator[TestClient]:
    with open_services(Settings(mine.folder)) as services:
        yield TestClient(create_app(services, unauthenticated=True))


def printed(sample: Sample, capsysbinary: pytest.CaptureFixture[bytes], *words: str) -> object:
    """What the command line answers, without `next`, which has another form there."""
    assert main([*words, "--json", "--store", str(sample.folder)]) == 0
    return without_next(json.loads(capsysbinary.readouterr().out))


def without_next(value: object) -> object:
    if isinstance(value, dict):
        return {name: without_next(one) for name, one in value.items() if name != "next"}
    return [without_next(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"pointer": LIMIT}, ["--pointer", LIMIT]),
        ({"lines": "1-3"}, ["--lines", "1-3"]),
        ({"lines": "tail:2"}, ["--tail", "2"]),
        ({"bytes": "0-13"}, ["--bytes", "0-13"]),
        ({"quote": "maximum: 100"}, ["--quote", "maximum: 100"]),
        ({"quote": "limit", "pointer": LIMIT, "prefix": "name: "}, ["--quote", "limit", "--pointer", LIMIT, "--prefix", "name: "]),
        ({"operation": "get /orders", "parameter": "limit"}, ["--operation", "get /orders", "--parameter", "limit"]),
        ({"pointer": "/paths/~1orders", "view": "keys"}, ["--pointer", "/paths/~1orders", "--keys"]),
        ({"pointer": "/paths/~1orders", "children": "0-0"}, ["--pointer", "/paths/~1orders", "--children", "0-0"]),
        ({"pointer": LIMIT, "max_tokens": "20"}, ["--pointer", LIMIT, "--max-tokens", "20"]),
    ],
)
def test_a_place_is_what_the_command_line_reads(
    door: TestClient, mine: Sample, capsysbinary: pytest.CaptureFixture[bytes], asked: Mapping[str, str], words: list[str]
) -> None:
    answer = door.get(READ, params={**asked, "revision": "1"})
    PacketAnswer.model_validate_json(answer.content)
    assert without_next(answer.json()) == printed(mine, capsysbinary, "read", f"{OLD_NAME}@1", *words)


def test_next_is_an_object_of_arguments_that_continue(door: TestClient) -> None:
    first = door.get(READ, params={"lines": "1-200", "max_tokens": 50}).json()
    following = first["next"]
    assert (following.pop("resource"), following["revision"]) == (OLD_NAME, 1)
    second = door.get(READ, params=following).json()
    assert second["lines"][0] == first["lines"][0] + first["excerpt"].count("\n")


def test_fields_are_evidence_each(door: TestClient) -> None:
    answer = door.get(READ, params={"pointer": LIMIT, "fields": ["name", "in"]})
    found = PacketsAnswer.model_validate_json(answer.content).packets
    assert [one.excerpt for one in found] == ["limit", "query"]
    assert door.get(READ, params={"pointer": LIMIT, "fields": ["name", "nothing"]}).json()["code"] == "not_found"


@pytest.mark.parametrize(
    ("asked", "status", "code"),
    [
        ({}, 400, "wrong_use"),
        ({"pointer": "", "lines": "1-2"}, 400, "wrong_use"),
        ({"lines": "1-2", "fields": "name"}, 400, "wrong_use"),
        ({"lines": "1-2", "prefix": "x"}, 400, "wrong_use"),
        ({"parameter": "limit"}, 400, "wrong_use"),
        ({"pointer": "x"}, 400, "malformed_pointer"),
        ({"pointer": "/nothing"}, 404, "not_found"),
        ({"operation": "get /nothing"}, 404, "not_found"),
        ({"lines": "1-2", "revision": "9"}, 404, "not_found"),
        ({"lines": "1-2", "revision": "0"}, 422, "bad_parameters"),
        ({"lines": "1-2", "view": "other"}, 422, "bad_parameters"),
    ],
)
def test_a_place_that_cannot_be_read_is_refused(door: TestClient, asked: Mapping[str, str], status: int, code: str) -> None:
    answer = door.get(READ, params=asked)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_search_is_what_the_command_line_finds(door: TestClient, mine: Sample, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    for pattern in ("limit", "nowhere at all"):
        answer = door.get(SEARCH, params={"pattern": pattern})
        SearchAnswer.model_validate_json(answer.content)
        assert without_next(answer.json()) == printed(mine, capsysbinary, "search", OLD_NAME, pattern)
    answer = door.get("/v1/search", params={"resource": "orders*", "pattern": "nowhere at all"})
    assert without_next(answer.json()) == printed(mine, capsysbinary, "search", "orders*", "nowhere at all")
    assert len(SearchAnswer.model_validate_json(answer.content).receipts or ()) == 2


def test_a_search_goes_over_one_revision_or_all(door: TestClient) -> None:
    refused = door.get(SEARCH, params={"pattern": "limit", "revision": 1, "all_revisions": True})
    assert (refused.status_code, refused.json()["code"]) == (400, "wrong_use")
    assert door.get(SEARCH, params={"pattern": "maximum", "all_revisions": True}).json()["packets"]
    assert door.get("/v1/documents/orders*/search", params={"pattern": "limit"}).status_code == 404


def test_a_diff_and_a_summary_are_those_of_the_command_line(
    door: TestClient, mine: Sample, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    answer = door.get("/v1/diff", params={"old": OLD_NAME, "new": NEW_NAME})
    DiffAnswer.model_validate_json(answer.content)
    assert without_next(answer.json()) == printed(mine, capsysbinary, "diff", OLD_NAME, NEW_NAME)
    assert door.get("/v1/diff", params={"old": OLD_NAME, "new": NEW_NAME, "pointer": "/info"}).json()["pairs"]
    assert door.get("/v1/diff", params={"old": OLD_NAME, "new": NEW_NAME, "limit": 1}).json()["more"]
    assert without_next(door.get(SUMMARY).json()) == printed(mine, capsysbinary, "summary", OLD_NAME)
    assert door.get(SUMMARY, params={"kind": "nothing"}).json()["code"] == "unknown_kind"


def test_the_answer_of_read_is_one_of_the_two_published(door: TestClient) -> None:
    published = door.get("/v1/openapi.json").json()["paths"]["/v1/documents/{resource}/read"]["get"]["responses"]["200"]
    assert len(published["content"]["application/json"]["schema"]["anyOf"]) == 2
    TypeAdapter(PacketAnswer | PacketsAnswer).validate_json(door.get(READ, params={"pointer": ""}).content)


def ways(name: str) -> list[tuple[str, dict[str, str]]]:
    path = f"/v1/documents/{quote(name, safe='')}"
    return [
        (f"{path}/read", {"pointer": "/limit"}),
        (f"{path}/read", {"operation": "get /x"}),
        (f"{path}/read", {"quote": "limit"}),
        (f"{path}/search", {"pattern": "limit"}),
        (f"{path}/summary", {}),
        ("/v1/search", {"resource": name, "pattern": "limit"}),
        ("/v1/search", {"resource": name.replace("a.json", "*"), "pattern": "limit"}),
        ("/v1/diff", {"old": OPEN, "new": name}),
        (f"/v1/resources/{quote(name, safe='')}", {}),
    ]


def test_what_is_hidden_is_told_as_what_is_absent(tmp_path: Path) -> None:
    absent = SECRET.replace("secret", "absent")
    with opened(tmp_path) as door:
        for (path, asked), (other_path, other_asked) in zip(ways(SECRET), ways(absent), strict=True):
            hidden, gone = door.outsider.get(path, params=asked), door.outsider.get(other_path, params=other_asked)
            assert (hidden.status_code, gone.status_code) == (404, 404)
            told, other = hidden.json(), gone.json()
            assert told["detail"].replace("secret", "absent") == other["detail"]
            assert {name: told[name] for name in told if name not in ("detail", "request_id")} == {
                name: other[name] for name in other if name not in ("detail", "request_id")
            }
            assert sorted(hidden.headers) == sorted(gone.headers)


def test_of_what_is_masked_places_are_told_and_no_content(tmp_path: Path) -> None:
    path = f"/v1/documents/{quote(BLURRED, safe='')}/read"
    with opened(tmp_path) as door:
        found = door.outsider.get(path, params={"pointer": "/limit"})
        assert (found.status_code, found.json()["lines"], "123456" in found.text) == (200, [1, 1], False)
        for wrong in ("/nothing", "/limit/deeper"):
            refused = door.outsider.get(path, params={"pointer": wrong}).json()
            assert (refused["code"], refused.keys() & {"keys", "nearest", "n_children"}) == ("not_found", set())
        for asked in ({"quote": "limit"}, {"operation": "get /x"}, {"schema": "X"}, {"case": "a/b"}):
            refused = door.outsider.get(path, params=asked).json()
            assert refused["code"] == "masked"
