"""Names of the subjects in structured progress, and what they stand for.

    operations                                     the list of operations of the old version
    get /orders                                    one operation of the old version
    COPY /orders                                   one under `additionalOperations`
    KIND OLD-POINTER -> NEW-POINTER                one pair of places, compared once for all that rest on it

A space or a percent sign inside a pointer is percent-encoded, so that the name comes apart in one way only.
"""

import re
from dataclasses import dataclass
from typing import Literal, cast

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
MORE = "additionalOperations"
"""Where OpenAPI 3.2 describes operations of other methods."""
OPERATIONS = "operations"
PairKind = Literal["request", "response", "request-value", "response-value", "parameter", "body", "result", "scheme"]
"""A schema in a request or in a response (`-value`: null left out, told at the place of use), a parameter, a request body,
a response object, a security scheme."""

MORE_METHOD = r"[A-Z][A-Z0-9-]*"
"""A method of `additionalOperations` as its operations are compared; one of another spelling is an open question."""
_PAIR = re.compile(r"(request-value|response-value|request|response|parameter|body|result|scheme) (\S*) -> (\S*)")
_OPERATION = re.compile(rf"({'|'.join(METHODS)}|{MORE_METHOD}) (/.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class PairSubject:
    kind: PairKind
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class OperationSubject:
    method: str
    path: str


def format_pair(kind: PairKind, old: str, new: str) -> str:
    return f"{kind} {_encode(old)} -> {_encode(new)}"


def format_operation(method: str, path: str) -> str:
    return f"{method} {path}"


def parse_subject(text: str) -> PairSubject | OperationSubject | None:
    """Inverse of the two above; None for `operations` and for subjects of others."""
    pair = _PAIR.fullmatch(text)
    if pair is not None:
        return PairSubject(cast("PairKind", pair[1]), _decode(pair[2]), _decode(pair[3]))
    operation = _OPERATION.fullmatch(text)
    return None if operation is None else OperationSubject(operation[1], operation[2])


def _encode(pointer: str) -> str:
    return re.sub(r"[\s%]", lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), pointer)


def _decode(text: str) -> str:
    return re.sub(r"(?:%[0-9A-F]{2})+", lambda found: bytes.fromhex(found[0].replace("%", "")).decode(), text)
