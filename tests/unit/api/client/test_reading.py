"""What presenters write and a client reads is the same value again; and there is a method for each operation."""

import re
from collections.abc import Iterator
from dataclasses import replace
from inspect import getattr_static

import orjson
import pytest

from api.access import OPERATIONS
from api.client import AsyncEvidenceClient, EvidenceClient
from api.client.reading import packet_of
from api.findings import packet_wire
from api.presenters import dumps, packet_json
from evidence_store.access import Grant
from evidence_store.errors import InvalidInput, NotFound
from evidence_store.excerpts import Children
from evidence_store.model import Format, Kind, LabelPolicy, Packet, Pointer, ResourceName, Selector, masked_packet
from evidence_store.store.comparisons import SearchRequest
from evidence_store.store.keys import KeyRequest
from evidence_store.store.passages import Place
from evidence_store.store.put_request import PutRequest
from tests.unit.api.client.conftest import Served
from tests.unit.api.routes.sample import LIMIT, NEW_NAME, OLD_NAME

WITHOUT_METHODS = {"callMcp", "getHealth", "getMetrics", "getReady", "getStats", "signIn", "signOut"}
"""For those who watch a server, read its pages, or come by MCP."""
LOG = ResourceName("reading/job.log")
YAML = ResourceName("reading/alias.yaml")
LIVE = ResourceName("reading/live.json")
MANUAL = ResourceName("reading/manual.txt")


def by_name(operation: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", operation).lower()


def test_each_operation_is_a_method_of_both_clients() -> None:
    wanted = {by_name(one) for one in OPERATIONS if not one.startswith("show")} - {by_name(one) for one in WITHOUT_METHODS}
    for client in (EvidenceClient, AsyncEvidenceClient):
        assert {name for name in wanted if not hasattr(client, name)} == set()
        assert all(getattr_static(client, name).__doc__ for name in wanted)


def packets(served: Served) -> Iterator[Packet]:
    """Of each form that there is."""
    store, limit = served.services.store, served.services.limit
    with_log = "".join(f"line {n}: \x1b[31mthe job went on\x1b[0m\n" for n in range(4_000)).encode()
    store.sources.put(PutRequest(LOG), [with_log])
    store.sources.put(PutRequest(YAML), [b"base: &b {a: 1}\nuse: *b\nmerged:\n  <<: *b\n"])
    store.sources.put(PutRequest(LIVE, max_age_s=60), [b'{"a": 1.10, "b": [1, 2]}'])
    store.sources.put(
        replace(PutRequest(ResourceName("reading/manual.txt")), kind=Kind.REFERENCE, labels=("internal",)), [b"Turn it off.\n"]
    )

    def at(name: str, selector: Selector, n_tokens: int = 2_000, **more: object) -> Packet:
        return store.passages.read(Place(ResourceName(name), None, selector, **more), limit(n_tokens))  # type: ignore[arg-type]

    yield at(LOG, Selector("lines", "2-3"))
    yield at(LOG, Selector("bytes", "5-20"))
    yield at(LOG, Selector("bytes", "0-100000"), 100)
    yield at(LOG, Selector("lines", "1-4000"), 100)
    yield at(LOG, Selector("quote", "line 17:"))
    yield at(YAML, Selector("pointer", Pointer("/use")))
    yield at(YAML, Selector("pointer", Pointer("/merged")))
    yield at(LIVE, Selector("pointer", Pointer("/a")))
    yield at(MANUAL, Selector("lines", "1-1"))
    yield at(OLD_NAME, Selector("pointer", Pointer("")), 60)
    yield at(OLD_NAME, Selector("pointer", Pointer("")), 60, children=Children(1, 2))
    yield at(OLD_NAME, Selector("pointer", Pointer(LIMIT)), view="keys")
    yield store.summaries.read(LOG, 1, None, limit(60))
    yield from store.comparisons.search([(LOG, 1)], SearchRequest("line 39"), limit(50)).packets
    yield from store.comparisons.search([(LOG, 1)], SearchRequest("nowhere"), limit(50)).receipts
    yield masked_packet(at(LOG, Selector("quote", "line 18:")))


def test_a_packet_is_the_same_again_in_both_forms_of_next(served: Served) -> None:
    seen = list(packets(served))
    assert len(seen) > 20
    for packet in seen:
        for shown in (packet_json(packet), packet_wire(packet)):
            assert packet_of(_through_json(shown)) == replace(packet, value=None)


def _through_json(shown: object) -> dict[str, object]:
    read: dict[str, object] = orjson.loads(dumps(shown))  # type: ignore[arg-type]
    return read


def test_documents_are_read_searched_and_compared_as_in_the_store(client: EvidenceClient, served: Served) -> None:
    store, limit = served.services.store, served.services.limit(2_000)
    place = Place(OLD_NAME, 1, Selector("pointer", Pointer(f"{LIMIT}/schema/maximum")))
    (read,) = client.read_document(OLD_NAME, pointer=f"{LIMIT}/schema/maximum")
    assert read == replace(store.passages.read(place, limit), value=None)
    assert [one.excerpt for one in client.read_document(OLD_NAME, pointer=LIMIT, fields=["name", "in"])] == ["limit", "query"]
    hits = client.search_document(NEW_NAME, "LIMIT", ignore_case=True)
    assert [one.id for one in hits.packets] == [one.id for one in client.search("orders-v2/*", "limit").packets]
    nothing = client.search_document(NEW_NAME, "nowhere")
    assert (nothing.packets, len(nothing.receipts), nothing.more) == ((), 1, False)
    stored = store.comparisons.diff((OLD_NAME, 1), (NEW_NAME, 1), None, 100, limit)
    assert [(one.change, one.old and one.old.id) for one in client.diff(OLD_NAME, NEW_NAME).pairs] == [
        (one.change, one.old and one.old.id) for one in stored.pairs
    ]
    assert client.summarize_document(NEW_NAME).basis.value == "derived"


def test_what_is_known_of_evidence_comes_as_in_the_store(client: EvidenceClient, served: Served) -> None:
    sample = served.sample
    assert client.expand_evidence(sample.old, "parent").packet.pointer == f"{LIMIT}/schema"
    assert client.locate_evidence(sample.old, NEW_NAME).verdict == "changed"
    assert {one.grade for one in client.list_exposures(sample.old)} == {"delivered"}
    assert client.verify_evidence(sample.old).integrity == "ok"
    found = client.resolve_evidence([sample.old, "ev_000000000000", "nothing", sample.old], task="orders: v1 to v2")
    assert [one.asked for one in found] == [sample.old, "ev_000000000000", "nothing", sample.old]
    assert [one.found is not None for one in found] == [True, False, False, True]
    assert isinstance(found[1].problem, NotFound)
    assert isinstance(found[2].problem, InvalidInput)
    assert found[1].problem.error_code == "unknown_id"


def test_reports_are_listed_and_checked(client: EvidenceClient, served: Served) -> None:
    assert [one.id for one in client.list_reports()] == [served.sample.report]
    checked = client.check_citations(client.get_report(served.sample.report).body)
    assert (checked.ok, checked.published) == (True, served.sample.report)
    assert not client.check_citations("“200” [ev_000000000000]").ok


@pytest.fixture
def admin(served: Served) -> Iterator[EvidenceClient]:
    key = served.services.store.keys.create(KeyRequest("admin", frozenset(Grant), None), "tests")
    with EvidenceClient(served.url, key.secret) as client:
        yield client


def test_keys_and_labels_are_administered(admin: EvidenceClient, served: Served) -> None:
    made = admin.create_key("reader", [Grant.EVIDENCE_READ], clearances=["internal"])
    assert made.key in admin.list_keys()
    with EvidenceClient(served.url, made.secret) as reader:
        assert reader.get_resource(OLD_NAME).newest == 1
        admin.revoke_key(made.key.id)
        with pytest.raises(Exception, match="give a key"):
            reader.get_resource(OLD_NAME)
    assert admin.set_policy("internal", LabelPolicy.MASKED)["internal"] is LabelPolicy.MASKED
    assert admin.list_policies() == served.services.store.permissions.policies()
    served.services.store.sources.put(PutRequest(ResourceName("reading/plain"), format=Format.TEXT), [b"x\n"])
    assert admin.add_labels("reading/plain", ["internal"]).resource.labels == ("internal",)
