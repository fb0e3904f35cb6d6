"""Errors of the packages as the doors speak them: exit code, and the object that a machine reads.

What an error repeats of a source or of a call is masked whatever the settings say: nobody needs a secret to mend a call.
"""

from collections.abc import Mapping, Sequence

from evidence_store.errors import (
    Conflict,
    EvidenceStoreError,
    InvalidInput,
    JsonValue,
    NotFound,
    NotPermitted,
    StoreFault,
    StoreUnavailable,
)

EXIT_DONE, EXIT_NO, EXIT_WRONG_USE, EXIT_NOT_FOUND, EXIT_STORE_FAULT = range(5)
_EXITS: Mapping[type[Exception], int] = {
    InvalidInput: EXIT_WRONG_USE,
    Conflict: EXIT_WRONG_USE,
    NotFound: EXIT_NOT_FOUND,
    NotPermitted: EXIT_NOT_FOUND,
    StoreFault: EXIT_STORE_FAULT,
}
MAX_MESSAGE_CHARS = 1000


class WrongUse(InvalidInput):
    """The command line, or a request, is not one that there is."""

    code = "wrong_use"


class Unauthenticated(EvidenceStoreError):
    """Nobody is known to ask: there is no key, or it is unknown, revoked or expired; all told in the same words."""

    code = "unauthenticated"


class UpstreamFailed(StoreUnavailable):
    """An MCP server that is wrapped is not there, or ended while it was asked."""

    code = "upstream_failed"


def exit_code(error: EvidenceStoreError) -> int:
    """By the nearest class in the error's ancestry."""
    return next((_EXITS[one] for one in type(error).__mro__ if one in _EXITS), EXIT_WRONG_USE)


def error_object(error: EvidenceStoreError) -> dict[str, JsonValue]:
    """`code` and `message`, and what helps beside them."""
    message = message_of(error)
    message = message if len(message) <= MAX_MESSAGE_CHARS else message[:MAX_MESSAGE_CHARS] + "…"
    return {"code": error.error_code, "message": " ".join(message.split()), **details_of(error)}


def message_of(error: EvidenceStoreError) -> str:
    return _masked_text(error.message)


def details_of(error: EvidenceStoreError) -> dict[str, JsonValue]:
    """What helps beside the message."""
    return {name: _masked(value) for name, value in error.details.items()}


def _masked_text(text: str) -> str:
    # Start-up cost: most commands end without an error.
    from evidence_store.secrets import mask_text

    return mask_text(text)


def _masked(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return _masked_text(value)
    if isinstance(value, Mapping):
        return {name: _masked(one) for name, one in value.items()}
    return [_masked(one) for one in value] if isinstance(value, Sequence) else value
