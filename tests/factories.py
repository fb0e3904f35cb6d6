"""Values and stores for tests: a fresh store in a few milliseconds, and the short way to a revision, a passage, a step, a claim."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from evidence_store.blobs import BlobStore
from evidence_store.blobs.local import LocalBlobs
from evidence_store.canonical import digest_of
from evidence_store.database import open_sqlite
from evidence_store.excerpts import NoLimit
from evidence_store.frames import Encoded, FrameEncoder
from evidence_store.model import (
    DEFAULT_WORKSPACE,
    About,
    Citation,
    CitationRole,
    ClaimView,
    Format,
    Kind,
    Outcome,
    Packet,
    ResourceName,
    Selector,
    SelectorKind,
    TaskName,
    TaskRevision,
    TextLimit,
    WorkspaceName,
)
from evidence_store.records.runs import Shown, StepKey
from evidence_store.records.sources import Revision
from evidence_store.store import BLOBS_NAME, DATABASE_NAME, EvidenceStore, init_store
from evidence_store.store.claims import ClaimRequest
from evidence_store.store.core import Core
from evidence_store.store.found import View
from evidence_store.store.passages import Place
from evidence_store.store.put_request import PutRequest
from evidence_store.store.runs import ClosedCall, OpenCall
from evidence_store.store.sources import PutResult
from tests.fakes import TickingClock

API = ResourceName("stable-v2/openapi.json")
API_BYTES = b'{"limit": {"maximum": 50}}\n'
TASK = TaskName("compare")
BETA_RULE = "x-stability-level=beta"


@cache
def _empty_database() -> bytes:
    with TemporaryDirectory() as folder:
        init_store(Path(folder))
        return (Path(folder) / DATABASE_NAME).read_bytes()


def make_store(
    folder: Path,
    *,
    workspace: str = DEFAULT_WORKSPACE,
    clock: Callable[[], int] | None = None,
    blobs: BlobStore | None = None,
) -> EvidenceStore:
    """A store of the newest schema in a folder, made where there is none. Close it."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / DATABASE_NAME).exists():
        (folder / DATABASE_NAME).write_bytes(_empty_database())
    database = open_sqlite(folder / DATABASE_NAME)
    return EvidenceStore(Core(database, blobs or LocalBlobs(folder / BLOBS_NAME), WorkspaceName(workspace), clock or TickingClock()))


@contextmanager
def tampering(folder: Path) -> Iterator[sqlite3.Connection]:
    """The database of a store in the hands of someone who does not care for foreign keys."""
    connection = sqlite3.connect(folder / DATABASE_NAME)
    try:
        connection.execute("PRAGMA foreign_keys = OFF")
        yield connection
        connection.commit()
    finally:
        connection.close()


@dataclass(frozen=True, slots=True)
class EncodedBytes:
    stored: bytes
    encoded: Encoded


def encode(raw: bytes) -> EncodedBytes:
    """Raw bytes in the stored form of a blob."""
    encoder = FrameEncoder()
    return EncodedBytes(b"".join((*encoder.add(raw), *encoder.finish())), encoder.encoded)


def put(
    store: EvidenceStore,
    data: bytes = API_BYTES,
    name: str = API,
    *,
    kind: Kind | None = None,
    format: Format | None = None,
    scope: str | None = None,
    labels: tuple[str, ...] = (),
    complete: bool = True,
    if_newest: int | None = None,
    key: str | None = None,
    max_age_s: int | None = None,
) -> PutResult:
    request = PutRequest(
        ResourceName(name),
        kind,
        scope,
        labels,
        format=format,
        complete=complete,
        if_newest=if_newest,
        idempotency_key=key,
        max_age_s=max_age_s,
    )
    return store.sources.put(request, [data])


def put_all(store: EvidenceStore, *versions: bytes, name: str = API) -> list[Revision]:
    return [put(store, version, name).revision for version in versions]


def read(
    store: EvidenceStore,
    text: str,
    name: str = API,
    *,
    kind: SelectorKind = "pointer",
    revision: int | None = None,
    view: View = "source",
    limit: TextLimit | None = None,
) -> Packet:
    return store.passages.read(Place(ResourceName(name), revision, Selector(kind, text), view), limit or NoLimit())


def task_revision(number: int = 1, *, goal: str = "find what breaks clients", excluded: tuple[str, ...] = (BETA_RULE,)) -> TaskRevision:
    return TaskRevision(TASK, number, goal, ("all paths",), excluded, ("read only",))


def open_step(store: EvidenceStore, *, agent: str = "agent") -> StepKey:
    """The first step of a new run of the task, which is made where there is none."""
    if store.tasks.find_newest(TASK) is None:
        store.tasks.add_revision(task_revision(), "human:ann")
    return store.runs.open_step(store.runs.start(TASK, agent))


def shown(packet: Packet) -> Shown:
    return Shown(packet.id, digest_of(packet.excerpt.encode()), packet.transforms, packet.shown_in_full)


def deliver(store: EvidenceStore, step: StepKey, *packets: Packet, call: str = "call_1") -> None:
    """What a tool answered: these packets, in one closed call."""
    store.runs.open_calls(step, "", [OpenCall(call, "read_spec", {})])
    store.runs.close_calls(step, [ClosedCall(call, Outcome.OK, "packets", True, tuple(shown(one) for one in packets))])


def claim(
    store: EvidenceStore,
    step: StepKey,
    text: str,
    *cited: tuple[CitationRole, Packet],
    author: str = "agent",
    exclude_by: str | None = None,
) -> ClaimView:
    citations = tuple(Citation(packet.id, role) for role, packet in cited)
    about = About(API, None, "maximum")
    request = ClaimRequest(about, text, citations, author, "open" if exclude_by is None else "excluded", exclude_by)
    return store.claims.record(step, request)


def verified_change(store: EvidenceStore) -> ClaimView:
    """The worked example: a maximum that went from 100 to 50, with evidence of both, shown and verified."""
    put_all(store, b'{"limit": {"maximum": 100}}\n', b'{"limit": {"maximum": 50}}\n')
    step = open_step(store)
    old, new = (read(store, "/limit/maximum", revision=number) for number in (1, 2))
    deliver(store, step, old, new)
    return claim(store, step, "`maximum` of `limit` went from 100 to 50.", ("old", old), ("new", new))
