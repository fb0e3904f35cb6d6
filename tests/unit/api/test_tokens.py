"""Tokens of an identity provider, through the door: keys made here, served on the loopback interface."""

import hmac
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.utils import base64url_encode
from starlette.testclient import TestClient

from api.app import create_app
from api.errors import WrongUse
from api.server_settings import ServerSettings, TokenSettings
from api.tokens import AGAIN_AFTER_S, FRESH_S, STALE_S, KeySet, Tokens, fetcher
from api.wiring import Services
from evidence_store.access import Grant
from evidence_store.store import EvidenceStore
from evidence_store.store.keys import KeyRequest
from projector import counter_for

ISSUER, AUDIENCE = "https://id.example/", "evidence"
KEYS: Mapping[str, tuple[str, Any]] = {
    "r1": ("RS256", rsa.generate_private_key(65537, 2048)),
    "e1": ("ES256", ec.generate_private_key(ec.SECP256R1())),
    "d1": ("EdDSA", ed25519.Ed25519PrivateKey.generate()),
}
STRANGER = ec.generate_private_key(ec.SECP256R1())
WEAK = rsa.generate_private_key(65537, 1024)
P384 = ec.generate_private_key(ec.SECP384R1())


def public(id_: str, algorithm: str, key: Any) -> dict[str, Any]:
    made: dict[str, Any] = jwt.get_algorithm_by_name(algorithm).to_jwk(key.public_key(), as_dict=True)
    return made | {"kid": id_, "use": "sig"}


def key_set(*ids: str) -> bytes:
    others = [public("weak", "RS256", WEAK), public("p384", "ES384", P384), {"kty": "oct", "k": "c2VjcmV0", "kid": "oct"}, {"kty": "new"}]
    return json.dumps({"keys": [public(id_, *KEYS[id_]) for id_ in ids] + others}).encode()


class Provider:
    """What serves the key set, and counts how often it is asked."""

    def __init__(self) -> None:
        self.set = key_set(*KEYS)
        self.n_asked = 0
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.n_asked += 1
                self.send_response(302 if self.path == "/moved" else 200)
                if self.path == "/moved":
                    self.send_header("Location", "/keys")
                self.end_headers()
                self.wfile.write(provider.set)

            def log_message(self, format: str, *args: object) -> None:
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def provider() -> Iterator[Provider]:
    made = Provider()
    yield made
    made.stop()


def settings(provider: Provider, **more: Any) -> TokenSettings:
    return TokenSettings(ISSUER, AUDIENCE, f"{provider.url}/keys", **more)


@pytest.fixture
def door(store: EvidenceStore, provider: Provider) -> Callable[..., TestClient]:
    """A client of a server with these settings of tokens."""

    def made(**more: Any) -> TestClient:
        services = Services(store, lambda: counter_for("o200k_base"))
        return TestClient(create_app(services, settings=ServerSettings(tokens=settings(provider, **more))))

    return made


def claims(**more: Any) -> dict[str, Any]:
    """Of a token that is good; a claim of None is left out."""
    now = int(time.time())
    made = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "exp": now + 600, "iat": now, "scope": "openid evidence:read"}
    return {name: value for name, value in (made | more).items() if value is not None}


def token(
    id_: str | None = "r1", key: Any = None, algorithm: str | None = None, headers: Mapping[str, Any] | None = None, **more: Any
) -> str:
    known = KEYS.get(id_ or "", KEYS["r1"])
    named = {} if id_ is None else {"kid": id_}
    return jwt.encode(claims(**more), known[1] if key is None else key, algorithm or known[0], headers={**named, **(headers or {})})


def ask(client: TestClient, secret: str, path: str = "/v1/resources") -> Any:
    return client.get(path, headers={"Authorization": f"Bearer {secret}"})


@pytest.mark.parametrize("id_", sorted(KEYS))
def test_each_algorithm_is_taken(door: Callable[..., TestClient], id_: str) -> None:
    assert ask(door(), token(id_)).status_code == 200


def test_an_audience_among_several_is_enough(door: Callable[..., TestClient]) -> None:
    assert ask(door(), token(aud=["other", AUDIENCE])).status_code == 200


def by_hand(header: Mapping[str, Any], sign: Callable[[bytes], bytes]) -> str:
    """A token that no library would make."""
    text = b".".join(base64url_encode(json.dumps(one).encode()) for one in (header, claims()))
    return b".".join([text, base64url_encode(sign(text))]).decode()


def bad_tokens() -> dict[str, str]:
    good = token()
    head, body, signature = good.split(".")
    pem = KEYS["r1"][1].public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    past = int(time.time()) - 61
    return {
        "none": by_hand({"alg": "none", "kid": "r1"}, lambda _: b""),
        "none without an id": by_hand({"alg": "none"}, lambda _: b""),
        "signed with the public key": by_hand({"alg": "HS256", "kid": "r1"}, lambda text: hmac.new(pem, text, sha256).digest()),
        "a key of the set that is no key for this": jwt.encode(claims(), b"secret" * 8, "HS256", headers={"kid": "oct"}),
        "another algorithm of the same key": token("r1", algorithm="RS512"),
        "PSS": token("r1", algorithm="PS256"),
        "weak key": by_hand({"alg": "RS256", "kid": "weak"}, lambda text: WEAK.sign(text, PKCS1v15(), SHA256())),
        "other curve": token("p384", P384, "ES384"),
        "unknown key": token("e9", STRANGER, "ES256"),
        "known id, other key": token("e1", STRANGER, "ES256"),
        "no id": token(None),
        "id of another key": token("e1", KEYS["r1"][1], "RS256"),
        "address of a key": token("e9", STRANGER, "ES256", {"jku": "https://evil.example/keys"}),
        "key in the token": token("e9", STRANGER, "ES256", {"jwk": public("e9", "ES256", STRANGER)}),
        "critical": token(headers={"crit": ["unknown"], "unknown": True}),
        "issuer": token(iss="https://id.example"),
        "no issuer": token(iss=None),
        "audience": token(aud="evidence2"),
        "no audience": token(aud=None),
        "expired": token(exp=past),
        "no end": token(exp=None),
        "endless": token(exp=float("inf")),
        "not yet": token(nbf=int(time.time()) + 600),
        "no subject": token(sub=None),
        "empty subject": token(sub=""),
        "long subject": token(sub="a" * 201),
        "control character": token(sub="a\nb"),
        "changed": f"{head}.{body[:-4]}AAAA.{signature}",
        "cut": f"{head}.{body}.",
        "two parts": f"{head}.{body}",
        "no token": "abc",
        "deep": f"{base64url_encode(b'[' * 9000).decode()}.{body}.{signature}",
        "long": token(more="a" * 20_000),
        "grants that are no words": token(scope=[1]),
    }


def test_whatever_is_wrong_the_answer_is_the_same(door: Callable[..., TestClient]) -> None:
    client, told = door(), {}
    unknown = ask(client, "es_" + "A" * 43)
    expected = {name: value for name, value in unknown.json().items() if name != "request_id"}
    for name, secret in bad_tokens().items():
        found = ask(client, secret)
        told[name] = (
            found.status_code,
            {one: value for one, value in found.json().items() if one != "request_id"},
            {one: value for one, value in found.headers.items() if one != "request-id"},
        )
    headers = {one: value for one, value in unknown.headers.items() if one != "request-id"}
    assert {name for name, one in told.items() if one != (401, expected, headers)} == set()


def test_the_clocks_may_be_apart(door: Callable[..., TestClient]) -> None:
    assert ask(door(), token(exp=int(time.time()) - 30)).status_code == 200
    assert ask(door(leeway_s=0), token(exp=int(time.time()) - 30)).status_code == 401


def test_keys_of_ours_work_beside_tokens_and_tokens_work_only_where_they_are_set_up(
    store: EvidenceStore, door: Callable[..., TestClient]
) -> None:
    made = store.keys.create(KeyRequest("a", frozenset([Grant.EVIDENCE_READ])), "test")
    assert ask(door(), made.secret).status_code == 200
    services = Services(store, lambda: counter_for("o200k_base"))
    assert ask(TestClient(create_app(services)), token()).status_code == 401


def principal_of(provider: Provider, secret: str, **more: Any) -> Any:
    return Tokens(settings(provider, **more)).principal(secret)


def test_claims_become_workspace_grants_and_clearances(provider: Provider) -> None:
    made = principal_of(provider, token())
    assert (made.name, made.workspace, made.grants, made.clearances) == ("user:ann", "default", {Grant.EVIDENCE_READ}, frozenset())
    assert not made.sees_secrets
    names = {"readers": frozenset([Grant.EVIDENCE_READ]), "agents": frozenset([Grant.EVIDENCE_READ, Grant.CLAIM_WRITE])}
    mapped = {"workspace": "org", "grants": "groups", "grant_names": names, "clearances": "labels", "all_clearances": "everything"}
    secret = token(org="north", groups=["agents", "evidence:read", "admin", "staff"], labels=["red", "blue"], scope="admin")
    made = principal_of(provider, secret, **mapped)
    assert (made.workspace, made.grants, made.clearances) == ("north", names["agents"], {"red", "blue"})
    assert principal_of(provider, token(org="north", labels="everything"), **mapped).clearances is None
    assert principal_of(provider, token(), workspace="=south").workspace == "south"


def test_a_token_without_a_grant_is_known_and_refused(door: Callable[..., TestClient]) -> None:
    assert ask(door(), token(scope="openid")).json()["code"] == "grant_missing"


def test_an_unknown_id_has_the_keys_fetched_again_once_a_minute(provider: Provider) -> None:
    now = [0.0]
    provider.set = key_set("r1")
    tokens = Tokens(settings(provider), KeySet(fetcher(f"{provider.url}/keys"), lambda: now[0]))
    assert tokens.principal(token()).name == "user:ann"
    provider.set = key_set("e1")
    for at, asked in ((1.0, 1), (AGAIN_AFTER_S - 1, 1), (AGAIN_AFTER_S, 2)):
        now[0] = at
        with pytest.raises(Exception, match="give a key"):
            tokens.principal(token("e9", STRANGER, "ES256"))
        assert provider.n_asked == asked
    assert tokens.principal(token("e1")).name == "user:ann"
    with pytest.raises(Exception, match="give a key"):
        tokens.principal(token("r1"))


def test_old_keys_are_fetched_again_and_go_when_the_provider_is_away(provider: Provider) -> None:
    now, away = [0.0], [False]

    def fetch() -> bytes:
        if away[0]:
            raise OSError
        return key_set("r1")

    keys = KeySet(fetch, lambda: now[0])
    assert keys.find("r1") is not None
    away[0] = True
    for at, there in ((FRESH_S + 1, True), (STALE_S, True), (STALE_S + 1, False)):
        now[0] = at
        assert (keys.find("r1") is not None) is there
    away[0], now[0] = False, STALE_S + 1 + AGAIN_AFTER_S
    assert keys.find("r1") is not None


@pytest.mark.parametrize("raw", [b"", b"[]", b"{}", b'{"keys": 1}', b"\xff", b"a" * 300_000])
def test_what_is_no_key_set_has_no_key(provider: Provider, raw: bytes) -> None:
    provider.set = raw
    with pytest.raises(Exception, match="give a key"):
        principal_of(provider, token())


def test_keys_come_from_a_file_or_an_address_that_cannot_be_forged(provider: Provider, tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    path.write_bytes(key_set("r1"))
    assert Tokens(TokenSettings(ISSUER, AUDIENCE, str(path))).principal(token()).name == "user:ann"
    with pytest.raises(WrongUse):
        fetcher("http://id.example/keys")
    with pytest.raises(OSError, match="302"):
        fetcher(f"{provider.url}/moved")()
