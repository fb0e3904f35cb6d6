"""A span for each request, for whoever runs an OpenTelemetry SDK in the server. Without the extra `otel`, or an SDK, nothing."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext

from api.observing import names
from api.observing.seen import RETRIEVING, RequestSeen
from evidence_store import VERSION

End = Callable[[RequestSeen], None]
Spans = Callable[[str, Mapping[str, str]], AbstractContextManager[End]]
"""Begins the span of a request with this method and these headers; what it gives ends it."""


def _nothing(_: RequestSeen) -> None:
    """Nobody looks."""


def request_spans() -> Spans:
    """Spans where the interface of OpenTelemetry is installed; whether an SDK is there is asked at each request."""
    try:
        from opentelemetry import propagate, trace  # an extra
    except ModuleNotFoundError:
        return lambda method, headers: nullcontext(_nothing)

    @contextmanager
    def begun(method: str, headers: Mapping[str, str]) -> Iterator[End]:
        if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
            yield _nothing
            return
        tracer = trace.get_tracer(names.TRACER, VERSION)
        parent = propagate.extract(headers)
        with tracer.start_as_current_span(
            method, parent, trace.SpanKind.SERVER, {names.HTTP_METHOD: method}, record_exception=False, set_status_on_exception=False
        ) as span:

            def end(seen: RequestSeen) -> None:
                span.update_name(f"{method} {seen.operation}")
                span.set_attributes(attributes_of(seen))
                if seen.status >= 500:
                    span.set_status(trace.StatusCode.ERROR)

            yield end

    return begun


def attributes_of(seen: RequestSeen) -> Mapping[str, str | int]:
    """No name of a resource, and no id of what is stored."""
    found: dict[str, str | int] = {
        names.HTTP_STATUS: seen.status,
        names.OPERATION: seen.operation,
        names.REQUEST_ID: seen.request_id,
    }
    if seen.workspace is not None:
        found[names.WORKSPACE] = seen.workspace
    if seen.code is not None:
        found[names.ERROR_TYPE] = seen.code
    if seen.operation in RETRIEVING:
        found[names.GENAI_OPERATION] = names.RETRIEVAL
    return found
