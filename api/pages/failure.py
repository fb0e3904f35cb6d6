"""The page for what went wrong: the message, the code, and where to go from there."""

from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from api.errors import error_object
from api.pages.templating import page
from api.routes.headers import SECURITY_HEADERS
from api.routes.problems import error_of


def error_page(request: Request, why: Exception) -> Response:
    error, status = error_of(why)
    shown = error_object(error)
    request.state.code = error.error_code
    values = {
        "title": HTTPStatus(status).phrase,
        "code": shown["code"],
        "message": shown["message"],
        "request_id": str(getattr(request.state, "request_id", "")),
    }
    answer = page(request, "failure.html", values, status)
    # The answer to a failure of ours leaves outside the middleware that sets these.
    answer.headers.update(SECURITY_HEADERS)
    return answer
