"""A served store with a published report in it, made once; keys of several kinds."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from api.client import EvidenceClient
from api.settings import Settings
from api.wiring import Services, open_services
from evidence_store.access import Grant
from evidence_store.store.keys import KeyRequest
from tests.serving import serving
from tests.unit.api.routes.sample import Sample, make_sample


@dataclass(frozen=True, slots=True)
class Served:
    url: str
    services: Services
    sample: Sample
    key: str
    """May do all but what `admin` may."""


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    sample = make_sample(tmp_path_factory.mktemp("store"))
    with open_services(Settings(sample.folder)) as services:
        key = services.store.keys.create(KeyRequest("tests", frozenset(Grant) - {Grant.ADMIN}, None), "tests")
        with serving(services) as url:
            yield Served(url, services, sample, key.secret)


@pytest.fixture
def client(served: Served) -> Iterator[EvidenceClient]:
    with EvidenceClient(served.url, served.key) as client:
        yield client
