"""Errors as HTTP says them: the status of each class of error, and RFC 9457 problem details with our stable codes."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from api.access import TooManyRequests
from api.errors import Unauthenticated, WrongUse, error_object
from api.presenters import Json, dumps
from api.routes.headers import SECURITY_HEADERS
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

MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:evidence-store:problem:"
_CODES = {404: "not_found", 405: "method_not_allowed"}


class InternalFault(EvidenceStoreError):
    """What we did not foresee. Says nothing of the cause: that stands in the server's log."""

    code = "internal_error"


class BadParameters(WrongUse):
    """Parameters that the description of the endpoint does not allow."""

    code = "bad_parameters"


class OutsideRange(InvalidInput):
    """The range that was asked for has no byte."""

    code = "outside_range"


class TooLarge(LimitExceeded):
    """A body over its bound."""

    code = "too_large"


class AddressTooLong(LimitExceeded):
    """An address over its bound."""

    code = "address_too_long"


class HeadersTooLarge(LimitExceeded):
    """Headers over their bound."""

    code = "headers_too_large"


class StateChanged(Conflict):
    """`If-Match` names a state that is no more."""

    code = "state_changed"


class StateNotNamed(Conflict):
    """What changes a state has to say which one it saw: `If-Match`."""

    code = "state_not_named"


class Refused(EvidenceStoreError):
    """The router's own answer: no such path, another method."""


_STATUSES: Mapping[type[Exception], HTTPStatus] = {
    InvalidInput: HTTPStatus.BAD_REQUEST,
    OutsideRange: HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE,
    TooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    AddressTooLong: HTTPStatus.REQUEST_URI_TOO_LONG,
    HeadersTooLarge: HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    StateChanged: HTTPStatus.PRECONDITION_FAILED,
    StateNotNamed: HTTPStatus.PRECONDITION_REQUIRED,
    TooManyRequests: HTTPStatus.TOO_MANY_REQUESTS,
    BadParameters: HTTPStatus.UNPROCESSABLE_ENTITY,
    LimitExceeded: HTTPStatus.UNPROCESSABLE_ENTITY,
    NotFound: HTTPStatus.NOT_FOUND,
    Unauthenticated: HTTPStatus.UNAUTHORIZED,
    NotPermitted: HTTPStatus.FORBIDDEN,
    Conflict: HTTPStatus.CONFLICT,
    StoreUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    StoreFault: HTTPStatus.INTERNAL_SERVER_ERROR,
}


def status_of(error: EvidenceStoreError) -> int:
    """By the nearest class in the error's ancestry."""
    return next((_STATUSES[one] for one in type(error).__mro__ if one in _STATUSES), HTTPStatus.INTERNAL_SERVER_ERROR).value


def error_of(why: Exception) -> tuple[EvidenceStoreError, int]:
    """Any exception that reaches the door as an error of ours, with its status."""
    if isinstance(why, EvidenceStoreError):
        return why, status_of(why)
    if isinstance(why, RequestValidationError):
        refused = _refused_parameters(why)
        return BadParameters("; ".join(f"{one['name']}: {one['detail']}" for one in refused), {"errors": refused}), 422
    if isinstance(why, HTTPException):
        return Refused(HTTPStatus(why.status_code).phrase, code=_CODES.get(why.status_code, "refused")), why.status_code
    return InternalFault("the server failed; its log says why"), 500


def _refused_parameters(why: RequestValidationError) -> list[dict[str, str]]:
    """Where and why; never the value, which may be long or secret."""
    errors: Sequence[Mapping[str, object]] = why.errors()
    found = []
    for error in errors:
        place = error["loc"]
        assert isinstance(place, tuple)
        found.append({"in": str(place[0]), "name": "/".join(map(str, place[1:])), "detail": str(error["msg"])})
    return found


def problem_response(request: Request, why: Exception) -> Response:
    """The problem details of an exception."""
    error, status = error_of(why)
    shown: dict[str, JsonValue] = dict(error_object(error))
    request.state.code = error.error_code
    body: dict[str, Json] = {
        "type": TYPE_PREFIX + str(shown.pop("code")),
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": str(shown.pop("message")),
        "code": error.error_code,
        "request_id": str(getattr(request.state, "request_id", "")),
    }
    if type(error).code != error.error_code:
        body["kind"] = type(error).code
    helps = {name: _plain(value) for name, value in shown.items() if name not in body}
    # The answer to a failure of ours leaves outside the middleware that sets these.
    headers = {**SECURITY_HEADERS, **_headers(error, status)}
    return Response(dumps(body | helps), status, headers, MEDIA_TYPE)


def _headers(error: EvidenceStoreError, status: int) -> dict[str, str]:
    """What some statuses have to say in a header (RFC 9110)."""
    if status == HTTPStatus.UNAUTHORIZED:
        return {"WWW-Authenticate": "Bearer"}
    if isinstance(error, OutsideRange):
        return {"Content-Range": f"bytes */{error.details['limit']}"}
    if isinstance(error, TooManyRequests):
        return {"Retry-After": str(error.details["retry_after_s"])}
    return {}


def _plain(value: JsonValue) -> Json:
    """Values of error details; they may be any Mapping or Sequence, and numbers are whole."""
    if isinstance(value, str) or value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value]
