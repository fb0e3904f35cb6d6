"""Canonical bytes: the RFC 8785 form of a JSON value, for ids, digests and the journal, and from nowhere else.

Changing what these functions give is a change of every stored format that rests on them (docs/formats/).
"""

import hashlib

import rfc8785

from evidence_store.errors import InvalidInput, JsonValue
from evidence_store.model import Digest


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


def digest_of(data: bytes | memoryview) -> Digest:
    """The SHA-256 name of these bytes."""
    return Digest("sha256:" + hashlib.sha256(data).hexdigest())


def canonical_digest(value: JsonValue) -> Digest:
    return digest_of(canonical_bytes(value))
