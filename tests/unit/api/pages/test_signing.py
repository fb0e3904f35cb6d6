"""Signing in with a key: a cookie for pages alone, and no way for a page elsewhere to use it."""

import re
from collections.abc import Iterator
from html import unescape

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.auth import COOKIE
from api.pages.signing import own_path
from api.settings import Settings
from api.wiring import Services, open_services
from evidence_store.access import Grant
from evidence_store.store.keys import KeyRequest
from tests.unit.api.routes.sample import Sample, make_sample


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return make_sample(tmp_path_factory.mktemp("store"))


@pytest.fixture
def services(sample: Sample) -> Iterator[Services]:
    with open_services(Settings(sample.folder)) as opened:
        yield opened


@pytest.fixture
def reader(services: Services) -> TestClient:
    return TestClient(create_app(services), follow_redirects=False)


def key(services: Services, *grants: Grant) -> str:
    return services.store.keys.create(KeyRequest("reader", frozenset(grants or [Grant.EVIDENCE_READ])), "test").secret


def test_a_reader_is_asked_for_a_key_and_comes_back_to_the_page(reader: TestClient, services: Services, sample: Sample) -> None:
    path = f"/evidence/{sample.old}?x=1&y=%22"
    asked = reader.get(path)
    assert (asked.status_code, asked.headers["www-authenticate"], asked.headers["cache-control"]) == (401, "Bearer", "no-store")
    back = re.search(r'name="next" value="([^"]*)"', asked.text)
    assert back is not None
    assert unescape(back[1]) == path
    signed = reader.post("/sign-in", data={"key": key(services), "next": unescape(back[1])})
    assert (signed.status_code, signed.headers["location"]) == (303, path)
    assert [reader.get(one).status_code for one in (path, "/", f"/reports/{sample.report}", f"/trace/{sample.old}")] == [200] * 4
    assert "Signed in as" in reader.get("/sign-in").text
    out = reader.post("/sign-out")
    assert (out.status_code, out.headers["location"], reader.get(path).status_code) == (303, "/sign-in", 401)


def test_the_cookie_is_for_this_site_and_no_script(reader: TestClient, services: Services) -> None:
    said = reader.post("/sign-in", data={"key": key(services)}).headers["set-cookie"].lower()
    assert {"httponly", "samesite=strict", "path=/"} <= set(said.split("; "))
    assert "secure" not in said
    assert "max-age" not in said
    safe = TestClient(reader.app, base_url="https://evidence.example", follow_redirects=False)
    assert "secure" in safe.post("/sign-in", data={"key": key(services)}).headers["set-cookie"].lower().split("; ")


def test_the_cookie_counts_for_pages_alone(reader: TestClient, services: Services, sample: Sample) -> None:
    everything = key(services, *Grant)
    reader.cookies.set(COOKIE, everything)
    assert reader.get("/").status_code == 200
    for path in ("/v1/resources", f"/v1/evidence/{sample.old}", "/v1/stats", "/metrics", "/mcp"):
        assert reader.get(path).status_code == 401
    assert reader.post("/v1/resources/a/revisions", content=b"x").status_code == 401
    assert reader.get("/", headers={"Authorization": "Bearer es_wrong"}).status_code == 401, "what is said goes before the cookie"


@pytest.mark.parametrize("secret", ["", "es_" + "A" * 43, "no key", "a\r\nSet-Cookie: b=c", "ü", "x" * 5000])
def test_a_key_that_does_not_work_is_not_kept(reader: TestClient, secret: str) -> None:
    found = reader.post("/sign-in", data={"key": secret, "next": "/x"})
    assert (found.status_code, "set-cookie" in found.headers, "does not work" in found.text) == (401, False, True)
    assert secret not in found.text or not secret


@pytest.mark.parametrize(
    "headers",
    [{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "https://elsewhere.example"}],
    ids=str,
)
def test_a_form_of_a_page_elsewhere_is_refused(reader: TestClient, services: Services, headers: dict[str, str]) -> None:
    for path in ("/sign-in", "/sign-out"):
        found = reader.post(path, data={"key": key(services)}, headers=headers)
        assert (found.status_code, "set-cookie" in found.headers) == (400, False)


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "same-origin", "Origin": "null"}, {"Origin": "http://testserver"}], ids=str)
def test_our_own_form_is_taken(reader: TestClient, services: Services, headers: dict[str, str]) -> None:
    assert reader.post("/sign-in", data={"key": key(services)}, headers=headers).status_code == 303


@pytest.mark.parametrize(
    "text", ["//evil.example", "https://evil.example", "/\\evil.example", "\\\\evil", "a", "", "/a\nb", "javascript:x", "/ü"]
)
def test_no_address_elsewhere_is_led_to(text: str) -> None:
    assert own_path(text) == "/"


def test_forms_may_be_sent_from_this_page_alone(reader: TestClient, services: Services) -> None:
    assert "form-action 'self'" in reader.get("/sign-in").headers["content-security-policy"]
    reader.post("/sign-in", data={"key": key(services)})
    assert "form-action 'none'" in reader.get("/").headers["content-security-policy"]


def test_a_page_that_the_key_may_not_see_says_so(reader: TestClient, services: Services) -> None:
    reader.cookies.set(COOKIE, key(services, Grant.AUDIT_READ))
    assert reader.get("/").status_code == 403


def test_where_nobody_is_asked_nothing_changes(services: Services) -> None:
    owner = TestClient(create_app(services, unauthenticated=True))
    assert (owner.get("/").status_code, owner.get("/sign-in").status_code, "/sign-in" in owner.get("/").text) == (200, 404, False)
