"""Answers of endpoints: one thing with its ETag, and pages of lists with a cursor and a Link to the next one."""

import base64
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar
from urllib.parse import quote, urlencode

import orjson
from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from api.errors import WrongUse
from api.presenters import Json, dumps
from api.routes.conditional import respond
from api.schemas import problem_content

Row = TypeVar("Row")
MAX_LIMIT = 1000
Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Entries of the page at most")]
Cursor = Annotated[str | None, Query(max_length=4000, description="`next_cursor` of the page before")]
JSON = "application/json"

_SAID = {
    400: "What was asked for is malformed",
    401: "No key, or one that does not work",
    403: "The key may not do this",
    404: "There is no such thing, or it may not be seen",
    409: "The state moved on, or the idempotency key had another request",
    412: "`If-Match` names another state",
    413: "The body is larger than the bound",
    414: "The address is longer than the bound",
    416: "The range lies outside",
    422: "A parameter or a member of the body is not allowed, or a bound was met",
    428: "`If-Match` is missing",
    429: "Too many requests",
    431: "The headers are larger than the bound",
    500: "The stored bytes are not those that were stored, or the store failed",
    503: "The store is locked, read-only, full or of another schema",
}


def problems(*more: int) -> dict[int | str, dict[str, Any]]:
    """The descriptions of error answers: those of every endpoint, and `more`."""
    return {
        one: {"description": _SAID[one], "content": problem_content()}
        for one in sorted({400, 401, 403, 404, 413, 414, 422, 429, 431, 500, 503, *more})
    }


def answer(request: Request, value: Json, status: int = 200) -> Response:
    """One thing, as JSON with a strong ETag."""
    return respond(request, dumps(value), JSON, status)


def page(request: Request, rows: Sequence[Row], limit: int, shown: Callable[[Row], Json], place: Callable[[Row], Json]) -> Response:
    """`{data, next_cursor}` of at most `limit` rows; one row more says that more follows. `place` is where the next page begins after."""
    more = len(rows) > limit
    cursor = write_cursor(place(rows[limit - 1])) if more else None
    response = answer(request, {"data": [shown(one) for one in rows[:limit]], "next_cursor": cursor})
    if cursor is not None:
        response.headers["Link"] = f'<{_following(request, cursor)}>; rel="next"'
    return response


def _following(request: Request, cursor: str) -> str:
    """The address of the next page, with names in its path spelled as they came: a header holds ASCII only."""
    raw = request.scope.get("raw_path") or request.url.path.encode()
    path = quote(raw.partition(b"?")[0], safe="/%:@!$&'()*+,;=~")
    asked = [(name, value) for name, value in request.query_params.multi_items() if name != "cursor"]
    return f"{request.url.scheme}://{request.url.netloc}{path}?{urlencode([*asked, ('cursor', cursor)])}"


def write_cursor(place: Json) -> str:
    return base64.urlsafe_b64encode(orjson.dumps(place)).decode().rstrip("=")


def read_cursor(cursor: str | None, first: str) -> str:
    """The text that a page begins after. Raises WrongUse for what is no cursor of a list of texts."""
    found = _read(cursor, first)
    if not isinstance(found, str):
        raise bad_cursor()
    return found


def read_number_cursor(cursor: str | None) -> int:
    """The number that a page begins after."""
    found = _read(cursor, 0)
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found < 2**53:
        raise bad_cursor()
    return found


def _read(cursor: str | None, first: Json) -> object:
    if cursor is None:
        return first
    try:
        return orjson.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except ValueError as why:
        raise bad_cursor() from why


def bad_cursor() -> WrongUse:
    return WrongUse("cursor is not one that this list gave; begin without one", code="bad_cursor")
