"""A store with labels, and clients of it with keys: an owner of all, an outsider without a clearance, an administrator of one label."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from starlette.testclient import TestClient

from api.app import create_app
from api.settings import Settings
from api.wiring import Services, open_services
from evidence_store.access import Grant
from evidence_store.model import LabelPolicy, ResourceName
from evidence_store.store.keys import KeyRequest
from evidence_store.store.put_request import PutRequest

OPEN, SECRET, BLURRED = "open/a.json", "secret/a.json", "blurred/a.json"
RED, GREY = "red", "grey"


@dataclass(frozen=True, slots=True)
class Door:
    services: Services
    owner: TestClient
    outsider: TestClient
    """May read, and is cleared for nothing."""
    admin: TestClient
    """May read and administer, and is cleared for one of the two labels."""


@contextmanager
def opened(folder: Path) -> Iterator[Door]:
    with open_services(Settings(folder), create=True) as services:
        for name, labels, number in ((OPEN, (), 50), (SECRET, (RED,), 4711), (BLURRED, (GREY,), 123456)):
            services.store.sources.put(PutRequest(ResourceName(name), labels=labels), [b'{"limit": %d}\n' % number])
        services.store.permissions.set_policy(GREY, LabelPolicy.MASKED, "human:ann")
        app = create_app(services)
        everything = KeyRequest("owner", frozenset(Grant), None, sees_secrets=True)
        outsider = KeyRequest("outsider", frozenset({Grant.EVIDENCE_READ, Grant.AUDIT_READ}))
        admin = KeyRequest("admin", frozenset({Grant.EVIDENCE_READ, Grant.ADMIN}), frozenset({GREY}))
        clients = [
            TestClient(app, headers={"Authorization": f"Bearer {services.store.keys.create(one, 'test').secret}"})
            for one in (everything, outsider, admin)
        ]
        yield Door(services, *clients)
