"""Problem details as the exceptions that they were at the server: by the kind that they name, else by their status."""

from collections.abc import Iterator, Mapping
from http import HTTPStatus

import orjson

from api.client.operation import Answer
from api.errors import Unauthenticated, WrongUse
from evidence_store.errors import (
    Conflict,
    EvidenceStoreError,
    InvalidInput,
    JsonValue,
    LimitExceeded,
    NotFound,
    NotPermitted,
    StoreFault,
    StoreUnavailable,
)

MEMBERS = frozenset(("type", "title", "status", "detail", "code", "kind", "request_id"))
"""Of every problem; what stands beside them are details of the error."""
_BY_STATUS: Mapping[int, type[EvidenceStoreError]] = {
    HTTPStatus.BAD_REQUEST: InvalidInput,
    HTTPStatus.UNAUTHORIZED: Unauthenticated,
    HTTPStatus.FORBIDDEN: NotPermitted,
    HTTPStatus.NOT_FOUND: NotFound,
    HTTPStatus.CONFLICT: Conflict,
    HTTPStatus.PRECONDITION_FAILED: Conflict,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: LimitExceeded,
    HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE: InvalidInput,
    HTTPStatus.UNPROCESSABLE_ENTITY: InvalidInput,
    HTTPStatus.PRECONDITION_REQUIRED: Conflict,
    HTTPStatus.TOO_MANY_REQUESTS: StoreUnavailable,
    HTTPStatus.BAD_GATEWAY: StoreUnavailable,
    HTTPStatus.SERVICE_UNAVAILABLE: StoreUnavailable,
    HTTPStatus.GATEWAY_TIMEOUT: StoreUnavailable,
}


def is_error(status: int) -> bool:
    """Whether an answer is not what was asked for: redirections are followed nowhere, since they would take the key along."""
    return status >= HTTPStatus.MULTIPLE_CHOICES


def error_of(answer: Answer) -> EvidenceStoreError:
    """The error that an answer tells of, with its code and details.

    An answer of something in between, which holds no problem details, says nothing of what is stored: it is a fault.
    """
    problem = _problem(answer.body)
    if problem is not None:
        return _told(problem, answer.status)
    if answer.status in _BY_STATUS and (not answer.body or _BY_STATUS[answer.status] is StoreUnavailable):
        return _BY_STATUS[answer.status](f"the server answered {answer.status}")
    return StoreFault(f"the server answered {answer.status}, and without problem details", {"status": answer.status}, code="bad_answer")


def error_named(code: str, message: str, status: int) -> EvidenceStoreError:
    """The error of one item of an answer, which says no more of it."""
    return _class_of(code, status)(message, code=code)


def _told(problem: Mapping[str, JsonValue], status: int) -> EvidenceStoreError:
    details = {name: value for name, value in problem.items() if name not in MEMBERS}
    code = str(problem["code"])
    error = _class_of(str(problem.get("kind") or code), status)(str(problem.get("detail", "")), details, code=code)
    if isinstance(request := problem.get("request_id"), str):
        error.add_note(f"request {request}")
    return error


def _problem(body: bytes) -> dict[str, JsonValue] | None:
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) and "code" in found else None


def _class_of(kind: str, status: int) -> type[EvidenceStoreError]:
    """The class whose code this is, as far as it is a kind of what the status says."""
    widest = _BY_STATUS.get(status, StoreFault if status >= HTTPStatus.INTERNAL_SERVER_ERROR else EvidenceStoreError)
    known: tuple[type[EvidenceStoreError], ...] = (widest, *_below(widest), WrongUse)
    return next((one for one in known if one.code == kind and issubclass(one, widest)), widest)


def _below(root: type[EvidenceStoreError]) -> Iterator[type[EvidenceStoreError]]:
    """Classes of the store's own errors that are kinds of this one."""
    for one in root.__subclasses__():
        if one.__module__ == EvidenceStoreError.__module__:
            yield one
            yield from _below(one)
