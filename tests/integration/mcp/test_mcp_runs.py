"""The run of an agent that comes by MCP alone: what it was shown is kept, so that its claims verify and lead back to the bytes."""

import pytest
from mcp import Client

from api.mcp import runs
from api.mcp.runs import RunName, parse_run
from api.mcp.server import McpOptions, build_server
from api.wiring import Services
from evidence_store.errors import NotFound
from evidence_store.model import Grade, TaskName
from evidence_store.trace import trace
from tests.factories import API, TASK, open_step, put
from tests.integration.mcp.clients import CLAIM, RECORDING, answer, error, talk, use_everything


def test_an_agent_with_nothing_but_mcp_records_a_claim_that_verifies_and_traces(services: Services, era: str) -> None:
    for n in range(249):
        put(services.store, b'{"n": %d}\n' % n, f"more/{n:03}.json")
    recorded: list[str] = []

    async def main(client: Client) -> None:
        recorded.append(await use_everything(client, 250))

    talk(services, era, main, RECORDING)
    walked = trace(services.store, recorded[0])
    assert (recorded, walked.ok) == (["mcp/C1"], True)
    assert [hop.kind for hop in walked.hops if hop.kind in ("claim", "exposure", "blob")] == ["claim", "exposure", "blob"]
    checked = services.store.checks.verify(deep=True)
    assert checked.faults == ()


def test_what_was_not_delivered_to_the_run_proves_nothing(services: Services, era: str) -> None:
    shown: list[str] = []

    async def read(client: Client) -> None:
        (packet,) = (await answer(client, "read_spec", resource=API, pointer="/limit/maximum"))["packets"]
        shown.append(packet["id"])

    async def claim(client: Client) -> None:
        found = await answer(client, "record_claim", **CLAIM, citations=[{"evidence": shown[0], "role": "support"}])
        assert (found["standing"], found["run"]) == ("open", "mcp/2")
        assert "not_exposed" in found["reason"]

    talk(services, era, read, RECORDING)
    talk(services, era, claim, RECORDING)
    (exposure,) = services.store.runs.list_exposures(shown[0])  # type: ignore[arg-type]
    assert (exposure.grade, exposure.in_full, exposure.step.run.number) == (Grade.DELIVERED, True, 1)


def test_a_call_may_name_its_run_or_begin_one(services: Services, era: str) -> None:
    async def main(client: Client) -> None:
        runs = [(await answer(client, "list_resources", **named))["run"] for named in ({}, {"run": "new"}, {}, {"run": "mcp/2"})]
        assert runs == ["mcp/1", "mcp/2", "mcp/1", "mcp/2"]

    talk(services, era, main)


def test_a_run_pins_what_it_read_first(services: Services, era: str) -> None:
    async def main(client: Client) -> None:
        first = await answer(client, "read_spec", resource=API, pointer="/limit")
        put(services.store, b'{"limit": {"maximum": 10}}\n')
        again = await answer(client, "read_spec", resource=API, pointer="/limit")
        newest = await answer(client, "read_spec", resource=API, pointer="/limit", run="new")
        assert [one["packets"][0]["revision"] for one in (first, again, newest)] == [1, 1, 2]

    talk(services, era, main)


def test_a_setting_names_the_run_or_the_task(services: Services, era: str) -> None:
    step = open_step(services.store)
    seen: list[str] = []

    async def main(client: Client) -> None:
        seen.append((await answer(client, "list_resources"))["run"])

    for name in (f"{TASK}/1", TASK, "another"):
        talk(services, era, main, McpOptions(run=parse_run(name)))
    assert (step.run.number, seen) == (1, [f"{TASK}/1", f"{TASK}/2", "another/1"])
    with pytest.raises(NotFound):
        build_server(services, McpOptions(run=RunName(TASK, 9)))


def test_a_task_that_is_begun_so_has_no_scope(services: Services) -> None:
    async def main(client: Client) -> None:
        await answer(client, "get_progress")

    talk(services, "auto", main)
    made = services.store.tasks.get_revision(TaskName("mcp"))
    assert (made.number, made.goal, made.in_scope, made.excluded, made.constraints) == (1, "", (), (), ())


def test_progress_and_claims_are_those_of_the_task(services: Services, era: str) -> None:
    async def main(client: Client) -> None:
        await answer(client, "record_progress", items=[{"subject": "get /orders", "state": "doing"}])
        assert (await answer(client, "get_progress"))["items"] == [{"subject": "get /orders", "state": "doing"}]
        refused = await error(client, "record_claim", {**CLAIM, "citations": [{"evidence": "ev_000000000000", "role": "support"}]})
        assert refused["advice"] == "retry_with"
        assert (await answer(client, "list_claims"))["claims"] == []

    talk(services, era, main, RECORDING)


def test_of_more_callers_than_a_server_knows_the_one_that_called_long_ago_begins_another_run(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "MAX_CALLERS", 2)
    connection, entered = runs.Connection(), runs.ImplicitRuns(services.store)
    numbers = [entered.enter(runs.Caller(connection, key, "agent"), None).key.number for key in ("a", "b", "a", "c", "a", "b")]
    assert (numbers, len(connection.runs)) == ([1, 2, 1, 3, 1, 4], 2)


@pytest.mark.parametrize("value", [2**70, -(2**70), "\x00", {"deep": [2**60, None, True]}])
def test_arguments_that_canonical_json_cannot_keep_are_kept_all_the_same(services: Services, value: object) -> None:
    async def main(client: Client) -> None:
        assert (await error(client, "read_spec", {"resource": API, "pointer": value}))["advice"] == "retry_with"

    talk(services, "auto", main)
    assert services.store.runs.list_open_calls(services.store.runs.get_run(TaskName("mcp"), 1)) == []
