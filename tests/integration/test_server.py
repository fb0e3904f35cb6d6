"""`evidence serve` as a process of its own, over a real store, on the loopback interface."""

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.unit.api.routes.sample import Sample, make_sample

COMMAND = (sys.executable, "-c", "from api.cli import main; raise SystemExit(main())")
TIMEOUT_S = 60


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return make_sample(tmp_path_factory.mktemp("store"))


def start(store: Path, port: int) -> subprocess.Popen[str]:
    words = (*COMMAND, "serve", "--unauthenticated", "--log", "off", "--port", str(port), "--store", str(store))
    return subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def read_port(server: subprocess.Popen[str]) -> int:
    """From the one line that says the address."""
    assert server.stderr is not None
    found = re.fullmatch(r"serving on http://127\.0\.0\.1:(\d+)/ until Ctrl-C\n", server.stderr.readline())
    assert found is not None
    return int(found[1])


@pytest.fixture
def server(sample: Sample) -> Iterator[subprocess.Popen[str]]:
    process = start(sample.folder, 0)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def fetch(port: int, path: str, host: str | None = None) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
    try:
        connection.request("GET", path, headers={} if host is None else {"Host": host})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def test_the_three_pages_open_and_the_server_stops_when_told(server: subprocess.Popen[str], sample: Sample) -> None:
    port = read_port(server)
    status, report = fetch(port, f"/reports/{sample.report}")
    assert (status, "API compatibility report" in report) == (200, True)
    links = re.findall(r'href="\.\.(/evidence/ev_[0-9a-z]+)"', report)
    assert f"/evidence/{sample.old}" in links
    assert [fetch(port, link)[0] for link in links] == [200] * len(links)
    status, trace = fetch(port, f"/trace/{sample.old}")
    assert (status, "<mark>100</mark>" in trace) == (200, True)
    assert fetch(port, f"/v1/evidence/{sample.old}")[0] == 200
    assert fetch(port, "/", host="elsewhere.example")[0] == 421
    server.send_signal(signal.SIGTERM)
    out, err = server.communicate(timeout=TIMEOUT_S)
    assert (server.returncode, out, err) == (0, "", "")


def test_ctrl_c_is_a_good_end(server: subprocess.Popen[str]) -> None:
    assert fetch(read_port(server), "/healthz")[0] == 200
    server.send_signal(signal.SIGINT)
    assert (server.communicate(timeout=TIMEOUT_S), server.returncode) == (("", ""), 0)


def test_a_taken_port_is_said_in_one_line(sample: Sample) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        process = start(sample.folder, port)
        out, err = process.communicate(timeout=TIMEOUT_S)
    assert (process.returncode, out, err.count("\n")) == (2, "", 1)
    assert f"port {port} cannot be had" in err
    assert "--port" in err


def test_a_number_that_is_no_port_is_wrong_use(sample: Sample) -> None:
    process = start(sample.folder, 70_000)
    _, err = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 2
    assert "70000 is no port" in err
