"""What is sent again and when, and what is made of answers that are none."""

import asyncio
from collections.abc import Callable, Iterator

import httpx2
import pytest

from api.client import AsyncEvidenceClient, EvidenceClient, Retry
from api.client.operation import JSON, Operation, post
from api.errors import WrongUse
from evidence_store.canonical import digest_of
from evidence_store.errors import Conflict, IntegrityMismatch, LimitExceeded, NotContainer, StoreFault, StoreUnavailable

PROBLEM = {
    "type": "urn:evidence-store:problem:x",
    "title": "T",
    "status": 503,
    "detail": "locked",
    "code": "store_unavailable",
    "request_id": "1",
}
Handler = Callable[[httpx2.Request], httpx2.Response]


class Script:
    """Answers in order, the last one again; and what was asked, and how long was waited."""

    def __init__(self, *answers: httpx2.Response | type[httpx2.TransportError]) -> None:
        self._answers = list(answers)
        self.asked: list[httpx2.Request] = []
        self.waits: list[float] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        request.read()
        self.asked.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, httpx2.Response):
            return answer
        raise answer("gone", request=request)

    def client(self, retry: Retry = Retry()) -> EvidenceClient:  # noqa: B008 - a frozen value
        return EvidenceClient(
            "https://store.example", "es_key", retry=retry, transport=httpx2.MockTransport(self), wait=self.waits.append, chance=lambda: 1.0
        )


def refused(status: int, **more: object) -> httpx2.Response:
    return httpx2.Response(status, json=PROBLEM | {"status": status} | more)


def resource() -> httpx2.Response:
    shown = {"resource": "a", "kind": "observation", "scope": "", "labels": [], "newest": 1, "digest": digest_of(b"")}
    return httpx2.Response(200, json=shown)


def added(key: str | None = None) -> Operation[object]:
    return post("/v1/things", {"a": 1}, lambda shown: shown, key)


def test_what_may_pass_is_asked_again_with_ever_longer_waits() -> None:
    script = Script(httpx2.ConnectError, refused(503), httpx2.ReadTimeout, resource())
    with script.client() as client:
        assert client.get_resource("a").newest == 1
    assert (len(script.asked), script.waits) == (4, [0.25, 0.5, 1.0])


def test_the_server_says_when() -> None:
    script = Script(httpx2.Response(429, json=PROBLEM | {"status": 429}, headers={"Retry-After": "7"}), resource())
    with script.client() as client:
        client.get_resource("a")
    assert script.waits == [7.0]


@pytest.mark.parametrize("said", ["soon", "Fri, 31 Dec 1999 23:59:59 GMT"])
def test_a_time_that_says_nothing_or_is_past_is_not_waited_for(said: str) -> None:
    script = Script(httpx2.Response(503, json=PROBLEM, headers={"Retry-After": said}), resource())
    with script.client() as client:
        client.get_resource("a")
    assert script.waits == [0.25]


def test_a_server_that_asks_for_more_than_anybody_waits_is_an_error_at_once() -> None:
    script = Script(httpx2.Response(429, json=PROBLEM | {"status": 429, "code": "too_many_requests"}, headers={"Retry-After": "3600"}))
    with script.client() as client, pytest.raises(StoreUnavailable) as refused_:
        client.get_resource("a")
    assert (refused_.value.error_code, script.waits) == ("too_many_requests", [])


def test_attempts_end() -> None:
    script = Script(httpx2.ConnectError)
    with script.client(Retry(attempts=3)) as client, pytest.raises(StoreUnavailable, match="gone") as gone:
        client.get_resource("a")
    assert (gone.value.error_code, len(script.asked)) == ("unreachable", 3)


@pytest.mark.parametrize(("status", "kind"), [(400, None), (404, None), (409, None), (500, None)])
def test_what_will_not_pass_is_not_asked_again(status: int, kind: str | None) -> None:
    script = Script(refused(status, code="that"))
    with script.client() as client, pytest.raises(Exception, match="locked"):
        client.get_resource("a")
    assert len(script.asked) == 1


def test_what_adds_something_has_a_key_and_keeps_it_when_it_is_sent_again() -> None:
    script = Script(httpx2.ReadError, httpx2.Response(201, json={"ok": True}))
    with script.client() as client:
        assert client.send(added()) == {"ok": True}
        client.send(added())
        client.send(added("mine"))
    keys = [one.headers["Idempotency-Key"] for one in script.asked]
    assert keys[0] == keys[1] != keys[2]
    assert keys[3] == "mine"


def test_pieces_that_come_once_are_sent_once() -> None:
    def pieces() -> Iterator[bytes]:
        yield b"x"

    for content, n_asked in ((pieces(), 1), ([b"x"], 5), (b"x", 5)):
        script = Script(httpx2.WriteError)
        with script.client() as client, pytest.raises(StoreUnavailable):
            client.put_revision("a", content)
        assert len(script.asked) == n_asked


def test_an_error_has_its_class_by_kind_and_its_details() -> None:
    script = Script(refused(404, code="odd", kind="not_container", nearest="/a", keys=["b"]))
    with script.client() as client, pytest.raises(NotContainer) as error:
        client.get_resource("a")
    assert (error.value.error_code, error.value.message) == ("odd", "locked")
    assert error.value.details == {"nearest": "/a", "keys": ["b"]}


def test_a_kind_that_is_none_of_its_status_is_not_believed() -> None:
    script = Script(refused(409, code="odd", kind="not_container"))
    with script.client() as client, pytest.raises(Conflict):
        client.get_resource("a")


def test_the_bound_of_a_body_is_a_limit() -> None:
    script = Script(refused(413, code="too_large", limit=5))
    with script.client() as client, pytest.raises(LimitExceeded) as error:
        client.put_revision("a", b"too long")
    assert error.value.details == {"limit": 5}


@pytest.mark.parametrize(
    "answer",
    [
        httpx2.Response(200, content=b"<html>"),
        httpx2.Response(200, json={"resource": "a"}),
        httpx2.Response(200, json=[]),
        httpx2.Response(302, headers={"Location": "https://elsewhere.example/"}),
        httpx2.Response(500, content=b"<html>"),
    ],
)
def test_what_is_no_answer_of_the_service_is_a_fault(answer: httpx2.Response) -> None:
    script = Script(answer)
    with script.client() as client, pytest.raises(StoreFault):
        client.get_resource("a")
    assert [one.url.host for one in script.asked] == ["store.example"]


def test_other_bytes_than_the_digest_names_are_seen() -> None:
    script = Script(httpx2.Response(200, content=b"other", headers={"Content-Type": "application/octet-stream"}))
    with script.client() as client:
        with pytest.raises(IntegrityMismatch):
            client.get_blob(digest_of(b"these"))
        with pytest.raises(IntegrityMismatch):
            list(client.stream_blob(digest_of(b"these")))
        assert list(client.stream_blob(digest_of(b"other"))) == [b"other"]


def test_the_key_and_the_form_of_a_body_are_said() -> None:
    script = Script(httpx2.Response(201, json={}))
    with script.client() as client:
        client.send(added())
    headers = script.asked[0].headers
    assert (headers["Authorization"], headers["Content-Type"]) == ("Bearer es_key", JSON)


@pytest.mark.parametrize("url", ["store.example", "ftp://store.example", "https://", "https://user:word@store.example", "http://[::1"])
def test_an_address_that_is_none_is_wrong_use(url: str) -> None:
    with pytest.raises(WrongUse):
        EvidenceClient(url)


@pytest.mark.parametrize("key", ["", "es key", "es_\n", "es_ü"])
def test_a_key_that_no_header_holds_is_wrong_use(key: str) -> None:
    with pytest.raises(WrongUse) as refused_:
        EvidenceClient("https://store.example", key)
    assert "ü" not in refused_.value.message


def test_the_other_client_waits_and_asks_again_in_the_same_way() -> None:
    script = Script(httpx2.ConnectError, refused(503), resource())

    async def waited(seconds: float) -> None:
        script.waits.append(seconds)

    async def run() -> None:
        transport = httpx2.MockTransport(script)
        async with AsyncEvidenceClient("https://store.example", transport=transport, wait=waited, chance=lambda: 1.0) as client:
            assert (await client.get_resource("a")).newest == 1

    asyncio.run(run())
    assert script.waits == [0.25, 0.5]
