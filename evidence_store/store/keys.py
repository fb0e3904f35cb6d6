"""Keys: made, found by their secret, revoked. A secret is shown once, and kept as a digest only."""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from evidence_store.access import ApiKey, Grant, Principal, require_own
from evidence_store.canonical import digest_of
from evidence_store.database import Database
from evidence_store.errors import InvalidInput, JsonValue, NotFound
from evidence_store.ids import short_id
from evidence_store.model import Clearances, Digest
from evidence_store.records import keys
from evidence_store.records.events import append_event
from evidence_store.store.core import Core
from evidence_store.store.permissions import MAX_LABEL_CHARS, is_text

PREFIX = "es_"
SECRET_BYTES = 32
MAX_NAME_CHARS = 200
MAX_CLEARANCES = 100
HOUR_US = 3_600_000_000
_SECRET = re.compile(r"es_[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class KeyRequest:
    name: str
    """For people: who or what has it."""
    grants: frozenset[Grant]
    clearances: Clearances = frozenset()
    """Labels that it is cleared for; None: all."""
    sees_secrets: bool = False
    expires_at: int | None = None
    """Microseconds since 1970 UTC; None: never."""


@dataclass(frozen=True, slots=True)
class MadeKey:
    key: ApiKey
    secret: str
    """`es_` and 256 bits in base64url. It cannot be shown again."""


class Keys:
    """The keys of one workspace."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def create(self, request: KeyRequest, author: str, giver: Principal | None = None) -> MadeKey:
        """Raises InvalidInput for a key without a name or a grant, with too many clearances, or one that has expired already.

        With `giver`, NotPermitted (`beyond_own`) for a key that could do or see more than its giver.
        """
        core, at = self._core, self._core.clock()
        _require_key(request, at)
        if giver is not None:
            require_own(giver, request.grants, request.clearances, sees_secrets=request.sees_secrets)
        secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
        id_ = short_id(digest_of(secrets.token_bytes(SECRET_BYTES))).replace("ev_", "key_", 1)
        made = ApiKey(
            id_,
            request.name,
            core.workspace,
            request.grants,
            request.clearances,
            request.sees_secrets,
            at,
            request.expires_at,
            revoked=False,
            used_hour=None,
        )
        data: dict[str, JsonValue] = {
            "name": made.name,
            "grants": sorted(made.grants),
            "clearances": None if made.clearances is None else sorted(made.clearances),
            "sees_secrets": made.sees_secrets,
            "expires_at": made.expires_at,
            "author": author,
        }
        with core.database.writing() as connection:
            keys.insert_key(connection, made, _digest(secret), author)
            append_event(connection, core.workspace, "key.created", id_, data, at)
        return MadeKey(made, secret)

    def list_keys(self) -> Sequence[ApiKey]:
        """All of them, oldest first, those that no longer work among them."""
        with self._core.database.reading() as connection:
            return keys.list_keys(connection, self._core.workspace)

    def get(self, id_: str) -> ApiKey:
        """One key. Raises NotFound."""
        found = next((one for one in self.list_keys() if one.id == id_), None)
        if found is None:
            raise NotFound(f"there is no key {id_[:80]!r}")
        return found

    def revoke(self, id_: str, author: str) -> None:
        """Takes a key out of use for good; one that was revoked stays so. Raises NotFound."""
        core = self._core
        with core.database.writing() as connection:
            found = next((one for one in keys.list_keys(connection, core.workspace) if one.id == id_), None)
            if found is None:
                raise NotFound(f"there is no key {id_[:80]!r}")
            if not found.revoked:
                at = core.clock()
                keys.insert_revocation(connection, core.workspace, id_, author, at)
                append_event(connection, core.workspace, "key.revoked", id_, {"author": author}, at)


def find_key(database: Database, secret: str, at: int) -> ApiKey | None:
    """The key with this secret that may be used at a time; None for one that is unknown, revoked or expired."""
    if _SECRET.fullmatch(secret) is None:
        return None
    with database.reading() as connection:
        found = keys.find_by_digest(connection, _digest(secret))
    if found is None or found.revoked or (found.expires_at is not None and found.expires_at <= at):
        return None
    return found


def note_use(database: Database, key: ApiKey, at: int) -> None:
    """Keeps that a key is used in this hour."""
    with database.writing() as connection:
        keys.insert_use(connection, key.workspace, key.id, at // HOUR_US)


def _digest(secret: str) -> Digest:
    return digest_of(secret.encode())


def _require_key(request: KeyRequest, now: int) -> None:
    if not request.name.strip() or len(request.name) > MAX_NAME_CHARS:
        raise InvalidInput(f"a key has a name of 1 to {MAX_NAME_CHARS} characters", {"limit": MAX_NAME_CHARS}, code="bad_name")
    if not request.grants:
        raise InvalidInput("a key without a grant can do nothing", {"known": [grant.value for grant in Grant]}, code="bad_argument")
    if request.clearances is not None and len(request.clearances) > MAX_CLEARANCES:
        raise InvalidInput(f"a key has at most {MAX_CLEARANCES} clearances", {"limit": MAX_CLEARANCES}, code="limit_exceeded")
    too_long = any(not 1 <= len(one) <= MAX_LABEL_CHARS for one in request.clearances or ())
    if too_long or any(not is_text(one) for one in (request.name, *(request.clearances or ()))):
        text = f"names hold no half of a surrogate pair, and a label has 1 to {MAX_LABEL_CHARS} characters"
        raise InvalidInput(text, {"limit": MAX_LABEL_CHARS}, code="bad_name")
    if request.expires_at is not None and request.expires_at <= now:
        raise InvalidInput("the key would have expired before it is made", code="bad_argument")
