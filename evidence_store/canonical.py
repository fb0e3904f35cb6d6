"""Canonical bytes: the RFC 8785 form of a JSON value, for ids, digests and the journal, and from nowhere else.

Changing what these functions give is a change of every stored format that rests on them (docs/formats/).
"""

import hashlib
import math
from collections.abc import Mapping
from typing import Final

import rfc8785

from evidence_store.errors import InvalidInput, JsonValue
from evidence_store.model import Digest

MAX_CANONICAL_INT: Final = 2**53 - 1
MAX_STORABLE_DEPTH: Final = 100
_MAX_DECIMAL_BITS: Final = 14_000


def canonical_bytes(value: JsonValue) -> bytes:
    """RFC 8785 bytes of `value`.

    Integers are bounded by ±(2^53 − 1), as RFC 8785 section 3.2.2.3 asks; larger ones go in as text.
    Raises InvalidInput for what has no canonical form (such integers, NaN, half surrogate pairs), and for what is nested too deeply.
    """
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeError) as why:
        raise InvalidInput(f"no canonical JSON form: {why}") from why
    except RecursionError as why:
        raise InvalidInput("no canonical JSON form: the value is nested too deeply") from why


def storable(value: JsonValue, max_depth: int = MAX_STORABLE_DEPTH) -> JsonValue:
    """The value as it has a canonical form: what has none stands there as text that looks like it.

    Halves of surrogate pairs come out as U+FFFD, integers beyond ±(2^53 − 1), infinities and NaN as their digits or names, and what lies
    deeper than `max_depth` containers as a remark.
    """
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if abs(value) <= MAX_CANONICAL_INT else _digits(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if max_depth <= 0:
        return "(nested too deeply)"
    if isinstance(value, Mapping):
        return {str(storable(name)): storable(member, max_depth - 1) for name, member in value.items()}
    return [storable(item, max_depth - 1) for item in value]


def _digits(value: int) -> str:
    # beyond 4 300 digits Python gives no decimal ones
    return str(value) if value.bit_length() < _MAX_DECIMAL_BITS else hex(value)


def digest_of(data: bytes | memoryview) -> Digest:
    """The SHA-256 name of these bytes."""
    return Digest("sha256:" + hashlib.sha256(data).hexdigest())


def canonical_digest(value: JsonValue) -> Digest:
    return digest_of(canonical_bytes(value))
