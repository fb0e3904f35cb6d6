"""Who asks, from the header of a request: a key of ours, or a token of an identity provider."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock

from starlette.requests import Request

from api.access import PAGES, TooManyRequests, Unauthenticated, Views, owner, require_grant
from api.rates import Rates
from api.wiring import Services
from evidence_store.access import ApiKey, Principal
from evidence_store.model import WorkspaceName
from evidence_store.store.keys import HOUR_US, PREFIX, find_key, note_use

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
        principal = caller.principal
        wait_s = 0 if self._rates is None else self._rates.take((principal.workspace, principal.name))
        if wait_s:
            raise TooManyRequests("more requests than this principal may send", {"retry_after_s": wait_s})
        require_grant(principal, operation)

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
        found = find_key(core.database, secret, at)
        if found is None:
            raise Unauthenticated(REFUSED)
        self._note_use(found, at)
        return found.principal

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
    gatekeeper = request.app.state.gatekeeper
    assert isinstance(gatekeeper, Gatekeeper)
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
