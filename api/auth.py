"""Who asks, from the header of a request: a key of ours, or a token of an identity provider."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from starlette.requests import Request

from api.access import Views, has_grant, owner, require_grant
from api.errors import Unauthenticated
from api.wiring import Services
from evidence_store.access import ApiKey, Principal
from evidence_store.canonical import digest_of
from evidence_store.model import Digest, WorkspaceName
from evidence_store.store.keys import HOUR_US, PREFIX, find_key, note_use
from evidence_store.store.moments import Moment, Moments

REFUSED = "give a key that works: Authorization: Bearer es_…"
KNOWN_USES = 1000


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and what it sees."""

    principal: Principal
    services: Services


@dataclass(frozen=True, slots=True)
class _KnownKey:
    """A key as it was found, and when."""

    key: ApiKey
    moment: Moment
    hour: int
    """In which its use was noted."""


class Gatekeeper:
    """Tells who asks. With `unauthenticated` everybody is the owner of the default workspace."""

    def __init__(
        self, services: Services, *, unauthenticated: bool = False, token_principal: Callable[[str], Principal] | None = None
    ) -> None:
        self._services = services
        self._views = Views(services)
        self._unauthenticated = unauthenticated
        self._token_principal = token_principal
        self._moments = Moments(services.store.core.database)
        self._known: dict[Digest, _KnownKey] = {}
        self._noted: dict[str, int] = {}
        self._lock = Lock()

    def admit(self, authorization: str | None, operation: str) -> Caller:
        """The caller of an operation. Raises Unauthenticated, NotPermitted (`grant_missing`)."""
        principal = self._principal(authorization)
        require_grant(principal, operation)
        return Caller(principal, self._views.of(principal))

    def admit_known(self, authorization: str | None, operation: str) -> Caller | None:
        """The same from memory, for who must not wait; None where it is not known there, or would be refused."""
        if self._unauthenticated:
            principal = owner(self._services.store.core.workspace)
        else:
            scheme, _, secret = (authorization or "").partition(" ")
            known = self._find_known(secret, self._services.store.core.clock()) if scheme.lower() == "bearer" else None
            if known is None:
                return None
            principal = known.principal
        return Caller(principal, self._views.of(principal)) if has_grant(principal, operation) else None

    def moment(self, workspace: WorkspaceName) -> Moment:
        """How far a workspace is now."""
        return self._moments.now(workspace)

    def _principal(self, authorization: str | None) -> Principal:
        if self._unauthenticated:
            return owner(self._services.store.core.workspace)
        scheme, _, secret = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not secret:
            raise Unauthenticated(REFUSED)
        if not secret.startswith(PREFIX) and self._token_principal is not None:
            return self._token_principal(secret)
        core = self._services.store.core
        at = core.clock()
        known = self._find_known(secret, at)
        if known is not None:
            return known.principal
        # The state before the look: what is committed during it makes the key unknown again.
        mark = self._moments.mark()
        found = find_key(core.database, secret, at)
        if found is None:
            raise Unauthenticated(REFUSED)
        self._note_use(found, at)
        moment = self._moments.now(found.workspace)
        if moment.mark == mark:
            self._keep_known(secret, _KnownKey(found, moment, at // HOUR_US))
        return found.principal

    def _find_known(self, secret: str, at: int) -> ApiKey | None:
        """A key that was let in before, while nothing happened in its workspace since, in the hour in which its use was noted."""
        known = self._known.get(digest_of(secret.encode("utf-8", "replace")))
        if known is None or known.hour != at // HOUR_US or (known.key.expires_at is not None and known.key.expires_at <= at):
            return None
        now = self._moments.now(known.key.workspace)
        return known.key if now.number == known.moment.number else None

    def _keep_known(self, secret: str, known: "_KnownKey") -> None:
        with self._lock:
            if len(self._known) >= KNOWN_USES:
                self._known.clear()
            self._known[digest_of(secret.encode())] = known

    def _note_use(self, key: ApiKey, at: int) -> None:
        """Once an hour: not every read is to write."""
        hour = at // HOUR_US
        with self._lock:
            if self._noted.get(key.id, key.used_hour) == hour:
                return
            if len(self._noted) >= KNOWN_USES:
                self._noted.clear()
            self._noted[key.id] = hour
        note_use(self._services.store.core.database, key, at)


def admit(request: Request) -> Caller:
    """The caller of the operation that a request was routed to."""
    return _gatekeeper(request).admit(request.headers.get("authorization"), request.scope["route"].operation_id)


def admit_known(request: Request) -> Caller | None:
    """The same from memory; None where it is not known there, or would be refused."""
    return _gatekeeper(request).admit_known(request.headers.get("authorization"), request.scope["route"].operation_id)


def _gatekeeper(request: Request) -> Gatekeeper:
    found = request.app.state.gatekeeper
    assert isinstance(found, Gatekeeper)
    return found
