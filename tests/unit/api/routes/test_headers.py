"""Headers of every answer, and who is answered."""

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from api.routes.headers import SECURITY_HEADERS, LoopbackOnly, host_name


@pytest.mark.parametrize("path", ["/", "/style.css", "/healthz", "/v1/openapi.json", "/nothing", "/v1/nothing"])
def test_every_answer_carries_the_security_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert {name: headers[name] for name in SECURITY_HEADERS} == SECURITY_HEADERS


def test_no_script_image_or_frame_is_allowed() -> None:
    rules = SECURITY_HEADERS["Content-Security-Policy"].split("; ")
    assert rules[:2] == ["default-src 'none'", "style-src 'self'"]
    assert "unsafe" not in SECURITY_HEADERS["Content-Security-Policy"]


def test_each_request_has_an_id_of_its_own(client: TestClient) -> None:
    assert client.get("/healthz").headers["request-id"] != client.get("/healthz").headers["request-id"]


def say_hello(_: Request) -> Response:
    return PlainTextResponse("hello")


@pytest.mark.parametrize(
    ("host", "status"),
    [("127.0.0.1:8420", 200), ("LOCALHOST:1", 200), ("localhost", 200), ("evil.example:8420", 421), ("", 421)],
)
def test_another_name_that_leads_here_is_refused(host: str, status: int) -> None:
    app = LoopbackOnly(Starlette(routes=[Route("/", say_hello)]))
    assert TestClient(app).get("/", headers={"host": host}).status_code == status


@pytest.mark.parametrize(("header", "name"), [("a.b:80", "a.b"), ("A.b", "a.b"), ("[::1]:80", "[::1]"), ("[::1]", "[::1]")])
def test_the_port_is_no_part_of_the_name(header: str, name: str) -> None:
    assert host_name(header) == name
