"""What the server tells of itself: metrics, lines, spans; none of it holds content, names, secrets or keys."""

import io
import json
import logging
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from starlette.testclient import TestClient

from api.app import create_app
from api.observing.logs import Form, Lines, log_request, set_up_logs
from api.observing.seen import RequestSeen
from api.server_settings import ServerSettings
from api.wiring import Services
from evidence_store.access import Grant
from evidence_store.model import ResourceName
from evidence_store.store import EvidenceStore
from evidence_store.store.keys import KeyRequest
from evidence_store.store.put_request import PutRequest
from projector import counter_for

NAME, CONTENT = "payroll/2026.json", "confiden"


@pytest.fixture
def services(store: EvidenceStore) -> Services:
    store.sources.put(PutRequest(ResourceName(NAME), labels=("red",)), [b'{"salary": 4711}\n'])
    return Services(store, lambda: counter_for("o200k_base"))


def bearer(services: Services, *grants: Grant, clearances: frozenset[str] | None = None) -> dict[str, str]:
    made = services.store.keys.create(KeyRequest("test", frozenset(grants), clearances), "test")
    return {"Authorization": f"Bearer {made.secret}"}


def use(client: TestClient, mine: Mapping[str, str]) -> None:
    """One request of each kind that is told apart."""
    assert client.get("/v1/resources/payroll%2F2026.json", headers=mine).status_code == 200
    assert client.post("/v1/resources/new%2Fa.log/revisions", content=CONTENT.encode() * 5, headers=mine).status_code == 201
    assert client.get("/v1/evidence/ev_zzzzzzzzzzzz", headers=mine).status_code == 404
    assert client.get("/v1/resources").status_code == 401
    assert client.request("PROPFIND", "/v1/resources").status_code == 405


def test_requests_are_counted_by_operation(services: Services) -> None:
    client = TestClient(create_app(services))
    mine = bearer(services, Grant.EVIDENCE_READ, Grant.EVIDENCE_WRITE, Grant.AUDIT_READ)
    use(client, mine)
    found = client.get("/metrics", headers=mine)
    assert (found.status_code, found.headers["content-type"].partition(";")[0]) == (200, "text/plain")
    lines = found.text.splitlines()
    for line in (
        'evidence_store_http_requests_total{method="GET",operation="getResource",status="200"} 1.0',
        'evidence_store_http_requests_total{method="POST",operation="putRevision",status="201"} 1.0',
        'evidence_store_http_requests_total{method="other",operation="none",status="405"} 1.0',
        'evidence_store_evidence_resolve_total{result="not_found"} 1.0',
        'evidence_store_permission_denied_total{code="unauthenticated"} 1.0',
        "evidence_store_blob_bytes_sum 40.0",
        "evidence_store_http_requests_in_progress 1.0",
    ):
        assert line in lines
    assert 'evidence_store_http_request_duration_seconds_count{operation="getResource"} 1.0' in lines
    assert not [
        word for word in (NAME, "payroll", CONTENT, "ev_", mine["Authorization"][7:], "key_", "sha256", "salary") if word in found.text
    ]


def test_metrics_are_for_who_may_audit_or_by_a_setting_for_this_machine(services: Services) -> None:
    closed, opened = create_app(services), create_app(services, settings=ServerSettings(metrics="loopback"))

    def ask(app: Any, host: str = "127.0.0.1", headers: Mapping[str, str] | None = None) -> int:
        return int(TestClient(app, client=(host, 1)).get("/metrics", headers=headers).status_code)

    assert (ask(closed), ask(closed, headers=bearer(services, Grant.EVIDENCE_READ))) == (401, 403)
    assert (ask(opened), ask(opened, "::1"), ask(opened, "192.0.2.1"), ask(opened, "testclient")) == (200, 200, 401, 401)
    assert ask(opened, headers={"X-Forwarded-For": "192.0.2.1"}) == 401, "it came through a proxy on this machine"


def test_two_applications_count_apart(services: Services) -> None:
    one, other = create_app(services, unauthenticated=True), create_app(services, unauthenticated=True)
    TestClient(one).get("/v1/resources")
    assert "listResources" in one.state.metrics.text().decode()
    assert "listResources" not in other.state.metrics.text().decode()


@pytest.fixture
def told() -> Iterator[io.StringIO]:
    """What is logged while the logs are set up."""
    names = ("api", "evidence_store", "projector", "uvicorn", "mcp", "api.requests")
    before = {name: (list(log.handlers), log.propagate, log.level) for name in names for log in [logging.getLogger(name)]}
    yield io.StringIO()
    for name, (handlers, propagate, level) in before.items():
        log = logging.getLogger(name)
        log.handlers, log.propagate = handlers, propagate
        log.setLevel(level)


def log_to(told: io.StringIO, form: Form, monkeypatch: pytest.MonkeyPatch, *, with_names: bool = False) -> None:
    monkeypatch.setattr(sys, "stderr", told)
    set_up_logs(form, with_names=with_names)


@pytest.mark.parametrize("form", ["json", "lines"])
def test_a_request_is_a_line_without_content_names_or_keys(
    services: Services, told: io.StringIO, form: Form, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = bearer(services, Grant.EVIDENCE_READ, Grant.EVIDENCE_WRITE)
    log_to(told, form, monkeypatch)
    use(TestClient(create_app(services)), mine)
    assert told.getvalue().count("\n") == 5
    assert not [word for word in (NAME, "payroll", CONTENT, "es_", "salary") if word in told.getvalue()]
    assert "getResource" in told.getvalue()


def test_a_line_of_json_says_who_did_what_and_how_it_went(services: Services, told: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = bearer(services, Grant.EVIDENCE_READ)
    log_to(told, "json", monkeypatch, with_names=True)
    client = TestClient(create_app(services))
    answered = client.get("/v1/resources/payroll%2F2026.json?x=1", headers=mine)
    client.post("/v1/resources/a/revisions", headers=mine)
    first, second = map(json.loads, told.getvalue().splitlines())
    assert first["duration_ms"] > 0
    assert first["at"].endswith("Z")
    assert {name: first[name] for name in first if name not in ("at", "duration_ms")} == {
        "level": "info",
        "event": "request",
        "method": "GET",
        "operation": "getResource",
        "status": 200,
        "code": None,
        "principal": services.store.keys.list_keys()[0].principal.name,
        "workspace": "default",
        "request_id": answered.headers["request-id"],
        "path": "/v1/resources/payroll%2F2026.json",
    }
    assert (second["status"], second["code"], second["principal"]) == (403, "grant_missing", first["principal"])


def test_without_a_log_nothing_is_written(services: Services, told: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    log_to(told, "off", monkeypatch)
    TestClient(create_app(services, unauthenticated=True)).get("/v1/resources")
    assert told.getvalue() == ""


@pytest.mark.parametrize("form", ["json", "lines"])
def test_of_an_exception_type_and_place_are_told_and_no_word(form: Form) -> None:
    try:
        raise ValueError(f"the salary is {CONTENT}\nand more")
    except ValueError:
        record = logging.LogRecord("api", logging.ERROR, __file__, 1, "it failed\nTwice", (), sys.exc_info())
    line = Lines(form, with_names=True).format(record)
    assert "\n" not in line
    assert ("ValueError" in line, "test_observing.py" in line, CONTENT in line) == (True, True, False)


def test_no_name_adds_a_line(told: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    log_to(told, "lines", monkeypatch)
    log_request(RequestSeen("r", "GET", "o", 200, 0.0, 0, "user:a\nb", "w\x1b[0m", "/", None))
    assert (told.getvalue().count("\n"), "\x1b" in told.getvalue()) == (1, False)


@pytest.fixture(scope="module")
def exporter() -> InMemorySpanExporter:
    """The one SDK that a process may have."""
    made = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(made))
    trace.set_tracer_provider(provider)
    return made


def test_a_request_is_a_span_below_that_of_its_caller(services: Services, exporter: InMemorySpanExporter) -> None:
    exporter.clear()
    mine = bearer(services, Grant.EVIDENCE_READ, Grant.EVIDENCE_WRITE)
    client = TestClient(create_app(services))
    caller = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
    client.get("/v1/evidence/ev_zzzzzzzzzzzz", headers=mine | caller)
    (span,) = exporter.get_finished_spans()
    assert (span.name, span.kind, f"{span.context.trace_id:032x}") == (
        "GET getEvidence",
        trace.SpanKind.SERVER,
        "0af7651916cd43dd8448eb211c80319c",
    )
    attributes = dict(span.attributes or {})
    assert attributes.pop("evidence.request_id")
    assert attributes == {
        "http.request.method": "GET",
        "http.response.status_code": 404,
        "evidence.operation": "getEvidence",
        "evidence.workspace": "default",
        "error.type": "unknown_id",
        "gen_ai.operation.name": "retrieval",
    }
    exporter.clear()
    use(client, mine)
    spans = exporter.get_finished_spans()
    assert len(spans) == 5
    assert not [word for word in (NAME, "payroll", CONTENT, "es_") if word in " ".join(one.to_json() for one in spans)]


def test_stats_count_what_the_caller_sees(services: Services) -> None:
    client = TestClient(create_app(services))
    everything = client.get("/v1/stats", headers=bearer(services, Grant.AUDIT_READ)).json()
    outside = client.get("/v1/stats", headers=bearer(services, Grant.AUDIT_READ, clearances=frozenset())).json()
    assert (everything["counts"]["resources"], outside["counts"]["resources"]) == (2, 1)
    assert everything["raw_bytes"] - outside["raw_bytes"] == len(b'{"salary": 4711}\n')
    assert everything["stored_bytes"] > outside["stored_bytes"] > 0
    assert client.get("/v1/stats", headers=bearer(services, Grant.EVIDENCE_READ)).status_code == 403
