"""Settings of the server, each a variable of the environment, read once when it starts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from api.errors import WrongUse
from api.settings import whole_environment
from evidence_store.access import Grant

PREFIX = "EVIDENCE_STORE_"
_MAX = 2**53


@dataclass(frozen=True, slots=True)
class TokenSettings:
    """Whose tokens are taken beside keys of ours, and what they stand for."""

    issuer: str
    audience: str
    jwks: str
    """`https:` URL, `http:` URL on the loopback interface, or path of the provider's key set (RFC 7517)."""
    workspace: str = "=default"
    """Claim that names the workspace, or `=NAME` for one that is always the same."""
    grants: str = "scope"
    """Claim whose words are grants: a list, or text with spaces between them."""
    grant_names: Mapping[str, frozenset[Grant]] = field(default_factory=dict)
    """Words of that claim to the grants they stand for; without any, each word stands for the grant of its name."""
    clearances: str = ""
    """Claim whose words are clearances; empty: tokens have none."""
    all_clearances: str = ""
    """Word of that claim that stands for all labels; empty: none does."""
    leeway_s: int = 60
    """How far the clocks may be apart."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    max_json_bytes: int = 16 * 1024 * 1024
    """Of the body of any request, other than bytes that are put; most have a smaller bound of their own."""
    max_uploads: int = 8
    """Bodies that are taken in at the same time."""
    requests_per_s: int = 0
    """Of one principal; 0: as many as it likes."""
    max_connections: int = 1000
    """Beyond them requests are answered 503."""
    stop_after_s: int = 30
    """How long requests that are being answered may take once the server is told to stop."""
    min_free_bytes: int = 256 * 1024 * 1024
    """With less space the server is not ready."""
    denials_per_minute: int = 60
    """Denials of one principal that the journal keeps; 0: none."""
    metrics: str = "key"
    """Who may scrape: `key`, whoever has `audit:read`; `loopback`, also this machine without one."""
    tokens: TokenSettings | None = None


METRICS = ("key", "loopback")
DEFAULT_SERVER = ServerSettings()
SERVER_VARIABLES = {one.name: PREFIX + one.name.upper() for one in fields(ServerSettings) if one.name != "tokens"}
"""Field to its variable."""
TOKEN_VARIABLES = {one.name: f"{PREFIX}OIDC_{one.name.upper()}" for one in fields(TokenSettings)}


def read_server_settings(environment: Mapping[str, str] | None = None) -> ServerSettings:
    """The variable, else the default. Raises WrongUse for a bad one."""
    environment = whole_environment() if environment is None else environment
    given: dict[str, Any] = {}
    for name, variable in SERVER_VARIABLES.items():
        if environment.get(variable):
            given[name] = _word(variable, environment[variable], METRICS) if name == "metrics" else _number(variable, environment[variable])
    return ServerSettings(**given, tokens=read_token_settings(environment))


def read_token_settings(environment: Mapping[str, str]) -> TokenSettings | None:
    """None where no issuer is named. Raises WrongUse where only a part of what is needed is there."""
    given: dict[str, Any] = {name: environment[variable] for name, variable in TOKEN_VARIABLES.items() if environment.get(variable)}
    if not given:
        return None
    for name in ("issuer", "audience", "jwks"):
        if name not in given:
            raise WrongUse(f"{TOKEN_VARIABLES[name]} is missing: tokens are taken of one issuer, for one audience, with its keys")
    read: Mapping[str, Callable[[str, str], Any]] = {"leeway_s": _number, "grant_names": _grant_names}
    return TokenSettings(**given | {name: how(TOKEN_VARIABLES[name], given[name]) for name, how in read.items() if name in given})


def _number(variable: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) < _MAX):
        raise WrongUse(f"{variable} is {text[:40]!r}, and must be a whole number")
    return int(text)


def _word(variable: str, text: str, known: tuple[str, ...]) -> str:
    if text not in known:
        raise WrongUse(f"{variable} is {text[:40]!r}, and must be one of {', '.join(known)}", {"known": list(known)})
    return text


def _grant_names(variable: str, text: str) -> Mapping[str, frozenset[Grant]]:
    """`WORD=GRANT+GRANT,WORD=GRANT`."""
    found = {}
    for entry in text.split(","):
        word, _, names = entry.strip().partition("=")
        try:
            found[word] = frozenset(Grant(name) for name in names.split("+"))
        except ValueError as why:
            known: list[str] = [one.value for one in Grant]
            raise WrongUse(f"{variable}: {entry.strip()[:80]!r} is not WORD=GRANT+GRANT", {"known": known}) from why
    return found
