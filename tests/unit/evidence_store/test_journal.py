"""Events: a commitment that fits its payload and salt, and no other."""

import hashlib
import hmac
from dataclasses import replace

import pytest

from evidence_store.journal import SALT_BYTES, Event, commit

SALT = bytes(range(SALT_BYTES))
PAYLOAD = b'{"at":1,"data":{},"kind":"resource.added","number":1,"subject":"a","v":1}'
EVENT = Event(1, "resource.added", "a", PAYLOAD, SALT, commit(SALT, PAYLOAD))


def test_a_commitment_is_an_hmac_under_the_salt() -> None:
    """Anybody can make it again with the standard library (docs/formats/event.md)."""
    assert commit(SALT, PAYLOAD) == hmac.new(SALT, PAYLOAD, hashlib.sha256).digest()
    assert commit(SALT, PAYLOAD).hex()[:24] == "e00c2363a87177abc87085d1"


def test_an_event_as_it_was_written_is_sound() -> None:
    assert EVENT.sound


@pytest.mark.parametrize(
    "changed",
    [
        replace(EVENT, payload=PAYLOAD.replace(b'"a"', b'"b"')),
        replace(EVENT, salt=bytes(SALT_BYTES)),
        replace(EVENT, commitment=bytes(32)),
        replace(EVENT, commitment=EVENT.commitment[:31]),
    ],
)
def test_a_changed_payload_salt_or_commitment_is_not_sound(changed: Event) -> None:
    assert not changed.sound


def test_the_same_payload_under_another_salt_has_another_commitment() -> None:
    """So that a commitment whose payload and salt were erased says nothing of a payload that can be guessed."""
    assert commit(bytes(SALT_BYTES), PAYLOAD) != commit(SALT, PAYLOAD)
