"""Commands on a store behind a server print what they print on its folder."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from api.cli import remote as commands
from api.client import EvidenceClient
from api.settings import AT_URL, KEY_VARIABLE, STORE_VARIABLE
from evidence_store.access import Grant
from tests.e2e.command import Done, Evidence
from tests.serving import Server, served
from tests.unit.api.routes.sample import LIMIT, NEW_NAME, OLD_NAME, Sample, make_sample


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return make_sample(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def server(sample: Sample) -> Iterator[Server]:
    with served(sample.folder, Grant.EVIDENCE_READ, Grant.EVIDENCE_WRITE) as server:
        yield server


@pytest.fixture
def here(capsysbinary: pytest.CaptureFixture[bytes], sample: Sample) -> Evidence:
    return Evidence(capsysbinary, sample.folder)


@pytest.fixture
def at_url(server: Server, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(KEY_VARIABLE, server.key)
    return server.url


def without_values(done: Done) -> object:
    """A packet's value is not told by a server: its numbers would not come as they were written."""
    return _without(orjson.loads(done.out)) if done.out.startswith(b"{") else done.out


def _without(shown: Any) -> object:
    if isinstance(shown, dict):
        return {name: _without(one) for name, one in shown.items() if name != "value"}
    return [_without(one) for one in shown] if isinstance(shown, list) else shown


@pytest.mark.parametrize("json", [False, True])
@pytest.mark.parametrize(
    "words",
    [
        ("read", OLD_NAME, "--pointer", f"{LIMIT}/schema/maximum"),
        ("read", OLD_NAME, "--operation", "get /orders", "--parameter", "limit", "--max-tokens", "30"),
        ("read", OLD_NAME, "--head", "2"),
        ("read", OLD_NAME, "--bytes", "3-9"),
        ("read", OLD_NAME, "--pointer", "/paths/~1orders", "--keys"),
        ("read", OLD_NAME, "--pointer", "/nothing"),
        ("read", OLD_NAME),
        ("get", "OLD"),
        ("get", "OLD", "--task", "orders: v1 to v2"),
        ("get", "OLD", "--expand", "lines:2"),
        ("get", "ev_000000000000"),
        ("summary", NEW_NAME, "--kind", "json-shape"),
        ("search", OLD_NAME, "limit"),
        ("search", "orders-*", "limit", "--limit", "1"),
        ("search", OLD_NAME, "nowhere"),
        ("diff", OLD_NAME, NEW_NAME),
        ("locate", "OLD", "--in", NEW_NAME),
        ("trace", "REPORT"),
        ("trace", "nothing"),
        ("resources",),
        ("resources", OLD_NAME),
        ("cat", OLD_NAME),
        ("cat", "nothing"),
    ],
)
def test_it_prints_the_same(here: Evidence, at_url: str, sample: Sample, words: tuple[str, ...], json: bool) -> None:
    named = [{"OLD": sample.old, "REPORT": sample.report}.get(word, word) for word in words]
    asked = [*named, "--json"] if json else named
    folder, remote = (here.bare(*asked, "--store", store) for store in (str(sample.folder), at_url))
    assert remote.code == folder.code
    assert without_values(remote) == without_values(folder)
    assert remote.err == folder.err


def test_a_report_is_checked(here: Evidence, server: Server, at_url: str, sample: Sample, tmp_path: Path) -> None:
    with EvidenceClient(server.url, server.key) as client:
        body = client.get_report(sample.report).body
    for number, text in enumerate((body, body.replace('"50"', '"51"'))):
        path = tmp_path / f"{number}.md"
        path.write_text(text, encoding="utf-8")
        folder, remote = (here.bare("check", path, "--store", store, "--json") for store in (str(sample.folder), at_url))
        assert (remote.code, remote.out) == (folder.code, folder.out)
    assert remote.code == 1


def test_a_file_is_put(here: Evidence, at_url: str, tmp_path: Path) -> None:
    path = tmp_path / "job.log"
    path.write_bytes(b"the job went on\n" * 50_000)
    done = here.bare("put", path, "--resource", "put/job.log", "--store", at_url, "--json").answer()
    assert (done["revision"], done["size"], done["created"]) == (1, 800_000, True)
    assert here.bare("cat", "put/job.log", "--store", at_url).out == path.read_bytes()


def test_the_address_may_stand_in_the_environment(here: Evidence, at_url: str, monkeypatch: pytest.MonkeyPatch, sample: Sample) -> None:
    monkeypatch.setenv(STORE_VARIABLE, at_url)
    assert here.bare("get", sample.old, "--json").answer()["excerpt"] == "100"


@pytest.mark.parametrize("words", [("verify",), ("init",), ("steps", "t"), ("serve",), ("mcp", "serve")])
def test_what_works_on_a_folder_only_says_what_works(here: Evidence, at_url: str, words: tuple[str, ...]) -> None:
    refused = here.bare(*words, "--store", at_url, "--json").error(2)
    assert refused["code"] == "wrong_use"
    assert refused["known"] == list(AT_URL)


def test_without_a_key_and_without_a_server(here: Evidence, at_url: str, monkeypatch: pytest.MonkeyPatch, sample: Sample) -> None:
    monkeypatch.delenv(KEY_VARIABLE)
    assert here.bare("get", sample.old, "--store", at_url, "--json").error(2)["code"] == "unauthenticated"
    assert here.bare("get", sample.old, "--store", "https://", "--json").error(2)["code"] == "wrong_use"


def test_each_command_that_is_named_is_there() -> None:
    assert sorted(name.removeprefix("run_") for name in vars(commands) if name.startswith("run_")) == list(AT_URL)
