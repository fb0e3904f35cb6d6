"""Wrapped tools whose store is behind a server: each text is the one of a store that is here, and what it leaves out can be read."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson
import pytest

from api.adapters import Call, History, Results, Told, open_wrapper
from api.client import EvidenceClient, remote_services
from api.errors import WrongUse
from api.settings import Settings
from api.wiring import Services, open_services
from api.wrap import ResultBudget, ToolWrapper, Treatment, Wanted, WrapRules, wrap
from evidence_store.access import Grant
from evidence_store.errors import JsonValue, NotPermitted
from evidence_store.model import LabelPolicy, Outcome, ResourceName, TaskName, TaskRevision
from evidence_store.store.keys import KeyRequest
from tests.integration.wrapping import WINDOW, call_in, logs, read_on, rules_of
from tests.serving import serving

PODS: JsonValue = {"kind": "List", "items": [{"metadata": {"name": f"pod-{n}"}, "spec": "x" * 600} for n in range(300)]}
WRITES = frozenset((Grant.EVIDENCE_READ, Grant.EVIDENCE_WRITE, Grant.TASK_WRITE, Grant.CLAIM_WRITE))
Both = tuple[ToolWrapper, ToolWrapper]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Services]]:
    with open_services(Settings(tmp_path_factory.mktemp("there")), create=True) as services, serving(services) as url:
        yield url, services


@pytest.fixture
def key(server: tuple[str, Services]) -> str:
    return server[1].store.keys.create(KeyRequest("tests", WRITES, None), "tests").secret


@pytest.fixture
def client(server: tuple[str, Services], key: str) -> Iterator[EvidenceClient]:
    with EvidenceClient(server[0], key) as client:
        yield client


@pytest.fixture
def both(client: EvidenceClient, tmp_path: Path) -> Iterator[Both]:
    """A wrapper over a store that is here, and one over the server."""
    with open_services(Settings(tmp_path / "here"), create=True) as services:
        yield ToolWrapper(services, WrapRules(ResultBudget(WINDOW))), ToolWrapper(remote_services(client), WrapRules(ResultBudget(WINDOW)))


def broken() -> Iterator[str]:
    yield logs(1_000)
    raise RuntimeError("the pipe broke")


@pytest.mark.parametrize(
    ("name", "tool", "filters"),
    [
        ("small", lambda: "ok\n", {}),
        ("nothing", lambda: "", {}),
        ("log", lambda: logs(3_000), {}),
        ("pods", lambda: PODS, {}),
        ("bytes", lambda: bytes(range(256)) * 400, {}),
        ("grep", lambda: logs(2_000) + "the pump FAILED at 12\n", {"grep": "FAILED at [0-9]+"}),
        ("grep_none", lambda: logs(2_000), {"grep": "PANIC"}),
        ("tail", lambda: logs(2_000), {"tail_n": 3}),
        ("fields", lambda: PODS, {"pointer": "/items", "fields": ["/metadata/name"]}),
        ("place", lambda: PODS, {"pointer": "/items/7/metadata"}),
        ("no_place", lambda: PODS, {"pointer": "/items/7/nothing"}),
        ("broken", broken, {}),
    ],
)
def test_a_result_is_the_same_wherever_it_is_stored(both: Both, name: str, tool: Callable[[], object], filters: dict[str, object]) -> None:
    here, there = (one.call(name, tool, filters) for one in both)
    assert there.text == here.text
    assert (there.treatment, there.outcome) == (here.treatment, here.outcome)
    assert [one.id for one in there.packets] == [one.id for one in here.packets]
    assert (there.revision and there.revision.digest) == (here.revision and here.revision.digest)


def test_what_was_left_out_is_read_by_the_call_that_the_text_names(both: Both) -> None:
    text = logs(3_000)
    result = both[1].call("get_lines", lambda: text, {})
    assert result.treatment is Treatment.OFFLOADED
    tool, arguments = call_in(result.text)
    head, tail = result.packets[-2:]
    assert head.excerpt + read_on(both[1].context.tools, tool, arguments) + tail.excerpt == text


def test_our_own_tools_answer_as_they_do_here(both: Both) -> None:
    for wrapper in both:
        wrapper.call("own", lambda: logs(3_000), {})
    for name, arguments in (
        ("read_log", {"resource": "own", "lines": "3-5"}),
        ("read_log", {"resource": "own", "bytes": "10-20"}),
        ("read_log", {"resource": "nothing", "lines": "3-5"}),
        ("search", {"resource": "own", "pattern": "took", "limit": 3}),
        ("read_log", {"resource": "own", "lines": "1-3000", "max_tokens": 100_000}),
        ("no_such_tool", {}),
        ("record_claim", {}),
        ("list_claims", {}),
    ):
        here, there = (one.answer(name, arguments) for one in both)  # type: ignore[arg-type]
        if arguments.get("resource") != "nothing":  # that names what there is
            assert there.text == here.text
        assert (there.treatment, there.outcome) == (Treatment.OWN, here.outcome)


def test_a_decorated_tool_and_an_asynchronous_one(server: tuple[str, Services], key: str) -> None:
    text = logs(3_000)

    def get_logs(pod: str) -> str:
        return text

    async def get_logs_soon(pod: str) -> str:
        return text

    with open_wrapper(server[0], window=WINDOW, key=key) as wrapper:
        assert wrap(wrapper, get_logs)("web").startswith("[offloaded get_logs: ")
        assert asyncio.run(wrap(wrapper, get_logs_soon)("web")).startswith("[offloaded get_logs_soon: ")
    assert server[1].store.sources.get_bytes(ResourceName("get_logs?pod=web"), 1) == text.encode()


def test_a_saved_history_is_seen_as_here(both: Both) -> None:
    told = [Told(logs(900), turn, Call("past", {"turn": turn})) for turn in range(4)]
    here, there = (History(Results(one), cap_tokens=3_000).seen(told) for one in both)
    assert there == here
    assert any("see evidence ev_" in text for text in there.values())


def test_calls_of_a_run_are_pinned_and_exposed_in_it(client: EvidenceClient, server: tuple[str, Services]) -> None:
    services = remote_services(client)
    services.store.tasks.add_revision(TaskRevision(TaskName("t"), 1, "Read.", (), (), ()), "user:u")
    run = services.store.runs.start(TaskName("t"), "agent:a/1", "Go on.")
    wrapper = ToolWrapper(services, rules_of(), services.store.runs.open_step(run))
    for n in range(2):
        client.put_revision("watched.log", f"line {n}\n".encode())
        assert "line 0" in wrapper.answer("read_log", {"resource": "watched.log", "lines": "1-1"}).text
    twice = [wrapper.call("steps", lambda: logs(3_000), {}, call="call_1").revision for _ in range(2)]
    assert twice[0] == twice[1]
    observed = server[1].store.sources.list_observations(ResourceName("steps"), 1, 0, 10)
    assert [one.idempotency_key for _, one in observed] == ["t/run 1/step 1/call_1"]


def test_a_server_that_refuses_gives_an_error_and_nothing_of_the_result(server: tuple[str, Services]) -> None:
    reader = server[1].store.keys.create(KeyRequest("reader", frozenset((Grant.EVIDENCE_READ,)), None), "tests").secret
    with open_wrapper(server[0], window=WINDOW, key=reader) as wrapper:
        result = wrapper.call("refused", lambda: logs(3_000), {})
    assert (result.treatment, result.outcome) == (Treatment.FAILED, Outcome.ERROR)
    assert result.text.startswith("[error grant_missing]")
    assert "took" not in result.text


def test_a_key_beside_a_folder_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="a folder needs none"), open_wrapper(tmp_path, window=WINDOW, key="es_x"):
        pass


def test_what_a_key_sees_masked_is_shown_by_no_preview(server: tuple[str, Services], client: EvidenceClient) -> None:
    store = server[1].store
    store.permissions.set_policy("board", LabelPolicy.MASKED, "tests")
    client.put_revision("board.json", orjson.dumps(PODS), labels=["board"])
    outsider = store.keys.create(KeyRequest("outsider", frozenset((Grant.EVIDENCE_READ,)), frozenset()), "tests").secret
    with EvidenceClient(server[0], outsider) as other:
        with pytest.raises(NotPermitted) as masked:
            other.preview_revision("board.json", 1, Wanted("t", 500))
        assert masked.value.error_code == "masked"
