"""An operation of the server as a value: what is sent, whether it may be sent again, and how its answer is read. No transport is here.

Both clients send the same values, so that neither knows more of the service than the other.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Generic, TypeAlias, TypeVar
from urllib.parse import quote

import orjson

from api.client.upload import Upload
from evidence_store.errors import EvidenceStoreError, InvalidInput, StoreFault

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Given: TypeAlias = "str | int | Sequence[str] | None"
"""A parameter; None is left out, flags are `flag(…)`."""

JSON = "application/json"
NO_HEADERS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, whole."""

    status: int
    headers: Mapping[str, str]
    """By lower-case name."""
    body: bytes

    def json(self) -> Any:
        return orjson.loads(self.body)


@dataclass(frozen=True, slots=True)
class Operation(Generic[T_co]):
    """One request of docs/http.md."""

    method: str
    path: str
    read: Callable[[Answer], T_co]
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=lambda: NO_HEADERS)
    content: bytes | Upload | None = None
    repeatable: bool = True
    """Whether sending it twice does what sending it once does."""

    def taken(self, answer: Answer) -> T_co:
        """The value of an answer that is none of errors. Raises StoreFault (`bad_answer`) for one of another form."""
        try:
            return self.read(answer)
        except StoreFault:
            raise
        except EvidenceStoreError as why:
            # what reads values refuses input, and here it is the server's
            raise StoreFault(f"the server's answer to {self.method} {self.path} is none: {why.message}", code="bad_answer") from why
        except (LookupError, TypeError, ValueError) as why:
            raise StoreFault(f"the server's answer to {self.method} {self.path} is none that is known: {why}", code="bad_answer") from why


@dataclass(frozen=True, slots=True)
class Page(Generic[T_co]):
    rows: tuple[T_co, ...]
    cursor: str | None
    """None at the end."""


@dataclass(frozen=True, slots=True)
class Pages(Generic[T_co]):
    """A list that comes in pages."""

    first: Operation[Page[T_co]]

    def after(self, cursor: str) -> Operation[Page[T_co]]:
        return replace(self.first, query=(*self.first.query, ("cursor", cursor)))


def get(path: str, read: Callable[[Any], T], query: Mapping[str, Given] = NO_HEADERS) -> Operation[T]:
    """Reads one thing; `read` takes its JSON."""
    return Operation("GET", path, lambda answer: read(answer.json()), pairs(query))


def pages(path: str, read: Callable[[Any], T], limit: int, query: Mapping[str, Given] = NO_HEADERS) -> Pages[T]:
    """Reads a list, `limit` entries at a time."""

    def read_page(answer: Answer) -> Page[T]:
        found = answer.json()
        return Page(tuple(map(read, found["data"])), found["next_cursor"])

    return Pages(Operation("GET", path, read_page, pairs({"limit": limit, **query})))


def post(
    path: str,
    value: Mapping[str, object],
    read: Callable[[Any], T],
    key: str | None = None,
    headers: Mapping[str, str] = NO_HEADERS,
    *,
    query: Mapping[str, Given] = NO_HEADERS,
    method: str = "POST",
) -> Operation[T]:
    """Adds something once: with an idempotency key, which is made where none is given."""
    sent = {"Content-Type": JSON, "Idempotency-Key": key or new_key(), **headers}
    return Operation(method, path, lambda answer: read(answer.json()), pairs(query), sent, body_of(value))


def ask(path: str, value: Mapping[str, object], read: Callable[[Any], T]) -> Operation[T]:
    """A question that is too large for an address; nothing is added by it."""
    return Operation("POST", path, lambda answer: read(answer.json()), (), {"Content-Type": JSON}, body_of(value))


def pairs(query: Mapping[str, Given]) -> tuple[tuple[str, str], ...]:
    """The parameters of an address; of several values each."""
    found: list[tuple[str, str]] = []
    for name, given in query.items():
        if isinstance(given, str | int):
            found.append((name, str(given)))
        elif given is not None:
            found += [(name, one) for one in given]
    return tuple(found)


def flag(given: bool) -> str:
    return "true" if given else "false"


def body_of(value: Mapping[str, object]) -> bytes:
    """JSON. Raises InvalidInput for what is none, such as half a surrogate pair."""
    try:
        return orjson.dumps(value)
    except TypeError as why:
        raise InvalidInput(f"this cannot be sent as JSON: {why}", code="bad_argument") from why


def named(name: str) -> str:
    """A name as one segment of a path. One that is nothing but dots would lead elsewhere."""
    quoted = quote(name, safe="")
    return quoted.replace(".", "%2E") if set(name) == {"."} else quoted


def new_key() -> str:
    """An idempotency key that nobody else makes."""
    return secrets.token_hex(16)
