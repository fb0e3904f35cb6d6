"""A reader of the pages over a small real store, made once: no test here changes it."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import Settings
from api.wiring import open_services
from tests.unit.api.routes.sample import Sample, make_sample


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return make_sample(tmp_path_factory.mktemp("store"))


@pytest.fixture
def client(sample: Sample) -> Iterator[TestClient]:
    with open_services(Settings(sample.folder)) as services:
        yield TestClient(create_app(services, unauthenticated=True))
