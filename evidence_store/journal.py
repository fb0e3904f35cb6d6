"""Events: every transition of the store, in one order, written in the transaction that makes it.

An event's payload is canonical bytes; its commitment is an HMAC-SHA256 of the payload under the event's own random salt, so
that erasing payload and salt later leaves a commitment that says nothing (docs/formats/event.md).
"""

import hashlib
import hmac
from dataclasses import dataclass

FORMAT_VERSION = 1
SALT_BYTES = 32


@dataclass(frozen=True, slots=True)
class Event:
    number: int
    """1-based, without gaps within a workspace."""
    kind: str
    subject: str
    payload: bytes
    salt: bytes
    commitment: bytes

    @property
    def sound(self) -> bool:
        return hmac.compare_digest(commit(self.salt, self.payload), self.commitment)


def commit(salt: bytes, payload: bytes) -> bytes:
    """The 32 bytes that stand for a payload in the journal."""
    return hmac.digest(salt, payload, hashlib.sha256)
