"""Metrics for Prometheus, of one application: nothing is registered for the whole process."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from api.observing import names
from api.observing.seen import PROJECTING, PUTTING, RESOLVING, RequestSeen

MEDIA_TYPE = CONTENT_TYPE_LATEST
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_BYTES = tuple(4.0**n * 1024 for n in range(10))
_TOKENS = (1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 1_000_000)
_OUTCOMES = {200: "found", 304: "found", 404: "not_found", 403: "denied", 401: "denied"}
DENIALS = frozenset({401, 403})


class Metrics:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._requests = Counter(names.REQUESTS, "Requests that were answered", ["operation", "method", "status"], registry=self.registry)
        self._seconds = Histogram(
            names.REQUEST_SECONDS,
            "Time from the head of a request to the end of its answer",
            ["operation"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.running = Gauge(names.REQUESTS_RUNNING, "Requests that are being answered", registry=self.registry)
        self._denied = Counter(names.DENIED, "Requests that were denied, by the code of the error", ["code"], registry=self.registry)
        self._resolved = Counter(names.RESOLVED, "Evidence that was asked for by its id", ["result"], registry=self.registry)
        self._blob_bytes = Histogram(names.BLOB_BYTES, "Size of what was put", buckets=_BYTES, registry=self.registry)
        self._projections = Counter(names.PROJECTIONS, "Model inputs that were asked for", ["outcome"], registry=self.registry)
        self._projection_seconds = Histogram(
            names.PROJECTION_SECONDS, "Time to make a model input", buckets=_SECONDS, registry=self.registry
        )
        self._projection_tokens = Histogram(names.PROJECTION_TOKENS, "Tokens of a model input", buckets=_TOKENS, registry=self.registry)
        self._over_budget = Counter(names.OVER_BUDGET, "Model inputs that could not be made within their cap", registry=self.registry)

    def count(self, seen: RequestSeen) -> None:
        self._requests.labels(seen.operation, _method(seen.method), str(seen.status)).inc()
        self._seconds.labels(seen.operation).observe(seen.duration_s)
        if seen.status in DENIALS:
            self._denied.labels(seen.code or "unknown").inc()
        if seen.operation == RESOLVING:
            self._resolved.labels(_OUTCOMES.get(seen.status, "failed")).inc()
        if seen.operation == PUTTING and seen.status in (200, 201):
            self._blob_bytes.observe(seen.received_bytes)
        if seen.operation == PROJECTING:
            self._count_projection(seen)

    def _count_projection(self, seen: RequestSeen) -> None:
        self._projections.labels("made" if seen.status < 400 else "refused").inc()
        self._projection_seconds.observe(seen.duration_s)
        if seen.tokens is not None:
            self._projection_tokens.observe(seen.tokens)
        if seen.code == "over_budget":
            self._over_budget.inc()

    def text(self) -> bytes:
        """In the text form of Prometheus."""
        return generate_latest(self.registry)


def _method(method: str) -> str:
    """Anybody may send any word as a method; each would be a series of its own."""
    return method if method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS") else "other"
