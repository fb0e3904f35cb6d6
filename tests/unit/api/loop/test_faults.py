"""Faults of providers are told apart by what HTTP and their words say, whatever SDK raised them."""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import Message
from http.client import IncompleteRead, RemoteDisconnected
from io import BytesIO
from urllib.error import HTTPError, URLError

import pytest

from api.loop import FaultKind, ProviderError, find_fault

KEY = "ghp_" + "a1B2" * 9


@dataclass
class Response:
    status_code: int
    headers: Mapping[str, str] = field(default_factory=dict)


class StatusError(Exception):
    """As the SDKs of openai and anthropic raise it."""

    def __init__(self, status: int, text: str, headers: Mapping[str, str] | None = None, body: object = None) -> None:
        super().__init__(text)
        self.response = Response(status, headers or {})
        self.body = body


class APITimeoutError(Exception):
    """Named as both SDKs name it."""


OVERFLOWS = (
    (400, "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."),
    (400, "Error code: 400 - {'error': {'code': 'context_length_exceeded'}}"),
    (400, "prompt is too long: 201000 tokens > 200000 maximum"),
    (400, "the request exceeds the available context size, try increasing it"),
    (400, "The input token count (1200000) exceeds the maximum number of tokens: input tokens exceed"),
    (413, "Request Entity Too Large"),
)
TORN = (
    (400, "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."),
    (400, "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."),
    (400, "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1"),
    (400, "No tool output found for function call call_abc."),
)
PASSING = ((500, "oops"), (502, "Bad Gateway"), (503, "loading model"), (529, "overloaded_error"), (408, "timeout"))
REFUSED = (
    (400, "unknown parameter: foo"),
    (401, "no key"),
    (404, "no such model"),
    (429, "You exceeded your current quota: insufficient_quota"),
)


@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [
        *((*one, FaultKind.OVERFLOW) for one in OVERFLOWS),
        *((*one, FaultKind.TORN_PAIRS) for one in TORN),
        *((*one, FaultKind.UNAVAILABLE) for one in PASSING),
        *((*one, FaultKind.REFUSED) for one in REFUSED),
        (429, "Rate limit reached", FaultKind.RATE_LIMITED),
    ],
)
def test_a_status_and_its_words_give_the_kind(status: int, text: str, kind: FaultKind) -> None:
    fault = find_fault(StatusError(status, text))
    assert fault is not None
    assert fault.kind is kind
    assert str(status) in fault.text


def test_the_words_may_stand_in_the_body_alone() -> None:
    fault = find_fault(StatusError(400, "Bad Request", body={"error": {"code": "context_length_exceeded"}}))
    assert fault is not None
    assert fault.kind is FaultKind.OVERFLOW
    by_urllib = HTTPError("http://localhost", 400, "Bad Request", Message(), BytesIO(b'{"error":"prompt is too long"}'))
    find_fault(by_urllib)
    found = find_fault(by_urllib)  # what was read once is not lost
    assert found is not None
    assert found.kind is FaultKind.OVERFLOW


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Mon, 30 Nov 2026 10:00:20 GMT", "date": "Mon, 30 Nov 2026 10:00:00 GMT"}, 20.0),
        ({"retry-after": "Mon, 30 Nov 2026 10:00:20 GMT"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({}, None),
    ],
)
def test_the_time_to_wait_is_that_of_the_provider(headers: Mapping[str, str], seconds: float | None) -> None:
    fault = find_fault(StatusError(429, "slow down", headers))
    assert fault is not None
    assert fault.retry_after_s == seconds


@pytest.mark.parametrize(
    "why",
    [
        ConnectionResetError("reset"),
        TimeoutError(),
        RemoteDisconnected("gone"),
        IncompleteRead(b"half"),
        URLError("no route"),
        ssl.SSLError(),
        APITimeoutError("late"),
    ],
)
def test_a_request_without_a_whole_answer_is_unavailable(why: Exception) -> None:
    fault = find_fault(why)
    assert fault is not None
    assert fault.kind is FaultKind.UNAVAILABLE
    assert fault.text


@pytest.mark.parametrize("why", [KeyError("x"), FileNotFoundError(2, "no"), ValueError("context length"), RuntimeError()])
def test_what_is_no_fault_of_a_provider_is_none(why: Exception) -> None:
    assert find_fault(why) is None


@pytest.mark.parametrize(
    "why",
    [
        ProviderError(FaultKind.REFUSED, f"Incorrect API key provided: {KEY}"),
        HTTPError("http://api", 401, f"Incorrect API key provided: {KEY}", Message(), BytesIO(b"")),
        ConnectionError(f"https://user:{KEY}@api reset"),
    ],
)
def test_no_key_stands_in_the_words_that_are_kept(why: Exception) -> None:
    fault = find_fault(why)
    assert fault is not None
    assert KEY not in fault.line
    assert "[masked" in fault.line


def test_a_body_that_cannot_be_read_leaves_the_status() -> None:
    class Torn(BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise IncompleteRead(b"")

    fault = find_fault(HTTPError("http://api", 503, "busy", Message(), Torn()))
    assert fault is not None
    assert (fault.kind, fault.text) == (FaultKind.UNAVAILABLE, "HTTP 503: HTTP Error 503: busy")


def test_a_chat_function_may_say_it_itself() -> None:
    fault = find_fault(ProviderError(FaultKind.RATE_LIMITED, "busy", 3.0))
    assert fault is not None
    assert (fault.kind, fault.retry_after_s, fault.line) == (FaultKind.RATE_LIMITED, 3.0, "rate_limited: busy")
