"""Who asks, from the header of a request: a key of ours, or a token of an identity provider."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock

from starlette.requests import Request

from api.access import PAGES, TooManyRequests, Views, has_grant, owner, require_grant
from api.errors import Unauthenticated
from api.rates import Rates
from api.wiring import Services
from evidence_store.access import ApiKey, Principal
from evidence_store.canonical import digest_of
from evidence_store.model import Digest, WorkspaceName
from evidence_store.store.keys import HOUR_US, PREFIX, find_key, note_use
from evidence_store.store.moments import Moment, Moments

REFUSED = "give a key that works: Authorization: Bearer es_…"
KNOWN_USES = 1000
WHOLE = "whole"
"""Member of a request's state, which no client can set: a caller who is cleared for everything, for asking after the answer was sent."""
COOKIE = "evidence_key"
KEY_FORM = re.compile(r"[A-Za-z0-9._~+/=-]{1,4000}")
"""Of bearer tokens (RFC 6750), as long as a cookie may be."""


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
        self,
        services: Services,
        *,
        unauthenticated: bool = False,
        token_principal: Callable[[str], Principal] | None = None,
        requests_per_s: int = 0,
    ) -> None:
        """With `requests_per_s`, a principal that asks more often is refused."""
        self._services = services
        self._views = Views(services)
        self.asks_for_keys = not unauthenticated
        self._token_principal = token_principal
        self._rates = Rates[tuple[WorkspaceName, str]](requests_per_s, requests_per_s) if requests_per_s else None
        self._moments = Moments(services.store.core.database)
        self._known: dict[Digest, _KnownKey] = {}
        self._noted: dict[str, int] = {}
        self._lock = Lock()

    def find(self, authorization: str | None) -> Caller:
        """Who asks. Raises Unauthenticated."""
        principal = self._principal(authorization)
        return Caller(principal, self._views.of(principal))

    def cleared(self, caller: Caller) -> Caller:
        """The same caller, were it cleared for everything."""
        principal = replace(caller.principal, clearances=None)
        return Caller(principal, self._views.of(principal))

    def require(self, caller: Caller, operation: str) -> None:
        """Raises TooManyRequests, NotPermitted (`grant_missing`)."""
        wait_s = self.wait_s(caller)
        if wait_s:
            raise TooManyRequests("more requests than this principal may send", {"retry_after_s": wait_s})
        require_grant(caller.principal, operation)

    def wait_s(self, caller: Caller) -> int:
        """Counts a request; seconds that it comes too early."""
        principal = caller.principal
        return 0 if self._rates is None else self._rates.take((principal.workspace, principal.name))

    def admit(self, authorization: str | None, operation: str) -> Caller:
        """The caller of an operation. Raises Unauthenticated, TooManyRequests, NotPermitted (`grant_missing`)."""
        caller = self.find(authorization)
        self.require(caller, operation)
        return caller

    def admit_known(self, authorization: str | None, operation: str) -> Caller | None:
        """The same from memory, for who must not wait, and not counted; None where it is not known there, or would be refused."""
        if not self.asks_for_keys:
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
        if not self.asks_for_keys:
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


def cookie_of(request: Request) -> str | None:
    """What the cookie of a reader says, in the form of the header."""
    found = request.cookies.get(COOKIE)
    return None if found is None else f"Bearer {found}"


def admit(request: Request, operation: str | None = None) -> Caller:
    """The caller of an operation, without one of that which the request was routed to; kept in the state of the request.

    Raises Unauthenticated, TooManyRequests, NotPermitted.
    """
    gatekeeper = _gatekeeper(request)
    state = request.scope["state"]
    if WHOLE in state:
        whole = state[WHOLE]
        assert isinstance(whole, Caller)
        return whole
    state["operation"] = operation = operation or request.scope["route"].operation_id
    said = request.headers.get("authorization")
    state["caller"] = caller = gatekeeper.find(cookie_of(request) if said is None and operation.startswith(PAGES) else said)
    gatekeeper.require(caller, operation)
    return caller


def admit_known(request: Request) -> Caller | None:
    """The same from memory; None where it is not known there, or would be refused."""
    state, gatekeeper, operation = request.scope["state"], _gatekeeper(request), request.scope["route"].operation_id
    known = None if WHOLE in state else gatekeeper.admit_known(request.headers.get("authorization"), operation)
    if known is None or gatekeeper.wait_s(known):
        return None
    state.update(operation=operation, caller=known)
    return known


def _gatekeeper(request: Request) -> Gatekeeper:
    found = request.app.state.gatekeeper
    assert isinstance(found, Gatekeeper)
    return found
