"""What a client reads is what the store holds; and uploads and downloads in pieces."""

import asyncio
import io
from collections.abc import AsyncIterator, Iterator

import pytest

from api.client import AsyncEvidenceClient, EvidenceClient
from evidence_store.canonical import digest_of
from evidence_store.errors import Conflict, InvalidInput, NotFound, RefusedDocument
from evidence_store.model import Format, Kind, Span
from tests.unit.api.client.conftest import Served
from tests.unit.api.routes.sample import NEW_NAME, OLD, OLD_NAME

LOG = b"".join(b"line %d of a long log\n" % n for n in range(40_000))


def test_a_revision_is_the_one_of_the_store_but_for_when_it_was_stored(client: EvidenceClient, served: Served) -> None:
    stored = served.services.store.sources.get_revision(OLD_NAME, 1)
    read = client.get_revision(OLD_NAME, 1)
    assert read.created_at is None
    assert [getattr(read, name) for name in type(read).__slots__ if name != "created_at"] == [
        getattr(stored, name) for name in type(stored).__slots__ if name != "created_at"
    ]


def test_a_resource_is_the_one_of_the_store(client: EvidenceClient, served: Served) -> None:
    found = client.get_resource(NEW_NAME)
    assert found.resource == served.services.store.sources.get_resource(NEW_NAME)
    assert found.newest == 1


def test_a_list_comes_whole_whatever_the_pages(client: EvidenceClient, served: Served) -> None:
    stored = [resource for resource, _ in served.services.store.sources.list_resources()]
    assert [one.resource for one in client.list_resources(limit=1)] == stored
    assert [one.resource for one in client.list_resources()] == stored


def test_bytes_a_file_and_pieces_are_stored_as_they_are(client: EvidenceClient) -> None:
    file = io.BytesIO(b"head" + LOG)
    file.seek(4)

    def pieces() -> Iterator[bytes]:
        yield LOG[:70_000]
        yield LOG[70_000:]

    stored = [client.put_revision("up/log", one, format=Format.TEXT, tool="get_logs", scope="nightly") for one in (LOG, file, pieces())]
    assert [(one.revision.number, one.created, one.revision.digest) for one in stored] == [
        (1, True, digest_of(LOG)),
        (1, False, digest_of(LOG)),
        (1, False, digest_of(LOG)),
    ]
    assert [one.origin for one in client.list_observations("up/log", 1)] == ["get_logs"] * 3
    assert client.get_resource("up/log").resource.scope == "nightly"


def test_the_same_key_stores_once(client: EvidenceClient) -> None:
    for text in (b"one", b"two", b"one"):
        client.put_revision("up/keyed", text, idempotency_key=f"key-{text.decode()}")
    assert [one.number for one in client.list_revisions("up/keyed")] == [1, 2]


def test_bytes_come_whole_in_ranges_and_in_pieces(client: EvidenceClient) -> None:
    revision = client.put_revision("up/down", LOG, kind=Kind.OBSERVATION).revision
    assert client.get_blob(revision.digest) == LOG
    assert client.get_blob(revision.digest, Span(5, 12)) == LOG[5:12]
    assert client.head_blob(revision.digest) == len(LOG)
    pieces = list(client.stream_blob(revision.digest))
    assert b"".join(pieces) == LOG
    assert len(pieces) > 1
    assert b"".join(client.stream_blob(revision.digest, Span(100, 300_000))) == LOG[100:300_000]


def test_errors_come_back_as_what_they_were(client: EvidenceClient, served: Served) -> None:
    with pytest.raises(NotFound) as absent:
        client.get_revision(OLD_NAME, 7)
    assert (absent.value.error_code, absent.value.details) == ("not_found", {"known": [1]})
    with pytest.raises(Conflict) as moved:
        client.put_revision(OLD_NAME, b"{}", if_newest=7)
    assert (moved.value.error_code, moved.value.details) == ("not_newest", {"known": 1})
    with pytest.raises(RefusedDocument) as refused:
        client.put_revision("up/broken", b'{"a": ', format=Format.JSON)
    assert refused.value.error_code == "syntax"
    with pytest.raises(InvalidInput) as other:
        client.put_revision("up/other", b"x", digest=digest_of(b"y"))
    assert other.value.error_code == "digest_mismatch"
    with pytest.raises(NotFound):
        list(client.stream_blob(digest_of(b"nowhere")))
    with EvidenceClient(served.url, "es_" + "x" * 43) as stranger, pytest.raises(Exception, match="give a key") as unknown:
        stranger.get_resource(OLD_NAME)
    assert getattr(unknown.value, "error_code", None) == "unauthenticated"


def test_what_the_router_refuses_is_wrong_input(client: EvidenceClient) -> None:
    with pytest.raises(InvalidInput) as refused:
        list(client.list_resources(limit=0))
    assert refused.value.error_code == "bad_parameters"


def test_a_name_of_dots_and_slashes_leads_to_what_it_names(client: EvidenceClient) -> None:
    for name in ("..", "a/../b", "ü?x=1#y", "50%2F"):
        assert client.put_revision(name, name.encode()).revision.resource == name
        assert client.get_revision(name, 1).resource == name


def test_evidence_reports_and_traces_are_those_of_the_store(client: EvidenceClient, served: Served) -> None:
    sample, store = served.sample, served.services.store
    found = client.get_evidence(sample.old.upper().replace("EV_", "ev_"))
    assert found.packet.excerpt == "100"
    assert found.state == store.checks.state(sample.old, None)
    assert found.folded_from is not None or found.packet.id == sample.old
    report = client.get_report(sample.report)
    assert (report.body, report.listed.digest) == (
        store.claims.get_report(sample.report).body,
        store.claims.get_report(sample.report).body_digest,
    )
    assert list(report.claims) == list(store.claims.list_report_claims(sample.report))
    assert client.get_trace(sample.old).ok


def test_the_other_client_does_the_same(served: Served) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"first\n"
        yield b"second\n"

    async def run() -> None:
        async with AsyncEvidenceClient(served.url, served.key) as client:
            stored = [await client.put_revision("up/async", one) for one in (b"first\nsecond\n", pieces(), io.BytesIO(b"first\nsecond\n"))]
            assert [one.created for one in stored] == [True, False, False]
            assert b"".join([one async for one in client.stream_blob(stored[0].revision.digest)]) == b"first\nsecond\n"
            assert OLD_NAME in [one.resource.name async for one in client.list_resources(limit=1)]
            assert await client.get_blob(digest_of(OLD)) == OLD
            with pytest.raises(NotFound):
                await client.get_resource("nowhere")

    asyncio.run(run())


def test_what_comes_asynchronously_is_for_the_other_client(client: EvidenceClient) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b""

    with pytest.raises(InvalidInput, match="AsyncEvidenceClient"):
        client.put_revision("up/wrong", pieces())
