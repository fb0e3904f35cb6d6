"""Pages of lists."""

from pathlib import Path
from urllib.parse import quote

from starlette.testclient import TestClient

from api.app import create_app
from api.settings import Settings
from api.wiring import open_services
from evidence_store.model import TaskName, TaskRevision


def test_the_address_of_the_next_page_names_what_no_header_holds(tmp_path: Path) -> None:
    """Names with slashes and other letters than ASCII stand in it as they stand in the path that was asked for."""
    with open_services(Settings(tmp_path / "store"), create=True) as services:
        name = TaskName("größe/klein: ü")
        for number in (1, 2, 3):
            services.store.tasks.add_revision(TaskRevision(name, number, f"Goal {number}.", (), (), ()), "user")
        client = TestClient(create_app(services, unauthenticated=True))
        answer = client.get(f"/v1/tasks/{quote(name, safe='')}/revisions", params={"limit": 2})
        assert answer.headers["Link"].isascii()
        assert [one["revision"] for one in client.get(answer.links["next"]["url"]).json()["data"]] == [3]
