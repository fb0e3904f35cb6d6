"""Errors of the store: one root, a stable `code` on each, data in attributes, words in the message.

    EvidenceStoreError
    ├── InvalidInput              the caller must send something else
    │   ├── MalformedPointer      not a JSON Pointer (RFC 6901 sections 3 and 6)
    │   ├── BadIndex              a token that is no array index, applied to an array
    │   ├── Ambiguous             several places fit; `details` lists them
    │   ├── RefusedDocument       bytes that are not what their format says
    │   └── LimitExceeded         a size, depth or time bound was met; `details["limit"]` is the bound
    ├── NotFound                  absent, or not permitted: the two look alike
    │   └── NotContainer          a pointer leads into a string, number, boolean or null
    ├── NotPermitted              seen, and not to be done or read by this caller
    ├── Conflict                  the state moved on since the caller looked
    └── StoreFault                the store itself cannot answer
        ├── IntegrityMismatch     stored bytes are not those that their digest names
        ├── StoreMissing          there is no store at this address
        └── StoreUnavailable      locked, read-only, full, or of another schema

No HTTP status and no exit code stands here: `api.errors` maps classes to both.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, TypeAlias

JsonValue: TypeAlias = bool | int | float | str | Sequence["JsonValue"] | Mapping[str, "JsonValue"] | None


class EvidenceStoreError(Exception):
    """Root of all errors that this package raises on purpose.

    `details` carries what helps to repair the call (`nearest`, `keys`, `line`, `limit`, `known`, …) as JSON values.
    """

    code: ClassVar[str] = "error"

    def __init__(self, message: str, details: Mapping[str, JsonValue] | None = None, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details: Mapping[str, JsonValue] = dict(details or {})
        self._code = code

    @property
    def error_code(self) -> str:
        """The stable code: that of the class, or a more exact one given by the place that raised."""
        return self._code or self.code


class InvalidInput(EvidenceStoreError):
    code = "invalid_input"


class MalformedPointer(InvalidInput):
    code = "malformed_pointer"


class BadIndex(InvalidInput):
    code = "bad_index"


class Ambiguous(InvalidInput):
    code = "ambiguous"


class RefusedDocument(InvalidInput):
    code = "refused_document"


class LimitExceeded(InvalidInput):
    code = "limit_exceeded"


class NotFound(EvidenceStoreError):
    code = "not_found"


class NotContainer(NotFound):
    code = "not_container"


class NotPermitted(EvidenceStoreError):
    code = "not_permitted"


class Conflict(EvidenceStoreError):
    code = "conflict"


class StoreFault(EvidenceStoreError):
    code = "store_fault"


class IntegrityMismatch(StoreFault):
    code = "integrity_mismatch"


class StoreMissing(StoreFault):
    code = "no_store"


class StoreUnavailable(StoreFault):
    code = "store_unavailable"
