"""Lines of the log, as text or as JSON. Of an exception its type and places are told, never its message, which may repeat a source."""

import logging
import sys
from datetime import UTC, datetime
from traceback import extract_tb
from typing import Literal

import orjson

from api.observing.seen import RequestSeen
from evidence_store.secrets import mask_text

Form = Literal["lines", "json", "off"]
FORMS: tuple[Form, ...] = ("lines", "json", "off")
MAX_MESSAGE_CHARS = 500
REQUESTS = "api.requests"
_OURS = ("api", "evidence_store", "projector", "uvicorn", "mcp")


class Lines(logging.Formatter):
    """One record is one line."""

    def __init__(self, form: Form, *, with_names: bool) -> None:
        super().__init__()
        self._form = form
        self._with_names = with_names

    def format(self, record: logging.LogRecord) -> str:
        seen = getattr(record, "seen", None)
        told = self._request(seen) if isinstance(seen, RequestSeen) else self._other(record)
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        if self._form == "json":
            return orjson.dumps({"at": at, "level": record.levelname.lower(), **told}).decode()
        return " ".join([at, *(_plain(value) for name, value in told.items() if value is not None and name != "event")])

    def _request(self, seen: RequestSeen) -> dict[str, object]:
        told: dict[str, object] = {
            "event": "request",
            "method": seen.method,
            "operation": seen.operation,
            "status": seen.status,
            "code": seen.code,
            "duration_ms": round(seen.duration_s * 1000, 1),
            "principal": seen.principal,
            "workspace": seen.workspace,
            "request_id": seen.request_id,
        }
        return told | ({"path": seen.path} if self._with_names else {})

    def _other(self, record: logging.LogRecord) -> dict[str, object]:
        told: dict[str, object] = {"event": "message", "logger": record.name, "message": mask_text(record.getMessage())[:MAX_MESSAGE_CHARS]}
        if record.exc_info and record.exc_info[0] is not None:
            places = [f"{one.filename}:{one.lineno} {one.name}" for one in extract_tb(record.exc_info[2])]
            told |= {"exception": record.exc_info[0].__name__, "places": places}
        return told


def _plain(value: object) -> str:
    """Without line ends and control characters: whoever names itself so adds no line to a log."""
    text = " < ".join(map(str, reversed(value))) if isinstance(value, list) else str(value)
    return "".join(one if one.isprintable() else f"<U+{ord(one):04X}>" for one in text)


def set_up_logs(form: Form, *, with_names: bool) -> None:
    """Has the packages and the server write to stderr, in place of what they wrote before."""
    handler: logging.Handler = logging.NullHandler() if form == "off" else logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines(form, with_names=with_names))
    for name in _OURS:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        # The SDK of MCP warns with ids of sessions.
        logger.setLevel(logging.ERROR if name == "mcp" else logging.WARNING)
    logging.getLogger(REQUESTS).setLevel(logging.WARNING if form == "off" else logging.INFO)


def log_request(seen: RequestSeen) -> None:
    logging.getLogger(REQUESTS).info("request", extra={"seen": seen})
