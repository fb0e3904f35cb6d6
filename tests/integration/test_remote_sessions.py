"""Sessions, loops and the reading port over a server: what is stored, refused and read is as over a store that is here."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import orjson
import pytest

from api.client import EvidenceClient, RemoteServices, Retry, remote_services
from api.loop import Runner
from api.projecting import StoreReader
from api.sessions import Session, ToolRequest
from api.settings import Settings
from api.tools import call_tool
from api.wiring import AgentServices, Services, open_services
from evidence_store.access import Grant
from evidence_store.errors import Conflict, JsonValue, NotPermitted, StoreUnavailable
from evidence_store.model import EvidenceId, Format, ResourceName, TaskName, TaskRevision
from evidence_store.store.keys import KeyRequest
from evidence_store.store.put_request import PutRequest
from projector import Principal, Profile
from tests.serving import serving

PROFILE = Profile("openai", "m", 32_768, 4_096, 1_024, "o200k_base")
TASK = TaskName("a task/with a slash")
READ: dict[str, JsonValue] = {"resource": "a.json", "pointer": "/lines/3"}
DOCUMENT = orjson.dumps({"lines": [f"line {n}: the job went on" for n in range(400)]})


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Services]:
    with open_services(Settings(tmp_path / "store"), create=True) as services:
        yield services


@pytest.fixture
def url(here: Services) -> Iterator[str]:
    with serving(here) as url:
        yield url


def key_of(here: Services, *grants: Grant, clearances: frozenset[str] | None = None) -> str:
    return here.store.keys.create(KeyRequest("tests", frozenset(grants), clearances), "tests").secret


@pytest.fixture
def there(here: Services, url: str) -> Iterator[RemoteServices]:
    with remote_services(EvidenceClient(url, key_of(here, *Grant))) as services:
        yield services


def begin(services: AgentServices) -> Session:
    services.store.sources.put(PutRequest(ResourceName("a.json"), format=Format.JSON), [DOCUMENT])
    task = services.store.tasks.add_revision(TaskRevision(TASK, 1, "Read.", (), (), ()), "user:u")
    return Session(services, task, "agent:a/1", PROFILE, "You read.", "Go on. Never touch /beta.", clock=lambda: 1_700_000_000_000_000)


def test_a_session_is_stored_as_by_one_that_is_here(here: Services, there: RemoteServices) -> None:
    session = begin(there)
    first = session.next_input()
    session.confirm_sent()
    assert session.report_usage({"prompt_tokens": first.tokens * 2}) is not None
    session.act("I read.", [ToolRequest("read_spec", READ), ToolRequest("nothing", {})])
    second = session.next_input()
    session.say("Thanks.")
    run = replace(session.run, workspace=here.store.core.workspace)
    stored, read = here.store.histories.get(run), there.store.histories.get(session.run)
    assert read == replace(stored, run=session.run, messages=read.messages)
    assert [(one.step, one.role, orjson.loads(one.body)) for one in read.messages] == [
        (one.step, one.role, orjson.loads(one.body)) for one in stored.messages
    ]
    assert [row.used_tokens for row in here.store.runs.list_projections(run)] == [first.tokens, second.tokens]
    assert there.store.histories.list_used_tokens(session.run) == here.store.histories.list_used_tokens(run)
    assert [one.usage.reported for one in here.store.runs.list_usages(run)] == [first.tokens * 2]
    grades = {one.exposure.grade for one in here.store.histories.list_exposures(run, 0, 100)}
    assert {"delivered", "projected"} <= grades
    assert [one.text for one in there.store.tasks.list_proposals(TASK)] == ["Never touch /beta."]


def test_a_session_is_opened_again_and_who_held_it_is_refused(there: RemoteServices) -> None:
    first = begin(there)
    first.next_input()
    first.act("I read.", [ToolRequest("read_spec", READ)])
    again = Session(there, there.store.tasks.get_revision(TASK), "", PROFILE, "You read.", "", run=first.run, clock=lambda: 1)
    assert again.reopened is not None
    assert (again.reopened.agent, again.n_steps) == ("agent:a/1", 1)
    assert [one.id for packets in again.reopened.results.values() for one in packets]
    with pytest.raises(Conflict) as taken:
        first.next_input()
    assert taken.value.error_code == "run_taken"
    assert again.next_input().in_exchanges


def chat(messages: Sequence[Any], tools: Sequence[Any]) -> dict[str, Any]:
    """Reads once, claims what stands there, and ends."""
    said = orjson.dumps(messages).decode()
    if "record_claim" in said.split("read_spec")[-1]:
        return {"role": "assistant", "content": "Done."}
    if "[evidence ev_" not in said:
        return _call("read_spec", {"resource": "a.json", "pointer": "/lines/7"})
    id_ = said.split("[evidence ev_")[1][:12]
    about = {"resource": "a.json", "pointer": "/lines/7"}
    return _call("record_claim", {"about": about, "text": "`line 7` went on.", "citations": [{"evidence": f"ev_{id_}", "role": "support"}]})


def _call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    call = {"id": "c", "type": "function", "function": {"name": name, "arguments": orjson.dumps(arguments).decode()}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def test_a_runner_takes_an_agent_to_its_end(here: Services, there: RemoteServices) -> None:
    begin(there)
    report = Runner(there, PROFILE, "You read.").run(there.store.tasks.get_revision(TASK), "agent:b/1", "Go on.", chat)
    assert (report.how, [one.standing for one in report.claims], report.n_steps) == ("concluded", ["verified"], 3)
    (claim,) = here.store.claims.list_claims(TASK)
    assert (claim.author, claim) == ("agent:b/1", report.claims[0])


def test_the_reading_port_asks_once_for_a_step(here: Services, url: str) -> None:
    begin(here)
    paths: list[str] = []
    ids = [packet.id for n in range(150) for packet in _read(here, f"/lines/{n}")]
    transport = _Counting(paths)
    with remote_services(EvidenceClient(url, key_of(here, Grant.EVIDENCE_READ), transport=transport)) as services:
        reader = StoreReader(services)
        assert list(reader.find_all([*ids[:90], EvidenceId("ev_000000000000")])) == ids[:90]
        assert paths == ["/v1/evidence:resolve"]
        assert list(reader.find_all(ids[:90])) == ids[:90]
        assert len(paths) == 1
        assert list(reader.find_all(ids)) == ids
        assert len(paths) == 2
        found = reader.find_evidence(ids[:3], Principal(()))
        assert [one.id for one in found] == ids[:3]


class _Counting(httpx2.HTTPTransport):
    def __init__(self, paths: list[str]) -> None:
        super().__init__()
        self._paths = paths

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        self._paths.append(request.url.path)
        return super().handle_request(request)


def _read(services: Services, pointer: str) -> Sequence[Any]:
    return call_tool(services.tools(), "read_spec", {"resource": "a.json", "pointer": pointer}, recording=False).packets


def test_what_a_key_is_not_cleared_for_is_not_there(here: Services, url: str) -> None:
    begin(here)
    here.store.sources.put(PutRequest(ResourceName("secret.json"), format=Format.JSON, labels=("board",)), [b'{"a": 1}'])
    (hidden,) = call_tool(here.tools(), "read_spec", {"resource": "secret.json", "pointer": "/a"}, recording=False).packets
    (shown,) = _read(here, "/lines/1")
    key = key_of(here, Grant.EVIDENCE_READ, clearances=frozenset())
    with remote_services(EvidenceClient(url, key)) as services:
        assert list(StoreReader(services).find_all([hidden.id, shown.id])) == [shown.id]


def test_a_key_without_the_grant_and_a_server_that_is_gone_are_told(here: Services, url: str) -> None:
    begin(here)
    with remote_services(EvidenceClient(url, key_of(here, Grant.EVIDENCE_READ))) as reader:
        with pytest.raises(NotPermitted) as refused:
            reader.store.runs.start(TASK, "agent:a/1", "Go on.")
        assert refused.value.error_code == "grant_missing"
    with remote_services(EvidenceClient("http://127.0.0.1:9", "es_x", retry=Retry(attempts=1))) as gone:
        with pytest.raises(StoreUnavailable) as unreachable:
            gone.store.tasks.get_revision(TASK)
        assert unreachable.value.error_code == "unreachable"
