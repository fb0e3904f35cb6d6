"""Answers of operations that may be asked for again: what identifies such a request, and what it is answered with."""

import orjson
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from api.once import Done
from api.routes.answers import JSON
from api.routes.conditional import respond

REPEATED = "Idempotency-Replayed"


def asked_bytes(operation: str, body: BaseModel, *where: str) -> bytes:
    """All that a request asks for, whatever the order of its members."""
    return orjson.dumps([operation, list(where), body.model_dump(mode="json")], option=orjson.OPT_SORT_KEYS)


def again(request: Request, done: Done) -> Response:
    """What was done, with a header where it was done for an earlier request."""
    response = respond(request, done.body, JSON, done.status)
    if done.again:
        response.headers[REPEATED] = "true"
    return response
