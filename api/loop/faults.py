"""Faults of providers, told apart: which can be mended, which pass with time, and which end a run.

Errors are known by what HTTP says and by the words of their bodies, not by the classes of one SDK. What is no provider's fault is none
here: it is a fault of the program that asks, and is raised there. Their words are logged and stand in the journal: secrets in them are
masked, as a provider may repeat the key that it refuses.
Sources: platform.openai.com/docs/guides/error-codes, platform.claude.com/docs/en/api/errors, github.com/ggml-org/llama.cpp (server).
"""

import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from enum import StrEnum
from http.client import HTTPException
from socket import gaierror
from urllib.error import HTTPError, URLError

from evidence_store.secrets import mask_text

MAX_TEXT_CHARS = 500
MAX_BODY_BYTES = 10_000


class FaultKind(StrEnum):
    """What is wrong."""

    OVERFLOW = "overflow"
    """The input is too long for the model: a smaller one is made."""
    TORN_PAIRS = "torn_pairs"
    """Calls and results do not fit together, as the provider reads them: the input is made anew, once."""
    RATE_LIMITED = "rate_limited"
    """It is asked again after the time that it names."""
    UNAVAILABLE = "unavailable"
    """No answer, or one that broke off: it is asked again."""
    BAD_REPLY = "bad_reply"
    """An answer that is none: it is asked again."""
    REFUSED = "refused"
    """Asking again would not help."""


@dataclass(frozen=True, slots=True)
class Fault:
    kind: FaultKind
    text: str
    retry_after_s: float | None = None
    """Where the provider names a time."""

    @property
    def line(self) -> str:
        """Kind and words, for the reason of an end."""
        return f"{self.kind}: {self.text}" if self.text else str(self.kind)


class ProviderError(Exception):
    """For chat functions that know better than the words of an error: raised instead of it."""

    def __init__(self, kind: FaultKind, text: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(text)
        self.fault = Fault(kind, text, retry_after_s)


_OVERFLOW = re.compile(
    r"context_length_exceeded|exceed_context_size|maximum context length|context (?:window|length|size)|prompt is too long"
    r"|(?:input|request) (?:is )?too (?:long|large)|too many (?:input )?tokens|input tokens? (?:count )?exceed",
    re.IGNORECASE,
)
_TORN = re.compile(
    r"tool_call_ids? did not have response|must be followed by tool messages|response to a prece+ding message with .?tool_calls"
    r"|tool_use.{0,40}without.{0,20}tool_result|tool_result.{0,60}(?:no|without).{0,30}tool_use|no tool (?:output|call) found"
    r"|function response parts|tool_call_id.{0,40}not found",
    re.IGNORECASE | re.DOTALL,
)
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing", re.IGNORECASE)
_PASSING = frozenset({408, 409, 425})
_BY_NAME = frozenset({"APIConnectionError", "APITimeoutError", "TransportError", "RemoteProtocolError", "IncompleteRead"})
"""Classes of SDKs for requests that got no whole answer (openai, anthropic, httpx)."""
_BROKEN = (ConnectionError, TimeoutError, HTTPException, ssl.SSLError, gaierror)


def find_fault(why: Exception) -> Fault | None:
    """The provider's fault that an exception tells of; None where it tells of none."""
    if isinstance(why, ProviderError):
        return replace(why.fault, text=_kept(why.fault.text))
    status, text = _status(why), _text(why)
    if status is not None:
        return _by_status(status, text, _retry_after(_headers(why)))
    named = {one.__name__ for one in type(why).__mro__}
    if isinstance(why, (*_BROKEN, URLError)) or named & _BY_NAME:
        return Fault(FaultKind.UNAVAILABLE, _kept(text) or type(why).__name__)
    return None


def _kept(text: str) -> str:
    return mask_text(text[:MAX_BODY_BYTES])[:MAX_TEXT_CHARS]


def _by_status(status: int, text: str, retry_after_s: float | None) -> Fault:
    said = f"HTTP {status}: {_kept(text)}"
    if status == 429:
        kind = FaultKind.REFUSED if _QUOTA.search(text) else FaultKind.RATE_LIMITED
        return Fault(kind, said, retry_after_s)
    if status in _PASSING or status >= 500:
        is_overflow = status >= 500 and "exceed_context_size" in text
        return Fault(FaultKind.OVERFLOW if is_overflow else FaultKind.UNAVAILABLE, said, retry_after_s)
    if status == 413 or _OVERFLOW.search(text):
        return Fault(FaultKind.OVERFLOW, said)
    return Fault(FaultKind.TORN_PAIRS if _TORN.search(text) else FaultKind.REFUSED, said)


def _status(why: Exception) -> int | None:
    """As openai, anthropic, httpx and urllib name it."""
    for holder in (why, getattr(why, "response", None)):
        for name in ("status_code", "status", "code"):
            found = getattr(holder, name, None)
            if isinstance(found, int) and not isinstance(found, bool) and 300 <= found < 600:
                return found
    return None


def _text(why: Exception) -> str:
    """Words and body. That of urllib is read from the connection, once, and stays with the error."""
    said, body = str(why), getattr(why, "body", None)
    if body is None and isinstance(why, HTTPError):
        try:
            body = why.read(MAX_BODY_BYTES).decode("utf-8", "replace")
        except (OSError, HTTPException, ValueError):  # broken off, or closed by who raised it: the status says enough
            body = ""
        why.body = body  # type: ignore[attr-defined]
    return f"{said} {body}" if body and str(body) not in said else said


def _headers(why: Exception) -> Mapping[str, str]:
    found = getattr(getattr(why, "response", None), "headers", None) or getattr(why, "headers", None)
    return {str(name).lower(): str(value) for name, value in found.items()} if found is not None and hasattr(found, "items") else {}


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds; a date counts from the answer's own (RFC 9110 section 10.2.3)."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        text = headers.get(name, "").strip()
        if re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", text):
            return float(text) / unit
    try:
        until, now = (parsedate_to_datetime(headers.get(name, "")) for name in ("retry-after", "date"))
        return max(0.0, (until - now).total_seconds())
    except (TypeError, ValueError):
        return None
