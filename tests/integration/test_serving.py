"""The server on real sockets: slow clients, names with slashes, proxies, and its end."""

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from api.app import create_app
from api.connections import TimedConnection
from api.settings import Settings
from api.wiring import Services, open_services
from evidence_store.access import Grant
from evidence_store.model import ResourceName
from evidence_store.store.keys import KeyRequest
from tests.conftest import ROOT
from tests.docs.pages import read_page
from tests.integration.http_server import served

COMMAND = (sys.executable, "-c", "from api.cli import main; raise SystemExit(main())")
TIMEOUT_S = 60


class HurriedConnection(TimedConnection):
    head_wait_s = 1.0


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with open_services(Settings(tmp_path / "store"), create=True) as opened:
        yield opened


def headers(services: Services) -> dict[str, str]:
    grants = frozenset([Grant.EVIDENCE_READ, Grant.EVIDENCE_WRITE])
    return {"Authorization": f"Bearer {services.store.keys.create(KeyRequest('test', grants), 'test').secret}"}


def connect(base: str) -> socket.socket:
    host, _, port = base.removeprefix("http://").partition(":")
    return socket.create_connection((host, int(port)), timeout=TIMEOUT_S)


@pytest.mark.parametrize("sent", [b"", b"GET /healthz HTTP/1.1\r\nHost: a", b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /he"])
def test_who_does_not_send_the_head_of_a_request_is_cut_off(services: Services, sent: bytes) -> None:
    with served(create_app(services), http=HurriedConnection) as base, connect(base) as client:
        client.sendall(sent)
        answered = b"".join(iter(lambda: client.recv(65536), b""))
    assert answered.count(b"HTTP/1.1 200") == sent.count(b"\r\n\r\n")


def test_a_head_over_its_bound_is_refused(services: Services) -> None:
    with served(create_app(services), http=TimedConnection, h11_max_incomplete_event_size=65536) as base, connect(base) as client:
        client.sendall(b"GET / HTTP/1.1\r\nX: " + b"a" * 70_000)
        assert client.recv(65536).startswith(b"HTTP/1.1 400")


def test_several_requests_of_one_connection_are_answered(services: Services) -> None:
    with served(create_app(services), http=TimedConnection) as base, httpx2.Client(base_url=base) as client:
        assert [client.get("/healthz").status_code for _ in range(3)] == [200] * 3


def test_slashes_of_a_name_come_through_and_links_are_what_the_proxy_says(services: Services) -> None:
    mine = headers(services)
    for trusted, scheme in (("127.0.0.1", "https"), ("10.0.0.1", "http")):
        app = create_app(services)
        with served(app, proxy_headers=True, forwarded_allow_ips=trusted) as base, httpx2.Client(base_url=base, headers=mine) as client:
            for name in ("a%2Fb.log", "a%2Fc.log"):
                assert client.post(f"/v1/resources/{name}/revisions", content=b"x\n").status_code in (200, 201)
            said = {"Host": "evidence.example", "X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.1"}
            link = client.get("/v1/resources?limit=1", headers=said).headers["link"]
        assert link.startswith(f"<{scheme}://evidence.example/v1/resources?")
    assert services.store.sources.get_revision(ResourceName("a/b.log"), None).size == 2


def test_the_proxies_of_the_page_pass_paths_on_as_they_are() -> None:
    page = read_page("serving.md")
    assert re.findall(r"proxy_pass (\S+);", page) == ["http://127.0.0.1:8420"]
    assert "uri " not in page
    assert "rewrite" not in page


def test_what_is_being_answered_is_finished_and_what_hangs_is_cut_off(services: Services, tmp_path: Path) -> None:
    mine = headers(services)
    words = (*COMMAND, "serve", "--port", "0", "--store", str(tmp_path / "store"))
    environment = {"EVIDENCE_STORE_STOP_AFTER_S": "2", "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stderr is not None
        base = process.stderr.readline().split()[2].rstrip("/")
        head = "POST /v1/resources/{}/revisions HTTP/1.1\r\nHost: a\r\nAuthorization: {}\r\nContent-Length: 6\r\n\r\nabc"
        with connect(base) as hanging, connect(base) as finishing:
            for client, name in ((hanging, "hanging"), (finishing, "finishing")):
                client.sendall(head.format(name, mine["Authorization"]).encode())
            assert httpx2.get(f"{base}/healthz").status_code == 200
            process.send_signal(signal.SIGTERM)
            while not _refuses(base):
                pass
            finishing.sendall(b"def")
            assert finishing.recv(65536).startswith(b"HTTP/1.1 201")
            process.wait(TIMEOUT_S)
            assert not hanging.recv(65536).startswith(b"HTTP/1.1 2")
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 0
    assert [one.name for one, _ in services.store.sources.list_resources()] == ["finishing"]
    assert services.store.checks.verify(deep=True).faults == ()


def _refuses(base: str) -> bool:
    try:
        connect(base).close()
    except ConnectionRefusedError:
        return True
    return False
