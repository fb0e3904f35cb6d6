"""Errors of the packages as the doors speak them: exit code, and the object that a machine reads."""

from collections.abc import Mapping

from evidence_store.errors import Conflict, EvidenceStoreError, InvalidInput, JsonValue, NotFound, StoreFault

EXIT_DONE, EXIT_NO, EXIT_WRONG_USE, EXIT_NOT_FOUND, EXIT_STORE_FAULT = range(5)
_EXITS: Mapping[type[Exception], int] = {
    InvalidInput: EXIT_WRONG_USE,
    Conflict: EXIT_WRONG_USE,
    NotFound: EXIT_NOT_FOUND,
    StoreFault: EXIT_STORE_FAULT,
}
MAX_MESSAGE_CHARS = 1000


class WrongUse(InvalidInput):
    """The command line, or a request, is not one that there is."""

    code = "wrong_use"


def exit_code(error: EvidenceStoreError) -> int:
    """By the nearest class in the error's ancestry."""
    return next((_EXITS[one] for one in type(error).__mro__ if one in _EXITS), EXIT_WRONG_USE)


def error_object(error: EvidenceStoreError) -> dict[str, JsonValue]:
    """`code` and `message`, and what helps beside them."""
    message = error.message if len(error.message) <= MAX_MESSAGE_CHARS else error.message[:MAX_MESSAGE_CHARS] + "…"
    return {"code": error.error_code, "message": " ".join(message.split()), **error.details}
