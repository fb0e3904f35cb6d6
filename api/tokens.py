"""Tokens of an identity provider (RFC 7519) as principals. Needs the extra `oidc`.

Whatever is wrong with a token, the answer is the same. Signatures are RS256, ES256 or EdDSA by a key of the provider's set (RFC 7517),
named by its id; no token says where keys come from or how it is to be checked.
"""

import ipaddress
import json
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from http.client import HTTPException
from logging import getLogger
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from api.auth import REFUSED
from api.errors import Unauthenticated, WrongUse
from api.server_settings import TokenSettings
from evidence_store.access import Grant, Principal
from evidence_store.model import Clearances, WorkspaceName
from evidence_store.store.keys import MAX_CLEARANCES

ALGORITHMS = ("RS256", "ES256", "EdDSA")
MIN_RSA_BITS = 2048
MAX_TOKEN_CHARS = 16 * 1024
MAX_NAME_CHARS = 200
MAX_SET_BYTES = 256 * 1024
FETCH_S = 5.0
AGAIN_AFTER_S = 60.0
"""Between two fetches at least, whatever ids tokens name."""
FRESH_S = 3600.0
"""A set that is older is fetched again, so that keys that were taken back go."""
STALE_S = 24 * 3600.0
"""A set that could not be fetched again for so long is used no more."""


class KeySet:
    """The provider's keys by their ids, fetched when they are first needed."""

    def __init__(self, fetch: Callable[[], bytes], clock: Callable[[], float] = time.monotonic) -> None:
        self._fetch = fetch
        self._clock = clock
        self._keys: Mapping[str, jwt.PyJWK] = {}
        self._fetched_at: float | None = None
        self._tried_at: float | None = None
        self._lock = Lock()

    def find(self, id_: str) -> jwt.PyJWK | None:
        """The key of this id. An unknown one has the set fetched again, once a minute at most."""
        at = self._clock()
        fetched = self._fetched_at
        known = id_ in self._keys
        if not known or fetched is None or at - fetched > FRESH_S:
            self._refresh(at, wait=not known)
        if self._fetched_at is None or at - self._fetched_at > STALE_S:
            return None
        return self._keys.get(id_)

    def _refresh(self, at: float, *, wait: bool) -> None:
        if not self._lock.acquire(blocking=wait):
            return
        try:
            if self._tried_at is not None and at - self._tried_at < AGAIN_AFTER_S:
                return
            self._tried_at = at
            self._keys = read_key_set(self._fetch())
            self._fetched_at = at
        except (OSError, ValueError, HTTPException) as why:
            getLogger(__name__).warning("the key set of the identity provider cannot be had: %s", type(why).__name__)
        finally:
            self._lock.release()


def read_key_set(raw: bytes) -> Mapping[str, jwt.PyJWK]:
    """The keys that can sign what is taken here; others are left out. Raises ValueError for what is no key set."""
    found = json.loads(raw)
    if not isinstance(found, dict) or not isinstance(found.get("keys"), list):
        raise ValueError("no key set")
    keys: dict[str, jwt.PyJWK] = {}
    for one in found["keys"]:
        if not isinstance(one, dict) or not isinstance(one.get("kid"), str) or one.get("use", "sig") != "sig":
            continue
        try:
            key = jwt.PyJWK.from_dict(one)
        except jwt.PyJWTError:
            continue
        weak = isinstance(key.key, RSAPublicKey) and key.key.key_size < MIN_RSA_BITS
        if key.algorithm_name in ALGORITHMS and not weak:
            keys[one["kid"]] = key
    return keys


def fetcher(place: str) -> Callable[[], bytes]:
    """Reads the key set at a URL or a path. Raises WrongUse for a URL over which others could send keys of theirs."""
    parts = urlsplit(place)
    if parts.scheme not in ("http", "https"):
        return lambda: Path(place).read_bytes()
    if parts.scheme == "http" and not _is_loopback(parts.hostname or ""):
        raise WrongUse("keys of an identity provider are fetched over https:, or over http: from this machine only", {"known": ["https"]})
    opener = urllib.request.build_opener(_NoRedirects)

    def fetch() -> bytes:
        with opener.open(place, timeout=FETCH_S) as answer:
            raw: bytes = answer.read(MAX_SET_BYTES + 1)
        if len(raw) > MAX_SET_BYTES:
            raise ValueError("the key set is too long")
        return raw

    return fetch


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The keys come from where the settings say, or not at all."""

    def redirect_request(self, *_: object) -> None:
        return None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Tokens:
    """Gives the principal of a token."""

    def __init__(self, settings: TokenSettings, keys: KeySet | None = None) -> None:
        self._settings = settings
        self._keys = keys or KeySet(fetcher(settings.jwks))

    def principal(self, token: str) -> Principal:
        """Raises Unauthenticated, always in the same words."""
        try:
            claims = self._claims(token)
            name = _text(claims["sub"])
            workspace = self._workspace(claims)
            return Principal(f"user:{name}", workspace, self._grants(claims), self._clearances(claims))
        except (jwt.PyJWTError, ValueError, TypeError, KeyError, OverflowError, RecursionError) as why:
            raise Unauthenticated(REFUSED) from why

    def _claims(self, token: str) -> Mapping[str, Any]:
        if len(token) > MAX_TOKEN_CHARS:
            raise ValueError("too long")
        header = jwt.get_unverified_header(token)
        key = self._keys.find(str(header["kid"]))
        if key is None or header.get("alg") != key.algorithm_name:
            raise ValueError("no key of the provider")
        return jwt.decode(
            token,
            key,
            algorithms=[key.algorithm_name],
            audience=self._settings.audience,
            issuer=self._settings.issuer,
            leeway=self._settings.leeway_s,
            options={"require": ["exp", "iss", "aud", "sub"]},
        )

    def _workspace(self, claims: Mapping[str, Any]) -> WorkspaceName:
        named = self._settings.workspace
        return WorkspaceName(named[1:] if named.startswith("=") else _text(claims[named]))

    def _grants(self, claims: Mapping[str, Any]) -> frozenset[Grant]:
        """Words that stand for nothing are passed over: providers put in other things, too."""
        names = self._settings.grant_names or {one.value: frozenset([one]) for one in Grant}
        return frozenset().union(*(names.get(word, frozenset()) for word in _words(claims.get(self._settings.grants))))

    def _clearances(self, claims: Mapping[str, Any]) -> Clearances:
        words = _words(claims.get(self._settings.clearances)) if self._settings.clearances else ()
        if self._settings.all_clearances and self._settings.all_clearances in words:
            return None
        if len(words) > MAX_CLEARANCES:
            raise ValueError("too many clearances")
        return frozenset(words)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= MAX_NAME_CHARS or not value.isprintable():
        raise ValueError("no name")
    return value


def _words(value: Any) -> Sequence[str]:
    """A list of texts, or a text with spaces between words; None is no word."""
    if value is None:
        return ()
    if isinstance(value, str):
        return value.split()
    return [_text(one) for one in value]
