"""The canonical run through the client against a server in another process: the same as over a store that is here."""

from dataclasses import replace
from pathlib import Path

import pytest

from api.client import EvidenceClient, remote_services
from api.demo import DemoResult, Input, run_demo, shipped_pair
from api.settings import Settings
from api.wiring import AgentServices, open_services
from evidence_store.access import Grant
from tests.serving import served

WRITES = (Grant.EVIDENCE_READ, Grant.EVIDENCE_WRITE, Grant.TASK_WRITE, Grant.CLAIM_WRITE)


def compare(services: AgentServices, old: Input, new: Input) -> DemoResult:
    return run_demo(services, old, new, (), lambda news: None)


def over_a_folder(folder: Path, old: Input, new: Input) -> tuple[DemoResult, list[str]]:
    """The result, and the digests of the inputs of its steps."""
    with open_services(Settings(folder), create=True) as services:
        result = compare(services, old, new)
        run = services.store.claims.get_report(result.report_id).run
        return result, [row.input_digest for row in services.store.runs.list_projections(run)]


def test_the_report_is_the_same_byte_for_byte_and_so_is_each_input(tmp_path: Path) -> None:
    old, new = shipped_pair()
    here, inputs = over_a_folder(tmp_path / "here", old, new)
    with served(tmp_path / "there", *WRITES) as server, EvidenceClient(server.url, server.key) as client:
        there = compare(remote_services(client), old, new)
        report = client.get_report(there.report_id)
        (run,) = client.list_runs(report.listed.task)
        walk = client.get_trace(there.report_id)
        checked = client.check_citations(there.body)
    assert there.body.encode() == here.body.encode() == report.body.encode()
    assert (there.report_id, there.spent, there.conclusions) == (here.report_id, here.spent, here.conclusions)
    assert (walk.ok, checked.ok, checked.published) == (True, True, here.report_id)
    with open_services(Settings(tmp_path / "there")) as services:
        key = replace(run.run, workspace=services.store.core.workspace)
        assert [row.input_digest for row in services.store.runs.list_projections(key)] == inputs


def test_a_run_that_was_begun_here_goes_on_there(tmp_path: Path) -> None:
    """Both kinds of services leave the same rows: the second run finds every subject ended, and says the same."""
    old, new = shipped_pair()
    with served(tmp_path / "store", *WRITES) as server, EvidenceClient(server.url, server.key) as client:
        there = compare(remote_services(client), old, new)
    with open_services(Settings(tmp_path / "store")) as services:
        again = compare(services, old, new)
    assert (again.body, again.report_id) == (there.body, there.report_id)


@pytest.mark.airflow
def test_the_real_pair_gives_the_same_report(airflow_pair: tuple[Path, Path], tmp_path: Path) -> None:
    old, new = (Input(path.name, path.read_bytes(), None) for path in airflow_pair)
    here, _ = over_a_folder(tmp_path / "here", old, new)
    with served(tmp_path / "there", *WRITES) as server, EvidenceClient(server.url, server.key) as client:
        there = compare(remote_services(client), old, new)
    assert there.body.encode() == here.body.encode()
    assert (there.report_id, there.spent) == (here.report_id, here.spent)
